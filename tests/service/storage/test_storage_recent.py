"""Logs of those who were here lately, and how the database is: the same on every database."""

from __future__ import annotations

from typing import Any

import pytest
import sqlalchemy as sa

from conlinucb.service.storage import Broken, Finding, Looked, Person, Storage, health_of
from conlinucb.service.storage.schema import events, leases
from support import service_store
from support.service_store import said, someone, state

database = service_store.database
storage = service_store.storage


def speaks(storage: Storage, name: str, count: int, *, at: int | None = None) -> Person:
    """Someone with so many events, all at one time where it is named."""
    person = someone(storage, name)
    for seq in range(1, count + 1):
        storage.log.append(person.id, said(seq))
    if at is not None:
        changed(storage, person, at=at)
    return person


def changed(storage: Storage, person: Person, seq: int | None = None, **values: Any) -> None:
    mine = events.c.person == person.id
    with storage.database.connect() as connection:
        which = mine if seq is None else mine & (events.c.seq == seq)
        connection.execute(sa.update(events).where(which).values(**values))


def read(
    storage: Storage, catalogue: int, since: int = 0, *, most: int = 1000, people: int = 1000
) -> tuple[list[list[int]], Looked]:
    looked = Looked()
    found = storage.recent.logs(
        catalogue, since, most_events=most, most_people=people, looked=looked
    )
    return [[row.seq for row in log] for log in found], looked


@pytest.fixture(params=["at once", "in pieces"])
def pieces(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """However it is cut, it comes to the same."""
    if request.param == "in pieces":
        monkeypatch.setattr("conlinucb.service.storage.recent.BATCH", 2)
        monkeypatch.setattr("conlinucb.service.storage.recent.PIECE", 4)


@pytest.mark.usefixtures("pieces")
def test_whole_logs_of_the_latest_people_first(storage: Storage) -> None:
    first = speaks(storage, "ann", 3)
    for name, count in (("bea", 2), ("cy", 1), ("di", 4), ("ed", 0), ("flo", 2)):
        speaks(storage, name, count)
    other = someone(storage, "ann", "books")
    storage.log.append(other.id, said(1))
    logs, looked = read(storage, first.catalogue)
    assert sorted(logs) == [[1], [1, 2], [1, 2], [1, 2, 3], [1, 2, 3, 4]]
    assert looked == Looked(people=5, events=12)
    assert read(storage, other.catalogue)[0] == [[1]]
    assert read(storage, 10**6) == ([], Looked())


@pytest.mark.usefixtures("pieces")
def test_who_was_here_before_is_not_looked_at(storage: Storage) -> None:
    old = speaks(storage, "ann", 3, at=1000)
    back = speaks(storage, "bea", 2, at=1000)
    changed(storage, back, 2, at=3000)
    speaks(storage, "cy", 1, at=2000)
    assert read(storage, old.catalogue, 2000)[0] == [[1], [1, 2]]  # what was before is whole
    assert read(storage, old.catalogue, 3001)[0] == []


@pytest.mark.usefixtures("pieces")
def test_no_more_is_read_than_may_be(storage: Storage) -> None:
    names = ["ann", "bea", "cy"]
    people = [speaks(storage, name, 3) for name in names]
    catalogue = people[0].catalogue
    assert read(storage, catalogue, most=9)[1] == Looked(people=3, events=9)
    assert read(storage, catalogue, most=8)[1] == Looked(people=2, events=6, cut=True)
    assert read(storage, catalogue, most=2) == ([], Looked(cut=True))
    assert read(storage, catalogue, people=3)[1] == Looked(people=3, events=9)
    logs, looked = read(storage, catalogue, people=1)
    assert (logs, looked) == ([[1, 2, 3]], Looked(people=1, events=3, cut=True))


def test_a_log_longer_than_a_piece_is_left_out(
    storage: Storage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("conlinucb.service.storage.recent.PIECE", 4)
    catalogue = speaks(storage, "ann", 4).catalogue
    speaks(storage, "program", 5)
    assert read(storage, catalogue) == (
        [[1, 2, 3, 4]],
        Looked(people=1, events=4, too_long=1),
    )


def test_damaged_events_are_among_them_as_such(storage: Storage) -> None:
    person = speaks(storage, "ann", 3)
    changed(storage, person, 2, body="{}")
    (log,) = storage.recent.logs(
        person.catalogue, 0, most_events=10, most_people=10, looked=Looked()
    )
    assert [isinstance(row, Broken) for row in log] == [False, True, False]


def test_others_write_while_logs_are_looked_at(storage: Storage) -> None:
    """No connection is held: in memory there is but one."""
    person = speaks(storage, "ann", 2)
    for log in storage.recent.logs(
        person.catalogue, 0, most_events=10, most_people=10, looked=Looked()
    ):
        storage.log.append(person.id, said(len(log) + 1))
    assert storage.log.last(person.id) == 3


def test_health(storage: Storage) -> None:
    person = speaks(storage, "ann", 3)
    speaks(storage, "bea", 2)
    storage.snapshots.save(person.id, "basis", state())
    for what in ("event 2", "event 3", "snapshot"):
        storage.quarantine.add(Finding(person.id, person.catalogue, what, "broken"))
    storage.counts.add(person.catalogue, events=5)  # as whoever writes for people does
    found = health_of(storage.database, storage.counts, person.catalogue)
    assert (found.people, found.events, found.snapshots) == (2, 5, 1)
    assert found.findings == {"event": 2, "snapshot": 1}
    assert found.size > 10_000
    assert found.write > 0
    names = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}
    assert found.kind.startswith(names[storage.database.engine.dialect.name])
    health_of(storage.database, storage.counts, person.catalogue)
    with storage.database.connect() as connection:  # the probe's row, and no second one
        assert connection.scalar(sa.select(sa.func.count()).select_from(leases)) == 1
    assert storage.populations.lease(person.catalogue)  # which is in nobody's way
