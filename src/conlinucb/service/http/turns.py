"""Long work takes turns, so that those who want a short answer do not wait behind it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import anyio
import anyio.to_thread

from conlinucb.service.problems import Problem

AT_ONCE, WAITING, SECONDS = 2, 32, 8.0
T = TypeVar("T")


class Turns:
    """At most ``at_once`` at work, on threads of their own; ``waiting`` more wait their turn.

    Nobody waits longer than ``seconds``: they are told to try again.
    """

    def __init__(
        self, at_once: int = AT_ONCE, *, waiting: int = WAITING, seconds: float = SECONDS
    ) -> None:
        self._threads = anyio.CapacityLimiter(at_once)
        self._turns = anyio.Semaphore(at_once)
        self._most_waiting, self._seconds = waiting, seconds

    def waiting(self) -> int:
        """How many wait for their turn."""
        return self._turns.statistics().tasks_waiting

    async def run(self, work: Callable[[], T]) -> T:
        """What the work gives, once it was its turn."""
        if self.waiting() >= self._most_waiting:
            raise _busy()
        with anyio.move_on_after(self._seconds) as scope:
            await self._turns.acquire()
        if scope.cancelled_caught:
            raise _busy()
        try:
            return await anyio.to_thread.run_sync(work, limiter=self._threads)
        finally:
            self._turns.release()


def _busy() -> Problem:
    return Problem(503, "busy", "Many are comparing at the moment: try again soon.", retry=True)
