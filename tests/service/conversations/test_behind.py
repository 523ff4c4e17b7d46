"""Workers whose version of a catalogue is older than the one that a state was made under."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient

from conlinucb.service.catalogues.version import CatalogueVersion
from conlinucb.service.conversations import views
from conlinucb.service.conversations.fold import Conversation, fold
from conlinucb.service.conversations.move import moved
from support.service_crowd import crowd
from support.service_talk import Talk
from support.service_world import client_of


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    with client_of() as found:
        yield found


@pytest.fixture
def talk(client: TestClient, request: pytest.FixtureRequest) -> Talk:
    crowd(client, request.node.name, people=0)
    found = Talk(client, request.node.name)
    found.reward(item="item 1", reward=0.25)
    return found


def new_item(talk: Talk) -> dict[str, Any]:
    catalog = talk.state().version.catalog
    item = {"id": "new", "tags": [catalog.term_ids[0]], "features": [0.5, 0.2, 0.1]}
    return {"items": [item]}


def add(talk: Talk, body: dict[str, Any]) -> None:
    response = talk.client.post(f"/v1/catalogues/{talk.catalogue}/items", json=body)
    assert response.is_success, response.text


def rewarded_under_the_next_version(talk: Talk) -> tuple[CatalogueVersion, Conversation]:
    """The version before an item came, and the state of someone who rewarded it."""
    before = talk.state().version
    add(talk, new_item(talk))
    talk.reward(item="new", reward=1.0)
    after = talk.state()
    assert after.version.number > before.number
    return before, after


def test_a_later_state_is_not_taken_for_that_of_an_earlier_version(talk: Talk) -> None:
    before, after = rewarded_under_the_next_version(talk)
    assert not after.fits(before)
    assert Conversation.from_snapshot(before, after.snapshot()) is None
    assert moved(after, before) is None


def test_an_earlier_version_folds_the_log_without_what_it_lacks_and_explains_that(
    talk: Talk,
) -> None:
    before, after = rewarded_under_the_next_version(talk)
    for version, missed in ((before, 1), (after.version, 0)):
        state, broken = fold(version, talk.person.seed, talk.log())
        assert (state.missed, broken) == (missed, {})
        why = views.explained(state, "item 2")
        parts = sum(each.contribution for each in why.contributions(talk.log(), ()))
        assert parts + why.influence.prior == pytest.approx(why.scores.means[0], abs=1e-9)


class Announced:
    """A lock that tells when somebody comes to it."""

    def __init__(self) -> None:
        self.inner, self.came = threading.RLock(), threading.Event()

    def __enter__(self) -> None:
        self.came.set()
        self.inner.acquire()

    def __exit__(self, *error: object) -> None:
        self.inner.release()


def test_who_waited_for_someone_meets_them_under_the_latest_version(
    talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else a state that has moved on would be set back."""
    lock = Announced()
    catalogues, cache = talk.use_cases.catalogues, talk.use_cases._cache
    entry = cache.entry((catalogues.serving(talk.catalogue).id, talk.name))
    numbers: list[int] = []
    body = new_item(talk)

    def look() -> None:
        talk.use_cases.look(
            talk.catalogue, talk.name, lambda state, _: numbers.append(state.version.number)
        )

    monkeypatch.setattr(entry, "lock", lock)
    waiting = threading.Thread(target=look)
    with lock.inner:
        waiting.start()
        assert lock.came.wait(timeout=30)
        add(talk, body)
    waiting.join(timeout=30)
    assert numbers == [catalogues.serving(talk.catalogue).number]
