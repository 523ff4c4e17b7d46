"""Connections that never finish a request are closed, others are not."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator

import pytest
import uvicorn

from conlinucb.service.http import connections


async def app(scope: object, receive: object, send: object) -> None:
    await send({"type": "http.response.start", "status": 204, "headers": []})  # type: ignore[operator]
    await send({"type": "http.response.body", "body": b""})  # type: ignore[operator]


@pytest.fixture
def port(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    monkeypatch.setattr(connections, "REQUEST_TIMEOUT", 0.5)
    config = uvicorn.Config(
        app, port=0, lifespan="off", log_level="critical", http=connections.Connection
    )
    server = uvicorn.Server(config)
    listening = config.bind_socket()
    thread = threading.Thread(target=server.run, args=([listening],))
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield int(listening.getsockname()[1])
    server.should_exit = True
    thread.join()
    listening.close()


REQUEST = b"GET / HTTP/1.1\r\nhost: x\r\n\r\n"


@pytest.mark.parametrize("sent", [b"", b"GET / HT", REQUEST[:-2], REQUEST + REQUEST[:-2]])
def test_what_never_ends_is_closed(port: int, sent: bytes) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        connection.sendall(sent)
        while connection.recv(1000):  # until the other end is closed
            pass


def test_what_comes_in_time_is_answered_again_and_again(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        for _ in range(4):
            time.sleep(0.2)
            connection.sendall(REQUEST)
            assert connection.recv(1000).startswith(b"HTTP/1.1 204")
        connection.sendall(REQUEST * 3)  # at once
        seen = b""
        while seen.count(b"HTTP/1.1 204") < 3:
            seen += connection.recv(1000)
