"""How many people and events a catalogue has: kept, not counted.

Each process adds up in memory what it writes and puts it into one of a few rows now and then, so
that no row is waited for. A process that is killed takes with it what it had not put there yet;
``conlinucb db check`` counts and sets them right. A catalogue that was never counted, such as one
from before there were counts, has no row ``COUNTED``.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, func, insert, select
from sqlalchemy.dialects import postgresql, sqlite

from conlinucb.service.storage.database import Database, Taken
from conlinucb.service.storage.schema import counts, events, people

SHARDS = 16
COUNTED = -1
"""The shard of what was counted; the others hold what came since."""
BATCH = 1_000
"""People counted with one statement."""


@dataclass(frozen=True)
class Count:
    """So many, or so many more."""

    people: int = 0
    events: int = 0

    def __add__(self, other: Count) -> Count:
        return Count(self.people + other.people, self.events + other.events)


class Counts:
    """The kept counts of all catalogues."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._waiting: defaultdict[int, Count] = defaultdict(Count)
        self._lock = threading.Lock()
        self._moving = threading.Lock()
        """Held while something goes from memory to the database: whoever looks sees it once."""

    def add(self, catalogue: int, *, people: int = 0, events: int = 0) -> None:
        """So many more, or fewer; in memory until the next ``flush``."""
        with self._lock:
            self._waiting[catalogue] += Count(people, events)

    def flush(self) -> None:
        """Put what was added up into the database; what cannot be put there waits on."""
        with self._lock:
            catalogues = list(self._waiting)
        for catalogue in catalogues:
            with self._moving:
                self._move(catalogue)

    def _move(self, catalogue: int) -> None:
        with self._lock:
            count = self._waiting.pop(catalogue, Count())
        try:
            with self._database.connect() as connection:
                _put(connection, catalogue, count)
        except Taken:
            pass  # the catalogue is gone
        except BaseException:
            self.add(catalogue, people=count.people, events=count.events)
            raise

    def of(self, catalogue: int) -> Count | None:
        """What is kept of a catalogue, None where it was never counted.

        What other processes have written in the last second may be missing.
        """
        with self._moving:
            with self._database.connect() as connection:
                found = _kept(connection, catalogue)
            with self._lock:
                waiting = self._waiting.get(catalogue, Count())
        return None if found is None else _at_least_none(found + waiting)

    def all(self) -> Count:
        """What is kept of all catalogues together."""
        wanted = select(func.sum(counts.c.people), func.sum(counts.c.events))
        with self._moving:
            with self._database.connect() as connection:
                row = connection.execute(wanted).one()
            with self._lock:
                waiting = sum(self._waiting.values(), Count())
        return _at_least_none(Count(int(row[0] or 0), int(row[1] or 0)) + waiting)

    def since(self, catalogue: int) -> Count:
        """What was put there since it was counted."""
        with self._database.connect() as connection:
            return _sum(connection, catalogue, counts.c.shard != COUNTED)

    def set(self, catalogue: int, counted: Count, before: Count) -> None:
        """Take what was counted, while what came since grew from ``before`` to what it is now.

        Of what came while it was counted, half was counted, as a guess: where nobody writes
        meanwhile, the count is right.
        """
        with self._database.transaction() as connection:
            now = _sum(connection, catalogue, counts.c.shard != COUNTED)
            connection.execute(counts.delete().filter_by(catalogue=catalogue))
            base = Count(
                counted.people + (now.people - before.people) // 2,
                counted.events + (now.events - before.events) // 2,
            )
            row = {"catalogue": catalogue, "shard": COUNTED, **vars(base)}
            connection.execute(insert(counts), row)

    def recount(self, catalogue: int, stopped: Callable[[], bool] = lambda: False) -> None:
        """Count a catalogue by looking, in batches; nothing is changed where it is stopped."""
        before, found = self.since(catalogue), Count()
        more, last = self.count_some(catalogue, 0)
        while last is not None:
            if stopped():
                return
            found += more
            more, last = self.count_some(catalogue, last)
        with contextlib.suppress(Taken):  # the catalogue is gone
            self.set(catalogue, found, before)

    def count_some(self, catalogue: int, after: int) -> tuple[Count, int | None]:
        """Count the next people behind this id by looking; the last of them, None at the end."""
        ids = select(people.c.id).where(people.c.catalogue == catalogue, people.c.id > after)
        with self._database.connect() as connection:
            found = list(connection.scalars(ids.order_by(people.c.id).limit(BATCH)))
            if not found:
                return Count(), None
            written = select(func.count()).where(events.c.person.in_(found))
            return Count(len(found), int(connection.scalar(written) or 0)), found[-1]


def take_away(connection: Connection, persons: Sequence[int]) -> None:
    """Count people no longer who are about to be deleted, in the same transaction."""
    of_one = select(func.count()).where(events.c.person == people.c.id).scalar_subquery()
    wanted = (
        select(people.c.catalogue, func.count(), func.sum(of_one))
        .where(people.c.id.in_(persons))
        .group_by(people.c.catalogue)
        .order_by(people.c.catalogue)
    )
    for catalogue, gone, written in connection.execute(wanted).all():
        _put(connection, catalogue, Count(-gone, -int(written)))


def _put(connection: Connection, catalogue: int, count: Count) -> None:
    dialect = sqlite if connection.dialect.name == "sqlite" else postgresql
    shard = os.getpid() % SHARDS
    put = dialect.insert(counts).values(catalogue=catalogue, shard=shard, **vars(count))
    more = {name: counts.c[name] + put.excluded[name] for name in ("people", "events")}
    key = ["catalogue", "shard"]
    connection.execute(put.on_conflict_do_update(index_elements=key, set_=more))


def _kept(connection: Connection, catalogue: int) -> Count | None:
    counted = select(counts.c.shard).filter_by(catalogue=catalogue, shard=COUNTED)
    if connection.scalar(counted) is None:
        return None
    return _sum(connection, catalogue)


def _sum(connection: Connection, catalogue: int, *which: object) -> Count:
    wanted = select(func.sum(counts.c.people), func.sum(counts.c.events))
    row = connection.execute(wanted.where(counts.c.catalogue == catalogue, *which)).one()  # type: ignore[arg-type]
    return Count(int(row[0] or 0), int(row[1] or 0))


def _at_least_none(found: Count) -> Count:
    return Count(max(found.people, 0), max(found.events, 0))
