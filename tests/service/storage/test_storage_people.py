"""People, the same on every database: named once, deleted without a trace."""

from __future__ import annotations

from pathlib import Path

import pytest
import sqlalchemy as sa

from conlinucb.service.storage import Finding, Person, Storage, Taken
from conlinucb.service.storage.people import HOUR
from conlinucb.service.storage.schema import departures
from support import service_store
from support.service_store import at_once, said, seqs, someone, state, taken_back
from support.service_world import opened

database = service_store.database
storage = service_store.storage


def test_names_are_unique_in_a_catalogue_and_told_apart_by_every_letter(storage: Storage) -> None:
    ann = someone(storage)
    others = [someone(storage, name) for name in ("Ann", "ann ", "änn", "a")]
    elsewhere = someone(storage, "ann", "books")
    assert len({each.id for each in (ann, *others, elsewhere)}) == 6
    assert storage.people.add(ann.catalogue, "ann", seed=2) == ann
    assert storage.people.everywhere("ann") == [ann, elsewhere]
    assert storage.people.count(ann.catalogue) == 5


def test_threads_that_add_the_same_person_get_the_same_one(storage: Storage) -> None:
    films = storage.catalogue_log.create("films").id
    found = at_once(8, lambda number: storage.people.add(films, "ann", seed=number))
    assert len(set(found)) == 1
    assert storage.people.count(films) == 1


def test_batches_go_through_everyone_once(storage: Storage) -> None:
    people = [someone(storage, f"person {n}") for n in range(7)]
    someone(storage, "stranger", "books")
    found, last = [], 0
    while batch := storage.people.batch(people[0].catalogue, last, limit=3):
        found += batch
        last = batch[-1].id
    assert found == people


def gone_person(storage: Storage) -> Person:
    ann = someone(storage)
    storage.log.append(ann.id, said(1, "mine", "answer 1"))
    storage.snapshots.save(ann.id, "basis", state())
    storage.quarantine.add(Finding(ann.id, ann.catalogue, "event 1", "for a test"))
    storage.people.delete(ann.id)
    return ann


def test_nothing_of_a_deleted_person_can_be_read(storage: Storage) -> None:
    bob = someone(storage, "bob")
    storage.log.append(bob.id, said(1, "mine", "answer 1"))
    storage.snapshots.save(bob.id, "basis", state())
    ann = gone_person(storage)
    assert storage.people.find(ann.catalogue, "ann") is None
    assert storage.people.everywhere("ann") == []
    assert storage.people.batch(ann.catalogue) == [bob]
    assert storage.log.after(ann.id) == []
    assert storage.log.last(ann.id) == 0
    assert storage.log.find(ann.id, client_id="mine") is None
    assert storage.snapshots.load(ann.id, "basis") is None
    assert storage.snapshots.bases(ann.id) == []
    assert storage.quarantine.all() == []
    assert seqs(storage, bob) == [1]
    assert storage.snapshots.load(bob.id, "basis") is not None


def test_nothing_of_a_deleted_person_can_be_written(storage: Storage) -> None:
    ann = gone_person(storage)
    with pytest.raises(Taken):
        storage.log.append(ann.id, said(2))
    with pytest.raises(Taken):
        storage.log.retract(ann.id, taken_back(2, 1), 1)
    with pytest.raises(Taken):
        storage.snapshots.save(ann.id, "basis", state())
    storage.quarantine.add(Finding(ann.id, ann.catalogue, "event 1", "too late"))
    assert storage.quarantine.all() == []
    assert storage.log.after(ann.id) == []


def test_ids_are_never_given_twice(storage: Storage) -> None:
    ids = []
    for _ in range(3):
        ann = someone(storage)
        ids.append(ann.id)
        storage.people.delete(ann.id)  # the largest id is free now
    assert ids == sorted(set(ids))
    films = storage.catalogue_log.create("films")
    storage.catalogue_log.delete(films.id)
    assert storage.catalogue_log.create("films").id > films.id


def test_departures_are_told_to_everyone_who_asks(storage: Storage) -> None:
    """Those of the last minutes again and again; older ones only behind what was seen."""
    assert storage.people.departed(0) == (0, [])
    ann, bob = someone(storage), someone(storage, "bob")
    storage.people.delete(ann.id)
    first, gone = storage.people.departed(0)
    assert gone == [ann.id]
    with storage.database.connect() as connection:
        connection.execute(sa.update(departures).values(at=departures.c.at - HOUR // 2))
    storage.people.delete(bob.id)
    last, gone = storage.people.departed(first)
    assert gone == [bob.id]
    assert last > first
    assert storage.people.departed(last) == (last, [bob.id])
    assert storage.people.departed(0) == (last, [ann.id, bob.id])


def test_old_departures_are_forgotten_and_their_numbers_not_used_again(storage: Storage) -> None:
    ann, bob = someone(storage), someone(storage, "bob")
    storage.people.delete(ann.id)
    seen, _ = storage.people.departed(0)
    with storage.database.connect() as connection:
        connection.execute(sa.update(departures).values(at=departures.c.at - 2 * HOUR))
    storage.people.delete(bob.id)
    assert storage.people.departed(seen)[1] == [bob.id]
    assert storage.people.departed(0)[1] == [bob.id]


def test_deleting_while_others_write_leaves_nothing_and_no_one_is_in_the_way(
    storage: Storage,
) -> None:
    for _ in range(8):
        ann = someone(storage)

        def work(number: int, person: int = ann.id) -> None:
            if number == 0:
                storage.people.delete(person)
                return
            for seq in range(number * 100, number * 100 + 6):
                try:
                    storage.log.append(person, said(seq))
                    storage.snapshots.save(person, "basis", state())
                except Taken:
                    continue

        at_once(4, work)
        assert storage.log.after(ann.id) == []
        assert storage.snapshots.bases(ann.id) == []


def test_a_deleted_catalogue_takes_everyone_with_it(storage: Storage) -> None:
    ann, elsewhere = someone(storage), someone(storage, "ann", "books")
    for person in (ann, elsewhere):
        storage.log.append(person.id, said(1))
    storage.catalogue_log.append(storage.catalogue_log.create("films"), "replace", b"films")
    storage.catalogue_log.delete(ann.catalogue)
    assert storage.catalogue_log.find("films") is None
    assert storage.people.everywhere("ann") == [elsewhere]
    assert storage.log.after(ann.id) == []
    assert seqs(storage, elsewhere) == [1]
    with pytest.raises(Taken):
        storage.log.append(ann.id, said(2))


def test_a_deleted_person_is_in_no_file(tmp_path: Path) -> None:
    storage = opened(f"sqlite:///{tmp_path / 'service.db'}")
    ann = someone(storage, "a name to be found")
    for seq in range(1, 4):
        storage.log.append(ann.id, said(seq))
    found = b"a name to be found"
    assert any(found in path.read_bytes() for path in tmp_path.iterdir())
    storage.people.delete(ann.id)
    assert not any(found in path.read_bytes() for path in tmp_path.iterdir())
    storage.close()
