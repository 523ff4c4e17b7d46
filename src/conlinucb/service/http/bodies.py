"""Bodies that are still coming: how large, how slow and how many of them there may be."""

from __future__ import annotations

import asyncio

from starlette.types import Message, Receive

from conlinucb.service.problems import CLOSE, Problem

MOST_WAITING = 200
"""Bodies that are waited for at once in a worker; of more, the slowest is turned away."""
LONGEST = 300.0
"""Seconds in which the largest body must have come."""
GRACE, RATE = 10.0, 10_000
"""Seconds in which a body may be as slow as it likes; from then on, bytes a second."""
SOON = 1.0
"""Seconds before anyone is called slow."""


class Bodies:
    """All bodies of a worker: those that are waited for, and the bytes that all of them have."""

    def __init__(self, most_bytes: int = 256_000_000) -> None:
        self.most_bytes = most_bytes
        self.held = 0
        self.waiting: dict[Body, None] = {}

    def make_room(self) -> None:
        """Turn the slowest away as long as there are too many, or too much of them."""
        while self.waiting and (len(self.waiting) > MOST_WAITING or self.held > self.most_bytes):
            slowest = min(self.waiting, key=Body.rate)
            self.waiting.pop(slowest)
            message = "Many bodies are coming, this one slowest."
            slowest.turn_away(Problem(503, "crowded", message, retry=True, headers=CLOSE))


class Body:
    """The body of one request, of at most so many bytes."""

    def __init__(self, bodies: Bodies, most: int) -> None:
        self.problem: Problem | None = None
        """Why no more of it is taken; kept, since the framework makes a 400 of what is raised."""
        self._bodies, self._most = bodies, most
        self._seen, self._whole = 0, False
        self._began = asyncio.get_running_loop().time()
        self._timeout = asyncio.timeout(None)

    def check_told(self, headers: dict[bytes, bytes]) -> None:
        """Refuse a body that is said to be too large, before any of it comes."""
        told = headers.get(b"content-length", b"0")
        if told.isdigit() and (len(told) > 15 or int(told) > self._most):
            raise _too_large(told.decode()[:15], self._most)

    def rate(self) -> float:
        """Bytes a second so far; who came just now cannot be slow yet."""
        took = asyncio.get_running_loop().time() - self._began
        return self._seen / took if took > SOON else float("inf")

    def turn_away(self, problem: Problem) -> None:
        """Wait for it no longer."""
        self.problem = problem
        self._timeout.reschedule(0.0)

    async def receive(self, receive: Receive) -> Message:
        """The next part; once all is there, what else comes may take its time."""
        if self._whole:
            return await receive()
        message = await self._next(receive)
        size = len(message.get("body", b""))
        self._seen += size
        self._bodies.held += size
        if self._seen > self._most:
            self.problem = _too_large(f"{self._seen:,}", self._most)
            raise self.problem
        self._whole = not message.get("more_body", False)
        return message

    async def _next(self, receive: Receive) -> Message:
        waiting = self._bodies.waiting
        self._timeout = asyncio.timeout_at(self._deadline())
        try:
            async with self._timeout:
                waiting[self] = None
                self._bodies.make_room()
                return await receive()
        except TimeoutError:
            self.problem = self.problem or self._too_slow()
            raise self.problem from None
        finally:
            waiting.pop(self, None)

    def _deadline(self) -> float:
        return self._began + min(GRACE + self._seen / RATE, LONGEST)

    def _too_slow(self) -> Problem:
        took = asyncio.get_running_loop().time() - self._began
        return Problem(
            408,
            "too_slow",
            f"{self._seen:,} bytes of the body came in {took:.1f} seconds; after {GRACE:g} seconds "
            f"it must be {RATE:,} a second or more, and all of it within {LONGEST:g} seconds.",
            headers=CLOSE,
        )

    def close(self) -> None:
        """Its bytes are let go."""
        self._bodies.held -= self._seen
        self._seen = 0


def _too_large(size: str, limit: int) -> Problem:
    return Problem(
        413, "too_large", f"The body has {size} bytes or more; at most {limit:,} are taken."
    )
