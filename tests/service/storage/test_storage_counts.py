"""Counts are kept: added up in each process, put into the database, set right by counting."""

from __future__ import annotations

import contextlib
import time
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import pytest
import sqlalchemy as sa

from conlinucb.errors import StorageError
from conlinucb.service.storage import Count, Counts, Storage
from conlinucb.service.storage import counts as kept
from conlinucb.service.storage.counts import COUNTED
from conlinucb.service.storage.schema import counts
from support import service_store
from support.service_store import at_once, said, someone

database = service_store.database
storage = service_store.storage


def test_one_s_own_are_there_at_once_and_others_see_them_once_they_are_put_there(
    storage: Storage,
) -> None:
    films = storage.catalogue_log.create("films").id
    other = Counts(storage.database)
    storage.counts.add(films, people=2, events=5)
    assert storage.counts.of(films) == Count(2, 5)
    assert other.of(films) == Count(0, 0)
    storage.counts.flush()
    assert storage.counts.of(films) == other.of(films) == storage.counts.all() == Count(2, 5)
    other.add(films, events=-7)
    other.flush()
    assert storage.counts.of(films) == Count(2, 0)  # never below none


def test_many_at_once_lose_nothing(storage: Storage) -> None:
    films = storage.catalogue_log.create("films").id

    def work(number: int) -> None:
        mine = Counts(storage.database)
        for _ in range(5):
            mine.add(films, people=1, events=number)
            mine.flush()

    at_once(6, work)
    assert storage.counts.of(films) == Count(30, 5 * (0 + 1 + 2 + 3 + 4 + 5))


def test_what_is_being_put_there_is_seen_once(
    storage: Storage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was in memory no more and not yet in the database, and everybody seemed to be gone."""
    films = storage.catalogue_log.create("films").id
    looks: list[Future[Count | None]] = []
    put = kept._put
    with ThreadPoolExecutor(1) as threads:

        def slowly(*given: Any) -> None:
            looks.append(threads.submit(storage.counts.of, films))
            time.sleep(0.1)  # a look takes less
            put(*given)

        monkeypatch.setattr(kept, "_put", slowly)
        storage.counts.add(films, people=2)
        storage.counts.flush()
    assert [each.result() for each in looks] == [Count(2, 0)]


def test_people_who_come_and_go_are_counted(storage: Storage) -> None:
    ann, bob = someone(storage), someone(storage, "bob")
    someone(storage, "bob")  # the same one
    assert storage.people.count(ann.catalogue) == 2
    storage.log.append(bob.id, said(1))
    storage.counts.add(bob.catalogue, events=1)
    storage.people.delete(bob.id)
    storage.people.delete(bob.id)
    assert storage.counts.of(ann.catalogue) == Count(1, 0)


def test_a_catalogue_from_before_counts_is_counted_by_looking(storage: Storage) -> None:
    people = [someone(storage, f"person {number}") for number in range(3)]
    films = people[0].catalogue
    for person in people:
        storage.log.append(person.id, said(1))
    storage.counts.flush()
    with storage.database.connect() as connection:
        connection.execute(sa.delete(counts))
    assert storage.counts.of(films) is None
    assert storage.people.count(films) == 3
    storage.counts.recount(films, lambda: True)
    assert storage.counts.of(films) is None
    storage.counts.recount(films)
    assert storage.counts.of(films) == Count(3, 3)


def test_counting_sets_right_what_was_wrong(storage: Storage) -> None:
    ann = someone(storage)
    storage.log.append(ann.id, said(1))
    storage.counts.add(ann.catalogue, people=100, events=-50)
    storage.counts.flush()
    storage.counts.recount(ann.catalogue)
    assert storage.counts.of(ann.catalogue) == Count(1, 1)
    with storage.database.connect() as connection:
        assert list(connection.scalars(sa.select(counts.c.shard))) == [COUNTED]


def test_what_cannot_be_put_there_waits(storage: Storage, monkeypatch: pytest.MonkeyPatch) -> None:
    films, books = (storage.catalogue_log.create(each).id for each in ("films", "books"))
    storage.counts.add(films, events=1)
    storage.counts.add(books, events=2)
    with storage.database.connect() as connection:
        connection.exec_driver_sql("ALTER TABLE counts RENAME TO away")
    with pytest.raises(StorageError):
        storage.counts.flush()
    with storage.database.connect() as connection:
        connection.exec_driver_sql("ALTER TABLE away RENAME TO counts")
    storage.counts.flush()
    assert [Counts(storage.database).of(each) for each in (films, books)] == [
        Count(0, 1),
        Count(0, 2),
    ]


def test_closing_puts_them_there(lasting_url: str) -> None:
    from support.service_world import opened

    with contextlib.closing(opened(lasting_url)) as first:
        films = someone(first).catalogue
    with contextlib.closing(Storage(lasting_url)) as second:
        assert second.counts.of(films) == Count(1, 0)
