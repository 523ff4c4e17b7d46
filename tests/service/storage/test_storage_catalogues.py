"""Versions of catalogues, the same on every database: one after the other."""

from __future__ import annotations

from dataclasses import replace

import pytest
import sqlalchemy as sa

from conlinucb.errors import Damaged
from conlinucb.service.storage import Storage, Taken
from conlinucb.service.storage.schema import changes
from support import service_store
from support.service_films import let_wait
from support.service_store import at_once

database = service_store.database
storage = service_store.storage


def test_a_change_is_served_at_once_or_waits_until_it_is_activated(storage: Storage) -> None:
    catalogue_log = storage.catalogue_log
    new = catalogue_log.create("films")
    assert (new.serving, new.pending) == (0, None)
    assert catalogue_log.append(new, "replace", b"one") == 1
    first = catalogue_log.create("films")
    assert (first.id, first.serving, first.pending) == (new.id, 1, None)
    assert let_wait(storage, "films", "replace", b"two") == 2
    waiting = catalogue_log.create("films")
    assert (waiting.serving, waiting.pending) == (1, 2)
    with pytest.raises(Taken):
        catalogue_log.append(waiting, "add", b"three")
    catalogue_log.activate(new.id, 7)  # not what waits
    assert catalogue_log.create("films") == waiting
    catalogue_log.activate(new.id, 2)
    served = catalogue_log.create("films")
    assert (served.serving, served.pending) == (2, None)
    assert [change.body for change in catalogue_log.changes(new.id, 1, 2)] == [b"one", b"two"]


def test_a_change_of_what_is_no_longer_served_leaves_nothing(storage: Storage) -> None:
    old = storage.catalogue_log.create("films")
    storage.catalogue_log.append(old, "replace", b"first")
    for stale in (old, replace(old, serving=4)):
        with pytest.raises(Taken):
            storage.catalogue_log.append(stale, "replace", b"second")
    assert [each.body for each in storage.catalogue_log.changes(old.id, 1, 1)] == [b"first"]
    with storage.database.connect() as connection:
        assert connection.scalar(sa.select(sa.func.count()).select_from(changes)) == 1


def test_base_and_settings_are_the_last_up_to_a_version(storage: Storage) -> None:
    catalogue_log = storage.catalogue_log
    kinds = ("settings", "replace", "add", "settings", "replace", "remove")
    for number, kind in enumerate(kinds):
        entry = replace(catalogue_log.create("films"), serving=number)
        assert catalogue_log.append(entry, kind, kind.encode()) == number + 1
    other = catalogue_log.create("books")
    catalogue_log.append(other, "replace", b"")
    films = catalogue_log.create("films").id
    assert [catalogue_log.base(films, number) for number in range(1, 7)] == [0, 2, 2, 2, 5, 5]
    found = [catalogue_log.settings(films, number) for number in (1, 3, 4, 6)]
    assert [each.number if each else None for each in found] == [1, 1, 4, 4]
    assert catalogue_log.settings(other.id, 1) is None


def test_changes_that_are_gone_or_changed_are_damaged(storage: Storage) -> None:
    catalogue_log = storage.catalogue_log
    for body in (b"one", b"two", b"three"):
        catalogue_log.append(catalogue_log.create("films"), "replace", body)
    films = catalogue_log.create("films").id
    with storage.database.connect() as connection:
        connection.execute(sa.update(changes).where(changes.c.number == 1).values(body=b"0ne"))
        connection.execute(sa.delete(changes).where(changes.c.number == 2))
    with pytest.raises(Damaged, match="version 1 "):
        catalogue_log.changes(films, 1, 1)
    with pytest.raises(Damaged, match=r"\[1, 3\] are there"):
        catalogue_log.changes(films, 1, 3)
    assert catalogue_log.changes(films, 3, 3)[0].body == b"three"


def test_threads_that_create_a_catalogue_get_the_same_one(storage: Storage) -> None:
    found = at_once(8, lambda _: storage.catalogue_log.create("films"))
    assert len({each.id for each in found}) == 1
    assert len(storage.catalogue_log.entries()) == 1


def test_of_threads_that_change_a_catalogue_one_wins_each_time(storage: Storage) -> None:
    catalogue_log = storage.catalogue_log
    catalogue_log.create("films")

    def change(number: int) -> int:
        won = 0
        entry = catalogue_log.create("films")
        while entry.serving < 10:
            try:
                catalogue_log.append(entry, "replace", f"{entry.serving + 1}".encode())
                won += 1
            except Taken:
                pass
            entry = catalogue_log.create("films")
        return won

    numbers = at_once(6, change)
    last = catalogue_log.create("films")
    found = catalogue_log.changes(last.id, 1, last.serving)
    assert [each.body for each in found] == [f"{each.number}".encode() for each in found]
    assert sum(numbers) == len(found) == last.serving
