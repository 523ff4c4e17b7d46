"""One database, SQLite or PostgreSQL: connections, transactions, and what its errors mean."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import (
    ArgumentError,
    DBAPIError,
    IntegrityError,
    NoSuchModuleError,
    PendingRollbackError,
    SQLAlchemyError,
)
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.pool import QueuePool

from conlinucb.errors import Damaged, InvalidInput, StorageError, StoreDown, StoreRefuses
from conlinucb.service.storage import marks
from conlinucb.service.storage.private import keep_private

MEMORY = "sqlite://"
CONNECTIONS = 16
WAIT = 10.0
SOON, LATER, LONG = 0.0003, 0.005, 0.05
"""Seconds between two tries to have SQLite's lock, and between those after a long wait."""
_PRAGMAS = (
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = FULL",  # acknowledged means on disk
    "PRAGMA foreign_keys = ON",
    "PRAGMA secure_delete = ON",  # a deleted person leaves no bytes behind, once it is swept
)
_REFUSALS = ("disk is full", "readonly database", "read-only", "No space left", "disk full")
_DAMAGE = ("malformed", "not a database")


@dataclass(frozen=True)
class Limits:
    """How much of a database one process takes, and how long it waits for it."""

    connections: int = CONNECTIONS
    """Held open at most; whoever wants another one waits."""
    wait: float = WAIT
    """Seconds to wait for a lock, a free connection or an answer."""
    statement: float = 30.0
    """Seconds that one statement may take on PostgreSQL."""


class Taken(StorageError):
    """Someone else was faster: the place in the log, the name or the id is taken, or gone."""


def now() -> int:
    """Microseconds since 1970."""
    return time.time_ns() // 1000


class Database:
    """Statements one by one with ``connect``, several as one with ``transaction``.

    Every connection is in autocommit mode, so a single statement is one round trip and is on
    disk when it returns.
    """

    def __init__(self, url: str, limits: Limits | None = None) -> None:
        self.url = url
        self.limits = limits or Limits()
        self.engine = _engine(url, self.limits)
        self.is_memory = _is_memory(self.engine.url)

    @property
    def place(self) -> str:
        """The address without its password, for people to read."""
        url = self.engine.url
        hidden = {name: "hidden" for name in url.query if "password" in name}
        return url.update_query_dict(hidden).render_as_string(hide_password=True)

    @property
    def file(self) -> Path | None:
        """The file of SQLite, where it is one by its path."""
        named = self.engine.url.database or ""
        sqlite = self.engine.dialect.name == "sqlite" and not named.startswith("file:")
        return Path(named) if sqlite and not self.is_memory else None

    def must_exist(self) -> None:
        """Refuse a file that is not there, which opening it would make."""
        if self.file is not None and not self.file.is_file():
            raise InvalidInput(f"There is no database {self.file}: conlinucb db upgrade makes one.")

    @contextmanager
    def connect(self) -> Iterator[Connection]:
        """A connection on which each statement is a transaction of its own."""
        try:
            with self.engine.connect() as connection:
                yield connection
        except IntegrityError as error:
            raise Taken(_line(error)) from error
        except (DBAPIError, PoolTimeout, PendingRollbackError) as error:
            raise self._meaning(error) from error

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """A connection on which all statements happen, or none."""
        with self.connect() as connection:
            sqlite = self.engine.dialect.name == "sqlite"
            # At once, not at the first write: two that both read first would lock each other out.
            connection.exec_driver_sql("BEGIN IMMEDIATE" if sqlite else "BEGIN")
            try:
                yield connection
                connection.exec_driver_sql("COMMIT")
            except BaseException:
                _roll_back(connection)
                raise

    def sweep(self) -> None:
        """Have whoever is at it first let what was deleted leave the files, too."""
        with self.connect() as connection:
            marks.leave(connection)

    def _meaning(self, error: Exception) -> StorageError:
        line = _line(error)
        if any(each in line for each in _REFUSALS):
            return StoreRefuses(f"The database takes nothing: {line}.")
        if any(each in line for each in _DAMAGE):
            return Damaged(f"The database cannot be read: {line}.")
        return StoreDown(f"The database does not answer: {line}.")

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()


def _line(error: Exception) -> str:
    """What a database says, without its details, which quote rows."""
    text = str(getattr(error, "orig", error)).strip().splitlines()
    return text[0] if text else type(error).__name__


def _roll_back(connection: Connection) -> None:
    try:
        connection.exec_driver_sql("ROLLBACK")
    except SQLAlchemyError:
        connection.invalidate()  # not back into the pool with half a transaction


def _busy(seconds: float) -> str:
    return f"PRAGMA busy_timeout = {int(seconds * 1000)}"


def _engine(url: str, limits: Limits) -> Engine:
    try:
        parsed = make_url(url)
        if parsed.drivername == "postgresql":
            parsed = parsed.set(drivername="postgresql+psycopg")
        if parsed.drivername in ("sqlite", "sqlite+pysqlite"):
            return _sqlite(parsed, limits)
        if parsed.drivername != "postgresql+psycopg":
            raise ArgumentError(f"it names {parsed.drivername}")
        return create_engine(
            parsed,
            isolation_level="AUTOCOMMIT",
            hide_parameters=True,  # they hold names
            pool_size=limits.connections,
            max_overflow=0,
            pool_timeout=limits.wait,
            connect_args={
                "connect_timeout": max(2, int(limits.wait)),
                "tcp_user_timeout": int(limits.statement * 1000),
                # On disk when acknowledged, whatever the server's own setting says.
                "options": f"-c statement_timeout={int(limits.statement * 1000)} "
                "-c synchronous_commit=on",
            },
        )
    except (ArgumentError, NoSuchModuleError, ValueError) as error:
        raise InvalidInput(
            f"database must be sqlite:///PATH, postgresql://USER@HOST/NAME or {MEMORY} (in "
            f"memory), but {error}."
        ) from None


def _is_memory(url: URL) -> bool:
    named = url.database or ""
    return url.get_backend_name() == "sqlite" and (
        named in ("", ":memory:") or "mode=memory" in str(url) or named.startswith("file::memory:")
    )


def _file(url: URL) -> Path:
    return Path((url.database or "").removeprefix("file:").partition("?")[0])


def _sqlite(url: URL, limits: Limits) -> Engine:
    # In memory there is one connection, for which everyone waits their turn.
    size = 1 if _is_memory(url) else limits.connections
    engine = create_engine(
        url,
        isolation_level="AUTOCOMMIT",
        hide_parameters=True,
        poolclass=QueuePool,
        pool_size=size,
        max_overflow=0,
        pool_timeout=limits.wait,
        connect_args={"check_same_thread": False, "timeout": limits.wait},
    )

    def prepare(connection: sqlite3.Connection, record: Any) -> None:
        for pragma in (_busy(limits.wait), *_PRAGMAS):
            connection.execute(pragma)
        if not _is_memory(url):
            connection.execute(_busy(0.0))  # from now on we wait, not SQLite

    event.listen(engine, "connect", prepare)
    if not _is_memory(url):
        keep_private(engine, _file(url))
        _wait_by_ourselves(engine, limits.wait)
    return engine


def _wait_by_ourselves(engine: Engine, seconds: float) -> None:
    """Ask for SQLite's lock again and again: it is held for about as long as a disk takes.

    SQLite itself sleeps longer each time, up to 0.1 s. Where a few processes write all the time,
    some of them would find it taken whenever they look.
    """

    def execute(cursor: sqlite3.Cursor, statement: str, parameters: Any, context: Any) -> bool:
        until = 0.0
        while True:
            try:
                cursor.execute(statement, parameters)
                return True
            except sqlite3.OperationalError as error:
                if not _is_taken(cursor, error):
                    raise
                until = until or time.monotonic() + seconds
                left = until - time.monotonic()
                if left < 0:
                    raise
            time.sleep(SOON if seconds - left < LONG else LATER)

    def execute_many(cursor: sqlite3.Cursor, statement: str, parameters: Any, context: Any) -> bool:
        # Each row may be a transaction of its own, so that not all of it can be tried again.
        cursor.connection.execute(_busy(seconds))
        try:
            cursor.executemany(statement, parameters)
        finally:
            cursor.connection.execute(_busy(0.0))
        return True

    event.listen(engine, "do_execute", execute)
    event.listen(engine, "do_executemany", execute_many)


def _is_taken(cursor: sqlite3.Cursor, error: sqlite3.Error) -> bool:
    """Whether nothing has happened yet, because another one has the lock."""
    is_busy = error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY
    return is_busy and not cursor.connection.in_transaction
