"""Who was deleted is in no file: with readers in the way, after a restart, in unused places."""

from __future__ import annotations

import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
import sqlalchemy as sa

from conlinucb.service.storage import Person, Storage, sweeping
from conlinucb.service.storage.schema import progress
from support.erased import found_in_files, found_in_rows, reading
from support.service_store import said, someone, state
from support.service_world import Postgres, opened

pytestmark = pytest.mark.more  # whole files are searched

SOON = 0.3
"""Seconds, where there is nothing to wait for."""
LONG = 30.0


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "service.db"


@pytest.fixture
def storage(file: Path) -> Iterator[Storage]:
    with closing(opened(f"sqlite:///{file}")) as found:
        yield found


def talked(storage: Storage, name: str) -> Person:
    person = someone(storage, name)
    for seq in range(1, 4):
        storage.log.append(person.id, said(seq, f"{name} {seq}"))
    storage.snapshots.save(person.id, "basis", state())
    return person


def marks(storage: Storage) -> int:
    with storage.database.connect() as connection:
        return connection.scalar(sa.select(sa.func.count()).select_from(progress)) or 0


@contextmanager
def counted(storage: Storage, start: str) -> Iterator[list[str]]:
    """The statements that begin so, as they are sent."""
    sent: list[str] = []

    def note(connection: object, cursor: object, statement: str, *more: object) -> None:
        if statement.startswith(start):
            sent.append(statement)

    sa.event.listen(storage.database.engine, "before_cursor_execute", note)
    yield sent
    sa.event.remove(storage.database.engine, "before_cursor_execute", note)


def test_files_while_a_reader_is_open_and_after_it_lets_go(storage: Storage, file: Path) -> None:
    ann = talked(storage, "a name to be found")
    with reading(file):
        debt = storage.people.remove([ann.id])
        assert not storage.erasure.settle(debt, SOON)
        assert found_in_files(file.parent, [ann.name])
        assert storage.people.everywhere(ann.name) == []
        assert storage.log.after(ann.id) == []
        assert (storage.erasure.waiting, marks(storage)) == (1, 1)
    assert storage.erasure.settle(debt, LONG)
    assert found_in_files(file.parent, [ann.name]) == {}
    assert (storage.erasure.waiting, marks(storage)) == (0, 0)


def test_nobody_waits_for_a_reader_that_is_known_to_be_in_the_way(
    storage: Storage, file: Path
) -> None:
    people = [talked(storage, f"person {number} of many") for number in range(5)]
    names = [each.name for each in people]
    with reading(file), counted(storage, "PRAGMA wal_checkpoint(TRUNCATE)") as tried:
        first = storage.people.remove([people[0].id])
        assert not storage.erasure.settle(first, SOON)
        before = len(tried)
        assert not any(storage.people.delete(each.id) for each in people[1:])
        assert len(tried) == before
    with counted(storage, "PRAGMA wal_checkpoint(TRUNCATE)") as tried:
        assert storage.erasure.finish(LONG)
    assert len(tried) == 1, "one sweep serves all"
    assert found_in_files(file.parent, names) == {}
    assert storage.people.delete(talked(storage, "and another one").id), "nothing is in the way"


def test_what_a_process_left_is_finished_by_the_next(storage: Storage, file: Path) -> None:
    ann = talked(storage, "a name to be found")
    with reading(file), closing(Storage(storage.database.url)) as gone:
        assert not gone.erasure.settle(gone.people.remove([ann.id]), SOON)
    assert found_in_files(file.parent, [ann.name])
    storage.erasure.go_on()
    assert marks(storage) == 1, "the other process may still be at it"
    with storage.database.connect() as connection:
        connection.execute(sa.update(progress).values(at=progress.c.at - 3600 * 10**6))
    with closing(Storage(storage.database.url)) as next_one:
        next_one.erasure.go_on()
    assert marks(storage) == 0
    assert found_in_files(file.parent, [ann.name]) == {}


def test_a_deleted_catalogue_leaves_the_file_with_everyone_in_it(
    storage: Storage, file: Path
) -> None:
    people = [talked(storage, f"person {number} of many") for number in range(20)]
    storage.catalogue_log.delete(people[0].catalogue)
    storage.erasure.go_on()
    assert found_in_files(file.parent, [each.name for each in people]) == {}
    assert marks(storage) == 0


def test_copies_in_unused_places_go_too(storage: Storage, file: Path) -> None:
    """``secure_delete`` alone leaves them: pages that were split keep what went elsewhere."""
    draw, left = random.Random(7), set[str]()
    for _ in range(20):  # of a thousand people it is one or two who leave something behind
        films, gone = crowded(storage, draw)
        debt = storage.people.remove([each.id for each in gone])
        assert sweeping.empty_journal(storage.database)
        left = set(found_in_files(file.parent, [each.name for each in gone]).get(file.name, ()))
        if left:
            break
    assert left, "or this test looks for nothing"
    for each in gone:
        assert sweeping.has_remnants(storage.database, [each.name]) == (each.name in left)
    assert storage.erasure.settle(debt, LONG)
    assert found_in_files(file.parent, [each.name for each in gone]) == {}
    assert len(storage.people.batch(films, 0, limit=1_000)) == 900


def crowded(storage: Storage, draw: random.Random) -> tuple[int, list[Person]]:
    """A new catalogue with many people, with short names and long ones; some who are to go."""
    films = storage.catalogue_log.create(f"films {draw.random()}").id
    added = "INSERT INTO people (catalogue, name, seed, at) VALUES (?, ?, '1', 0)"
    with storage.database.transaction() as connection:
        for _ in range(1500):
            name = f"{draw.getrandbits(800):0200x}"[: draw.choice([12, 200])]
            connection.exec_driver_sql(added, (films, name))
    return films, draw.sample(storage.people.batch(films, limit=1500), 600)


def test_deletions_at_once_from_two_processes_beside_writers(storage: Storage, file: Path) -> None:
    """Two storages have nothing in common but the file, as two workers."""
    people = [talked(storage, f"person {number} of many") for number in range(40)]
    stays = talked(storage, "stays")
    with closing(Storage(storage.database.url)) as other, ThreadPoolExecutor(8) as pool:
        sides = [storage, other]
        gone = [pool.submit(sides[each.id % 2].people.delete, each.id) for each in people]
        for seq in range(4, 60):
            other.log.append(stays.id, said(seq))
        for each, done in zip(people, gone, strict=True):
            if not done.result():
                assert sides[each.id % 2].erasure.finish(LONG)
        assert other.erasure.finish(LONG)
        assert storage.erasure.finish(LONG)
    assert found_in_files(file.parent, [each.name for each in people]) == {}
    assert len(storage.log.after(stays.id)) == 59
    assert marks(storage) == 0


def test_rows_of_postgres_once_no_transaction_may_see_them(postgres: Postgres) -> None:
    with closing(opened(postgres.new_database())) as storage:
        ann, bob = talked(storage, "a name to be found"), talked(storage, "another name to stay")
        with storage.database.connect() as reader:
            reader.exec_driver_sql("BEGIN ISOLATION LEVEL REPEATABLE READ")
            reader.exec_driver_sql("SELECT count(*) FROM people")
            assert storage.people.delete(ann.id), "there is no live row"
            assert not storage.erasure.finish(SOON), "the reader may see it"
            assert found_in_rows(storage, postgres.data, [ann.name]) == {ann.name}
            reader.exec_driver_sql("COMMIT")
        storage.erasure.go_on()
        assert marks(storage) == 1, "it is cleaned up once a minute"
        assert storage.erasure.finish(SOON)
        assert marks(storage) == 0
        found = found_in_rows(storage, postgres.data, [ann.name, bob.name])
        assert found == {bob.name}
