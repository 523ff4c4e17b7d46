"""A person's log in pages: whoever shows it need not hold all of it."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from sqlalchemy import ColumnElement, select

from conlinucb.service.observe import timed
from conlinucb.service.storage.database import Database
from conlinucb.service.storage.events import RetractionBody
from conlinucb.service.storage.log import Broken, Event, read, with_missing
from conlinucb.service.storage.schema import events

PAGE = 500
"""Events read at once."""
Rows = list[Event | Broken]


class Pages:
    """Parts of a log in order, up to an event ``last``: what came since is left out."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def latest(self, person: int, last: int, before: int, limit: int) -> Rows:
        """So many up to ``last`` and before another one, the latest first.

        What is missing among them is among them as broken.
        """
        mine = (events.c.person == person, events.c.seq <= min(last, before - 1))
        found = self._read(*mine, order=events.c.seq.desc(), limit=limit)
        first = found[-1].seq if len(found) == limit and found else 1
        return with_missing(found, first - 1)[::-1]

    def all(self, person: int, last: int, page: int = PAGE) -> Iterator[Rows]:
        """Page by page from the first, without gaps: what is missing is among it as broken."""
        after = 0
        while True:
            mine = (events.c.person == person, events.c.seq > after, events.c.seq <= last)
            found = self._read(*mine, order=events.c.seq.asc(), limit=page)
            if not found:
                return
            yield with_missing(found, after)
            after = found[-1].seq

    def taken_back(self, person: int, last: int, among: Collection[int] | None = None) -> set[int]:
        """Events that a retraction up to ``last`` took back; of those ``among``, or of all."""
        mine = [events.c.person == person, events.c.kind == "retraction", events.c.seq <= last]
        if among is not None:
            mine.append(events.c.subject.in_([f"retraction {each}" for each in among]))
        rows = self._read(*mine, order=events.c.seq.asc())
        bodies = (row.body for row in rows if isinstance(row, Event))
        return {body.of for body in bodies if isinstance(body, RetractionBody)}

    @timed("store_seconds", operation="read page")
    def _read(
        self, *where: ColumnElement[bool], order: ColumnElement[int], limit: int | None = None
    ) -> Rows:
        wanted = select(events).where(*where).order_by(order).limit(limit)
        with self._database.connect() as connection:
            rows = connection.execute(wanted).all()
        return [read(row) for row in rows if isinstance(row.seq, int)]
