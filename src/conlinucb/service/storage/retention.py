"""Retention: people who have not been heard of for a long time are forgotten."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, func, select

from conlinucb.service.storage.database import Database
from conlinucb.service.storage.erasure import Erasure
from conlinucb.service.storage.people import remove
from conlinucb.service.storage.schema import events, people

BATCH = 500


@dataclass(frozen=True)
class Looked:
    """Some people looked at, and how many of them are (or would be) gone."""

    people: int
    gone: int


class Retention:
    """Goes through people batch by batch; interrupted, it has forgotten some and broken nothing."""

    def __init__(self, database: Database, erasure: Erasure) -> None:
        self._database = database
        self._erasure = erasure

    def count(self, catalogue: int | None = None) -> int:
        """How many people there are to look at."""
        wanted = select(func.count()).select_from(people)
        if catalogue is not None:
            wanted = wanted.where(people.c.catalogue == catalogue)
        with self._database.connect() as connection:
            return int(connection.scalar(wanted) or 0)

    def forget(
        self, before: int, catalogue: int | None = None, *, dry: bool = False
    ) -> Iterator[Looked]:
        """Delete whose last event, or first day where there is none, is older; the files follow."""
        last = 0
        while ids := self._ids(catalogue, last):
            last = ids[-1]
            with self._database.connect() as connection:
                old = unheard(connection, ids, before)
            if old and not dry:
                old = self._remove(old, before)
            yield Looked(len(ids), len(old))

    def _ids(self, catalogue: int | None, after: int) -> Sequence[int]:
        wanted = select(people.c.id).where(people.c.id > after).order_by(people.c.id).limit(BATCH)
        if catalogue is not None:
            wanted = wanted.where(people.c.catalogue == catalogue)
        with self._database.connect() as connection:
            return connection.scalars(wanted).all()

    def _remove(self, old: Sequence[int], before: int) -> list[int]:
        """Those of them who have said nothing in the meantime either."""
        gone: list[int] = []

        def work(connection: Connection) -> Sequence[str]:
            rows = select(people.c.id).where(people.c.id.in_(old)).order_by(people.c.id)
            connection.execute(rows.with_for_update())  # from here on nobody can write for them
            gone.extend(unheard(connection, old, before))
            return remove(connection, gone) if gone else ()

        self._erasure.delete(work)
        return gone


def unheard(connection: Connection, ids: Sequence[int], before: int) -> list[int]:
    """Who of these has said nothing since."""
    latest = (
        select(events.c.at)
        .where(events.c.person == people.c.id)
        .order_by(events.c.seq.desc())
        .limit(1)
        .scalar_subquery()
    )
    old = func.coalesce(latest, people.c.at) < before
    wanted = select(people.c.id).where(people.c.id.in_(ids), old).order_by(people.c.id)
    return list(connection.scalars(wanted))
