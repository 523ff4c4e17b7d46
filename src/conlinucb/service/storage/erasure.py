"""Erasure that is true: who was deleted leaves the files of the database, too.

A deletion and its mark are one transaction. On SQLite a sweep follows: the journal is emptied, and
where the file still holds a copy of the name in an unused place, it is written anew. One sweep
serves everyone whose deletion was committed before it. Where a reader is in the way it is tried
again, in the background, and by the next process if this one ends. On PostgreSQL the rows are gone
for every new reader at once; VACUUM removes the dead ones, a little later.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from sqlalchemy import Connection, delete, func, select, update

from conlinucb.errors import StorageError
from conlinucb.service.storage import marks, sweeping
from conlinucb.service.storage.database import Database, now
from conlinucb.service.storage.schema import progress

logger = logging.getLogger("conlinucb.service")
PATIENCE = 2.0
"""Seconds for which a deletion waits for its sweep while readers are in the way."""
AGAIN = 0.4
"""Seconds between two tries: in between writers go on."""
ALONE = 10_000_000
"""Microseconds after which a mark that nobody renewed is taken over."""
LOOK = 2.0
"""Seconds between two looks for such marks."""
CLEAN = 60_000_000
"""Microseconds after a deletion until PostgreSQL is cleaned up, of all that came until then."""
LARGE = 200_000_000
"""Bytes of a file that no request waits for to be written anew."""


@dataclass
class Debt:
    """A deletion that is committed, and not yet swept."""

    names: Sequence[str] | None
    """Who is to be in no file; None where only those knew who are gone themselves."""
    marks: list[str] = field(default_factory=list)
    rewritten: bool = False
    """The file was written anew since: only the journal is left."""
    done: threading.Event = field(default_factory=threading.Event)


class Erasure:
    """Deletions of one process, and those that others left unfinished."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._sqlite = database.engine.dialect.name == "sqlite"
        self._turn = threading.Lock()
        self._lock = threading.Lock()
        self._owed: list[Debt] = []
        self._blocked = False
        self._next_try = self._next_look = self._renewed = 0.0

    def delete(self, work: Callable[[Connection], Sequence[str]]) -> Debt:
        """Delete in one transaction with its mark; ``work`` returns the names of who is gone."""
        with self._database.transaction() as connection:
            debt = Debt(work(connection))
            debt.marks.append(marks.leave(connection, now()))
        if self._sqlite:
            with self._lock:
                self._owed.append(debt)
        else:
            debt.done.set()
        return debt

    def settle(self, debt: Debt, within: float | None = None) -> bool:
        """Sweep, or wait for who does; whether nothing is left in any file.

        While a reader is known to be in the way nobody waits, unless ``within`` says how long.
        """
        patience = (0.0 if self._blocked else PATIENCE) if within is None else within
        deadline = time.monotonic() + patience
        while not debt.done.is_set():
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            if self._turn.acquire(timeout=left):
                try:
                    self._try(brief=within is None)
                except StorageError as error:
                    logger.warning("what was deleted is still in the files: %s", error)
                finally:
                    self._turn.release()
            debt.done.wait(max(0.0, min(self._next_try, deadline) - time.monotonic()))
        return True

    @property
    def waiting(self) -> int:
        """Deletions of this process whose sweep is still to come."""
        with self._lock:
            return len(self._owed)

    def go_on(self) -> None:
        """In the background: try again what waits, and take over what others left."""
        if time.monotonic() >= self._next_look:
            self._next_look = time.monotonic() + LOOK
            if self._sqlite:
                self._take_over()
            else:
                self._clean_up()
        if self._owed and self._turn.acquire(blocking=False):
            try:
                self._try()
            finally:
                self._turn.release()

    def finish(self, within: float, *, all_marks: bool = False) -> bool:
        """What this process owes, or all that anyone does, at once; whether it is done."""
        if not self._sqlite:
            return self._clean_up(due=0)
        if all_marks:
            self._take_over(alone=0)
        return all(self.settle(each, within) for each in list(self._owed))

    def rewrite(self) -> None:
        """Write the tables anew, so that free space holds nothing either; for quiet hours."""
        if self._sqlite:
            self._database.sweep()
            return
        with self._database.connect() as connection:
            sweeping.vacuum(connection, full=True)

    def _try(self, *, brief: bool = False) -> None:
        """One sweep for all that is owed, unless it is too early for another."""
        with self._lock:
            owed = list(self._owed)
        if not owed or time.monotonic() < self._next_try:
            return
        self._next_try = time.monotonic() + AGAIN  # whatever happens now
        self._blocked = True
        if self._sweep(owed, brief=brief):
            self._next_try = 0.0
            self._blocked = False
            self._pay(owed)
        else:
            self._renew(owed)

    def _sweep(self, owed: Sequence[Debt], *, brief: bool) -> bool:
        if self._database.is_memory:
            return True
        if not sweeping.empty_journal(self._database):
            return False
        fresh = [each for each in owed if not each.rewritten]
        names = [name for each in fresh for name in each.names or ()]
        unknown = any(each.names is None for each in fresh)
        if unknown or sweeping.has_remnants(self._database, names):
            if brief and sweeping.size(self._database) > LARGE:
                fresh[0].names = None  # the background need not look again
                return False
            sweeping.rewrite(self._database)
            for each in owed:
                each.rewritten = True
            return sweeping.empty_journal(self._database)
        return True

    def _pay(self, owed: Sequence[Debt]) -> None:
        """They are in no file: take away their marks."""
        with self._lock:
            self._owed = [each for each in self._owed if each not in owed]
        for each in owed:
            each.done.set()
        self._remove([name for each in owed for name in each.marks])

    def _remove(self, names: Sequence[str]) -> None:
        with self._database.connect() as connection:
            for start in range(0, len(names), 500):
                some = names[start : start + 500]
                connection.execute(delete(progress).where(progress.c.name.in_(some)))

    def _renew(self, owed: Sequence[Debt]) -> None:
        """Say that this process is at it, now and then."""
        if time.monotonic() - self._renewed > ALONE / 3_000_000:
            self._renewed = time.monotonic()
            ours = [name for each in owed for name in each.marks]
            with self._database.connect() as connection:
                for start in range(0, len(ours), 500):
                    some = progress.c.name.in_(ours[start : start + 500])
                    connection.execute(update(progress).where(some).values(at=now()))

    def _take_over(self, alone: int = ALONE) -> None:
        """Marks that nobody renews: their process is gone, and with it who it was."""
        with self._lock:
            ours = {name for each in self._owed for name in each.marks}
        old = (progress.c.name.startswith(marks.START), progress.c.at < now() - alone)
        with self._database.connect() as connection:
            found = connection.scalars(select(progress.c.name).where(*old)).all()
            taken = [
                name
                for name in found
                if name not in ours
                and connection.execute(
                    update(progress).where(progress.c.name == name, *old).values(at=now())
                ).rowcount
            ]
        if taken:
            with self._lock:
                self._owed.append(Debt(None, taken))

    def _clean_up(self, *, due: int = CLEAN) -> bool:
        """Remove PostgreSQL's dead rows that no open transaction may still see."""
        with self._database.connect() as connection:
            found = sweeping.left_marks(connection)
            if not found or min(row.at for row in found) > now() - due:
                return not found
            if not connection.scalar(select(func.pg_try_advisory_lock(sweeping.LOCK))):
                return False  # another process is at it
            try:
                oldest = sweeping.oldest_reader(connection)
                ready = [row.name for row in found if row.age > oldest]
                if ready:
                    sweeping.vacuum(connection)
                    self._remove(ready)
            finally:
                connection.scalar(select(func.pg_advisory_unlock(sweeping.LOCK)))
        return len(ready) == len(found)
