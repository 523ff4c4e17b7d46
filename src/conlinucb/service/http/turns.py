"""Heavy calls take turns, so that those who want a short answer do not wait behind them.

Each kind has few threads of its own, and none of those that serve everybody else.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Iterator
from functools import partial
from typing import TypeVar, cast

import anyio
import anyio.to_thread
from fastapi import Request, Response
from pydantic import BaseModel
from starlette.types import Scope

from conlinucb.service.observe import observer
from conlinucb.service.problems import Problem

T = TypeVar("T")
AT_ONCE, WAITING, SECONDS = 1, 32, 8.0
GONE = 499
"""The status in the records of who did not wait for the answer; nobody sees it."""
HEAVY = {
    "POST /v1/page/comparison": "comparisons",
    "GET /v1/users/{user}": "profiles",
    "GET /v1/users/{user}/explain": "profiles",
    "GET /v1/users/{user}/export": "exports",
    "POST /v1/catalogues/preview": "uploads",
    "POST /v1/catalogues/columns": "uploads",
    "PUT /v1/catalogues/{name}": "uploads",
    "GET /v1/dashboard": "dashboards",
    "POST /v1/catalogues/{name}/populations": "populations",
    "GET /v1/catalogues/{name}/experiment/comparison": "experiments",
}
"""Where each route takes its turn. The door looks here, too: a crowd is refused before it costs."""


class Turns:
    """At most ``at_once`` at work, on threads of their own; ``waiting`` more wait their turn.

    Nobody waits longer than ``seconds``: they are told to try again.
    """

    def __init__(
        self,
        at_once: int = AT_ONCE,
        *,
        waiting: int = WAITING,
        seconds: float = SECONDS,
        what: str = "such requests",
    ) -> None:
        self._threads = anyio.CapacityLimiter(at_once)
        self._turns = anyio.Semaphore(at_once)
        self._most_waiting, self._seconds, self._what = waiting, seconds, what

    def waiting(self) -> int:
        """How many wait for their turn."""
        return self._turns.statistics().tasks_waiting

    def _is_full(self) -> bool:
        return self._turns.value == 0

    def check(self) -> None:
        """Refuse one more where as many wait as may."""
        if self.waiting() >= self._most_waiting:
            raise self._busy()

    async def run(self, work: Callable[[], T]) -> T:
        """What the work gives, once it was its turn."""
        self.check()
        started = time.perf_counter()
        observer.level("pool_waiting", self.waiting() + self._is_full(), pool=self._what)
        with anyio.move_on_after(self._seconds) as scope:
            await self._turns.acquire()
        observer.level("pool_waiting", self.waiting(), pool=self._what)
        observer.time("pool_wait_seconds", time.perf_counter() - started, pool=self._what)
        if scope.cancelled_caught:
            raise self._busy()
        try:
            return await anyio.to_thread.run_sync(work, limiter=self._threads)
        finally:
            self._turns.release()

    async def stream(self, pieces: Iterator[T]) -> AsyncIterator[T]:
        """One piece after another, each in a turn of its own: who reads slowly holds up nobody.

        Only the first is refused where many wait; what has begun waits as long as it takes.
        """
        end = object()
        piece: T | object = await self.run(partial(next, pieces, end))

        async def all_of_them() -> AsyncIterator[T]:
            nonlocal piece
            while piece is not end:
                yield cast(T, piece)
                async with self._turns:
                    piece = await anyio.to_thread.run_sync(
                        partial(next, pieces, end), limiter=self._threads
                    )

        return all_of_them()

    async def answer(self, request: Request, work: Callable[[], BaseModel]) -> Response:
        """The same as an answer, written by the same thread: a long one keeps nobody waiting.

        Who goes away while they wait lose their turn. Work that has begun is told, where it asks
        ``anyio.from_thread.check_cancelled``.
        """

        def written() -> Response:
            return Response(work().model_dump_json(by_alias=True), media_type="application/json")

        found, failure = Response(status_code=GONE), None
        async with anyio.create_task_group() as group:
            group.start_soon(_leave_with, request, group.cancel_scope)
            try:
                found = await self.run(written)
            except Exception as error:  # raised below: from here it would be one of a group
                failure = error
            group.cancel_scope.cancel()
        if failure is not None:
            raise failure
        return found

    def _busy(self) -> Problem:
        observer.count("pool_refused", pool=self._what)
        message = f"Many {self._what} are waiting at the moment: try again soon."
        return Problem(503, "busy", message, retry=True)


def all_turns() -> dict[str, Turns]:
    """Those of a worker, by the kind of call."""
    return {each: Turns(what=each) for each in dict.fromkeys(HEAVY.values())}


def turns_of(request: Request) -> Turns:
    """Where a heavy call takes its turn."""
    turns: dict[str, Turns] = request.app.state.turns
    return turns[HEAVY[f"{request.method} {request.scope['route'].path}"]]


def check_turn(scope: Scope, route: str) -> None:
    """Refuse a heavy call whose pool is full, before anything is done for it."""
    if route in HEAVY:
        scope["app"].state.turns[HEAVY[route]].check()


async def _leave_with(request: Request, scope: anyio.CancelScope) -> None:
    """Cancel when the client is gone."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
    scope.cancel()
