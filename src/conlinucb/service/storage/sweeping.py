"""Letting what was deleted leave the files: SQLite's journal and pages, PostgreSQL's dead rows."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Row, text

from conlinucb.service.storage import marks
from conlinucb.service.storage.database import Database
from conlinucb.service.storage.remnants import remnants

HOLD_UP = 0.2
"""Most seconds for which a checkpoint that waits for readers holds up writers."""
LOCK = 5_308_317
"""One process at a time cleans up one PostgreSQL."""
SWEPT = ("people", "events", "aliases", "snapshots", "quarantine")

_READERS = text(
    """SELECT max(age(xmin)) FROM (
        SELECT backend_xmin AS xmin FROM pg_stat_activity
            WHERE pid <> pg_backend_pid() AND (datname = current_database() OR datname IS NULL)
        UNION ALL SELECT xmin FROM pg_replication_slots
        UNION ALL SELECT transaction FROM pg_prepared_xacts
    ) AS others"""
)

_MARKS = text(
    "SELECT name, at, age(CAST(CAST(body AS xid8) AS xid)) AS age FROM progress "
    "WHERE name LIKE :named"
)


def empty_journal(database: Database) -> bool:
    """Bring everything into SQLite's file and cut its journal to nothing, if no reader needs it."""
    with database.connect() as connection:
        # The bulk first, beside all writers; only what is new since is done while they wait.
        connection.exec_driver_sql("PRAGMA wal_checkpoint(PASSIVE)")
        before = connection.exec_driver_sql("PRAGMA busy_timeout").scalar()
        connection.exec_driver_sql(f"PRAGMA busy_timeout = {int(HOLD_UP * 1000)}")
        try:
            busy = connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)").scalar()
        finally:
            connection.exec_driver_sql(f"PRAGMA busy_timeout = {before}")
    return busy == 0


def has_remnants(database: Database, names: Sequence[str]) -> bool:
    """Whether a name stands in unused places of SQLite's file, once the journal is empty."""
    return remnants(_file(database), [each.encode() for each in names])


def size(database: Database) -> int:
    """Bytes of SQLite's file."""
    return _file(database).stat().st_size


def _file(database: Database) -> Path:
    with database.connect() as connection:
        rows = connection.exec_driver_sql("PRAGMA database_list").all()
    return next(Path(row[2]) for row in rows if row[1] == "main")


def rewrite(database: Database) -> None:
    """Write SQLite's file anew, with nothing in it but what is there to be read."""
    with database.connect() as connection:
        connection.exec_driver_sql("VACUUM")


def left_marks(connection: Connection) -> Sequence[Row[Any]]:
    """Marks on PostgreSQL, with how many transactions ago each deletion was."""
    return connection.execute(_MARKS, {"named": f"{marks.START}%"}).all()


def oldest_reader(connection: Connection) -> int:
    """How many transactions ago the oldest began that is open; what was deleted since it sees."""
    found = connection.scalar(_READERS)
    return -1 if found is None else int(found)


def vacuum(connection: Connection, *, full: bool = False) -> None:
    """Remove PostgreSQL's dead rows with their entries in every index; with ``full`` all bytes."""
    how = "FULL" if full else "INDEX_CLEANUP ON"  # by itself it leaves a few for the next time
    timeout = connection.exec_driver_sql("SHOW statement_timeout").scalar()
    connection.exec_driver_sql("SET statement_timeout = 0")
    connection.exec_driver_sql("SET vacuum_cost_delay = 2")  # as gently as autovacuum
    try:
        for table in SWEPT:
            connection.exec_driver_sql(f"VACUUM ({how}) {table}")
    finally:
        connection.exec_driver_sql("RESET vacuum_cost_delay")
        connection.exec_driver_sql(f"SET statement_timeout = '{timeout}'")
