"""Catalogues as logs of changes: all of it, some items, the settings or the population."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Row, func, insert, select, update

from conlinucb.errors import Damaged
from conlinucb.service.storage.counts import COUNTED
from conlinucb.service.storage.database import Database, Taken, now
from conlinucb.service.storage.odd import flaw_of
from conlinucb.service.storage.removal import Removal, removed_within
from conlinucb.service.storage.schema import catalogues, changes, counts

AT_ONCE = 1.0
"""Seconds for which whoever deletes a catalogue removes people from it, before others do."""


@dataclass(frozen=True)
class Entry:
    """A catalogue's place: which change is served.

    ``pending`` and ``leased_until`` are of an earlier release, which built a version before it
    was served.
    """

    id: int
    name: str
    serving: int
    pending: int | None
    leased_until: int
    gone: int | None = None
    flaw: str | None = None
    """What is wrong with its row, which then serves nothing."""


def _entry(row: Row[Any]) -> Entry:
    flaw = flaw_of(catalogues, row)
    if flaw is None:
        return Entry(*tuple(row))
    return Entry(row.id, str(row.name), 0, None, 0, flaw=flaw)


@dataclass(frozen=True)
class Change:
    """One change of a catalogue; ``number`` is the version that it leads to."""

    number: int
    kind: str
    body: bytes
    at: int


class CatalogueLog:
    """All catalogues."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def entries(self) -> list[Entry]:
        """Every catalogue."""
        with self._database.connect() as connection:
            wanted = select(catalogues).where(catalogues.c.gone.is_(None))
            rows = connection.execute(wanted.order_by(catalogues.c.id)).all()
        return [_entry(row) for row in rows]

    def find(self, name: str) -> Entry | None:
        """The catalogue with this name, or None."""
        with self._database.connect() as connection:
            row = connection.execute(select(catalogues).filter_by(name=name)).first()
        return None if row is None else _entry(row)

    def create(self, name: str) -> Entry:
        """A catalogue without content; where two create it at once, both get the first."""
        values = {"name": name, "serving": 0, "pending": None, "leased_until": 0}
        try:
            with self._database.transaction() as connection:
                new = connection.execute(insert(catalogues), values).inserted_primary_key
                assert new is not None
                none = {"catalogue": new[0], "shard": COUNTED, "people": 0, "events": 0}
                connection.execute(insert(counts), none)
        except Taken:
            pass
        found = self.find(name)
        assert found is not None
        return found

    def delete(self, catalogue: int) -> None:
        """Remove a catalogue with everyone in it: at once from sight, and soon from disk."""
        removal = Removal(self._database)
        removal.mark(catalogue)
        removed_within(removal, catalogue, AT_ONCE)

    def changes(self, catalogue: int, first: int, last: int) -> list[Change]:
        """The changes from ``first`` to ``last``; raises ``Damaged`` for what cannot be read."""
        wanted = select(changes).where(
            changes.c.catalogue == catalogue, changes.c.number >= first, changes.c.number <= last
        )
        with self._database.connect() as connection:
            rows = connection.execute(wanted.order_by(changes.c.number)).all()
        if [row.number for row in rows] != list(range(first, last + 1)):
            there = [row.number for row in rows]
            raise Damaged(f"versions {first} to {last} are needed, {there} are there")
        for row in rows:
            if flaw := flaw_of(changes, row):
                raise Damaged(f"version {row.number} cannot be read: {flaw}")
            if zlib.crc32(row.body) != row.crc:
                raise Damaged(f"the checksum of version {row.number} does not fit")
        return [Change(row.number, row.kind, row.body, row.at) for row in rows]

    def base(self, catalogue: int, number: int) -> int:
        """The last version up to this one that was given as a whole, 0 where there is none."""
        wanted = select(func.max(changes.c.number)).where(
            changes.c.catalogue == catalogue,
            changes.c.number <= number,
            changes.c.kind == "replace",
        )
        with self._database.connect() as connection:
            return _number(connection.scalar(wanted) or 0)

    def settings(self, catalogue: int, number: int) -> Change | None:
        """The last settings up to this version."""
        return self._latest(catalogue, "settings", 0, number)

    def population(self, catalogue: int, base: int, number: int) -> Change | None:
        """The last choice of a population up to this version, since ``base``.

        A population is about features: what was chosen for those of before is not in use.
        """
        return self._latest(catalogue, "population", base, number)

    def _latest(self, catalogue: int, kind: str, after: int, number: int) -> Change | None:
        wanted = select(func.max(changes.c.number)).where(
            changes.c.catalogue == catalogue,
            changes.c.number > after,
            changes.c.number <= number,
            changes.c.kind == kind,
        )
        with self._database.connect() as connection:
            found = connection.scalar(wanted)
        return None if found is None else self.changes(catalogue, _number(found), found)[0]

    def append(self, entry: Entry, kind: str, body: bytes) -> int:
        """Write the change after the one served; raises ``Taken`` where someone was faster."""
        return self.append_all(entry, [(kind, body)])

    def append_all(self, entry: Entry, given: Sequence[tuple[str, bytes]]) -> int:
        """Several changes as one, served from now on; the number of the last."""
        rows = [
            {
                "catalogue": entry.id,
                "number": entry.serving + place,
                "kind": kind,
                "body": body,
                "crc": zlib.crc32(body),
                "at": now(),
            }
            for place, (kind, body) in enumerate(given, 1)
        ]
        number = entry.serving + len(rows)
        with self._database.transaction() as connection:
            connection.execute(insert(changes), rows)
            moved = connection.execute(
                update(catalogues)
                .where(catalogues.c.id == entry.id, catalogues.c.serving == entry.serving)
                .where(catalogues.c.pending.is_(None))
                .values(serving=number)
            )
            if moved.rowcount != 1:
                raise Taken(f"another version of {entry.name!r} came first")
        return number

    def abandon(self, entry: Entry) -> None:
        """Give up a version that waits; the one served stays."""
        with self._database.transaction() as connection:
            given_up = connection.execute(
                update(catalogues)
                .where(catalogues.c.id == entry.id, catalogues.c.pending == entry.pending)
                .values(pending=None)
            )
            if given_up.rowcount == 1:
                later = changes.c.number > entry.serving
                connection.execute(changes.delete().where(changes.c.catalogue == entry.id, later))

    def activate(self, catalogue: int, number: int) -> None:
        """Serve a version that waits."""
        with self._database.connect() as connection:
            connection.execute(
                update(catalogues)
                .where(catalogues.c.id == catalogue, catalogues.c.pending == number)
                .values(serving=number, pending=None)
            )


def _number(found: Any) -> int:
    """A version's number, if it is one: SQLite keeps whatever it is given."""
    if not isinstance(found, int):
        raise Damaged(f"a version's number is {found!r}")
    return found
