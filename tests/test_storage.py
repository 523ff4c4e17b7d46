"""The storage contract, the same on every database, and what a database's errors mean."""

from __future__ import annotations

import io
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sqlalchemy as sa

from conlinucb.errors import Damaged, InvalidInput, StorageError, StoreDown, StoreRefuses
from conlinucb.service.storage import (
    MEMORY,
    Arrays,
    Broken,
    Event,
    Finding,
    Person,
    Snapshot,
    Storage,
    Taken,
    pack,
    unpack,
)
from conlinucb.service.storage.people import HOUR
from conlinucb.service.storage.schema import (
    catalogues,
    changes,
    departures,
    events,
    metadata,
    snapshots,
)
from service_world import Postgres, opened

LARGEST_SEED = 2**64 - 1
ODD_TEXTS = (
    "Amélie · 東京物語 · Сталкер · فيلم · 🎬👩‍👩‍👧",
    "e\u0301 is not \u00e9",  # no normal form is forced on anyone
    "\u202eright to left\u202c and \u2028 and \ufeff",
    """quotes ' " ` \\ % %s :name ?1 {} $1; --""",
    "trailing space ",
)


@pytest.fixture(scope="module", params=["memory", "sqlite", "postgres"])
def database(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Storage]:
    """One of each kind for all tests: making one takes longer than most of them."""
    if request.param == "memory":
        url = MEMORY
    elif request.param == "sqlite":
        url = f"sqlite:///{tmp_path_factory.mktemp('storage') / 'service.db'}"
    else:
        server: Postgres = request.getfixturevalue("postgres")
        url = server.new_database()
    storage = opened(url)
    yield storage
    storage.close()


@pytest.fixture
def storage(database: Storage) -> Iterator[Storage]:
    """Empty, but for the ids that have been given."""
    yield database
    with database.database.transaction() as connection:
        for table in reversed(metadata.sorted_tables):
            connection.execute(sa.delete(table))


def someone(storage: Storage, name: str = "ann", catalogue: str = "films") -> Person:
    return storage.people.add(storage.shelf.create(catalogue).id, name, seed=1)


def said(seq: int, client_id: str | None = None, subject: str | None = None) -> Event:
    return Event(seq, "answer", {"answer": float(seq)}, client_id, subject)


def state(seq: int = 5) -> Snapshot:
    return Snapshot(seq, {"theta": np.arange(3.0) + seq, "seed": np.array(LARGEST_SEED, np.uint64)})


def seqs(storage: Storage, person: Person) -> list[int]:
    return [event.seq for event in storage.log.after(person.id)]


def at_once(count: int, work: Callable[[int], Any]) -> list[Any]:
    """What ``work`` returns in each of so many threads that start together."""
    start = threading.Barrier(count)

    def run(number: int) -> Any:
        start.wait()
        return work(number)

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(run, range(count)))


# --- the log ---


def test_events_come_back_as_written_in_order(storage: Storage) -> None:
    ann, bob = someone(storage), someone(storage, "bob")
    written = [storage.log.append(ann.id, said(n, f"c{n}", f"answer {n}")) for n in (1, 2, 3)]
    storage.log.append(bob.id, said(1))
    assert storage.log.after(ann.id) == written
    assert storage.log.after(ann.id, 2) == written[2:]
    assert storage.log.after(ann.id, 3) == []
    assert [event.at for event in written] == sorted(event.at for event in written)
    assert written[0].at > 0


def test_order_is_by_number_not_by_time_of_writing(storage: Storage) -> None:
    ann = someone(storage)
    for seq in (10, 9, 2, 1, 100):
        storage.log.append(ann.id, said(seq))
    assert seqs(storage, ann) == [1, 2, 9, 10, 100]


def test_last_is_the_largest_number_of_that_person(storage: Storage) -> None:
    ann, bob = someone(storage), someone(storage, "bob")
    assert storage.log.last(ann.id) == 0
    for seq in (1, 2, 3):
        storage.log.append(ann.id, said(seq))
    storage.log.append(bob.id, said(1))
    assert storage.log.last(ann.id) == 3
    assert storage.log.last(bob.id) == 1


def test_find_by_number_client_id_and_subject(storage: Storage) -> None:
    ann, bob = someone(storage), someone(storage, "bob")
    storage.log.append(ann.id, said(1))
    wanted = storage.log.append(ann.id, said(2, "mine", "answer 1"))
    assert storage.log.find(ann.id, seq=2) == wanted
    assert storage.log.find(ann.id, client_id="mine") == wanted
    assert storage.log.find(ann.id, subject="answer 1") == wanted
    assert storage.log.find(ann.id, seq=3) is None
    assert storage.log.find(ann.id, client_id="Mine") is None
    assert storage.log.find(bob.id, client_id="mine") is None


@pytest.mark.parametrize(
    "second",
    [said(1, "other", "other"), said(2, "mine", "other"), said(2, "other", "answer 1")],
    ids=["seq", "client_id", "subject"],
)
def test_what_is_taken_is_taken(storage: Storage, second: Event) -> None:
    ann = someone(storage)
    first = storage.log.append(ann.id, said(1, "mine", "answer 1"))
    with pytest.raises(Taken):
        storage.log.append(ann.id, second)
    assert storage.log.after(ann.id) == [first]
    storage.log.append(ann.id, said(2, "other", "other"))


def test_ids_and_subjects_are_each_persons_own(storage: Storage) -> None:
    for name in ("ann", "bob"):
        storage.log.append(someone(storage, name).id, said(1, "mine", "answer 1"))
    elsewhere = someone(storage, "ann", "books")
    storage.log.append(elsewhere.id, said(1, "mine", "answer 1"))


def test_events_without_id_and_subject_do_not_stand_in_each_others_way(storage: Storage) -> None:
    ann = someone(storage)
    for seq in (1, 2, 3):
        storage.log.append(ann.id, said(seq))
    assert seqs(storage, ann) == [1, 2, 3]


def test_a_retraction_frees_the_subject(storage: Storage) -> None:
    ann = someone(storage)
    storage.log.append(ann.id, said(1, "mine", "answer 1"))
    taken_back = Event(2, "retraction", {"of": 1}, None, "retraction 1")
    assert storage.log.retract(ann.id, taken_back, 1).at > 0
    assert storage.log.find(ann.id, subject="answer 1") is None
    found = storage.log.find(ann.id, seq=1)
    assert found is not None
    assert (found.client_id, found.subject, found.body) == ("mine", None, {"answer": 1.0})
    again = storage.log.append(ann.id, said(3, "again", "answer 1"))
    assert storage.log.find(ann.id, subject="answer 1") == again


@pytest.mark.parametrize("taken", ["seq", "subject"])
def test_a_retraction_that_comes_too_late_frees_nothing(storage: Storage, taken: str) -> None:
    ann = someone(storage)
    storage.log.append(ann.id, said(1, None, "answer 1"))
    storage.log.append(ann.id, said(2, None, "retraction 1"))
    late = Event(2 if taken == "seq" else 3, "retraction", {"of": 1}, None, "retraction 1")
    with pytest.raises(Taken):
        storage.log.retract(ann.id, late, 1)
    assert storage.log.find(ann.id, subject="answer 1") is not None
    assert seqs(storage, ann) == [1, 2]


def test_a_retraction_touches_no_one_else(storage: Storage) -> None:
    ann, bob = someone(storage), someone(storage, "bob")
    for person in (ann, bob):
        storage.log.append(person.id, said(1, None, "answer 1"))
    storage.log.retract(ann.id, Event(2, "retraction", {"of": 1}), 1)
    assert storage.log.find(bob.id, subject="answer 1") is not None


@pytest.mark.parametrize(
    "change",
    [
        {"body": '{"answer":0.0}'},
        {"body": "{}{"},
        {"kind": "reward"},
        {"crc": 0},
        {"seq": 7},
    ],
    ids=["body", "no JSON", "kind", "crc", "seq"],
)
def test_a_changed_row_is_noticed(storage: Storage, change: dict[str, Any]) -> None:
    ann = someone(storage)
    storage.log.append(ann.id, said(1))
    good = storage.log.append(ann.id, said(9))
    with storage.database.connect() as connection:
        connection.execute(sa.update(events).where(events.c.seq == 1).values(**change))
    broken, after = storage.log.after(ann.id)
    assert isinstance(broken, Broken)
    assert broken.reason
    assert after == good
    with pytest.raises(Damaged, match=f"Event {broken.seq} "):
        storage.log.find(ann.id, seq=broken.seq)


def test_threads_that_retry_write_every_event_once_and_leave_no_gap(storage: Storage) -> None:
    ann, each = someone(storage), 15

    def write(writer: int) -> None:
        for number in range(each):
            while True:
                event = said(storage.log.last(ann.id) + 1, f"{writer} {number}")
                try:
                    storage.log.append(ann.id, event)
                    break
                except Taken:
                    continue

    at_once(8, write)
    found = [event for event in storage.log.after(ann.id) if isinstance(event, Event)]
    assert [event.seq for event in found] == list(range(1, 8 * each + 1))
    wanted = {f"{writer} {number}" for writer in range(8) for number in range(each)}
    assert {event.client_id for event in found} == wanted


@pytest.mark.parametrize("same", [said(0, "mine"), said(0, None, "answer 1")])
def test_of_threads_that_say_the_same_one_is_heard(storage: Storage, same: Event) -> None:
    ann = someone(storage)

    def write(number: int) -> bool:
        try:
            storage.log.append(ann.id, replace(same, seq=number + 1))
        except Taken:
            return False
        return True

    assert sum(at_once(8, write)) == 1
    assert len(storage.log.after(ann.id)) == 1


# --- texts and numbers ---


@pytest.mark.parametrize("text", ODD_TEXTS, ids=range(len(ODD_TEXTS)))
def test_texts_survive(storage: Storage, text: str) -> None:
    ann = someone(storage, text, text)
    event = Event(1, "reward", {"item": text, text: [text]}, text, f"reward 1 {text}")
    written = storage.log.append(ann.id, event)
    assert storage.log.after(ann.id) == [written]
    assert storage.log.find(ann.id, client_id=text) == written
    assert storage.log.find(ann.id, subject=event.subject) == written
    assert storage.people.find(ann.catalogue, text) == ann
    entry = storage.shelf.find(text)
    assert entry is not None
    assert entry.name == text


def test_the_longest_texts_survive(storage: Storage) -> None:
    name, subject = "界" * 200, "🎬" * 500
    ann = someone(storage, name, name)
    body = {"items": [{"item": f"{n} " + "é" * 200} for n in range(2000)]}
    written = storage.log.append(ann.id, Event(1, "recommendation", body, name, subject))
    assert storage.log.after(ann.id) == [written]
    assert storage.log.find(ann.id, subject=subject) == written


def test_control_characters_in_a_body_survive(storage: Storage) -> None:
    ann = someone(storage)
    body = {"text": "".join(map(chr, range(0x20))) + "\x7f\x85"}
    written = storage.log.append(ann.id, Event(1, "answer", body))
    assert storage.log.after(ann.id) == [written]


def test_numbers_in_a_body_survive_exactly(storage: Storage) -> None:
    ann = someone(storage)
    body = {"numbers": [0.1, -0.0, 1e-320, 1.7976931348623157e308, 2**70, 1 / 3]}
    written = storage.log.append(ann.id, Event(1, "answer", body))
    (found,) = storage.log.after(ann.id)
    assert isinstance(found, Event)
    assert repr(found.body) == repr(written.body)


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_what_is_no_number_is_not_written(storage: Storage, number: float) -> None:
    ann = someone(storage)
    with pytest.raises(ValueError, match="Out of range float"):
        storage.log.append(ann.id, Event(1, "answer", {"answer": number}))
    assert storage.log.last(ann.id) == 0


@pytest.mark.parametrize("seed", [0, 2**63 - 1, 2**63, LARGEST_SEED])
def test_a_seed_of_64_bits_survives(storage: Storage, seed: int) -> None:
    films = storage.shelf.create("films").id
    added = storage.people.add(films, "ann", seed)
    assert added.seed == seed
    assert storage.people.find(films, "ann") == added
    assert storage.people.batch(films) == [added]
    assert storage.people.everywhere("ann") == [added]


# --- people ---


def test_names_are_unique_in_a_catalogue_and_told_apart_by_every_letter(storage: Storage) -> None:
    ann = someone(storage)
    others = [someone(storage, name) for name in ("Ann", "ann ", "änn", "a")]
    elsewhere = someone(storage, "ann", "books")
    assert len({each.id for each in (ann, *others, elsewhere)}) == 6
    assert storage.people.add(ann.catalogue, "ann", seed=2) == ann
    assert storage.people.everywhere("ann") == [ann, elsewhere]
    assert storage.people.count(ann.catalogue) == 5


def test_threads_that_add_the_same_person_get_the_same_one(storage: Storage) -> None:
    films = storage.shelf.create("films").id
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
        storage.log.retract(ann.id, Event(2, "retraction", {"of": 1}), 1)
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
    films = storage.shelf.create("films")
    storage.shelf.delete(films.id)
    assert storage.shelf.create("films").id > films.id


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
    storage.shelf.append(storage.shelf.create("films"), "replace", b"films", wait=False)
    storage.shelf.delete(ann.catalogue)
    assert storage.shelf.find("films") is None
    assert storage.people.everywhere("ann") == [elsewhere]
    assert storage.log.after(ann.id) == []
    assert seqs(storage, elsewhere) == [1]
    with pytest.raises(Taken):
        storage.log.append(ann.id, said(2))


# --- snapshots ---


def test_a_snapshot_is_loaded_as_it_was_saved(storage: Storage) -> None:
    ann = someone(storage)
    arrays: Arrays = {
        "P": np.random.default_rng(0).normal(size=(5, 5)),
        "empty": np.zeros((0, 2), dtype=np.int64),
        "kind": np.frombuffer("{}é".encode(), dtype=np.uint8),
        "seed": np.array(LARGEST_SEED, dtype=np.uint64),
    }
    storage.snapshots.save(ann.id, "basis", Snapshot(7, arrays))
    found = storage.snapshots.load(ann.id, "basis")
    assert found is not None
    assert found.seq == 7
    assert set(found.arrays) == set(arrays)
    for name, array in arrays.items():
        assert found.arrays[name].dtype == array.dtype
        np.testing.assert_array_equal(found.arrays[name], array)


def test_the_last_snapshot_of_a_basis_counts(storage: Storage) -> None:
    ann = someone(storage)
    for seq in (3, 9, 6):
        storage.snapshots.save(ann.id, "basis", state(seq))
    found = storage.snapshots.load(ann.id, "basis")
    assert found is not None
    assert found.seq == 6
    assert found.arrays["theta"][0] == 6.0
    assert storage.snapshots.bases(ann.id) == ["basis"]


def test_bases_are_kept_apart_and_dropped_one_by_one_or_all(storage: Storage) -> None:
    ann, bob = someone(storage), someone(storage, "bob")
    for person in (ann, bob):
        for number in (1, 2, 3):
            storage.snapshots.save(person.id, f"basis {number}", state(number))
    storage.snapshots.drop(ann.id, "basis 2")
    assert sorted(storage.snapshots.bases(ann.id)) == ["basis 1", "basis 3"]
    storage.snapshots.drop(ann.id)
    assert storage.snapshots.load(ann.id, "basis 1") is None
    assert len(storage.snapshots.bases(bob.id)) == 3


def test_drop_others_leaves_the_basis_and_other_catalogues(storage: Storage) -> None:
    people = [someone(storage), someone(storage, "bob"), someone(storage, "ann", "books")]
    for person in people:
        for basis in ("old", "new"):
            storage.snapshots.save(person.id, basis, state())
    storage.snapshots.drop_others(people[0].catalogue, "new")
    left = [sorted(storage.snapshots.bases(person.id)) for person in people]
    assert left == [["new"], ["new"], ["new", "old"]]


def test_a_changed_snapshot_is_noticed(storage: Storage) -> None:
    ann = someone(storage)
    storage.snapshots.save(ann.id, "basis", state())
    body = bytearray(pack(state().arrays))
    body[len(body) // 2] ^= 1
    with storage.database.connect() as connection:
        connection.execute(sa.update(snapshots).values(body=bytes(body)))
    with pytest.raises(Damaged, match="checksum"):
        storage.snapshots.load(ann.id, "basis")


def test_the_place_in_the_log_belongs_to_what_a_snapshot_is_checked_for(storage: Storage) -> None:
    """From a wrong place, events would be taken in twice or not at all."""
    ann = someone(storage)
    storage.snapshots.save(ann.id, "basis", state(5))
    with storage.database.connect() as connection:
        connection.execute(sa.update(snapshots).values(seq=4))
    with pytest.raises(Damaged):
        storage.snapshots.load(ann.id, "basis")


def bare_array() -> bytes:
    file = io.BytesIO()
    np.save(file, np.zeros(3))
    return file.getvalue()


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"nonsense",
        b"PK\x05\x06" + bytes(10),
        pack({"a": np.zeros(100)})[:200],
        pack({"a": np.zeros(100)}).replace(b"'descr'", b"'d\xffscr'"),
        bare_array(),
    ],
    ids=["empty", "nonsense", "half a zip", "cut off", "bad header", "no zip"],
)
def test_what_cannot_be_unpacked_is_damaged(body: bytes) -> None:
    with pytest.raises(Damaged):
        unpack(body)


def test_nothing_pickled_is_ever_unpacked() -> None:
    file = io.BytesIO()
    np.savez(file, allow_pickle=True, a=np.array([{}], dtype=object))
    with pytest.raises(Damaged):
        unpack(file.getvalue())


# --- catalogues ---


def test_a_change_is_served_at_once_or_waits_until_it_is_activated(storage: Storage) -> None:
    shelf = storage.shelf
    new = shelf.create("films")
    assert (new.serving, new.pending) == (0, None)
    assert shelf.append(new, "replace", b"one", wait=False) == 1
    first = shelf.create("films")
    assert (first.id, first.serving, first.pending) == (new.id, 1, None)
    assert shelf.append(first, "replace", b"two", wait=True) == 2
    waiting = shelf.create("films")
    assert (waiting.serving, waiting.pending) == (1, 2)
    with pytest.raises(Taken):
        shelf.append(waiting, "add", b"three", wait=False)
    shelf.activate(new.id, 7)  # not what waits
    assert shelf.create("films") == waiting
    shelf.activate(new.id, 2)
    served = shelf.create("films")
    assert (served.serving, served.pending) == (2, None)
    assert [change.body for change in shelf.changes(new.id, 1, 2)] == [b"one", b"two"]


def test_a_change_of_what_is_no_longer_served_leaves_nothing(storage: Storage) -> None:
    old = storage.shelf.create("films")
    storage.shelf.append(old, "replace", b"first", wait=False)
    for stale in (old, replace(old, serving=4)):
        with pytest.raises(Taken):
            storage.shelf.append(stale, "replace", b"second", wait=False)
    assert [each.body for each in storage.shelf.changes(old.id, 1, 1)] == [b"first"]
    with storage.database.connect() as connection:
        assert connection.scalar(sa.select(sa.func.count()).select_from(changes)) == 1


def test_base_and_settings_are_the_last_up_to_a_version(storage: Storage) -> None:
    shelf = storage.shelf
    kinds = ("settings", "replace", "add", "settings", "replace", "remove")
    for number, kind in enumerate(kinds):
        entry = replace(shelf.create("films"), serving=number)
        assert shelf.append(entry, kind, kind.encode(), wait=False) == number + 1
    other = shelf.create("books")
    shelf.append(other, "replace", b"", wait=False)
    films = shelf.create("films").id
    assert [shelf.base(films, number) for number in range(1, 7)] == [0, 2, 2, 2, 5, 5]
    found = [shelf.settings(films, number) for number in (1, 3, 4, 6)]
    assert [each.number if each else None for each in found] == [1, 1, 4, 4]
    assert shelf.settings(other.id, 1) is None


def test_changes_that_are_gone_or_changed_are_damaged(storage: Storage) -> None:
    shelf = storage.shelf
    for body in (b"one", b"two", b"three"):
        shelf.append(shelf.create("films"), "replace", body, wait=False)
    films = shelf.create("films").id
    with storage.database.connect() as connection:
        connection.execute(sa.update(changes).where(changes.c.number == 1).values(body=b"0ne"))
        connection.execute(sa.delete(changes).where(changes.c.number == 2))
    with pytest.raises(Damaged, match="version 1 "):
        shelf.changes(films, 1, 1)
    with pytest.raises(Damaged, match=r"\[1, 3\] are there"):
        shelf.changes(films, 1, 3)
    assert shelf.changes(films, 3, 3)[0].body == b"three"


def test_a_build_can_begin_at_once_and_is_leased_to_one_at_a_time(storage: Storage) -> None:
    shelf = storage.shelf
    shelf.append(shelf.create("films"), "replace", b"", wait=True)
    entry = shelf.create("films")
    assert entry.pending is not None
    assert sum(at_once(8, lambda _: shelf.lease(entry))) == 1


def test_a_build_that_nobody_is_at_any_more_is_leased_again(storage: Storage) -> None:
    shelf = storage.shelf
    shelf.append(shelf.create("films"), "replace", b"", wait=True)
    entry = shelf.create("films")
    assert entry.pending is not None
    end_lease(storage)
    assert sum(at_once(8, lambda _: shelf.lease(entry))) == 1
    end_lease(storage)
    shelf.renew(entry.id, entry.pending)
    assert not shelf.lease(entry)
    end_lease(storage)
    shelf.activate(entry.id, entry.pending)
    assert not shelf.lease(entry)  # nothing waits any more


def end_lease(storage: Storage) -> None:
    """As if its time had passed."""
    with storage.database.connect() as connection:
        connection.execute(sa.update(catalogues).values(leased_until=0))


def test_threads_that_create_a_catalogue_get_the_same_one(storage: Storage) -> None:
    found = at_once(8, lambda _: storage.shelf.create("films"))
    assert len({each.id for each in found}) == 1
    assert len(storage.shelf.entries()) == 1


def test_of_threads_that_change_a_catalogue_one_wins_each_time(storage: Storage) -> None:
    shelf = storage.shelf
    shelf.create("films")

    def change(number: int) -> int:
        won = 0
        entry = shelf.create("films")
        while entry.serving < 10:
            try:
                shelf.append(entry, "replace", f"{entry.serving + 1}".encode(), wait=False)
                won += 1
            except Taken:
                pass
            entry = shelf.create("films")
        return won

    numbers = at_once(6, change)
    last = shelf.create("films")
    found = shelf.changes(last.id, 1, last.serving)
    assert [each.body for each in found] == [f"{each.number}".encode() for each in found]
    assert sum(numbers) == len(found) == last.serving


# --- what was found damaged ---


def test_a_finding_is_reported_once_and_can_be_cleared(storage: Storage) -> None:
    ann = someone(storage)
    for reason in ("first", "second"):
        storage.quarantine.add(Finding(ann.id, ann.catalogue, "event 1", reason))
        storage.quarantine.add(Finding(None, ann.catalogue, "version 1", reason))
    found = storage.quarantine.all()
    assert [(each.what, each.reason) for each in found] == [
        ("event 1", "first"),
        ("version 1", "first"),
    ]
    storage.quarantine.clear()
    assert storage.quarantine.all() == []


def test_threads_that_find_the_same_report_it_once(storage: Storage) -> None:
    ann = someone(storage)
    of_person = Finding(ann.id, ann.catalogue, "event 1", "for a test")
    of_catalogue = Finding(None, ann.catalogue, "version 1", "for a test")
    at_once(8, lambda _: storage.quarantine.add(of_person))
    at_once(8, lambda _: storage.quarantine.add(of_catalogue))
    assert storage.quarantine.all() == [of_person, of_catalogue]


# --- transactions ---


def test_a_transaction_happens_as_a_whole(storage: Storage) -> None:
    with storage.database.transaction() as connection:
        for name in ("films", "books"):
            values = {"name": name, "serving": 0, "leased_until": 0}
            connection.execute(sa.insert(catalogues), values)
    assert [each.name for each in storage.shelf.entries()] == ["films", "books"]


class Interruption(Exception):
    """Something that is no error of a database."""


def two_catalogues(storage: Storage, second: str, *, interrupt: bool = False) -> None:
    with storage.database.transaction() as connection:
        for name in ("new", second):
            values = {"name": name, "serving": 0, "leased_until": 0}
            connection.execute(sa.insert(catalogues), values)
        if interrupt:
            raise Interruption


def test_or_not_at_all(storage: Storage) -> None:
    storage.shelf.create("films")
    with pytest.raises(Taken):
        two_catalogues(storage, "films")
    with pytest.raises(Interruption):
        two_catalogues(storage, "books", interrupt=True)
    assert [each.name for each in storage.shelf.entries()] == ["films"]
    two_catalogues(storage, "books")  # the connection is as good as before
    assert len(storage.shelf.entries()) == 3


def test_a_write_is_seen_by_another_process_at_once(lasting_url: str) -> None:
    one, other = opened(lasting_url), opened(lasting_url)
    ann = someone(one)
    for seq in (1, 2, 3):
        written = one.log.append(ann.id, said(seq))
        assert other.log.after(ann.id, seq - 1) == [written]
    other.people.delete(ann.id)
    with pytest.raises(Taken):
        one.log.append(ann.id, said(4))
    one.close()
    other.close()


def test_everything_is_there_after_closing(lasting_url: str) -> None:
    one = opened(lasting_url)
    ann = someone(one)
    written = one.log.append(ann.id, said(1, "mine", "answer 1"))
    one.snapshots.save(ann.id, "basis", state())
    one.close()
    again = opened(lasting_url)
    assert again.people.find(ann.catalogue, "ann") == ann
    assert again.log.after(ann.id) == [written]
    assert again.snapshots.load(ann.id, "basis") is not None
    again.close()


def test_a_deleted_person_leaves_no_bytes_in_the_file(tmp_path: Path) -> None:
    storage = opened(f"sqlite:///{tmp_path / 'service.db'}")
    secret = "a most secret taste"
    ann = someone(storage, secret)
    storage.log.append(ann.id, Event(1, "answer", {"about": secret}, secret, secret))
    storage.people.delete(ann.id)
    storage.close()  # the journal goes into the file
    left = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert left
    assert secret.encode() not in left


# --- what errors mean ---


def attempts(storage: Storage, person: Person) -> list[Callable[[], object]]:
    """Every way to write."""
    entry = storage.shelf.entries()[0]
    return [
        lambda: storage.log.append(person.id, said(2)),
        lambda: storage.log.retract(person.id, Event(2, "retraction", {"of": 1}), 1),
        lambda: storage.people.add(person.catalogue, "new", 1),
        lambda: storage.people.delete(person.id),
        lambda: storage.snapshots.save(person.id, "basis", state()),
        lambda: storage.snapshots.drop(person.id),
        lambda: storage.shelf.create("new"),
        lambda: storage.shelf.append(entry, "replace", b"", wait=False),
        lambda: storage.quarantine.add(Finding(person.id, None, "event 1", "")),
        lambda: storage.quarantine.clear(),
    ]


def assert_takes_nothing(storage: Storage, person: Person) -> None:
    for attempt in attempts(storage, person):
        with pytest.raises(StoreRefuses):
            attempt()
    found = storage.log.find(person.id, seq=1)
    assert found is not None
    assert found.subject == "answer 1"
    assert seqs(storage, person) == [1]


def test_a_file_opened_read_only_refuses_and_can_be_read(tmp_path: Path) -> None:
    path = tmp_path / "service.db"
    storage = opened(f"sqlite:///{path}")
    ann = someone(storage)
    storage.log.append(ann.id, said(1, None, "answer 1"))
    storage.close()
    read_only = Storage(f"sqlite:///file:{path}?mode=ro&uri=true")
    assert_takes_nothing(read_only, ann)
    read_only.close()


def test_a_read_only_connection_refuses_and_writes_again_when_it_may(url: str) -> None:
    """As when a standby, or a disk mounted read-only, becomes writable."""
    storage = opened(url)
    ann = someone(storage)
    storage.log.append(ann.id, said(1, None, "answer 1"))
    sqlite = storage.database.engine.dialect.name == "sqlite"
    switch = "PRAGMA query_only = {}" if sqlite else "SET default_transaction_read_only = {}"
    with storage.database.connect() as connection:
        connection.exec_driver_sql(switch.format("on"))
    assert_takes_nothing(storage, ann)
    with storage.database.connect() as connection:
        connection.exec_driver_sql(switch.format("off"))
    storage.log.append(ann.id, said(2))
    storage.close()


def full(storage: Storage, spare: int = 0) -> Callable[[], None]:
    """Let the file grow by so many pages at most; returns what lets it grow again."""
    engine = storage.database.engine
    with storage.database.connect() as connection:
        pages = int(connection.exec_driver_sql("PRAGMA page_count").scalar_one())
    engine.dispose()

    def limit(connection: Any, record: Any) -> None:
        connection.execute(f"PRAGMA max_page_count = {pages + spare}")

    sa.event.listen(engine, "connect", limit)

    def free() -> None:
        sa.event.remove(engine, "connect", limit)
        engine.dispose()

    return free


def test_a_full_disk_refuses_and_leaves_nothing_half_written(tmp_path: Path) -> None:
    storage = opened(f"sqlite:///{tmp_path / 'service.db'}")
    ann = someone(storage)
    storage.log.append(ann.id, said(1, None, "answer 1"))
    storage.snapshots.save(ann.id, "basis", state(1))
    free = full(storage)
    large = {"text": "x" * 100_000}
    with pytest.raises(StoreRefuses, match="full"):
        storage.log.append(ann.id, Event(2, "answer", large))
    with pytest.raises(StoreRefuses, match="full"):
        storage.log.retract(ann.id, Event(2, "retraction", large), 1)
    with pytest.raises(StoreRefuses, match="full"):
        storage.snapshots.save(ann.id, "basis", Snapshot(2, {"theta": np.ones(100_000)}))
    assert storage.log.find(ann.id, subject="answer 1") is not None
    kept = storage.snapshots.load(ann.id, "basis")  # the old one had been deleted before
    assert kept is not None
    assert kept.seq == 1
    free()
    storage.log.append(ann.id, Event(2, "answer", large))
    assert seqs(storage, ann) == [1, 2]
    with storage.database.connect() as connection:
        assert connection.exec_driver_sql("PRAGMA integrity_check").scalar() == "ok"
    storage.close()


def test_appending_until_the_disk_is_full_keeps_what_was_acknowledged(tmp_path: Path) -> None:
    storage = opened(f"sqlite:///{tmp_path / 'service.db'}")
    ann = someone(storage)
    free = full(storage, spare=10)
    written: list[Event | Broken] = []

    def fill() -> None:
        while True:
            event = Event(len(written) + 1, "answer", {"text": "x" * 1000})
            written.append(storage.log.append(ann.id, event))

    with pytest.raises(StoreRefuses):
        fill()
    assert storage.log.after(ann.id) == written
    assert written
    free()
    assert storage.log.after(ann.id) == written
    storage.close()


def test_a_file_that_is_no_database_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "service.db"
    path.write_text("Dear diary, " * 1000)
    before = path.read_bytes()
    storage = Storage(f"sqlite:///{path}")
    with pytest.raises(Damaged):
        storage.log.last(1)
    with pytest.raises(Damaged):
        someone(storage)
    storage.close()
    assert path.read_bytes() == before


def test_a_database_with_pages_overwritten_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "service.db"
    storage = opened(f"sqlite:///{path}")
    ann = someone(storage)
    for seq in range(1, 20):
        storage.log.append(ann.id, Event(seq, "answer", {"text": "x" * 1000}))
    storage.close()
    whole = path.read_bytes()
    path.write_bytes(whole[:4096] + b"\xff" * (len(whole) - 4096))
    again = Storage(f"sqlite:///{path}")
    with pytest.raises(Damaged):
        again.log.after(ann.id)
    again.close()


def test_a_folder_that_is_not_there_is_down(tmp_path: Path) -> None:
    storage = Storage(f"sqlite:///{tmp_path / 'nowhere' / 'service.db'}")
    with pytest.raises(StoreDown, match="unable to open"):
        storage.log.last(1)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "service.db",
        "sqlite",
        "sqlite://host/service.db",
        "sqlite+aiosqlite:///service.db",
        "mysql://host/name",
        "postgres://host/name",
        "postgresql+asyncpg://host/name",
        "postgresql+nonsense://host/name",
        "postgresql://host:port/name",
        "http://host/name",
    ],
)
def test_a_bad_address_is_refused_with_what_would_be_right(url: str) -> None:
    with pytest.raises(InvalidInput, match=r"must be sqlite:///PATH, postgresql://USER@HOST/NAME"):
        Storage(url)


def test_the_place_hides_the_password() -> None:
    storage = Storage("postgresql://ann:secret@host/name")
    assert "secret" not in storage.database.place
    assert "ann" in storage.database.place


def test_a_server_that_nobody_is_at_is_down() -> None:
    storage = Storage("postgresql://127.0.0.1:1/name")
    with pytest.raises(StoreDown):
        storage.log.last(1)


def break_off(connection: sa.Connection, postgres: Postgres) -> None:
    """End this connection from the server's side."""
    pid = connection.exec_driver_sql("SELECT pg_backend_pid()").scalar()
    postgres.server.psql(f"SELECT pg_terminate_backend({pid});")


def test_a_connection_that_breaks_is_down_and_the_next_one_works(postgres: Postgres) -> None:
    with closing(opened(postgres.new_database())) as storage:
        ann = someone(storage)
        with storage.database.connect() as connection:
            break_off(connection, postgres)
        with pytest.raises(StoreDown):
            storage.log.append(ann.id, said(1))
        storage.log.append(ann.id, said(1))


def broken_off_inside(storage: Storage, postgres: Postgres) -> None:
    with storage.database.transaction() as connection:
        values = {"name": "half", "serving": 0, "leased_until": 0}
        connection.execute(sa.insert(catalogues), values)
        break_off(connection, postgres)
        connection.execute(sa.insert(catalogues), {**values, "name": "whole"})


def test_a_connection_that_breaks_inside_a_transaction_is_down_and_leaves_nothing(
    postgres: Postgres,
) -> None:
    with closing(opened(postgres.new_database())) as storage:
        with pytest.raises(StoreDown):
            broken_off_inside(storage, postgres)
        assert storage.shelf.entries() == []
        two_catalogues(storage, "books")


def test_a_stopped_server_is_down_and_back_when_it_runs_again(tmp_path: Path) -> None:
    server = Postgres(tmp_path)
    url = server.new_database()
    storage = opened(url)
    ann = someone(storage)
    storage.log.append(ann.id, said(1, None, "answer 1"))
    server.stop()
    tries = attempts_while_down(storage, ann)
    assert [type(each) for each in tries] == [StoreDown] * len(tries)
    other = Storage(url)
    with pytest.raises(StoreDown):
        other.log.last(ann.id)
    again = Postgres(tmp_path)
    assert seqs(storage, ann) == [1]
    storage.log.append(ann.id, said(2))
    assert other.log.last(ann.id) == 2
    storage.close()
    other.close()
    again.stop()


def attempts_while_down(storage: Storage, person: Person) -> list[BaseException | None]:
    """What each way to reach a database raises."""
    calls: list[Callable[[], object]] = [
        lambda: storage.log.append(person.id, said(2)),
        lambda: storage.log.retract(person.id, Event(2, "retraction", {"of": 1}), 1),
        lambda: storage.log.after(person.id),
        lambda: storage.people.find(person.catalogue, person.name),
        lambda: storage.people.delete(person.id),
        lambda: storage.snapshots.save(person.id, "basis", state()),
        lambda: storage.shelf.entries(),
    ]
    found: list[BaseException | None] = []
    for call in calls:
        try:
            call()
            found.append(None)
        except (StorageError, sa.exc.SQLAlchemyError) as error:
            found.append(error)
    return found
