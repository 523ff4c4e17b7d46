"""A deleted catalogue: out of sight at once, then removed in steps that anyone goes on with."""

from __future__ import annotations

import itertools
import threading
import time

import pytest
import sqlalchemy as sa

from conlinucb.service.storage import Person, Removal, Storage
from conlinucb.service.storage import catalogues as catalogue_rows
from conlinucb.service.storage import removal as module
from conlinucb.service.storage.removal import LEASE, WHAT
from conlinucb.service.storage.schema import catalogues, counts, events, people, snapshots
from support import service_store
from support.service_commands import command
from support.service_store import said, seqs, someone, state
from support.service_world import opened

pytestmark = pytest.mark.more  # whole databases

database = service_store.database
storage = service_store.storage


@pytest.fixture(autouse=True)
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "ROWS", dict.fromkeys(module.ROWS, 64))


def crowd(storage: Storage, size: int, catalogue: str = "films") -> list[Person]:
    made = [someone(storage, f"person {number}", catalogue) for number in range(size)]
    for person in made:
        for seq in (1, 2):
            storage.log.append(person.id, said(seq))
        storage.snapshots.save(person.id, "basis", state())
    return made


def left(storage: Storage) -> list[int]:
    with storage.database.connect() as connection:
        return [
            int(connection.scalar(sa.select(sa.func.count()).select_from(table)) or 0)
            for table in (catalogues, people, events, snapshots)
        ]


def test_its_name_is_free_at_once(storage: Storage) -> None:
    ann = someone(storage)
    entry = storage.catalogue_log.create("films")
    storage.catalogue_log.append(entry, "replace", b"one")
    storage.removal.mark(ann.catalogue)
    assert storage.catalogue_log.find("films") is None
    assert storage.catalogue_log.entries() == []
    with storage.database.connect() as connection:  # as code that knows nothing of it reads it
        row = connection.execute(sa.select(catalogues)).one()
    assert (row.serving, row.pending) == (0, None)
    again = storage.catalogue_log.create("films")
    assert again.id != ann.catalogue
    assert storage.removal.waiting() == [ann.catalogue]


def test_it_goes_in_steps_and_another_goes_on(storage: Storage) -> None:
    made = crowd(storage, 30)
    (kept,) = crowd(storage, 1, "books")
    films = made[0].catalogue
    storage.removal.mark(films)
    steps = Removal(storage.database).run(films)
    first = list(itertools.islice(steps, 3))
    between = left(storage)
    assert between[0] == 2
    assert 1 < between[1] < 31
    assert list(Removal(storage.database).run(films)) == []  # someone is at it
    steps.close()
    gone = list(Removal(storage.database).run(films))
    assert sum(first) + sum(gone) == 30
    assert left(storage) == [1, 1, 2, 1]
    assert seqs(storage, kept) == [1, 2]
    with storage.database.connect() as connection:
        assert films not in set(connection.scalars(sa.select(counts.c.catalogue)))


def test_whoever_was_killed_is_followed_when_the_lease_is_over(storage: Storage) -> None:
    films = crowd(storage, 3)[0].catalogue
    storage.removal.mark(films)
    assert storage.leases.take(films, WHAT, -1)  # of one who was killed a while ago
    assert sum(Removal(storage.database).run(films)) == 3
    assert not storage.leases.held(films, WHAT)
    assert LEASE <= 60_000_000


def test_a_log_longer_than_a_step_goes_in_several(storage: Storage) -> None:
    ann = someone(storage)
    for seq in range(1, 151):
        storage.log.append(ann.id, said(seq))
    storage.removal.mark(ann.catalogue)
    steps = list(Removal(storage.database).run(ann.catalogue))
    assert len(steps) > 2
    assert sum(steps) == 1
    assert left(storage) == [0, 0, 0, 0]


def test_the_command_removes_what_is_left(lasting_url: str) -> None:
    storage = opened(lasting_url)
    films = crowd(storage, 5)[0].catalogue
    storage.removal.mark(films)
    done = command("sweep", lasting_url)
    assert (done.code, done.lines[0]) == (0, "5 people removed")
    assert left(storage) == [0, 0, 0, 0]
    storage.close()


def test_others_write_while_it_goes_on(storage: Storage) -> None:
    made = crowd(storage, 60)
    (writer,) = crowd(storage, 1, "books")
    storage.removal.mark(made[0].catalogue)
    over, waits = threading.Event(), list[float]()

    def write() -> None:
        for seq in itertools.count(3):
            if over.is_set():
                return
            started = time.perf_counter()
            storage.log.append(writer.id, said(seq))
            waits.append(time.perf_counter() - started)
            time.sleep(0.001)  # in memory there is one connection, which no one may keep for long

    thread = threading.Thread(target=write)
    thread.start()
    try:
        assert sum(Removal(storage.database).run(made[0].catalogue)) == 60
    finally:
        over.set()
        thread.join()
    assert waits
    assert max(waits) < storage.database.limits.wait


def test_deletion_returns_soon_and_leaves_the_rest(
    storage: Storage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(catalogue_rows, "AT_ONCE", 0.0)
    films = crowd(storage, 200)[0].catalogue
    storage.catalogue_log.delete(films)
    assert storage.removal.waiting() == [films]
    assert left(storage)[1] > 0
