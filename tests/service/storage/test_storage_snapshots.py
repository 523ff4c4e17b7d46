"""Snapshots, the same on every database, and what cannot be unpacked."""

from __future__ import annotations

import io

import numpy as np
import pytest
import sqlalchemy as sa

from conlinucb.errors import Damaged
from conlinucb.service.storage import Arrays, Snapshot, Storage, pack, unpack
from conlinucb.service.storage.schema import snapshots
from support import service_store
from support.service_store import LARGEST_SEED, someone, state

database = service_store.database
storage = service_store.storage


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


def test_drop_others_leaves_the_basis_and_other_people(storage: Storage) -> None:
    people = [someone(storage), someone(storage, "bob")]
    for person in people:
        for basis in ("old", "new"):
            storage.snapshots.save(person.id, basis, state())
    storage.snapshots.drop_others(people[0].id, "new")
    left = [sorted(storage.snapshots.bases(person.id)) for person in people]
    assert left == [["new"], ["new", "old"]]


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
