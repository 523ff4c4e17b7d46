"""Values of another type than their column's, which SQLite keeps as they are given."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sqlalchemy import Column, Integer, LargeBinary, Row, String, Table, func, select

from conlinucb.service.storage.database import Database
from conlinucb.service.storage.quarantine import Finding
from conlinucb.service.storage.schema import (
    bases,
    catalogues,
    changes,
    counts,
    experiments,
    keys,
    leases,
    populations,
)

TABLES = (catalogues, changes, bases, populations, leases, counts, experiments, keys)
"""Small ones: rows of people are looked at one by one where they are read."""
_WORDS = {int: "a whole number", str: "text", bytes: "bytes"}
_STORED = {int: "integer", str: "text", bytes: "blob"}


def _type_of(column: Column[Any]) -> type[int | str | bytes]:
    kind = column.type
    if isinstance(kind, LargeBinary):
        return bytes
    if isinstance(kind, String):
        return str
    assert isinstance(kind, Integer), f"{column} has a type that is not looked at"
    return int


def flaw_of(table: Table, row: Row[Any]) -> str | None:
    """What is wrong with the first value of a row that has another type than its column."""
    for column in table.columns:
        value = row._mapping[column]
        if value is None and column.nullable:
            continue
        if not isinstance(value, _type_of(column)):
            return f"its {column.name} is {value!r:.50}, not {_WORDS[_type_of(column)]}"
    return None


def odd_values(database: Database) -> Iterator[Finding]:
    """Every such value in the small tables of a database."""
    if database.engine.dialect.name != "sqlite":
        return  # PostgreSQL takes nothing of another type
    for table in TABLES:
        for column in table.columns:
            yield from _odd(database, table, column)


def _odd(database: Database, table: Table, column: Column[Any]) -> Iterator[Finding]:
    stored = func.typeof(column)
    fine = [_STORED[_type_of(column)]] + ["null"] * bool(column.nullable)
    key = list(table.primary_key.columns)
    with database.connect() as connection:
        rows = connection.execute(select(*key, stored).where(stored.not_in(fine))).all()
        known = set(connection.scalars(select(catalogues.c.id)))
    for row in rows:
        owner = row[0] if table is not keys and row[0] in known else None
        where = " ".join(f"{each!r:.20}" for each in row[:-1])
        reason = f"it is stored as {row[-1]}, not as {_WORDS[_type_of(column)]}"
        yield Finding(None, owner, f"{table.name} {where}: {column.name}"[:100], reason)
