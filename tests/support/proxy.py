"""A small reverse proxy on this machine, as one that someone put in front of a service."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator


@contextlib.contextmanager
def proxied(port: int, *added: str) -> Iterator[str]:
    """The address of a proxy before this port, which adds these headers and passes all others."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        ended = threading.Event()
        arguments = (listening, port, "".join(f"{each}\r\n" for each in added).encode(), ended)
        thread = threading.Thread(target=_accept, args=arguments, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            ended.set()
            thread.join(timeout=10)


def _accept(listening: socket.socket, port: int, added: bytes, ended: threading.Event) -> None:
    listening.settimeout(0.05)
    while not ended.is_set():
        with contextlib.suppress(TimeoutError):
            client, _ = listening.accept()
            threading.Thread(target=_pass_on, args=(client, port, added), daemon=True).start()


def _pass_on(client: socket.socket, port: int, added: bytes) -> None:
    """One request: its head with what is added, its body as it comes, and the answer."""
    with client, socket.create_connection(("127.0.0.1", port)) as service:
        client.settimeout(30)
        service.settimeout(30)
        head = b""
        while b"\r\n\r\n" not in head:
            part = client.recv(65_536)
            if not part:
                return
            head += part
        first, _, rest = head.partition(b"\r\n")
        service.sendall(first + b"\r\n" + added + b"Connection: close\r\n" + rest)
        threading.Thread(target=_pump, args=(client, service), daemon=True).start()
        _pump(service, client)


def _pump(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while part := source.recv(65_536):
            target.sendall(part)
