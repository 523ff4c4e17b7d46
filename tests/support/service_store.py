"""A storage of every kind, and people in it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
import sqlalchemy as sa

from conlinucb.service.storage import (
    MEMORY,
    AnswerBody,
    Event,
    Person,
    QuestionBody,
    RetractionBody,
    Snapshot,
    Storage,
)
from conlinucb.service.storage.schema import catalogues, metadata
from support.service_world import Postgres, opened

LARGEST_SEED = 2**64 - 1


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
    database.counts.flush()
    with database.database.transaction() as connection:
        for table in reversed(metadata.sorted_tables):
            connection.execute(sa.delete(table))


def someone(storage: Storage, name: str = "ann", catalogue: str = "films") -> Person:
    return storage.people.add(storage.catalogue_log.create(catalogue).id, name, seed=1)


def said(seq: int, client_id: str | None = None, subject: str | None = None) -> Event:
    body = AnswerBody(question=seq, about="term", id="topic", answer=float(seq))
    return Event(seq, body, client_id, subject)


def taken_back(seq: int, of: int, subject: str | None = None) -> Event:
    return Event(seq, RetractionBody(of=of), None, subject)


def asked(seq: int, text: str = "Do you like it?", mean: float = 0.0) -> Event:
    body = QuestionBody(
        about="term",
        id="topic",
        number=seq,
        round=1,
        text=text,
        strategy="max-radius",
        mean=mean,
        radius=1.0,
    )
    return Event(seq, body)


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


class Interruption(Exception):
    """Something that is no error of a database."""


def two_catalogues(storage: Storage, second: str, *, interrupt: bool = False) -> None:
    with storage.database.transaction() as connection:
        for name in ("new", second):
            values = {"name": name, "serving": 0, "leased_until": 0}
            connection.execute(sa.insert(catalogues), values)
        if interrupt:
            raise Interruption
