"""Clients that mean ill, each with a bound in seconds: ``python -m benchmarks.attackers PORT NAME
SECONDS`` runs one as a process of its own.

What an attack has to say about the answers it got is printed as JSON: how often each status came.
"""

from __future__ import annotations

import http.client
import io
import json
import socket
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator

BEGIN = b"GET /healthz HTTP/1.1\r\nhost: 127.0.0.1\r\n"
PIECE = 65_536
MOST_BYTES = 200_000_000
"""Of headers, in one attack."""
SLOW_BODIES = 1_005
SLOW_READERS = 500
SLOW_HEADERS = 1_500
COMPARISONS = 48
PROFILES = 24
BOMB_ROWS = 9_000_000
Statuses = Counter[str]


def connected(port: int, receive: int | None = None) -> socket.socket:
    """A connection, perhaps with a small window for what comes back."""
    found = socket.socket()
    if receive is not None:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive)
    found.settimeout(10)
    found.connect(("127.0.0.1", port))
    return found


def _status(connection: socket.socket) -> str:
    try:
        told = connection.recv(4096)
    except OSError:
        return "reset"
    return told.split(b" ")[1].decode() if told.startswith(b"HTTP/1.1 ") else "closed"


def _endless(port: int, seconds: float, pieces: Callable[[], Iterator[bytes]]) -> Statuses:
    """Eight connections that send headers without end; who is refused comes again."""
    found: Statuses = Counter()
    end, sent = time.monotonic() + seconds, [0]

    def send() -> None:
        while time.monotonic() < end and sent[0] < MOST_BYTES:
            try:
                with connected(port) as connection:
                    try:
                        connection.sendall(BEGIN)
                        for piece in pieces():
                            connection.sendall(piece)
                            sent[0] += len(piece)
                            if time.monotonic() > end or sent[0] > MOST_BYTES:
                                break
                    except OSError:  # it was closed: it may still have said why
                        pass
                    found[_status(connection)] += 1
            except OSError:
                found["not connected"] += 1
            time.sleep(0.05)

    _together(send, 8)
    return found


def header_value(port: int, seconds: float) -> Statuses:
    """One header whose value never ends."""

    def pieces() -> Iterator[bytes]:
        yield b"x-endless: "
        while True:
            yield b"a" * PIECE

    return _endless(port, seconds, pieces)


def header_lines(port: int, seconds: float) -> Statuses:
    """Headers, one line after another, without end."""

    def pieces() -> Iterator[bytes]:
        number = 0
        while True:
            yield b"".join(b"x-%d: some value\r\n" % each for each in range(number, number + 2000))
            number += 2000

    return _endless(port, seconds, pieces)


def _opened(
    port: int, many: int, sent: Callable[[int], bytes], receive: int
) -> list[socket.socket]:
    found = []
    for number in range(many):
        try:
            connection = connected(port, receive)
            connection.sendall(sent(number))
        except OSError:
            continue
        connection.setblocking(False)
        found.append(connection)
    return found


def _dripping(port: int, seconds: float, many: int, sent: Callable[[int], bytes]) -> Statuses:
    """Connections that send a byte a second; who is turned away comes again."""
    found: Statuses = Counter()
    end = time.monotonic() + seconds
    there = _opened(port, many, sent, 65_536)
    while True:
        time.sleep(1.0)
        for connection in list(there):
            try:
                connection.send(b"a")
                told = connection.recv(4096)
                found[told.split(b" ")[1].decode() if told else "closed"] += 1
            except BlockingIOError:
                continue
            except OSError:
                found["reset"] += 1
            there.remove(connection)
            connection.close()
        if time.monotonic() > end:
            found["still open"] = len(there)
            return found
        there += _opened(port, min(many - len(there), 200), sent, 65_536)


def slow_bodies(port: int, seconds: float) -> Statuses:
    """Bodies of 1,000 bytes, a byte a second."""

    def sent(number: int) -> bytes:
        return (
            f"POST /v1/users/slow-{number}/next HTTP/1.1\r\nhost: 127.0.0.1\r\n"
            "content-type: application/json\r\ncontent-length: 1000\r\n\r\n"
        ).encode()

    return _dripping(port, seconds, SLOW_BODIES, sent)


def slow_headers(port: int, seconds: float) -> Statuses:
    """Headers that come a byte a second."""
    return _dripping(port, seconds, SLOW_HEADERS, lambda number: BEGIN + b"x-slow: ")


def slow_readers(port: int, seconds: float) -> Statuses:
    """Clients who ask for a large answer, and read none of it."""
    ask = b"GET /v1/users/long/export HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n"
    found: Statuses = Counter()
    end = time.monotonic() + seconds
    there = _opened(port, SLOW_READERS, lambda number: ask, 4096)
    time.sleep(max(end - time.monotonic(), 0.0))
    for each in there:
        found[_is_open(each)] += 1
        each.close()
    return found


def _is_open(connection: socket.socket) -> str:
    """Whether it is still there; what came is read on the way."""
    try:
        while connection.recv(1_000_000):
            pass
    except BlockingIOError:
        return "still open"
    except OSError:
        return "reset"
    return "closed"


def _asking(
    port: int, seconds: float, many: int, method: str, path: str, body: Callable[[int, int], bytes]
) -> Statuses:
    """So many who ask for the same again and again; who is busied waits a moment."""
    found: Statuses = Counter()
    end, numbers = time.monotonic() + seconds, iter(range(many))

    def ask() -> None:
        number, times = next(numbers), 0
        while time.monotonic() < end:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=seconds)
            times += 1
            try:
                headers = {"content-type": "application/json"}
                connection.request(method, path, body(number, times) or None, headers)
                answer = connection.getresponse()
                answer.read()
                found[str(answer.status)] += 1
                if answer.status == 503:
                    time.sleep(0.5)
            except (OSError, http.client.HTTPException) as error:
                found[type(error).__name__] += 1
            finally:
                connection.close()

    _together(ask, many)
    return found


def comparisons(port: int, seconds: float) -> Statuses:
    """The largest comparisons that the page takes, each of other people."""

    def body(number: int, times: int) -> bytes:
        order = {"agents": ["max-radius", "ucb", "linucb", "random"], "rounds": 300}
        return json.dumps({**order, "seed": 1000 * number + times}).encode()

    return _asking(port, seconds, COMPARISONS, "POST", "/v1/page/comparison", body)


def profiles(port: int, seconds: float) -> Statuses:
    """The profile of someone with a long log."""
    path = "/v1/users/long?events=1000"
    return _asking(port, seconds, PROFILES, "GET", path, lambda number, times: b"")


def bomb() -> bytes:
    """A small parquet file that is huge when it is unpacked: one long text, again and again."""
    import pyarrow as pa
    import pyarrow.parquet as parquet

    texts = pa.DictionaryArray.from_arrays(
        pa.array([0] * BOMB_ROWS, pa.int32()), pa.array(["a" * 199])
    )
    file = io.BytesIO()
    parquet.write_table(pa.table({"item": texts, "tag": texts, "title": texts}), file)
    return file.getvalue()


def parquet(port: int, seconds: float) -> Statuses:
    """Four who send it at once, again and again."""
    packed, found = bomb(), Counter[str]()
    end = time.monotonic() + seconds

    def send() -> None:
        while time.monotonic() < end:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=300)
            headers = {"content-type": "application/vnd.apache.parquet"}
            try:
                connection.request("POST", "/v1/catalogues/preview", packed, headers)
                found[str(connection.getresponse().status)] += 1
            except (OSError, http.client.HTTPException) as error:
                found[type(error).__name__] += 1
            finally:
                connection.close()
            time.sleep(0.2)

    _together(send, 4)
    return found


def _together(work: Callable[[], None], many: int) -> None:
    threads = [threading.Thread(target=work) for _ in range(many)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


ATTACKS: dict[str, Callable[[int, float], Statuses]] = {
    "header value": header_value,
    "header lines": header_lines,
    "slow headers": slow_headers,
    "slow bodies": slow_bodies,
    "slow readers": slow_readers,
    "comparisons": comparisons,
    "profiles": profiles,
    "parquet": parquet,
}

if __name__ == "__main__":
    print(json.dumps(ATTACKS[sys.argv[2]](int(sys.argv[1]), float(sys.argv[3]))))
