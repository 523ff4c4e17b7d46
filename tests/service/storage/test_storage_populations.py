"""Populations in every database: numbered, kept, pruned; one process learns at a time."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import update

from conlinucb.errors import Damaged
from conlinucb.service.storage import Event, RewardBody, Storage, StoredPopulation
from conlinucb.service.storage.populations import KEPT
from conlinucb.service.storage.schema import leases, populations
from support.service_store import said
from support.service_world import opened

ONE = StoredPopulation(0, 1, 12, "d", "{}", 0)


@pytest.fixture
def storage(url: str) -> Iterator[Storage]:
    found = opened(url)
    yield found
    found.close()


@pytest.fixture
def films(storage: Storage) -> int:
    return storage.catalogue_log.create("films").id


def test_what_is_stored_comes_back(storage: Storage, films: int) -> None:
    assert storage.populations.all(films) == []
    first = storage.populations.add(films, ONE, b"one")
    second = storage.populations.add(films, ONE, b"two")
    assert (first.number, second.number) == (1, 2)
    assert storage.populations.all(films) == [first, second]
    assert storage.populations.data(films, 2) == b"two"
    other = storage.catalogue_log.create("books").id
    assert storage.populations.all(other) == []
    assert storage.populations.add(other, ONE, b"").number == 1
    storage.catalogue_log.delete(films)
    assert storage.populations.all(films) == []


def test_the_oldest_go_but_for_the_one_in_use(storage: Storage, films: int) -> None:
    for number in range(KEPT + 5):
        storage.populations.add(films, ONE, b"x", keep={2} if number else ())
    there = [each.number for each in storage.populations.all(films)]
    assert there == [2, *range(6, KEPT + 6)]


def test_damage_is_seen(storage: Storage, films: int) -> None:
    storage.populations.add(films, ONE, b"one")
    with storage.database.connect() as connection:
        connection.execute(update(populations).values(data=b"onf"))
    with pytest.raises(Damaged, match="checksum of population 1"):
        storage.populations.data(films, 1)
    with pytest.raises(Damaged, match="population 9 is not there"):
        storage.populations.data(films, 9)


def test_the_same_again_is_noted(storage: Storage, films: int) -> None:
    first = storage.populations.add(films, ONE, b"one")
    storage.populations.confirm(films, 1, 15)
    [now] = storage.populations.all(films)
    assert now.people == 15
    assert now.at >= first.at


def test_two_who_store_at_once_get_two_numbers(lasting_url: str) -> None:
    storage = opened(lasting_url)
    films = storage.catalogue_log.create("films").id
    with ThreadPoolExecutor(4) as pool:
        added = pool.map(lambda _: storage.populations.add(films, ONE, b"x").number, range(12))
        assert sorted(added) == list(range(1, 13))
    storage.close()


def test_a_lease_is_had_once_and_ends(storage: Storage, films: int) -> None:
    assert storage.populations.lease(films)
    assert not storage.populations.lease(films)
    assert storage.populations.lease(storage.catalogue_log.create("books").id)
    storage.populations.release(films)
    assert storage.populations.lease(films)
    with storage.database.connect() as connection:
        connection.execute(update(leases).values(until=1))
    assert storage.populations.lease(films)


def test_who_has_given_rewards(storage: Storage, films: int) -> None:
    books = storage.catalogue_log.create("books").id
    for catalogue, name, rewards in ((films, "ann", 3), (films, "bob", 2), (books, "eve", 4)):
        person = storage.people.add(catalogue, name, 1).id
        storage.log.append(person, said(1))
        for seq in range(2, rewards + 2):
            storage.log.append(person, Event(seq, RewardBody(item=f"item {seq}", reward=1.0)))
    counts = [storage.populations.people_with_rewards(films, least) for least in (2, 3, 4)]
    assert counts == [2, 1, 0]


def test_logs_of_several_at_once(storage: Storage, films: int) -> None:
    ann, bob, eve = (storage.people.add(films, name, 1).id for name in ("ann", "bob", "eve"))
    for person in (ann, bob):
        for seq in (1, 2):
            storage.log.append(person, said(seq))
    found = storage.log.of_people([ann, bob, eve])
    assert found == {each: storage.log.after(each) for each in (ann, bob, eve)}
