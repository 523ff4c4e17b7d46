"""A TCP proxy that cuts connections: before the request goes on, or before its answer."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterable, Iterator


class Flaky:
    """Of each connection one request goes through, then it is closed, as the plan says.

    "pass": it is answered; "unsent": the service never hears of it; "unanswered": the service
    has answered, and the caller is cut off. After the plan everything passes.
    """

    def __init__(self, port: int, plan: Iterable[str]) -> None:
        self.upstream, self.plan = port, iter(plan)
        self.lock = threading.Lock()
        self.met: list[str] = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self.listener.getsockname()[1])
        self.base = f"http://127.0.0.1:{self.port}"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                caller, _ = self.listener.accept()
                threading.Thread(target=self._serve, args=(caller,), daemon=True).start()

    def _serve(self, caller: socket.socket) -> None:
        with caller, contextlib.suppress(OSError):
            caller.settimeout(30)
            request = _message(caller)
            if not request:
                return
            with self.lock:
                fate = next(self.plan, "pass")
                self.met.append(fate)
            if fate == "unsent":
                return
            with socket.create_connection(("127.0.0.1", self.upstream), timeout=30) as service:
                service.sendall(request)
                answer = _message(service)
            if fate == "pass":
                head, _, body = answer.partition(b"\r\n\r\n")
                caller.sendall(head + b"\r\nconnection: close\r\n\r\n" + body)


def _message(connection: socket.socket) -> bytes:
    """One request or answer whose length is stated."""
    found = b""
    while b"\r\n\r\n" not in found:
        if not (piece := connection.recv(65536)):
            return b""
        found += piece
    head, _, body = found.partition(b"\r\n\r\n")
    lines = head.decode("latin-1").lower().split("\r\n")
    length = next(
        (int(each.split(":")[1]) for each in lines if each.startswith("content-length")), 0
    )
    while len(body) < length:
        body += connection.recv(65536)
    return head + b"\r\n\r\n" + body


@contextlib.contextmanager
def flaky(port: int, plan: Iterable[str]) -> Iterator[Flaky]:
    """A proxy before this port, closed in the end."""
    proxy = Flaky(port, plan)
    try:
        yield proxy
    finally:
        proxy.listener.close()
