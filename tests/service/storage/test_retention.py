"""``db forget``: who has not been heard of for long is gone, and nobody else."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa

from conlinucb.service.storage import Person, Storage, now, retention
from conlinucb.service.storage.retention import Retention
from conlinucb.service.storage.schema import events, people
from support.erased import found_in_files
from support.service_commands import run
from support.service_store import said, someone
from support.service_world import opened

pytestmark = pytest.mark.more  # whole databases

DAY = 24 * 3600 * 10**6


@pytest.fixture
def storage(lasting_url: str) -> Iterator[Storage]:
    with closing(opened(lasting_url)) as found:
        yield found


def heard(storage: Storage, name: str, days: int, catalogue: str = "films") -> Person:
    """Someone who came 900 days ago, and said something on two days, the last so many ago."""
    person = someone(storage, name, catalogue)
    storage.log.append(person.id, said(1))
    storage.log.append(person.id, said(2))
    at = now() - days * DAY
    with storage.database.connect() as connection:
        connection.execute(sa.update(people).filter_by(id=person.id).values(at=now() - 900 * DAY))
        connection.execute(sa.update(events).filter_by(person=person.id, seq=1).values(at=0))
        connection.execute(sa.update(events).filter_by(person=person.id, seq=2).values(at=at))
    return person


def silent(storage: Storage, name: str, days: int) -> Person:
    person = someone(storage, name)
    with storage.database.connect() as connection:
        came = sa.update(people).filter_by(id=person.id)
        connection.execute(came.values(at=now() - days * DAY))
    return person


def names(storage: Storage) -> set[str]:
    with storage.database.connect() as connection:
        return set(connection.scalars(sa.select(people.c.name)))


def crowd(storage: Storage) -> list[Person]:
    return [
        heard(storage, "long ago one", 401),
        heard(storage, "long ago two", 800),
        heard(storage, "lately", 399),
        heard(storage, "long ago elsewhere", 500, "books"),
        silent(storage, "long ago silent", 402),
        silent(storage, "lately silent", 1),
    ]


def test_the_command_forgets_who_was_not_heard_of(storage: Storage, tmp_path: Path) -> None:
    url, ann = storage.database.url, crowd(storage)[0]
    done = run(["db", "forget", "--older-than", "400d", "--dry-run"], url)
    assert (done.code, done.lines) == (0, ["4 of 6 people would be forgotten"])
    assert len(names(storage)) == 6
    done = run(["db", "forget", "--older-than", "400d", "--catalogue", "films"], url)
    assert (done.code, done.lines) == (0, ["3 of 5 people forgotten"])
    assert names(storage) == {"lately", "long ago elsewhere", "lately silent"}
    done = run(["db", "forget", "--older-than", "9600h"], url)
    assert (done.code, done.lines) == (0, ["1 of 3 people forgotten"])
    assert names(storage) == {"lately", "lately silent"}
    assert found_in_files(tmp_path, ["long ago"]) == {}
    assert storage.log.after(ann.id) == []
    assert ann.id in storage.people.departed(0)[1], "caches are told"
    done = run(["db", "sweep", "--full"], url)
    assert (done.code, done.lines[0]) == (0, "0 people removed")


@pytest.mark.parametrize("older_than", ["400", "0d", "-3d", "d", "4y", "1.5d", "9999999d", ""])
def test_a_time_that_is_none_is_refused(older_than: str, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'service.db'}"
    opened(url).close()
    done = run(["db", "forget", f"--older-than={older_than}"], url)
    assert f"such as 36h, 400d or 52w, got {older_than!r}" in str(done.error)


def test_a_catalogue_that_is_none_is_refused(storage: Storage) -> None:
    crowd(storage)
    done = run(["db", "forget", "--older-than=1d", "--catalogue=film"], storage.database.url)
    assert "There is no catalogue 'film'. Did you mean 'films'?" in str(done.error)
    assert len(names(storage)) == 6


def test_interrupted_it_is_gone_on_with(storage: Storage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retention, "BATCH", 2)
    crowd(storage)
    steps = Retention(storage.database, storage.erasure).forget(now() - 400 * DAY)
    assert next(steps).gone == 2
    del steps
    assert len(names(storage)) == 4
    again = Retention(storage.database, storage.erasure).forget(now() - 400 * DAY)
    assert sum(each.gone for each in again) == 2


def test_who_comes_back_in_the_last_moment_stays(
    storage: Storage, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, bob = heard(storage, "ann", 500), heard(storage, "bob", 500)
    first = retention.unheard

    def then_ann_says_something(*given: object) -> list[int]:
        found = first(*given)  # type: ignore[arg-type]
        monkeypatch.setattr(retention, "unheard", first)
        storage.log.append(ann.id, said(3))
        return found

    monkeypatch.setattr(retention, "unheard", then_ann_says_something)
    steps = Retention(storage.database, storage.erasure).forget(now() - 400 * DAY)
    assert [(each.people, each.gone) for each in steps] == [(2, 1)]
    assert names(storage) == {"ann"}
    assert storage.log.after(bob.id) == []
