"""Experiments on live traffic, and what came of them: rows that are only ever added or ended."""

from __future__ import annotations

import zlib
from dataclasses import dataclass

from sqlalchemy import Row, func, insert, select, update

from conlinucb.errors import Damaged
from conlinucb.service.storage.database import Database, Taken, now
from conlinucb.service.storage.schema import experiments


@dataclass(frozen=True)
class StoredExperiment:
    """One row: an experiment, or what was done after it."""

    catalogue: int
    number: int
    body: str
    at: int
    ended: int | None
    """When, in microseconds since 1970; None while it runs."""


class ExperimentLog:
    """All experiments; numbers count from 1 for each catalogue, and at most one of them runs."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def all(self, catalogue: int) -> list[StoredExperiment]:
        """A catalogue's rows, the oldest first."""
        wanted = select(experiments).where(experiments.c.catalogue == catalogue)
        with self._database.connect() as connection:
            rows = connection.execute(wanted.order_by(experiments.c.number)).all()
        return [_read(row) for row in rows]

    def running(self) -> list[StoredExperiment]:
        """Those that have not ended, in all catalogues."""
        with self._database.connect() as connection:
            rows = connection.execute(select(experiments).where(experiments.c.ended.is_(None)))
            return [_read(row) for row in rows.all()]

    def start(self, catalogue: int, body: str) -> int:
        """Begin one, and say its number; raises ``Taken`` where another one runs."""
        return self._add(catalogue, body, runs=True)

    def note(self, catalogue: int, body: str) -> int:
        """Write down something that is over as it happens."""
        return self._add(catalogue, body, runs=False)

    def end(self, catalogue: int, number: int) -> bool:
        """Whether it was running until now."""
        mine = experiments.c.catalogue == catalogue, experiments.c.number == number
        over = update(experiments).where(*mine, experiments.c.ended.is_(None))
        with self._database.connect() as connection:
            return bool(connection.execute(over.values(ended=now())).rowcount)

    def _add(self, catalogue: int, body: str, *, runs: bool) -> int:
        mine = experiments.c.catalogue == catalogue
        with self._database.transaction() as connection:
            running = select(experiments.c.number).where(mine, experiments.c.ended.is_(None))
            if runs and connection.scalar(running) is not None:
                raise Taken("another experiment is running")
            last = connection.scalar(select(func.max(experiments.c.number)).where(mine))
            number, at = int(last or 0) + 1, now()
            row = {"catalogue": catalogue, "number": number, "body": body, "at": at}
            row |= {"crc": _crc(number, body), "ended": None if runs else at}
            connection.execute(insert(experiments), row)
        return number


def _crc(number: int, body: str) -> int:
    return zlib.crc32(f"{number} {body}".encode())


def _read(row: Row[tuple[object, ...]]) -> StoredExperiment:
    if not isinstance(row.body, str) or row.crc != _crc(row.number, row.body):
        raise Damaged(f"the checksum of experiment {row.number} does not fit")
    return StoredExperiment(row.catalogue, row.number, row.body, row.at, row.ended)
