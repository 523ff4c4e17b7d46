"""Changes of a catalogue compacted: what is served, and what is decided, stays the same."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from conlinucb.errors import Damaged
from conlinucb.service.catalogues import compaction
from conlinucb.service.catalogues.compaction import CHANGES, Compaction
from conlinucb.service.catalogues.contents import content_at
from conlinucb.service.catalogues.registry import Catalogues
from conlinucb.service.catalogues.uploads import read_json
from conlinucb.service.catalogues.version import Content
from conlinucb.service.schemas import CatalogueBody
from conlinucb.service.settings import Settings
from conlinucb.service.storage import Entry, Storage
from conlinucb.service.storage.schema import bases, changes
from support.service_films import FILMS, LATER, TAGS, change, items, put, settings_with, wait_until
from support.service_talk import Talk
from support.service_world import Postgres, client_of, opened

pytestmark = pytest.mark.more  # dozens of changes for each


@pytest.fixture(params=["sqlite", "postgres"])
def storage(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Storage]:
    url = f"sqlite:///{tmp_path / 'service.db'}"
    if request.param == "postgres":
        server: Postgres = request.getfixturevalue("postgres")
        url = server.new_database()
    found = opened(url)
    yield found
    found.close()


def upload(films: dict[str, list[str]]) -> Content:
    return read_json(CatalogueBody.model_validate({"items": items(films)})).content


def given(storage: Storage, edits: int) -> Catalogues:
    """Films that were changed so often: added, removed, and some brought back."""
    catalogues = Catalogues(storage)
    catalogues.opened = True
    catalogues.replace("films", upload(FILMS), Settings(question="Ever {term}?"))
    for number in range(edits):
        tags = {TAGS[number % 6]: 1.0, TAGS[(number + 2) % 6]: 0.5 + number / 50}
        if number % 3 == 2:
            catalogues.remove("films", [f"film {number - 1}"])
        elif number % 9 == 3:
            catalogues.add("films", [{"id": f"film {number - 2}", "tags": {}}])
        else:
            catalogues.add("films", [{"id": f"film {number}", "tags": tags}])
    return catalogues


def entry_of(storage: Storage) -> Entry:
    found = storage.catalogue_log.find("films")
    assert found is not None
    return found


def numbers(storage: Storage, table: sa.Table = changes) -> list[int]:
    with storage.database.connect() as connection:
        return list(connection.scalars(sa.select(table.c.number).order_by(table.c.number)))


def fresh(storage: Storage) -> Any:
    """What a process that starts now serves."""
    catalogues = Catalogues(storage)
    catalogues.refresh()
    assert catalogues.states() == {"films": "ok"}, catalogues.states()
    return catalogues.known("films")


def test_a_start_from_a_kept_version_is_the_same_array_by_array(storage: Storage) -> None:
    catalogues = given(storage, CHANGES + 7)
    before = fresh(storage)
    Compaction(storage, catalogues, 24).step()
    served = entry_of(storage).serving
    assert numbers(storage, bases) == [served]
    catalogues.add("films", [{"id": "one more", "tags": {"horror": 1.0}}])
    after, entry = fresh(storage), entry_of(storage)
    kept = Content.from_bytes(storage.bases.body(entry.id, served))
    assert kept.to_bytes() == before.content.to_bytes()
    one_by_one = Catalogues(storage)
    with storage.database.connect() as connection:
        connection.execute(sa.delete(bases))
    one_by_one.refresh()
    found = one_by_one.known("films")
    assert found is not None
    assert found.content.to_bytes() == after.content.to_bytes()
    assert (found.base, found.basis, found.settings) == (after.base, after.basis, after.settings)


def test_a_start_reads_only_the_changes_since(storage: Storage) -> None:
    catalogues = given(storage, CHANGES)
    Compaction(storage, catalogues, 0).step()
    left = numbers(storage)
    assert left == [1]  # the settings, which still hold
    catalogues.add("films", [{"id": "one more", "tags": {"horror": 1.0}}])
    assert numbers(storage) == [1, CHANGES + 3]
    assert fresh(storage).settings.question == "Ever {term}?"
    assert fresh(storage).content.to_bytes() == catalogues.serving("films").content.to_bytes()


def test_changes_stay_for_replicas_of_before_as_long_as_they_should(storage: Storage) -> None:
    catalogues = given(storage, 2 * CHANGES)
    everything = numbers(storage)
    tidy = Compaction(storage, catalogues, 1)
    tidy.step()
    for _ in range(3 * CHANGES):
        catalogues.remove("films", ["Heat"])
        catalogues.add("films", [{"id": "Heat", "tags": {}}])
        tidy.step()
    last = entry_of(storage).serving
    assert numbers(storage) == list(range(1, last + 1))
    assert everything[-1] < last
    first, *latest = numbers(storage, bases)
    assert (first, len(latest)) == (everything[-1], 2)
    make_older(storage, first)
    tidy.prune()
    assert numbers(storage) == [1, *range(first + 1, last + 1)]
    assert numbers(storage, bases) == latest
    assert fresh(storage).content.to_bytes() == catalogues.serving("films").content.to_bytes()


def make_older(storage: Storage, number: int) -> None:
    """As if this version had been kept two hours ago."""
    with storage.database.connect() as connection:
        older = sa.update(bases).where(bases.c.number == number)
        connection.execute(older.values(at=bases.c.at - 2 * compaction.HOUR))


def test_versions_before_a_whole_one_are_dropped_with_what_they_need(storage: Storage) -> None:
    catalogues = given(storage, CHANGES)
    tidy = Compaction(storage, catalogues, 0)
    tidy.step()
    number = catalogues.replace("films", upload(LATER))
    tidy.prune()
    assert numbers(storage, bases) == []
    assert numbers(storage) == [1, number]
    assert fresh(storage).settings.question == "Ever {term}?"


def test_who_was_behind_while_changes_went_begins_further_on(storage: Storage) -> None:
    catalogues = given(storage, CHANGES - 5)
    behind = fresh(storage)
    for number in range(10):
        catalogues.add("films", [{"id": f"later {number}", "tags": {"space": 1.0}}])
    Compaction(storage, catalogues, 0).step()
    entry = entry_of(storage)
    found = content_at(storage, entry, behind.base, entry.serving, behind)
    assert found.to_bytes() == catalogues.serving("films").content.to_bytes()


@pytest.mark.parametrize("wrong", ["its checksum", "its content", "all of it"])
def test_a_damaged_kept_version_is_reported_and_done_without(storage: Storage, wrong: str) -> None:
    catalogues = given(storage, CHANGES)
    Compaction(storage, catalogues, 24).step()
    number = entry_of(storage).serving
    new: dict[str, dict[str, Any]] = {
        "its checksum": {"crc": 1},
        "its content": {"body": b"nothing", "crc": zlib.crc32(b"nothing")},
        "all of it": {"body": b""},
    }
    with storage.database.connect() as connection:
        connection.execute(sa.update(bases).values(**new[wrong]))
    assert fresh(storage).content.to_bytes() == catalogues.serving("films").content.to_bytes()
    assert [each.what for each in storage.quarantine.all()] == [f"kept version {number}"]


def test_a_kept_version_that_nothing_can_replace_is_not_served(storage: Storage) -> None:
    Compaction(storage, given(storage, CHANGES), 0).step()
    with storage.database.connect() as connection:
        connection.execute(sa.update(bases).values(crc=1))
    catalogues = Catalogues(storage)
    catalogues.refresh()
    assert catalogues.states()["films"] != "ok"
    reasons = {each.what: each.reason for each in storage.quarantine.all()}
    assert "are needed" in reasons[f"version {CHANGES + 2}"]
    with pytest.raises(Damaged, match="checksum"):
        storage.bases.body(entry_of(storage).id, CHANGES + 2)


def test_of_two_that_compact_at_once_one_does(storage: Storage) -> None:
    one = given(storage, CHANGES)
    two = Catalogues(storage)
    two.refresh()
    for each in (one, two):
        Compaction(storage, each, 24)._compact(each.all()[0])
    assert len(numbers(storage, bases)) == 1


def test_a_conversation_goes_on_the_same_whether_changes_were_compacted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same person, the same changes; one service compacts, and starts anew in between."""
    traces = []
    for compacts in (False, True):
        url = f"sqlite:///{tmp_path / str(compacts)}.db"
        if not compacts:
            monkeypatch.setattr(compaction, "CHANGES", 10**6)
        with client_of(url, keep_changes_hours=0) as client:
            put(client, "it", {"items": items(), "settings": settings_with()})
            trace = lead(Talk(client, "it"), 8, 0)
            storage = Talk(client, "it").use_cases.storage
            if compacts:
                wait_until(partial(is_compacted, storage))
        with client_of(url, keep_changes_hours=0) as client:
            trace += lead(Talk(client, "it"), 8, 50)
        traces.append(trace)
        monkeypatch.undo()
    assert traces[0] == traces[1]


def is_compacted(storage: Storage) -> bool:
    entry = storage.catalogue_log.find("it")
    assert entry is not None
    return storage.bases.numbers(entry.id, 2, entry.serving) == [entry.serving]


def lead(talk: Talk, rounds: int, first: int) -> list[Any]:
    """Every question and recommendation, with a change of the catalogue after each round."""
    for number in range(first, first + CHANGES):
        tags = [TAGS[number % 6], TAGS[(number + 1) % 6]]
        body = {"items": [{"id": f"film {number}", "tags": tags}]}
        assert change(talk, "/items", body).status_code == 200
    seen = []
    for _ in range(rounds):
        question = talk.next()
        talk.answer(question=question["question"], answer=0.8)
        advice = talk.next(ask="never", k=3)
        talk.reward(decision=advice["decision"], item=advice["items"][0]["item"], reward=0.3)
        seen.append((question["term"], question["mean"], advice["items"]))
    return seen
