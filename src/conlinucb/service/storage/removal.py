"""Catalogues that were deleted: gone at once, their people removed in small steps.

A step is one short transaction, so that no statement runs into its time limit and, on SQLite,
nobody else's write waits long. Whoever holds the lease goes on; where they stopped needs no note:
what is left is what is there.
"""

from __future__ import annotations

import time
from collections.abc import Generator

from sqlalchemy import Connection, Select, delete, select, tuple_, update

from conlinucb.service.storage.database import Database, Taken, now
from conlinucb.service.storage.leases import Leases
from conlinucb.service.storage.schema import (
    aliases,
    catalogues,
    changes,
    events,
    people,
    populations,
    quarantine,
    snapshots,
)

ROWS = {"sqlite": 2_000, "postgresql": 16_000}
"""Events removed in one step at most, and a quarter as many people."""
QUICK, SLOW = 0.05, 0.2
"""Seconds of a step below which the next one is larger, and above which it is smaller."""
LEASE = 30_000_000
WHAT = "removal"


class Removal:
    """Removes catalogues with everyone in them."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._leases = Leases(database)
        self._most = ROWS[database.engine.dialect.name]
        self._rows = self._most // 8
        self.longest = 0.0
        """Seconds of the longest step so far."""

    def mark(self, catalogue: int) -> None:
        """Nobody is served by it from now on, and its name is free.

        Code that does not know of this sees a catalogue that serves nothing.
        """
        free = {"name": f"\x1adeleted {catalogue}", "serving": 0, "pending": None, "gone": now()}
        with self._database.connect() as connection:
            connection.execute(
                update(catalogues)
                .where(catalogues.c.id == catalogue, catalogues.c.gone.is_(None))
                .values(**free)
            )

    def waiting(self) -> list[int]:
        """Catalogues of which something is left, the first deleted first."""
        wanted = select(catalogues.c.id).where(catalogues.c.gone.is_not(None))
        with self._database.connect() as connection:
            return list(connection.scalars(wanted.order_by(catalogues.c.gone)))

    def run(self, catalogue: int) -> Generator[int]:
        """Remove it step by step, as long as nobody else is at it; people gone with each step.

        Whoever stops asking stops the work, and leaves it to others.
        """
        if not self._leases.take(catalogue, WHAT, LEASE):
            return
        renewed = time.monotonic()
        try:
            while True:
                started = time.perf_counter()
                gone = self._step(catalogue)
                if gone is None:
                    break
                yield gone
                self._rest(time.perf_counter() - started)
                if time.monotonic() - renewed > LEASE / 4e6:
                    self._leases.renew(catalogue, WHAT, LEASE)
                    renewed = time.monotonic()
        finally:
            self._leases.release(catalogue, WHAT)
        self._database.sweep()

    def _rest(self, seconds: float) -> None:
        """Larger or smaller steps; and on SQLite, where one writes at a time, others' turn."""
        self.longest = max(self.longest, seconds)
        if seconds < QUICK:
            self._rows = min(2 * self._rows, self._most)
        elif seconds > SLOW:
            self._rows = max(self._rows // 2, 8)
        if self._database.engine.dialect.name == "sqlite":
            time.sleep(seconds)

    def _step(self, catalogue: int) -> int | None:
        """Some of what is left; how many people are gone with it, None at the end."""
        with self._database.transaction() as connection:
            # The people first, as every writer holds on to theirs: or two wait for each other.
            mine = select(people.c.id).where(people.c.catalogue == catalogue)
            some = mine.order_by(people.c.id).limit(max(1, self._rows // 4)).with_for_update()
            found = list(connection.scalars(some))
            if not found:
                for each in (changes, populations, quarantine):
                    connection.execute(delete(each).where(each.c.catalogue == catalogue))
                connection.execute(delete(catalogues).where(catalogues.c.id == catalogue))
                return None
            # As a condition, not as a list of them: that would be planned for each part anew.
            these = mine.where(people.c.id <= found[-1])
            if self._events(connection, these):
                for each in (snapshots, aliases):
                    connection.execute(delete(each).where(each.c.person.in_(these)))
                connection.execute(delete(people).where(people.c.id.in_(these)))
                return len(found)
            return 0

    def _events(self, connection: Connection, these: Select[tuple[int]]) -> bool:
        """Remove a step's number of these people's events; whether none is left."""
        place = tuple_(events.c.person, events.c.seq)
        ordered = select(events.c.person, events.c.seq).where(events.c.person.in_(these))
        end = ordered.order_by(events.c.person, events.c.seq).offset(self._rows - 1).limit(1)
        last = connection.execute(end).first()
        mine = delete(events).where(events.c.person.in_(these))
        if last is not None:
            mine = mine.where(place <= tuple_(last.person, last.seq))
        connection.execute(mine)
        return last is None


def removed_within(removal: Removal, catalogue: int, seconds: float) -> None:
    """Remove what can be removed at once; the rest is left to the background."""
    until = time.monotonic() + seconds
    try:
        for _ in removal.run(catalogue):
            if time.monotonic() > until:
                break
    except Taken:  # the catalogue went with someone else
        pass
