"""Populations learned from the log: versions of them, and who is learning one now."""

from __future__ import annotations

import zlib
from collections.abc import Collection
from dataclasses import dataclass

from sqlalchemy import delete, func, insert, select, update

from conlinucb.errors import Damaged
from conlinucb.service.storage.database import Database, Taken, now
from conlinucb.service.storage.leases import Leases
from conlinucb.service.storage.schema import events, people, populations

KEPT = 20
"""Versions that stay; of older ones only the one in use."""
LEASE = 600_000_000
"""Microseconds for which whoever learns one has that to themselves."""
MOST_PEOPLE = 50_000
"""Who came last, so many of them, are enough to say what people are like in general."""
BATCH = 500
"""People looked at with one statement."""
_FIT = "population fit"
_TRIES = 20


@dataclass(frozen=True)
class StoredPopulation:
    """One version, without its data."""

    number: int
    base: int
    """The whole version of the catalogue whose features it is about."""
    people: int
    """How many people had said enough when it was learned."""
    digest: str
    note: str
    at: int


_ABOUT = [
    populations.c[name] for name in ("number", "base", "people", "digest", "note", "at")
]  # all but the data


def _is_whole(found: StoredPopulation) -> bool:
    """Whether its values have their types: SQLite keeps whatever it is given."""
    numbers = (found.number, found.base, found.people, found.at)
    words = (found.digest, found.note)
    return all(isinstance(each, int) for each in numbers) and all(
        isinstance(each, str) for each in words
    )


class Populations:
    """All versions of all catalogues; numbers count from 1 and are never given twice."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._leases = Leases(database)

    def all(self, catalogue: int) -> list[StoredPopulation]:
        """A catalogue's versions, the oldest first."""
        wanted = select(*_ABOUT).where(populations.c.catalogue == catalogue)
        with self._database.connect() as connection:
            rows = connection.execute(wanted.order_by(populations.c.number)).all()
        found = [StoredPopulation(*row) for row in rows]
        return [each for each in found if _is_whole(each)]

    def data(self, catalogue: int, number: int) -> bytes:
        """One version as it was written; raises ``Damaged`` where it is not."""
        wanted = select(populations.c.data, populations.c.crc)
        with self._database.connect() as connection:
            row = connection.execute(wanted.filter_by(catalogue=catalogue, number=number)).first()
        if row is None:
            raise Damaged(f"population {number} is not there")
        if not isinstance(row.data, bytes) or zlib.crc32(row.data) != row.crc:
            raise Damaged(f"the checksum of population {number} does not fit")
        return row.data

    def add(
        self, catalogue: int, new: StoredPopulation, data: bytes, keep: Collection[int] = ()
    ) -> StoredPopulation:
        """Store the next version, whatever its number was; the oldest go, but not ``keep``."""
        for _ in range(_TRIES):
            try:
                return self._add(catalogue, new, data, keep)
            except Taken:
                continue  # someone else has this number
        raise Taken(f"others keep adding populations to catalogue {catalogue}")

    def _add(
        self, catalogue: int, new: StoredPopulation, data: bytes, keep: Collection[int]
    ) -> StoredPopulation:
        mine = populations.c.catalogue == catalogue
        with self._database.transaction() as connection:
            taken = connection.scalars(select(populations.c.number).where(mine))
            number = 1 + max((each for each in taken if isinstance(each, int)), default=0)
            at = now()
            values = {**vars(new), "number": number, "at": at}
            values |= {"catalogue": catalogue, "data": data, "crc": zlib.crc32(data)}
            connection.execute(insert(populations), values)
            old = populations.c.number <= number - KEPT
            others = populations.c.number.not_in(list(keep))
            connection.execute(delete(populations).where(mine, old, others))
        return StoredPopulation(number, new.base, new.people, new.digest, new.note, at)

    def confirm(self, catalogue: int, number: int, people_now: int) -> None:
        """Note that learning it anew came to the same."""
        with self._database.connect() as connection:
            connection.execute(
                update(populations)
                .where(populations.c.catalogue == catalogue, populations.c.number == number)
                .values(at=now(), people=people_now)
            )

    def people_with_rewards(self, catalogue: int, least: int, most: int = MOST_PEOPLE) -> int:
        """How many have so many rewards in their log, taken back or not.

        Of those who came last, at most ``most``, in batches: it does not take longer where there
        are more.
        """
        rich = (
            select(events.c.person)
            .where(events.c.kind == "reward")
            .group_by(events.c.person)
            .having(func.count() >= least)
        )
        ids = select(people.c.id).where(people.c.catalogue == catalogue)
        found, looked, before = 0, 0, None
        while looked < most:
            some = ids if before is None else ids.where(people.c.id < before)
            with self._database.connect() as connection:
                ordered = some.order_by(people.c.id.desc()).limit(min(BATCH, most - looked))
                batch = list(connection.scalars(ordered))
                if not batch:
                    break
                found += len(connection.execute(rich.where(events.c.person.in_(batch))).all())
            looked, before = looked + len(batch), batch[-1]
        return found

    def lease(self, catalogue: int) -> bool:
        """Whether we may learn one now, and nobody else for a while."""
        return self._leases.take(catalogue, _FIT, LEASE)

    def release(self, catalogue: int) -> None:
        """Let others learn the next one."""
        self._leases.release(catalogue, _FIT)
