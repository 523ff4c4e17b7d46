"""The logs of those who were here lately, in bounded pieces: to see people in general."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import and_, func, select

from conlinucb.service.storage.database import Database
from conlinucb.service.storage.log import Broken, Event, read
from conlinucb.service.storage.schema import events, people

BATCH = 500
"""People looked at with one statement."""
PIECE = 20_000
"""Events in memory at once; who has a longer log is no person, and left out."""


@dataclass
class Looked:
    """What a reading came across, filled in while it goes on."""

    people: int = 0
    """Whose logs were read."""
    events: int = 0
    too_long: int = 0
    """People whose logs are longer than a piece."""
    cut: bool = False
    """Whether there was more than was to be looked at."""


class RecentLogs:
    """Whole logs of people who were here since a time, those who came last first.

    What holds on every database: a log is there whole and in order, or not at all; nobody comes
    twice; at most ``most_events`` events are read and ``most_people`` people looked at, at most
    ``PIECE`` events are in memory at once; nothing is locked, and no connection is held while a
    log is looked at. What is written meanwhile may be there or not.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def logs(
        self, catalogue: int, since: int, *, most_events: int, most_people: int, looked: Looked
    ) -> Iterator[list[Event | Broken]]:
        """One log after another; what was read and what was not is noted in ``looked``."""
        for piece in self._pieces(catalogue, since, most_events, most_people, looked):
            yield from self._read(piece)

    def _pieces(
        self, catalogue: int, since: int, most_events: int, most_people: int, looked: Looked
    ) -> Iterator[list[int]]:
        """People whose logs together are no longer than a piece."""
        piece, size = list[int](), 0
        for person, length in self._lengths(catalogue, since, most_people, looked):
            if length > PIECE:
                looked.too_long += 1
                continue
            if looked.events + length > most_events:
                looked.cut = True
                break
            if size + length > PIECE:
                yield piece
                piece, size = [], 0
            piece.append(person)
            size += length
            looked.people += 1
            looked.events += length
        if piece:
            yield piece

    def _lengths(
        self, catalogue: int, since: int, most_people: int, looked: Looked
    ) -> Iterator[tuple[int, int]]:
        """Who was here since then, and how long their logs are."""
        seen, before = 0, None
        while rows := self._ends(catalogue, before):
            before = rows[-1].id
            for row in rows:
                if seen == most_people:
                    looked.cut = True
                    return
                seen += 1
                # A time that cannot be read is no reason to leave someone out; nor is a number:
                # they count from 1 without a gap, but for what is damaged.
                if not isinstance(row.at, int) or row.at >= since:
                    yield row.id, max(row.seq, 1) if isinstance(row.seq, int) else 1

    def _ends(self, catalogue: int, before: int | None) -> Sequence[Any]:
        """The last events of the next people: one look into the index for each."""
        own = events.alias()
        last = select(func.max(own.c.seq)).where(own.c.person == people.c.id).scalar_subquery()
        end = and_(events.c.person == people.c.id, events.c.seq == last)
        wanted = select(people.c.id, events.c.seq, events.c.at).where(
            end, people.c.catalogue == catalogue
        )
        if before is not None:
            wanted = wanted.where(people.c.id < before)
        with self._database.connect() as connection:
            ordered = wanted.order_by(people.c.id.desc()).limit(BATCH)
            return connection.execute(ordered).all()

    def _read(self, wanted: list[int]) -> Iterator[list[Event | Broken]]:
        found: dict[int, list[Event | Broken]] = {each: [] for each in wanted}
        chosen = select(events).where(events.c.person.in_(wanted))
        with self._database.connect() as connection:
            rows = connection.execute(
                chosen.order_by(events.c.person, events.c.seq).limit(2 * PIECE)
            )
            for row in rows:
                if isinstance(row.seq, int):
                    found[row.person].append(read(row))
        yield from found.values()
