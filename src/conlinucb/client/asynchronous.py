"""The client for asynchronous programs; the same calls as in ``synchronous``, awaited."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

import httpx2

from conlinucb.client import calls
from conlinucb.client.calls import Call
from conlinucb.client.replies import (
    Best,
    Catalogue,
    Explanation,
    Export,
    Picture,
    Profile,
    Question,
    Receipt,
    Recommendation,
    Step,
    Steps,
)
from conlinucb.client.said import Answer, Next, Reward, Said
from conlinucb.client.trying import DEADLINE, TIMEOUT, Trying, headers_of

Reply = TypeVar("Reply")


class AsyncClient:
    """A service at an address, with the key it wants and the catalogue that is meant.

    Calls that get no answer are sent again within ``deadline`` seconds; ``timeout`` is for one
    try. One client may be shared by tasks.
    """

    def __init__(
        self,
        address: str,
        *,
        key: str | None = None,
        catalogue: str | None = None,
        timeout: float = TIMEOUT,
        deadline: float = DEADLINE,
    ) -> None:
        self.catalogue, self.timeout, self.deadline = catalogue, timeout, deadline
        self._http = httpx2.AsyncClient(base_url=address, headers=headers_of(key))

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        await self.close()

    async def next(
        self,
        user: str,
        *,
        pool: Sequence[str] | None = None,
        exclude: Sequence[str] | None = None,
        offered: Sequence[str] | None = None,
        k: int | None = None,
        ask: str | None = None,
        fresh: bool | None = None,
        like: str | None = None,
        event: str | None = None,
    ) -> Step:
        """What comes next: a question, or items."""
        wanted = Next(pool, exclude, offered, k, ask, fresh, like, event)
        return await self._call(calls.next_step(user, self.catalogue, wanted))

    async def steps(self, user: str, said: Sequence[Said] = (), next: Next | None = None) -> Steps:
        """Say several things at once, in order, and ask what comes next."""
        return await self._call(calls.steps(user, self.catalogue, said, next))

    async def answer(
        self,
        user: str,
        question: str | Question | None,
        answer: str | float | Sequence[str],
        *,
        topic: str | None = None,
        event: str | None = None,
    ) -> Receipt:
        """Answer the open question; with None and a ``topic``, say something unasked."""
        given = Answer(answer, question, topic, event)
        return await self._call(calls.answer(user, self.catalogue, given))

    async def reward(
        self,
        user: str,
        item: str,
        reward: float,
        *,
        decision: str | Recommendation | None = None,
        event: str | None = None,
    ) -> Receipt:
        """Say how an item was liked, now or later."""
        given = Reward(item, reward, decision, event)
        return await self._call(calls.reward(user, self.catalogue, given))

    async def picture(self, user: str) -> Picture:
        """What is made of a person; of someone unknown, a newcomer's."""
        return await self._call(calls.picture(user, self.catalogue))

    async def best(self, user: str, k: int = 10) -> Best:
        """The best for a person by what is known; nothing is logged."""
        return await self._call(calls.best(user, self.catalogue, k))

    async def profile(
        self, user: str, *, events: int = 50, before: int | None = None, newcomer: bool = False
    ) -> Profile:
        """Everything believed of a person, with the latest events."""
        params = {"events": events, "before": before, "newcomer": newcomer or None}
        return await self._call(calls.profile(user, self.catalogue, **params))

    async def explain(self, user: str, item: str) -> Explanation:
        """What each answer and reward adds to an item's mean."""
        return await self._call(calls.explain(user, self.catalogue, item))

    async def retract(self, user: str, event: int | Receipt) -> Receipt:
        """Take back an answer or a reward."""
        number = event.event if isinstance(event, Receipt) else event
        return await self._call(calls.retract(user, self.catalogue, number))

    async def export(self, user: str, *, everywhere: bool = True) -> Export:
        """All that is kept of a person, in every catalogue or in this one."""
        return await self._call(calls.export(user, None if everywhere else self.catalogue))

    async def forget(self, user: str, *, everywhere: bool = True) -> None:
        """Delete a person, in every catalogue or in this one."""
        return await self._call(calls.forget(user, None if everywhere else self.catalogue))

    async def catalogues(self) -> list[Catalogue]:
        """All catalogues."""
        return await self._call(calls.catalogues())

    async def about(self, catalogue: str) -> Catalogue:
        """One catalogue: its size, version and settings."""
        return await self._call(calls.catalogue(catalogue))

    async def upload(
        self,
        catalogue: str,
        content: Mapping[str, Any] | Path | bytes,
        *,
        kind: str | None = None,
        d: int | None = None,
    ) -> Catalogue:
        """Upload or replace a catalogue: JSON, a file of a table, or its bytes and their kind."""
        return await self._call(calls.upload(catalogue, content, kind, d))

    async def delete_catalogue(self, catalogue: str) -> None:
        """Remove a catalogue, with every conversation about it."""
        return await self._call(calls.delete_catalogue(catalogue))

    async def add_items(self, catalogue: str, items: Sequence[Mapping[str, Any]]) -> Catalogue:
        """Add items while people talk; not sent again where it may have been taken in."""
        return await self._call(calls.add_items(catalogue, items))

    async def remove_items(self, catalogue: str, items: Sequence[str]) -> Catalogue:
        """Remove items while people talk."""
        return await self._call(calls.remove_items(catalogue, items))

    async def settings(self, catalogue: str) -> dict[str, Any]:
        """The settings of a catalogue."""
        return await self._call(calls.settings(catalogue))

    async def set_settings(self, catalogue: str, settings: Mapping[str, Any]) -> Catalogue:
        """Set all settings of a catalogue; what is left out is set to its default."""
        return await self._call(calls.set_settings(catalogue, settings))

    async def _call(self, call: Call[Reply]) -> Reply:
        trying = Trying(call, self.deadline)
        while True:
            try:
                response = await self._http.request(**trying.request(self.timeout))
            except httpx2.TransportError as error:
                pause = trying.failed(error)
            else:
                if (wanted := trying.answered(response)) is None:
                    found: Reply = trying.result(response)
                    return found
                pause = wanted
            await asyncio.sleep(pause)
