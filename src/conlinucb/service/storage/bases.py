"""Whole versions of catalogues kept on the way, so that not every change is applied again."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

from sqlalchemy import ColumnElement, Connection, delete, func, insert, select

from conlinucb.errors import Damaged
from conlinucb.service.storage.database import Database, now
from conlinucb.service.storage.schema import bases, changes

KEPT = 2
"""Of each catalogue; a damaged one leaves another to go on from."""
_CONTENT = ("replace", "add", "remove")
_CHOICES = ("settings", "population")
"""Kinds of changes of which the last one counts, wherever it stands."""


class Bases:
    """A version's content by its number, as ``Content.to_bytes`` gives it."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def numbers(self, catalogue: int, base: int, last: int) -> list[int]:
        """Versions up to ``last`` that go back to the whole version ``base``, the latest first."""
        wanted = select(bases.c.number).where(
            bases.c.catalogue == catalogue, bases.c.base == base, bases.c.number <= last
        )
        with self._database.connect() as connection:
            return list(connection.scalars(wanted.order_by(bases.c.number.desc())))

    def origin(self, catalogue: int, last: int) -> int:
        """The whole version that the latest one up to ``last`` goes back to, 0 for none."""
        wanted = select(func.max(bases.c.base)).where(
            bases.c.catalogue == catalogue, bases.c.number <= last
        )
        with self._database.connect() as connection:
            return int(connection.scalar(wanted) or 0)

    def body(self, catalogue: int, number: int) -> bytes:
        """One version as it was written; raises ``Damaged`` where it is not."""
        wanted = select(bases.c.body, bases.c.crc).filter_by(catalogue=catalogue, number=number)
        with self._database.connect() as connection:
            row = connection.execute(wanted).first()
        if row is None:
            raise Damaged(f"the kept version {number} is not there")
        if not isinstance(row.body, bytes) or zlib.crc32(row.body) != row.crc:
            raise Damaged(f"the checksum of the kept version {number} does not fit")
        return row.body

    def add(self, catalogue: int, number: int, base: int, body: bytes) -> None:
        """Keep a version; raises ``Taken`` where another process did."""
        row = {"catalogue": catalogue, "number": number, "base": base, "body": body}
        with self._database.connect() as connection:
            connection.execute(insert(bases), row | {"crc": zlib.crc32(body), "at": now()})

    def prune(self, catalogue: int, serving: int, before: int) -> None:
        """Drop what no version served since ``before`` (microseconds) is made from.

        The oldest kept version is a mark: when it has stood for so long, the changes up to it go,
        and the next oldest is the mark.
        """
        mine, old = bases.c.catalogue == catalogue, bases.c.at <= before
        with self._database.transaction() as connection:
            whole = connection.scalar(
                select(func.max(changes.c.number)).where(
                    changes.c.catalogue == catalogue,
                    changes.c.kind == "replace",
                    changes.c.number <= serving,
                    changes.c.at <= before,
                )
            )
            if whole is not None:
                _drop_changes(connection, catalogue, whole - 1)
                connection.execute(delete(bases).where(mine, bases.c.base < whole))
            kept = connection.execute(
                select(bases.c.number, old.label("old")).where(mine).order_by(bases.c.number)
            ).all()
            if kept and kept[0].old:
                _drop_changes(connection, catalogue, kept[0].number)
            stays = [row.number for row in (*kept[-KEPT:], *(r for r in kept[:1] if not r.old))]
            connection.execute(delete(bases).where(mine, bases.c.number.not_in(stays)))


def _drop_changes(connection: Connection, catalogue: int, last: int) -> None:
    """All changes up to this one, but the last settings and the last choice of a population."""
    upto = (changes.c.catalogue == catalogue, changes.c.number <= last)
    connection.execute(delete(changes).where(*upto, changes.c.kind.in_(_CONTENT)))
    for kind in _CHOICES:
        same = (*upto, changes.c.kind == kind)
        latest = connection.scalar(select(func.max(changes.c.number)).where(*same))
        connection.execute(delete(changes).where(*_but(same, latest)))


def _but(same: Sequence[ColumnElement[bool]], latest: int | None) -> Sequence[ColumnElement[bool]]:
    return (*same, changes.c.number != (latest or 0))
