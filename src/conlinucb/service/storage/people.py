"""Who is known, and who is to be forgotten."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Row, delete, func, insert, select

from conlinucb.errors import StorageError
from conlinucb.service.storage.database import Database, Taken, now
from conlinucb.service.storage.schema import departures, events, people, snapshots

HOUR = 3_600_000_000


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
    seed = int(row.seed) if row.seed.isascii() and row.seed.isdigit() else -1
    return Person(row.id, row.catalogue, row.name, seed)


class People:
    """People by name."""

    def __init__(self, database: Database) -> None:
        self._database = database

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

    def add(self, catalogue: int, name: str, seed: int) -> Person:
        """A new person; where two add the same one at once, both get the first."""
        values = {"catalogue": catalogue, "name": name, "seed": str(seed), "at": now()}
        try:
            with self._database.connect() as connection:
                connection.execute(insert(people), values)
        except Taken:
            pass
        found = self.find(catalogue, name)
        if found is None:
            raise StorageError(f"{name!r} was deleted just now.")
        return found

    def batch(self, catalogue: int, after: int = 0, limit: int = 500) -> list[Person]:
        """People in order of their ids, from behind this one."""
        wanted = select(people).where(people.c.catalogue == catalogue, people.c.id > after)
        with self._database.connect() as connection:
            rows = connection.execute(wanted.order_by(people.c.id).limit(limit)).all()
        return [_person(row) for row in rows]

    def count(self, catalogue: int) -> int:
        """How many there are."""
        wanted = select(func.count()).select_from(people).filter_by(catalogue=catalogue)
        with self._database.connect() as connection:
            return int(connection.scalar(wanted) or 0)

    def delete(self, person: int) -> None:
        """Remove a person from log and snapshots, and leave word for the caches."""
        with self._database.transaction() as connection:
            for table in (events, snapshots):
                connection.execute(delete(table).where(table.c.person == person))
            connection.execute(delete(people).where(people.c.id == person))
            connection.execute(insert(departures), {"person": person, "at": now()})
            connection.execute(delete(departures).where(departures.c.at < now() - HOUR))

    def departed(self, after: int) -> tuple[int, list[int]]:
        """The last departure's number, and who has gone since the one before."""
        wanted = select(departures.c.id, departures.c.person).where(departures.c.id > after)
        with self._database.connect() as connection:
            rows = connection.execute(wanted.order_by(departures.c.id)).all()
        return (rows[-1].id if rows else after), [row.person for row in rows]
