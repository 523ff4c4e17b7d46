"""Keys: who may call, with which scopes, about which catalogue. Kept as digests only."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, delete, func, insert, or_, select, update

from conlinucb.errors import InvalidInput, UnknownName, nearest
from conlinucb.service.storage.database import Database, now
from conlinucb.service.storage.schema import keys

PREFIX = "clu_"
"""So that a key that leaked into a file can be found by those who look for such."""
ENTROPY = 32
"""Bytes drawn at random: a plain digest is enough for what nobody can guess."""
MOST_KEYS = 10_000
LONGEST_NAME = 100


@dataclass(frozen=True)
class StoredKey:
    """What is kept of a key: everything but the key."""

    id: int
    name: str
    digest: str
    scopes: frozenset[str]
    catalogue: str | None
    at: int
    until: int | None
    revoked: int | None

    def is_live(self, when: int) -> bool:
        """Whether it opens anything at this time."""
        return self.revoked is None and (self.until is None or when < self.until)


def digest_of(key: str) -> str:
    """What is kept in place of a key."""
    return hashlib.sha256(key.encode("utf-8", "surrogateescape")).hexdigest()


class Keys:
    """Keys by name. Where one was ever made, a key is needed, also when all of them ended."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def all(self) -> list[StoredKey]:
        """Every key, also those that ended, the oldest first."""
        with self._database.connect() as connection:
            rows = connection.execute(select(keys).order_by(keys.c.id)).all()
        return [_stored(row) for row in rows]

    def make(
        self,
        name: str,
        scopes: Collection[str],
        catalogue: str | None = None,
        *,
        until: int | None = None,
    ) -> str:
        """A new key, which is nowhere else from now on; a name in use is refused."""
        with self._database.transaction() as connection:
            if _live(connection, name):
                raise InvalidInput(
                    f"There is a key {name!r} already: rotate it, revoke it, or take another name."
                )
            return _add(connection, name, ",".join(sorted(scopes)), catalogue, until)

    def rotate(self, name: str, overlap: int) -> str:
        """Another key in place of one, which ends after so many microseconds."""
        with self._database.transaction() as connection:
            old = self._must_live(connection, name)
            latest, moment = old[-1], now()
            lasts = None if latest.until is None else latest.until - latest.at
            made = _add(
                connection,
                name,
                ",".join(sorted(latest.scopes)),
                latest.catalogue,
                None if lasts is None else moment + lasts,
            )
            later = or_(keys.c.until.is_(None), keys.c.until > moment + overlap)
            ending = keys.c.id.in_([each.id for each in old])
            connection.execute(update(keys).where(ending, later).values(until=moment + overlap))
            return made

    def revoke(self, name: str) -> int:
        """No key of this name opens anything from now on; how many did."""
        with self._database.transaction() as connection:
            ending = [each.id for each in self._must_live(connection, name)]
            connection.execute(update(keys).where(keys.c.id.in_(ending)).values(revoked=now()))
            return len(ending)

    def clear(self) -> int:
        """Forget the keys that ended; how many those were."""
        ended = or_(keys.c.revoked.is_not(None), keys.c.until <= now())
        with self._database.connect() as connection:
            return int(connection.execute(delete(keys).where(ended)).rowcount)

    def _must_live(self, connection: Connection, name: str) -> list[StoredKey]:
        found = _live(connection, name)
        if not found:
            known = sorted({each.name for each in _live(connection)})
            raise UnknownName(f"No key in use is called {name!r}.{nearest(name, known)}")
        return found


def _live(connection: Connection, name: str | None = None) -> list[StoredKey]:
    wanted = select(keys).order_by(keys.c.id)
    rows = connection.execute(wanted if name is None else wanted.filter_by(name=name)).all()
    found, moment = [_stored(row) for row in rows], now()
    return [each for each in found if each.is_live(moment)]


def _add(
    connection: Connection, name: str, scope: str, catalogue: str | None, until: int | None
) -> str:
    if (connection.scalar(select(func.count()).select_from(keys)) or 0) >= MOST_KEYS:
        raise InvalidInput(f"There are {MOST_KEYS:,} keys: clear those that ended.")
    made = PREFIX + secrets.token_urlsafe(ENTROPY)
    values = {"name": name, "digest": digest_of(made), "scope": scope, "catalogue": catalogue}
    connection.execute(insert(keys), values | {"at": now(), "until": until})
    return made


def _stored(row: Row[Any]) -> StoredKey:
    scopes = frozenset(row.scope.split(","))
    return StoredKey(
        row.id, row.name, row.digest, scopes, row.catalogue, row.at, row.until, row.revoked
    )
