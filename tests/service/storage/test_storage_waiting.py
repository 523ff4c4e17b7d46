"""SQLite has one writer at a time: who finds it taken waits, and is told when that is in vain."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlalchemy import event

from conlinucb.errors import StoreDown
from conlinucb.service.storage import Storage, Taken
from conlinucb.service.storage.database import Limits
from conlinucb.service.storage.schema import progress
from support.service_world import opened

ROWS = [{"name": f"row {number}", "body": "", "at": 1} for number in range(3)]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "service.db"


@pytest.fixture
def storage(file: Path) -> Iterator[Storage]:
    with closing(opened(f"sqlite:///{file}")) as found:
        yield found


@contextmanager
def another_writer(file: Path) -> Iterator[sqlite3.Connection]:
    """Someone else, in the middle of a transaction."""
    with closing(sqlite3.connect(file, isolation_level=None, check_same_thread=False)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield other
        if other.in_transaction:
            other.execute("ROLLBACK")


def one(storage: Storage) -> None:
    with storage.database.connect() as connection:
        connection.execute(sa.insert(progress), ROWS[0])


def several(storage: Storage) -> None:
    with storage.database.connect() as connection:
        connection.execute(sa.insert(progress), ROWS)


def as_one(storage: Storage) -> None:
    with storage.database.transaction() as connection:
        for row in ROWS:
            connection.execute(sa.insert(progress), row)


def names(storage: Storage) -> list[str]:
    with storage.database.connect() as connection:
        return sorted(connection.scalars(sa.select(progress.c.name)))


@pytest.mark.parametrize(("write", "rows"), [(one, 1), (several, 3), (as_one, 3)])
def test_who_waits_writes_once(
    storage: Storage, file: Path, write: Callable[[Storage], None], rows: int
) -> None:
    """The other one lets go only when this one has asked in vain."""
    with another_writer(file) as other, ThreadPoolExecutor(1) as pool:
        asked = threading.Event()

        @event.listens_for(storage.database.engine, "before_cursor_execute")
        def note(*given: object) -> None:
            asked.set()

        written = pool.submit(write, storage)
        assert asked.wait(timeout=60)
        assert not written.done()
        other.execute("COMMIT")
        written.result(timeout=60)
    assert names(storage) == [row["name"] for row in ROWS[:rows]]


@pytest.mark.parametrize("write", [one, several, as_one])
def test_nobody_waits_for_ever(
    storage: Storage, file: Path, write: Callable[[Storage], None]
) -> None:
    impatient = Storage(storage.database.url, Limits(wait=0.05))
    told = pytest.raises(StoreDown, match="database is locked")
    with closing(impatient), another_writer(file), told:
        write(impatient)
    assert names(storage) == []
    write(storage)


def test_a_transaction_that_cannot_go_on_does_not_wait(storage: Storage, file: Path) -> None:
    """It has seen what is no longer so: no waiting would help."""
    with storage.database.connect() as connection:
        connection.exec_driver_sql("BEGIN")
        connection.execute(sa.select(progress)).all()
        with closing(sqlite3.connect(file, isolation_level=None)) as other:
            other.execute("INSERT INTO progress (name, body, at) VALUES ('other', '', 1)")
        with pytest.raises(sa.exc.OperationalError, match="database is locked"):
            connection.execute(sa.insert(progress), ROWS[0])
        connection.exec_driver_sql("ROLLBACK")
    assert names(storage) == ["other"]


def test_what_is_refused_for_another_reason_is_refused_at_once(storage: Storage) -> None:
    one(storage)
    with pytest.raises(Taken):
        one(storage)
