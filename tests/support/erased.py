"""Looking for someone deleted in the files of a database themselves."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import sqlalchemy as sa

from conlinucb.service.storage import Storage

PAGE = 8192
"""Bytes of a page of PostgreSQL."""


def found_in_files(folder: Path, names: Collection[str]) -> dict[str, list[str]]:
    """Which of these names stand in which file of a folder."""
    there: dict[str, list[str]] = {}
    for path in sorted(folder.iterdir()):
        content = path.read_bytes() if path.is_file() else b""
        if some := [each for each in names if each.encode() in content]:
            there[path.name] = some
    return there


@contextmanager
def reading(path: Path) -> Iterator[sqlite3.Connection]:
    """Someone else who is in the middle of reading a file of SQLite."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("BEGIN")
        connection.execute("SELECT count(*) FROM people").fetchone()
        yield connection


def found_in_rows(storage: Storage, data: Path, names: Collection[str]) -> set[str]:
    """Which of these names stand in a row of PostgreSQL or an entry of an index, live or dead.

    Read from the pages themselves: whatever one of their line pointers still points to.
    """
    wanted = "SELECT pg_relation_filepath(c.oid) FROM pg_class c WHERE c.relnamespace = "
    wanted += "'public'::regnamespace AND pg_relation_filepath(c.oid) IS NOT NULL"
    with storage.database.connect() as connection:
        connection.exec_driver_sql("CHECKPOINT")
        paths = connection.scalars(sa.text(wanted.replace(":", "\\:"))).all()
    rows = b"\n".join(row for path in paths for row in _rows((data / path).read_bytes()))
    return {each for each in names if each.encode() in rows}


def _rows(file: bytes) -> Iterator[bytes]:
    for start in range(0, len(file), PAGE):
        page = file[start : start + PAGE]
        lower = int.from_bytes(page[12:14], "little")
        for place in range(24, lower, 4):
            pointer = int.from_bytes(page[place : place + 4], "little")
            offset, length = pointer & 0x7FFF, pointer >> 17
            yield page[offset : offset + length]
