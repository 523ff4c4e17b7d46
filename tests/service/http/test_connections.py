"""Connections that never finish a request are closed, others are not."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import threading
import time
from collections import Counter
from collections.abc import Iterator

import pytest
import uvicorn
from starlette.types import Receive, Scope, Send

from conlinucb.service.http import connections
from conlinucb.service.http.limits import Limits
from support.soak import wait_for

pytestmark = pytest.mark.more  # real connections, and waiting for them
SIZE = 20_000_000
"""Of a large answer: more than the system keeps for a connection."""


class App:
    """Answers nothing at once, much to /large, and to /wait when it is let go on."""

    def __init__(self, limits: Limits) -> None:
        self.limits, self.goes_on = limits, False
        self.met: Counter[str] = Counter()
        """Requests by their path."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            scope["state"]["limits"] = self.limits
            await receive()
            await send({"type": "lifespan.startup.complete"})
            await receive()
            await send({"type": "lifespan.shutdown.complete"})
            return
        self.met[scope["path"]] += 1
        while scope["path"] == "/wait" and not self.goes_on:
            await asyncio.sleep(0.01)
        size = SIZE if scope["path"] == "/large" else 0
        headers = [(b"content-length", str(size).encode())] if size else []
        start = {"type": "http.response.start", "status": 200 if size else 204, "headers": headers}
        await send(start)
        await send({"type": "http.response.body", "body": b"a" * size})


@pytest.fixture
def limits() -> Limits:
    return Limits()


@pytest.fixture
def app(limits: Limits) -> App:
    return App(limits)


@pytest.fixture
def server(app: App) -> Iterator[uvicorn.Server]:
    config = uvicorn.Config(
        app, port=0, log_level="critical", http=connections.Connection, ws="none"
    )
    found = uvicorn.Server(config)
    listening = config.bind_socket()
    thread = threading.Thread(target=found.run, args=([listening],))
    thread.start()
    wait_for(lambda: found.started, "the start")
    yield found
    app.goes_on = found.should_exit = True
    thread.join()
    listening.close()


@pytest.fixture
def port(server: uvicorn.Server) -> int:
    return int(server.servers[0].sockets[0].getsockname()[1])


REQUEST = b"GET / HTTP/1.1\r\nhost: x\r\n\r\n"


@pytest.mark.parametrize("sent", [b"", b"GET / HT", REQUEST[:-2], REQUEST + REQUEST[:-2]])
def test_what_never_ends_is_closed(port: int, monkeypatch: pytest.MonkeyPatch, sent: bytes) -> None:
    monkeypatch.setattr(connections, "REQUEST_TIMEOUT", 0.3)
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        connection.sendall(sent)
        while connection.recv(1000):  # until the other end is closed
            pass


def test_what_comes_in_time_is_answered_again_and_again(
    port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "REQUEST_TIMEOUT", 3.0)
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        for _ in range(4):  # which is more than three seconds in all
            time.sleep(0.8)
            connection.sendall(REQUEST)
            assert connection.recv(1000).startswith(b"HTTP/1.1 204")
        connection.sendall(REQUEST * 3)  # at once
        seen = b""
        while seen.count(b"HTTP/1.1 204") < 3:
            seen += connection.recv(1000)


# How much may come before a request is whole


def told(port: int, *pieces: bytes) -> tuple[int, dict[str, str], dict[str, str]]:
    """What is answered to this, and that the connection is closed then."""
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        with contextlib.suppress(ConnectionError):
            for each in pieces:
                connection.sendall(each)
                time.sleep(0.02)
        seen = b""
        with contextlib.suppress(ConnectionError):
            while piece := connection.recv(10_000):
                seen += piece
    head, _, body = seen.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    headers = dict(line.split(": ", 1) for line in lines)
    return int(first.split(" ")[1]), headers, json.loads(body)["error"]


BEGIN = b"GET / HTTP/1.1\r\nhost: x\r\n"
LARGE = [
    (b"x: " + b"a" * 40_000 + b"\r\n\r\n",),
    (b"x: ", *[b"a" * 8_000] * 6),
    tuple(b"".join(b"x-%d-%d: %s\r\n" % (i, j, b"a" * 900) for j in range(9)) for i in range(5)),
]


@pytest.mark.parametrize("pieces", LARGE, ids=["at once", "without end", "in lines"])
def test_headers_that_are_too_large(port: int, pieces: tuple[bytes, ...]) -> None:
    status, headers, error = told(port, BEGIN, *pieces)
    assert (status, error["code"]) == (431, "headers_too_large")
    assert "at most 32,000 are taken" in error["message"]
    assert headers["connection"] == "close"


def test_an_address_that_is_too_large(port: int) -> None:
    status, _, error = told(port, b"GET /" + b"a" * 40_000 + b" HTTP/1.1\r\nhost: x\r\n\r\n")
    assert (status, error["code"]) == (431, "headers_too_large")


def test_too_many_headers(port: int) -> None:
    lines = b"".join(b"x-%d: a\r\n" % each for each in range(100))
    status, _, error = told(port, BEGIN + lines + b"\r\n")
    assert (status, error["code"]) == (431, "too_many_headers")
    assert "at most 100 are taken" in error["message"]


def test_a_large_body_is_no_large_header(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        body = b"a" * 200_000
        head = b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: %d\r\n\r\n" % len(body)
        connection.sendall(head + body)
        assert connection.recv(1000).startswith(b"HTTP/1.1 204")
        time.sleep(0.1)
        connection.sendall(REQUEST)
        assert connection.recv(1000).startswith(b"HTTP/1.1 204")


def test_headers_behind_a_body_that_never_end(port: int) -> None:
    head = b"POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n0\r\nx: "
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        connection.sendall(head)
        sent = 0
        with contextlib.suppress(ConnectionError):
            while sent < 1000:
                connection.sendall(b"a" * 8_000)
                sent += 1
                time.sleep(0.01)
        assert sent < 1000


def test_what_is_no_request(port: int) -> None:
    status, headers, error = told(port, b"HELLO\r\n\r\n")
    assert (status, error["code"]) == (400, "unreadable")
    assert headers["content-type"] == "application/json"


def test_too_many_requests_at_once_on_one_connection(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        connection.sendall(REQUEST * 1000)
        seen = b""
        with contextlib.suppress(ConnectionError):
            while piece := connection.recv(10_000):  # it is closed, not served to the end
                seen += piece
        assert seen.count(b"HTTP/1.1 204") < 100


# How many there may be


def test_who_has_waited_longest_makes_room(
    server: uvicorn.Server, port: int, limits: Limits
) -> None:
    limits.most_connections = 10
    with contextlib.ExitStack() as stack:
        there = [
            stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=30))
            for _ in range(10)
        ]
        wait_for(lambda: len(server.server_state.connections) == 10, "all connections")
        there[0].sendall(REQUEST)
        assert there[0].recv(1000).startswith(b"HTTP/1.1 204")  # so it waits since just now
        newest = stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=30))
        newest.sendall(REQUEST)
        assert newest.recv(1000).startswith(b"HTTP/1.1 204")
        assert there[1].recv(1000) == b""
        for each in (there[0], *there[2:]):
            each.sendall(REQUEST)
            assert each.recv(1000).startswith(b"HTTP/1.1 204")


def test_where_everybody_is_at_work_the_newest_is_told_so(
    app: App, port: int, limits: Limits
) -> None:
    limits.most_connections = 3
    with contextlib.ExitStack() as stack:
        for _ in range(3):
            busy = stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=30))
            busy.sendall(b"GET /wait HTTP/1.1\r\nhost: x\r\n\r\n")
        wait_for(lambda: app.met["/wait"] == 3, "everybody is at work")
        status, headers, error = told(port)
        assert (status, error["code"]) == (503, "crowded")
        assert headers["retry-after"]


# When those who come together are served


def some_new(port: int, many: int, stack: contextlib.ExitStack) -> list[socket.socket]:
    """New connections, each with a request at once."""
    found = []
    for _ in range(many):
        connection = socket.create_connection(("127.0.0.1", port), timeout=30)
        found.append(stack.enter_context(connection))
        connection.sendall(REQUEST)
    return found


def test_of_many_new_ones_a_few_begin_at_a_time_and_health_at_once(
    app: App, server: uvicorn.Server, port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "TURN", 0.2)
    with contextlib.ExitStack() as stack:
        there = some_new(port, 5 * connections.AT_A_TURN, stack)
        wait_for(lambda: len(server.server_state.connections) == len(there), "all connections")
        there[-1].close()  # who goes before their turn is left out
        probe = stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=30))
        probe.sendall(b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n")
        assert probe.recv(1000).startswith(b"HTTP/1.1 204")
        assert app.met["/"] < len(there) - 1
        for each in there[:-1]:
            assert each.recv(1000).startswith(b"HTTP/1.1 204")


def test_who_waits_for_their_turn_is_served_when_the_server_ends(
    server: uvicorn.Server, port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "TURN", 0.3)
    with contextlib.ExitStack() as stack:
        there = some_new(port, 4 * connections.AT_A_TURN, stack)
        wait_for(lambda: len(server.server_state.connections) == len(there), "all connections")
        server.should_exit = True
        for each in there:
            assert each.recv(1000).startswith(b"HTTP/1.1 204")


# How answers are read


@pytest.mark.parametrize("close", [b"", b"connection: close\r\n"], ids=["kept", "closed"])
def test_an_answer_that_nobody_reads_is_given_up(
    app: App, server: uvicorn.Server, port: int, limits: Limits, close: bytes
) -> None:
    limits.write_seconds = 0.3
    with _unread(port, close) as connection:
        wait_for(lambda: app.met["/large"] and not server.server_state.connections, "its end")
        assert _read(connection) < SIZE


def test_an_answer_that_is_read_slowly_is_sent_to_its_end(port: int, limits: Limits) -> None:
    limits.write_seconds = 2.0
    with _unread(port, b"connection: close\r\n", window=100_000) as connection:
        assert _read(connection, pause=0.03) > SIZE


def test_unread_answers_have_so_much_room_together(
    app: App, server: uvicorn.Server, port: int, limits: Limits
) -> None:
    limits.unsent_bytes = 3 * SIZE
    with contextlib.ExitStack() as stack:
        there = [stack.enter_context(_unread(port, b"connection: close\r\n")) for _ in range(8)]
        left = server.server_state.connections
        wait_for(lambda: app.met["/large"] == 8 and len(left) <= 3, "the end of others")
        sizes = [_read(each) for each in there]
    assert 2 <= sum(each > SIZE for each in sizes) <= 3, sizes


def _unread(port: int, more: bytes, window: int = 4096) -> socket.socket:
    """A connection with a small window, on which a large answer was asked for."""
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, window)
    connection.settimeout(30)
    connection.connect(("127.0.0.1", port))
    connection.sendall(b"GET /large HTTP/1.1\r\nhost: x\r\n" + more + b"\r\n")
    return connection


def _read(connection: socket.socket, pause: float = 0.0) -> int:
    seen = 0
    with contextlib.suppress(OSError):
        while piece := connection.recv(1_000_000):
            seen += len(piece)
            time.sleep(pause)
    return seen
