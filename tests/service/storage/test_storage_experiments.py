"""Experiments on both databases: one runs at a time, rows stay, damage is found."""

from __future__ import annotations

import pytest
from sqlalchemy import text as sql

from conlinucb.errors import Damaged
from conlinucb.service.storage import Storage, Taken
from support import service_store

database = service_store.database
storage = service_store.storage


def test_one_runs_at_a_time(storage: Storage) -> None:
    films, books = (storage.catalogue_log.create(name).id for name in ("films", "books"))
    log = storage.experiments
    assert log.start(films, "first") == 1
    with pytest.raises(Taken):
        log.start(films, "second")
    assert log.start(books, "theirs") == 1
    assert log.note(films, "a note") == 2
    assert {(each.catalogue, each.number) for each in log.running()} == {(films, 1), (books, 1)}
    assert log.end(films, 1)
    assert not log.end(films, 1)
    assert log.start(films, "second") == 3
    rows = log.all(films)
    assert [(row.number, row.body, row.ended is None) for row in rows] == [
        (1, "first", False),
        (2, "a note", False),
        (3, "second", True),
    ]


def test_a_changed_row_is_found(storage: Storage) -> None:
    films = storage.catalogue_log.create("films").id
    storage.experiments.start(films, "first")
    with storage.database.connect() as connection:
        connection.execute(sql("UPDATE experiments SET body = 'other'"))
    with pytest.raises(Damaged, match="experiment 1"):
        storage.experiments.all(films)
