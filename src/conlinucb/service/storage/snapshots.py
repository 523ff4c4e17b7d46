"""States kept so that a long log need not be folded again."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import delete, select
from sqlalchemy.dialects import postgresql, sqlite

from conlinucb.errors import Damaged
from conlinucb.service.observe import timed
from conlinucb.service.storage.database import Database
from conlinucb.service.storage.schema import snapshots

Arrays = dict[str, NDArray[Any]]
_UNREADABLE = (
    *(ValueError, OSError, EOFError, LookupError, TypeError, AttributeError),
    *(zipfile.BadZipFile, zlib.error),
)


@dataclass(frozen=True)
class Snapshot:
    """A person's state after event ``seq``."""

    seq: int
    arrays: Arrays


class Snapshots:
    """One state for each person and basis (features and prior)."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @timed("store_seconds", operation="load snapshot")
    def load(self, person: int, basis: str) -> Snapshot | None:
        """The state, or None; raises ``Damaged`` where it is not what was saved."""
        with self._database.connect() as connection:
            row = connection.execute(
                select(snapshots).filter_by(person=person, basis=basis)
            ).first()
        if row is None:
            return None
        whole = isinstance(row.body, bytes) and isinstance(row.seq, int)
        if not whole or _crc(row.seq, row.basis, row.body) != row.crc:
            raise Damaged("its checksum does not fit")
        return Snapshot(row.seq, unpack(row.body))

    @timed("store_seconds", operation="save snapshot")
    def save(self, person: int, basis: str, snapshot: Snapshot) -> None:
        """Keep this state instead of the one before."""
        body = pack(snapshot.arrays)
        values = {
            "person": person,
            "basis": basis,
            "seq": snapshot.seq,
            "body": body,
            "crc": _crc(snapshot.seq, basis, body),
        }
        # One statement: deleting first would lock rows in another order than a deletion does.
        dialect = sqlite if self._database.engine.dialect.name == "sqlite" else postgresql
        put = dialect.insert(snapshots).values(values)
        new = {name: put.excluded[name] for name in ("seq", "body", "crc")}
        put = put.on_conflict_do_update(index_elements=["person", "basis"], set_=new)
        with self._database.connect() as connection:
            connection.execute(put)

    def drop(self, person: int, basis: str | None = None) -> None:
        """Throw away a person's states, or the one for this basis."""
        gone = delete(snapshots).where(snapshots.c.person == person)
        if basis is not None:
            gone = gone.where(snapshots.c.basis == basis)
        with self._database.connect() as connection:
            connection.execute(gone)

    def drop_others(self, person: int, basis: str) -> None:
        """Throw away a person's states that are for another basis."""
        gone = delete(snapshots).where(snapshots.c.person == person, snapshots.c.basis != basis)
        with self._database.connect() as connection:
            connection.execute(gone)

    def held(self, persons: Collection[int], basis: str) -> set[int]:
        """Those of several people of whom there is a state for this basis."""
        mine = snapshots.c.person.in_(persons), snapshots.c.basis == basis
        with self._database.connect() as connection:
            return set(connection.scalars(select(snapshots.c.person).where(*mine)))

    def bases(self, person: int) -> list[str]:
        """The bases for which there is a state of this person."""
        with self._database.connect() as connection:
            wanted = select(snapshots.c.basis).where(snapshots.c.person == person)
            return list(connection.scalars(wanted))


def _crc(seq: int, basis: str, body: bytes) -> int:
    return zlib.crc32(f"{seq} {basis} ".encode() + body)


def pack(arrays: Arrays) -> bytes:
    """Named arrays as one .npz, no pickle."""
    file = io.BytesIO()
    np.savez(file, allow_pickle=False, **arrays)
    return file.getvalue()


def unpack(body: bytes) -> Arrays:
    """What ``pack`` packed."""
    try:
        with np.load(io.BytesIO(body), allow_pickle=False) as stored:
            return {name: stored[name] for name in stored.files}
    except _UNREADABLE as error:
        raise Damaged(f"it cannot be unpacked: {error}") from error
