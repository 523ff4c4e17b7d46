"""Connections: how long they may wait, what they may send before a request is whole, and how long
an answer may lie unread.

Uvicorn takes a protocol of one's own by its option ``http``; this one is its own with limits. Its
other protocol, h11, has an option that bounds headers and answers half as many requests a second,
Granian 60 to 90 % of them; none of the two gives up unread answers or closes who waits longest.
"""

from __future__ import annotations

import asyncio
import importlib
import json
import sys
from collections import deque
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from conlinucb.service.http.limits import Limits
from conlinucb.service.observe import observer
from conlinucb.service.problems import CLOSE, Problem

REQUEST_TIMEOUT = 30.0
"""Seconds from the opening of a connection, or from an answer, to the end of the next headers."""
MOST_PIPELINED = 16
"""Requests on one connection that wait for the answer to an earlier one."""
SLOWEST_READER = 5_000
"""Bytes a second that a client must take of an answer that waits to be sent."""
AT_A_TURN, TURN = 4, 0.004
"""So many new connections begin at once, and seconds until the next ones do: between them the
threads that work for others have the interpreter to themselves."""
HEALTH = b"GET /healthz "


class Crowd:
    """What all connections of a worker share."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.waiting: dict[Connection, None] = {}
        """Those on which no request is at work, who has waited longest first."""
        self.writing: dict[Connection, None] = {}
        """Those whose answers are not taken as fast as they are made."""
        self.newcomers: deque[Connection] = deque()
        """Those whose first words wait for their turn."""
        self._begun = 0

    def is_turn_of_next(self) -> bool:
        """Whether who comes now may begin; they have begun then."""
        return not self.newcomers and self._may_begin()

    def _may_begin(self) -> bool:
        if self._begun == AT_A_TURN:
            return False
        if self._begun == 0:
            asyncio.get_running_loop().call_later(TURN, self._turn)
        self._begun += 1
        return True

    def _turn(self) -> None:
        self._begun = 0
        while self.newcomers and self._may_begin():
            self.newcomers.popleft().begin()

    def make_room(self) -> None:
        """Close who has waited longest; the newest only where everybody else is at work."""
        next(iter(self.waiting)).make_place()

    def let_go(self) -> None:
        """Of answers that wait to be read there may be so many bytes: the slowest lose theirs."""
        sizes = {each: each.unsent() for each in self.writing}
        while sum(sizes.values()) > self.limits.unsent_bytes:
            slowest = min(sizes, key=Connection.taken)
            sizes.pop(slowest)
            slowest.transport.abort()


class Connection(HttpToolsProtocol):
    """Uvicorn's protocol, which by itself waits for the rest of a request forever."""

    def __init__(
        self, config: Any, server_state: Any, app_state: dict[str, Any], _loop: Any = None
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        if "crowd" not in app_state:  # one for all: the server hands the same state to each
            app_state["crowd"] = Crowd(app_state.get("limits") or Limits())
        self._crowd: Crowd = app_state["crowd"]
        self._limits = self._crowd.limits
        self._refusal: Problem | None = None
        self._went_on = False
        self._unfinished = self._header_bytes = 0
        self._timer: asyncio.TimerHandle | None = None
        self._write_timer: asyncio.TimerHandle | None = None
        self._unread, self._since = 0, 0.0
        self._is_new, self._first = True, b""

    def connection_made(self, transport: Any) -> None:
        """Begin to wait."""
        super().connection_made(transport)
        self._wait()
        if len(self.connections) > self._limits.most_connections:
            self._crowd.make_room()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no more."""
        self._rest()
        self._written()
        super().connection_lost(exc)

    # What comes in

    def data_received(self, data: bytes) -> None:
        """Take it in; what a new connection says first, when it is its turn."""
        if self._is_new and not (data.startswith(HEALTH) or self._crowd.is_turn_of_next()):
            self._first = data
            self.transport.pause_reading()
            self._crowd.newcomers.append(self)
            return
        self._is_new = False
        self._take(data)

    def begin(self) -> None:
        """It is the turn of what came first."""
        self._is_new = False
        if not self.transport.is_closing():
            self.transport.resume_reading()
            self._take(self._first)
            self._first = b""

    def _take(self, data: bytes) -> None:
        """Count what belongs to nothing yet: a part of headers, or of what ends a body."""
        self._went_on = False
        super().data_received(data)
        self._unfinished = 0 if self._went_on else self._unfinished + len(data)
        if self._unfinished > self._limits.header_bytes and not self.transport.is_closing():
            self._refusal = self._too_large(self._unfinished)
            self.send_400_response("")

    def on_message_begin(self) -> None:
        """Another request begins."""
        self._header_bytes = 0
        super().on_message_begin()

    def on_url(self, url: bytes) -> None:
        """Its address is as large as what it says."""
        self._count(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """One more header, or one behind the body."""
        self._count(len(name) + len(value))
        super().on_header(name, value)
        if len(self.headers) > self._limits.most_headers:
            self._refuse(
                Problem(
                    431,
                    "too_many_headers",
                    f"There are {len(self.headers)} headers or more; at most "
                    f"{self._limits.most_headers} are taken.",
                )
            )

    def on_headers_complete(self) -> None:
        """The request is here; its body has a limit of its own."""
        self._went_on = True
        self._rest()
        if len(self.pipeline) >= MOST_PIPELINED:
            self._refuse(
                Problem(
                    429,
                    "too_many_at_once",
                    f"More than {MOST_PIPELINED} requests wait on this connection: read an "
                    "answer before the next one.",
                    retry=True,
                )
            )
        super().on_headers_complete()
        if self._limits.leaving:
            self.cycle.keep_alive = False

    def on_body(self, body: bytes) -> None:
        """A part of the body."""
        self._went_on = True
        super().on_body(body)

    def on_message_complete(self) -> None:
        """The end of the body."""
        self._went_on = True
        super().on_message_complete()

    def _count(self, size: int) -> None:
        self._header_bytes += size
        if self._header_bytes > self._limits.header_bytes:
            self._refuse(self._too_large(self._header_bytes))

    def _too_large(self, size: int) -> Problem:
        return Problem(
            431,
            "headers_too_large",
            f"The headers have {size:,} bytes or more; at most {self._limits.header_bytes:,} are "
            "taken.",
        )

    def _refuse(self, problem: Problem) -> None:
        """End the parsing; what is raised here comes back as ``send_400_response``."""
        self._refusal = problem
        raise problem

    def send_400_response(self, msg: str) -> None:
        """Say what is wrong, in the shape of all errors, and close."""
        problem = self._refusal or Problem(400, "unreadable", "This is no HTTP request.")
        observer.count("turned_away", reason=problem.code)
        if (
            self.cycle is None or self.cycle.response_complete
        ):  # else it would be read as its answer
            self.transport.write(_answer(problem))
        self._end()

    # How long it waits

    def on_response_complete(self) -> None:
        """Wait for the next one, unless it is here already."""
        is_here = bool(self.pipeline)
        super().on_response_complete()
        if self.transport.is_closing():
            self._watch()
        elif not is_here:
            self._wait()

    def make_place(self) -> None:
        """Leave, because there are too many; who has just come is told so."""
        observer.count("turned_away", reason="connections")
        if len(self._crowd.waiting) == 1:
            self.transport.write(
                _answer(Problem(503, "crowded", "Too many connections are open.", retry=True))
            )
        self._end()

    def timeout_keep_alive_handler(self) -> None:
        """Nothing came for a while."""
        self._end()

    def shutdown(self) -> None:
        """The server ends: a request of which a part has come is still served."""
        if self._unfinished or self._first:
            self._limits.leaving = True
        else:
            super().shutdown()

    def _wait(self) -> None:
        self._rest()
        self._crowd.waiting[self] = None
        self._timer = self.loop.call_later(REQUEST_TIMEOUT, self._end)

    def _rest(self) -> None:
        self._crowd.waiting.pop(self, None)
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _end(self) -> None:
        """Close, once what was written is read; somebody must read it."""
        self._rest()
        if not self.transport.is_closing():
            self.transport.close()
        self._watch()

    # How an answer is read

    def pause_writing(self) -> None:
        """More was written than is read."""
        super().pause_writing()
        self._crowd.writing[self] = None
        self._watch()
        self._crowd.let_go()

    def resume_writing(self) -> None:
        """It is read."""
        super().resume_writing()
        if not self.transport.is_closing():
            self._written()

    def unsent(self) -> int:
        """Bytes of answers that wait to be read."""
        return self.transport.get_write_buffer_size()

    def taken(self) -> float:
        """Bytes a second that were read since it began to wait."""
        return (self._unread - self._left()) / max(self.loop.time() - self._since, 0.1)

    def _left(self) -> int:
        """What is not read yet, with what the system has taken over of it."""
        return self.unsent() + _queued(self.transport.get_extra_info("socket"))

    def _watch(self) -> None:
        """From time to time see whether the answer is being read."""
        if self._write_timer is None and self.unsent():
            self._unread, self._since = self._left(), self.loop.time()
            self._write_timer = self.loop.call_later(self._limits.write_seconds, self._look)

    def _look(self) -> None:
        self._write_timer = None
        if self.unsent() and self.taken() < SLOWEST_READER:
            self.transport.abort()
        else:
            self._watch()

    def _written(self) -> None:
        self._crowd.writing.pop(self, None)
        if self._write_timer is not None:
            self._write_timer.cancel()
            self._write_timer = None


def _queued(socket: Any) -> int:
    """Bytes that the system keeps of what was written and not acknowledged; 0 where it does not
    say.
    """
    try:
        fcntl, termios = map(importlib.import_module, ("fcntl", "termios"))
        found = fcntl.ioctl(socket.fileno(), termios.TIOCOUTQ, bytes(4))
    except (ImportError, OSError):
        return 0
    return int.from_bytes(found, sys.byteorder)


def _answer(problem: Problem) -> bytes:
    """A whole answer that closes the connection."""
    body = json.dumps(problem.body()).encode()
    lines = [
        f"HTTP/1.1 {problem.status} {problem.code}",
        "content-type: application/json",
        f"content-length: {len(body)}",
        *(f"{name.lower()}: {value}" for name, value in (problem.headers() | CLOSE).items()),
    ]
    return "\r\n".join([*lines, "\r\n"]).encode() + body
