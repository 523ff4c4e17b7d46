"""Who is known, and who is to be forgotten."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, delete, func, insert, or_, select

from conlinucb.errors import StorageError, UnknownName
from conlinucb.service.observe import timed
from conlinucb.service.storage.counts import Counts, take_away
from conlinucb.service.storage.database import Database, Taken, now
from conlinucb.service.storage.erasure import Debt, Erasure
from conlinucb.service.storage.schema import catalogues, departures, people

HOUR = 3_600_000_000
RECENT = HOUR // 30
"""Longer than any transaction lasts."""
TRIES = 5
MOST_COUNTED = 100_000
"""People counted by looking, in a catalogue of which no count is kept yet."""


@dataclass(frozen=True)
class Person:
    """Someone in conversation about one catalogue."""

    id: int
    catalogue: int
    name: str
    seed: int
    """Decides the strategy's random draws."""


def _person(row: Row[Any]) -> Person:
    """A row as a person; a seed that cannot be read is -1, so that others can go on."""
    text = row.seed if isinstance(row.seed, str) else ""  # SQLite keeps whatever it is given
    seed = int(text) if text.isascii() and text.isdigit() else -1
    return Person(row.id, row.catalogue, row.name, seed)


def remove(connection: Connection, persons: Sequence[int]) -> Sequence[str]:
    """Who it was. Their events and snapshots go with them."""
    gone = people.c.id.in_(sorted(persons))
    names = connection.scalars(select(people.c.name).where(gone)).all()
    take_away(connection, persons)
    # First the row that the foreign key of every writer holds on to, or two would wait for
    # each other.
    connection.execute(delete(people).where(gone))
    at = now()
    connection.execute(insert(departures), [{"person": each, "at": at} for each in persons])
    connection.execute(delete(departures).where(departures.c.at < at - HOUR))
    return names


class People:
    """People by name."""

    def __init__(self, database: Database, counts: Counts, erasure: Erasure) -> None:
        self._database = database
        self._counts = counts
        self._erasure = erasure

    @timed("store_seconds", operation="find person")
    def find(self, catalogue: int, name: str) -> Person | None:
        """The person with this name, or None."""
        with self._database.connect() as connection:
            row = connection.execute(
                select(people).filter_by(catalogue=catalogue, name=name)
            ).first()
        return None if row is None else _person(row)

    def everywhere(self, name: str) -> list[Person]:
        """The person with this name in every catalogue."""
        wanted = select(people).filter_by(name=name).order_by(people.c.id)
        with self._database.connect() as connection:
            rows = connection.execute(wanted).all()
        return [_person(row) for row in rows]

    @timed("store_seconds", operation="add person")
    def add(self, catalogue: int, name: str, seed: int) -> Person:
        """A new person; where two add the same one at once, both get the first."""
        values = {"catalogue": catalogue, "name": name, "seed": str(seed), "at": now()}
        for _ in range(TRIES):  # someone may delete them as often
            with contextlib.suppress(Taken), self._database.connect() as connection:
                connection.execute(insert(people), values)
                self._counts.add(catalogue, people=1)
            found = self.find(catalogue, name)
            if found is not None:
                return found
        with self._database.connect() as connection:
            if connection.scalar(select(catalogues.c.id).filter_by(id=catalogue)) is None:
                raise UnknownName("The catalogue was deleted just now.")
        raise StorageError(f"{name!r} was deleted just now.")

    def batch(self, catalogue: int, after: int = 0, limit: int = 500) -> list[Person]:
        """People in order of their ids, from behind this one."""
        wanted = select(people).where(people.c.catalogue == catalogue, people.c.id > after)
        with self._database.connect() as connection:
            rows = connection.execute(wanted.order_by(people.c.id).limit(limit)).all()
        return [_person(row) for row in rows]

    def before_last(self, catalogue: int, most: int) -> int:
        """The id behind which the last ``most`` people come, 0 where there are no more."""
        ids = select(people.c.id).filter_by(catalogue=catalogue).order_by(people.c.id.desc())
        with self._database.connect() as connection:
            return int(connection.scalar(ids.offset(most).limit(1)) or 0)

    def count(self, catalogue: int) -> int:
        """How many there are, as far as that is kept; else how many of a bounded number."""
        kept = self._counts.of(catalogue)
        if kept is not None:
            return kept.people
        some = select(people.c.id).filter_by(catalogue=catalogue).limit(MOST_COUNTED)
        with self._database.connect() as connection:
            wanted = select(func.count()).select_from(some.subquery())
            return int(connection.scalar(wanted) or 0)

    def delete(self, *persons: int) -> bool:
        """Remove people from log, snapshots and files; False where a reader is in the way.

        Then the files are left to the background: there is no row any more.
        """
        return self._erasure.settle(self.remove(persons))

    @timed("store_seconds", operation="delete person")
    def remove(self, persons: Sequence[int]) -> Debt:
        """Remove people from log and snapshots as one, and leave word for the caches."""
        return self._erasure.delete(lambda connection: remove(connection, persons))

    def departed(self, after: int) -> tuple[int, list[int]]:
        """The last departure's number, and who has gone since the one before.

        With those of the last minutes each time: what began first may have ended last.
        """
        recent = or_(departures.c.id > after, departures.c.at > now() - RECENT)
        wanted = select(departures.c.id, departures.c.person).where(recent)
        with self._database.connect() as connection:
            rows = connection.execute(wanted.order_by(departures.c.id)).all()
        return max(after, rows[-1].id if rows else 0), [row.person for row in rows]
