"""Events of several people written in one transaction: each stands for itself."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from conlinucb.errors import StorageError
from conlinucb.service.storage import Event, Storage, Taken
from support.service_store import said, someone
from support.service_world import opened


@pytest.fixture
def storage(tmp_path: Path) -> Any:
    found = opened(f"sqlite:///{tmp_path / 'service.db'}")
    yield found
    found.close()


def together(storage: Storage, work: list[Callable[[], Event]]) -> list[Future[Event]]:
    """All of it as one batch: nobody gets a turn until everyone waits."""
    writers = storage.log._together
    with ThreadPoolExecutor(len(work)) as threads, writers._turn:
        found = [threads.submit(each) for each in work]
        deadline = time.monotonic() + 30
        while len(writers._queue) < len(work):
            assert time.monotonic() < deadline
            time.sleep(0.005)
    return found


def begun(storage: Storage) -> list[str]:
    """Notes every transaction of several statements from now on."""
    found: list[str] = []

    def note(connection: Any, cursor: Any, statement: str, *more: Any) -> None:
        if statement.startswith("BEGIN"):
            found.append(statement)

    sa.event.listen(storage.database.engine, "before_cursor_execute", note)
    return found


def test_one_transaction_for_all_who_wait(storage: Storage) -> None:
    people = [someone(storage, f"person {number}") for number in range(12)]
    transactions = begun(storage)
    done = together(storage, [partial(storage.log.append, each.id, said(1)) for each in people])
    assert [each.result().seq for each in done] == [1] * 12
    assert transactions == ["BEGIN IMMEDIATE"]
    assert [storage.log.last(each.id) for each in people] == [1] * 12


def test_whoever_is_refused_keeps_no_other_from_being_written(storage: Storage) -> None:
    ann, bob, gone = (someone(storage, name) for name in ("ann", "bob", "gone"))
    storage.log.append(ann.id, said(1, "an id", "a subject"))
    storage.people.delete(gone.id)
    wanted = {
        "her place is taken": (ann.id, said(1)),
        "a new one": (ann.id, said(2)),
        "her id is taken": (ann.id, said(3, "an id")),
        "her subject is taken": (ann.id, said(4, None, "a subject")),
        "nobody is there": (gone.id, said(1)),
        "another one": (bob.id, said(1)),
    }
    done = together(storage, [partial(storage.log.append, *each) for each in wanted.values()])
    refused = [what for what, each in zip(wanted, done, strict=True) if each.exception()]
    assert all(isinstance(each.exception(), Taken) for each in done if each.exception())
    assert refused == [each for each in wanted if each not in ("a new one", "another one")]
    assert (storage.log.last(ann.id), storage.log.last(bob.id)) == (2, 1)


def test_of_two_for_one_place_one_is_written(storage: Storage) -> None:
    ann = someone(storage)
    done = together(storage, [partial(storage.log.append, ann.id, said(1))] * 8)
    assert sum(each.exception() is None for each in done) == 1
    assert len(storage.log.after(ann.id)) == 1


def test_where_nothing_can_be_written_all_are_told_so(storage: Storage) -> None:
    people = [someone(storage, f"person {number}") for number in range(4)]
    sa.event.listen(storage.database.engine, "checkout", _read_only)
    done = together(storage, [partial(storage.log.append, each.id, said(1)) for each in people])
    sa.event.remove(storage.database.engine, "checkout", _read_only)
    assert all(isinstance(each.exception(), StorageError) for each in done)
    with storage.database.connect() as connection:
        connection.exec_driver_sql("PRAGMA query_only = OFF")
        assert [storage.log.last(each.id) for each in people] == [0] * 4


def _read_only(connection: Any, *more: Any) -> None:
    connection.execute("PRAGMA query_only = ON")


def test_more_than_go_together_are_all_written(
    storage: Storage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("conlinucb.service.storage.together.MOST", 3)
    people = [someone(storage, f"person {number}") for number in range(10)]
    together(storage, [partial(storage.log.append, each.id, said(1)) for each in people])
    assert [storage.log.last(each.id) for each in people] == [1] * 10


def test_in_a_crowd_every_log_is_without_a_gap_or_a_double(storage: Storage) -> None:
    """Threads write for the same few people, each behind what it last saw."""
    people = [someone(storage, f"person {number}") for number in range(3)]
    start = threading.Barrier(8)

    def write(number: int) -> int:
        start.wait(30)
        written = 0
        for turn in range(30):
            person = people[(number + turn) % 3].id
            try:
                storage.log.append(person, said(storage.log.last(person) + 1))
                written += 1
            except Taken:
                pass
        return written

    with ThreadPoolExecutor(8) as threads:
        written = sum(threads.map(write, range(8)))
    logs = [[row.seq for row in storage.log.after(each.id)] for each in people]
    assert all(log == list(range(1, len(log) + 1)) for log in logs)
    assert sum(map(len, logs)) == written > 0
