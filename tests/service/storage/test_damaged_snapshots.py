"""A snapshot that is damaged is never served, and made anew from the log."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sqlalchemy as sa

from conlinucb.service.storage import Arrays, Person, Snapshot, Storage, pack
from conlinucb.service.storage.schema import events, snapshots
from support import service_damage
from support.service_commands import command
from support.service_damage import ROUNDS, World, assert_is_fold_of, check, npy, say

pytestmark = pytest.mark.more  # an application for each kind of damage

lasting_world = service_damage.lasting_world
world = service_damage.world


def put(**arrays: Any) -> Callable[[Arrays], Arrays]:
    return lambda found: {**found, **arrays}


def edit(name: str, change: Callable[[Any], Any]) -> Callable[[Arrays], Arrays]:
    return lambda found: {**found, name: change(found[name].copy())}


def spoilt(array: Any, value: float, place: int = 0) -> Any:
    array.flat[place] = value
    return array


def more(array: Any, place: int) -> Any:
    return spoilt(array, array.flat[place] + 1, place)


BODIES: dict[str, bytes] = {
    "empty": b"",
    "nonsense": b"nonsense",
    "half a zip": pack({"a": np.zeros(100)})[:300],
    "an array and no zip": npy(),
    "no array": pack({}),
}
ARRAYS: dict[str, Callable[[Arrays], Arrays]] = {
    "theta too short": edit("state_theta", lambda a: a[:-1]),
    "theta a matrix": edit("state_theta", lambda a: a[:, None]),
    "theta of integers": edit("state_theta", lambda a: a.astype(np.int64)),
    "NaN in theta": edit("state_theta", lambda a: spoilt(a, np.nan)),
    "NaN in P": edit("state_P", lambda a: spoilt(a, np.nan)),
    "infinity in M": edit("state_M", lambda a: spoilt(a, np.inf)),
    "P too small": edit("state_P", lambda a: a[1:, 1:]),
    "theta gone": lambda found: {k: v for k, v in found.items() if k != "state_theta"},
    "pending out of range": edit("state_counts", lambda a: spoilt(a + 0, -1)),
    "another estimator": put(kind=np.frombuffer(b'{"estimator": "other"}', dtype=np.uint8)),
    "no text as kind": put(kind=np.array([255, 254], dtype=np.uint8)),
    "another format": put(format=np.array(99)),
    "counts negative": put(counts=np.array([-1, 2, 3])),
    "counts with fractions": put(counts=np.array([0.5, 2, 3])),
    "open question about nothing": put(open=np.array([0, 10**6, 1, 1])),
    "place gone": lambda found: {k: v for k, v in found.items() if k != "place"},
    "place of four": put(place=np.array([1, 2, 3, 4])),
    "place NaN": edit("place", lambda a: spoilt(a.astype(float), np.nan)),
    "place infinite": edit("place", lambda a: spoilt(a.astype(float), np.inf)),
    "place of words": edit("place", lambda a: np.full(a.shape, "x")),
    "skipped in one row": edit("skipped", lambda a: a.ravel()),
    "skipped NaN": edit("skipped", lambda a: spoilt(a.astype(float), np.nan, -1)),
    "skipped infinite": edit("skipped", lambda a: spoilt(a.astype(float), np.inf, -1)),
    "skipped of an unknown kind": edit("skipped", lambda a: spoilt(a, 9)),
    "said of items in one row": edit("said_of_items", lambda a: a.ravel()),
    "said of items NaN": edit("said_of_items", lambda a: spoilt(a, np.nan)),
    "said of terms by none": edit("said_of_terms", lambda a: spoilt(a, -1)),
    "shown items no text": put(shown_items=np.array([255, 254], dtype=np.uint8)),
    "shown items no list": put(shown_items=np.frombuffer(b"{}", dtype=np.uint8)),
    "shown items gone": lambda found: {k: v for k, v in found.items() if k != "shown_items"},
    "shown in too few rounds": edit("shown_in", lambda a: a[1:]),
    "shown in rounds of words": edit("shown_in", lambda a: np.full(a.shape, "x")),
    "answered gone": lambda found: {k: v for k, v in found.items() if k != "answered"},
}
"""Under a checksum that fits."""
QUIET: dict[str, Callable[[Arrays], Arrays]] = {
    "theta": edit("state_theta", lambda a: spoilt(a, a.flat[0] + 1e-6)),
    "P": edit("state_P", lambda a: spoilt(a, a.flat[0] * (1 + 1e-6))),
    "rounds": edit("counts", lambda a: more(a, 0)),
    "asked": edit("place", lambda a: more(a, 1)),
    "skipped": edit("skipped", lambda a: more(a, -1)),
    "answered": edit("answered", lambda a: a[1:]),
    "said of items": edit("said_of_items", lambda a: spoilt(a, a.flat[1] / 2 + 0.1, 1)),
    "shown": edit("shown_in", lambda a: more(a, -1)),
    "seed": put(seed=np.array(3, dtype=np.uint64)),
}
"""What no one can see without the log."""


def write_snapshot(storage: Storage, person: Person, **values: Any) -> None:
    """Change columns of a person's snapshot."""
    with storage.database.connect() as connection:
        row = snapshots.c.person == person.id
        connection.execute(sa.update(snapshots).where(row).values(**values))


def change_snapshot(storage: Storage, person: Person, change: Callable[[Arrays], Arrays]) -> None:
    """Save other arrays instead, under a checksum that fits."""
    (basis,) = storage.snapshots.bases(person.id)
    found = storage.snapshots.load(person.id, basis)
    assert found is not None
    storage.snapshots.save(person.id, basis, Snapshot(found.seq, change(found.arrays)))


def spoil(storage: Storage, person: Person, how: str) -> None:
    """Damage a person's snapshot."""
    if how == "checksum":
        write_snapshot(storage, person, crc=1)
    elif how in BODIES:
        write_snapshot(storage, person, body=BODIES[how], crc=zlib.crc32(BODIES[how]))
    else:
        change_snapshot(storage, person, {**ARRAYS, **QUIET}[how])


SPOILT = ["checksum", *BODIES, *ARRAYS]


@pytest.mark.parametrize("how", SPOILT)
def test_a_damaged_snapshot_is_never_served(world: World, how: str) -> None:
    person = world.newcomer(snapshot=True)
    spoil(world.storage, person, how)
    assert_is_fold_of(world.version, world.profile(person), world.log(person))
    assert world.profile(person)["damaged_events"] == 0
    assert list(world.findings(person)) == ["snapshot"]
    assert world.storage.snapshots.bases(person.id) == []
    path = f"/v1/users/{person.name}"
    say(world.client, path, world.client.post(f"{path}/next").json())


def test_check_finds_every_damaged_snapshot_and_drops_it(world: World) -> None:
    spoilt = {how: world.newcomer(snapshot=True) for how in (*SPOILT, *QUIET)}
    healthy = world.newcomer(snapshot=True)
    for how, person in spoilt.items():
        spoil(world.storage, person, how)
    done = check(world.url)
    assert done.code == 1
    assert {how for how, person in spoilt.items() if list(done.of(person)) != ["snapshot"]} == set()
    assert done.of(healthy) == {}
    assert [list(world.findings(person)) for person in spoilt.values()] == [["snapshot"]] * len(
        spoilt
    )
    bases = world.storage.snapshots.bases
    assert [bases(person.id) for person in spoilt.values()] == [[]] * len(spoilt)
    assert bases(healthy.id) == [world.version.basis]
    assert check(world.url).code == 0
    assert world.storage.quarantine.all() == []


def test_rebuild_does_without_every_damaged_snapshot(world: World) -> None:
    spoilt = {how: world.newcomer(snapshot=True) for how in (*SPOILT, *QUIET)}
    for how, person in spoilt.items():
        spoil(world.storage, person, how)
    done = command("rebuild", world.url)
    assert done.error is None, repr(done.error)
    assert done.code == 0
    for how, person in spoilt.items():
        assert world.storage.snapshots.bases(person.id) == [], how
        assert_is_fold_of(world.version, world.profile(person), world.log(person))
    assert check(world.url).code == 0


@pytest.mark.parametrize("moved", [-9, +1000])
def test_a_snapshot_at_a_wrong_place_is_never_served(world: World, moved: int) -> None:
    """Events would count twice, or new ones would leave a gap."""
    person = world.newcomer(snapshot=True)
    write_snapshot(world.storage, person, seq=snapshots.c.seq + moved)
    assert_is_fold_of(world.version, world.profile(person), world.log(person))
    came = world.client.post(f"/v1/users/{person.name}/next")
    assert came.json()["question"] == f"q{4 * ROUNDS + 3}"


@pytest.mark.parametrize("moved", [-9, +1000])
def test_check_finds_a_snapshot_at_a_wrong_place(world: World, moved: int) -> None:
    person = world.newcomer(snapshot=True)
    write_snapshot(world.storage, person, seq=snapshots.c.seq + moved)
    assert list(check(world.url).of(person)) == ["snapshot"]


def test_a_snapshot_of_events_that_are_gone_is_never_served(world: World) -> None:
    """The log was put back from an older copy, the snapshots were not."""
    person, twin = world.newcomer(snapshot=True), world.newcomer(snapshot=True)
    for each in (person, twin):
        with world.storage.database.connect() as connection:
            row = (events.c.person == each.id) & (events.c.seq > 40)
            connection.execute(sa.delete(events).where(row))
    assert_is_fold_of(world.version, world.profile(person), world.log(person))
    assert list(check(world.url).of(twin)) == ["snapshot"]
