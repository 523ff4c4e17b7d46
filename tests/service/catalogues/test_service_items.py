"""Items added and removed while people talk, by several workers at once, too."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient

from conlinucb.errors import InvalidInput
from conlinucb.service.catalogues.registry import Catalogues
from conlinucb.service.conversations.audit import difference
from conlinucb.service.conversations.cache import StateCache
from conlinucb.service.conversations.decide import NextRequest
from conlinucb.service.conversations.loader import StateLoader
from conlinucb.service.conversations.use_cases import UseCases
from support import service_films
from support.service_films import (
    FILMS,
    TAGS,
    about,
    assert_folded,
    change,
    items,
    problem,
    put,
    served_version,
    settings_with,
    taught,
    wait_for,
)
from support.service_talk import RECIPES, Talk, arrays
from support.service_world import client_of, opened
from support.worlds import same_state

name = service_films.name
talk = service_films.talk


@pytest.mark.parametrize("recipe", RECIPES)
def test_items_come_and_go(memory: TestClient, name: str, recipe: str) -> None:
    put(memory, name, {"items": items(), "settings": settings_with(recipe)})
    talk = Talk(memory, name)
    talk.go_on(20)
    before, terms, version = (
        taught(talk),
        served_version(talk).catalog.terms,
        about(talk)["version"],
    )
    new = [{"id": "Jaws", "tags": ["horror"]}, {"id": "Cube", "tags": {"space": 1, "slow": 3}}]
    out = change(talk, "/items", {"items": new}).json()
    assert (out["version"], out["items"], out["building"]) == (version + 1, 8, None)
    assert change(talk, "/removals", {"items": ["Heat", "Jaws"]}).json()["items"] == 6
    assert same_state(before, taught(talk))
    assert np.array_equal(served_version(talk).catalog.terms, terms)
    for _ in range(3):
        shown = {each["item"] for each in talk.next(ask="never", k=20)["items"]}
        assert shown == set(FILMS) - {"Heat"} | {"Cube"}
    out = change(talk, "/items", {"items": [{"id": "Heat", "tags": ["cars"]}]}).json()
    assert (out["version"], out["items"]) == (version + 3, 7)
    shown = {each["item"] for each in talk.next(ask="never", k=20)["items"]}
    assert shown == {*FILMS, "Cube"}
    assert len(served_version(talk).catalog) == 8  # Heat came back as it was, in its old place
    assert np.array_equal(served_version(talk).catalog.terms, terms)
    assert_folded(talk)


def test_they_are_there_after_a_restart(lasting_url: str) -> None:
    with client_of(lasting_url) as client:
        put(client, "it", {"items": items(), "settings": settings_with()})
        talk = Talk(client, "it")
        change(talk, "/items", {"items": [{"id": "Cube", "tags": ["space", "slow"]}]})
        change(talk, "/removals", {"items": ["Drive"]})
        talk.go_on(12)
        wait_for(talk, people=1)  # they are counted in the background
        before, catalog, shown = taught(talk), served_version(talk).catalog, about(talk)
    with client_of(lasting_url) as client:
        talk = Talk(client, "it")
        assert served_version(talk).catalog.version == catalog.version
        assert about(talk) == shown
        assert same_state(before, taught(talk))


def test_a_new_item_is_like_an_old_one_with_the_same_tags(talk: Talk) -> None:
    change(talk, "/items", {"items": [{"id": "Ronin 2", "tags": ["heist", "cars"]}]})
    talk.go_on(12)
    old, new = talk.explain("Ronin"), talk.explain("Ronin 2")
    assert new["mean"] == pytest.approx(old["mean"], abs=1e-12)
    assert new["radius"] == pytest.approx(old["radius"], abs=1e-12)


def test_a_term_without_items_is_not_asked_about(talk: Talk) -> None:
    question = talk.next(offered=["slow"])
    assert change(talk, "/removals", {"items": ["Solaris", "Drive"]}).json()["terms"] == 5
    assert talk.next() == question  # it waits for its answer, and the answer counts
    talk.answer(question=question["question"], answer=1)
    assert talk.state().user.theta.any()
    for _ in range(8):
        talk.next()
        question = talk.next()
        assert question["term"] != "slow"
        talk.answer(question=question["question"], answer=0.5)
    for _ in range(2):  # also where a question is due
        assert talk.next(offered=["slow"])["type"] == "recommendation"
    assert "slow" not in [each["term"] for each in talk.got("GET", "")["terms"]]
    assert change(talk, "/items", {"items": items({"Drive": []})}).json()["terms"] == 6


BAD_ITEMS: dict[str, tuple[Any, str]] = {
    "unknown tag": ([{"id": "Jaws", "tags": ["horrors"]}], "Did you mean 'horror'"),
    "there already": ([{"id": "Heat", "tags": ["city"]}], "'Heat'"),
    "twice": ([{"id": "Jaws", "tags": ["city"]}] * 2, "'Jaws'"),
    "other features": ([{"id": "Jaws", "tags": ["city"], "features": [1, 2]}], "2"),
    "one without": (
        [
            {"id": "Jaws", "tags": ["city"], "features": [0.5] * 6},
            {"id": "Cube", "tags": ["city"]},
        ],
        "1 of 2",
    ),
    "none": ([], "items"),
}


@pytest.mark.parametrize("case", BAD_ITEMS)
def test_items_that_cannot_be_added(talk: Talk, case: str) -> None:
    (new, told), before = BAD_ITEMS[case], about(talk)
    status, _, message = problem(change(talk, "/items", {"items": new}))
    assert status == 422
    assert told in message
    assert about(talk) == before


def test_items_that_cannot_be_removed(talk: Talk) -> None:
    before = about(talk)
    status, code, message = problem(change(talk, "/removals", {"items": ["Heat", "Aliens"]}))
    assert (status, code) == (422, "unknown_name")
    assert "Did you mean 'Alien'" in message
    status, code, message = problem(change(talk, "/removals", {"items": list(FILMS)}))
    assert (status, code) == (422, "invalid_input")
    assert about(talk) == before
    assert problem(talk.client.post("/v1/catalogues/no/removals", json={"items": ["a"]}))[0] == 404


def test_items_with_features_of_their_own_grow_by_features(memory: TestClient, name: str) -> None:
    body = [each | {"features": [float(i), 1.0]} for i, each in enumerate(items())]
    put(memory, name, {"items": body, "settings": settings_with()})
    talk = Talk(memory, name)
    status, _, message = problem(change(talk, "/items", {"items": items({"Jaws": ["horror"]})}))
    assert status == 422
    assert "features" in message
    new = {"id": "Jaws", "tags": ["horror"], "features": [0.25, -3.5]}
    assert change(talk, "/items", {"items": [new]}).json()["items"] == 7
    assert served_version(talk).catalog.arms[-1].tolist() == [0.25, -3.5]


def test_many_add_at_once(url: str) -> None:
    with client_of(url) as client:
        put(client, "it", {"items": items()})
        add_many([Talk(client, "it")])


@pytest.mark.more
def test_many_add_at_once_to_two_workers(lasting_url: str) -> None:
    with client_of(lasting_url) as client:
        put(client, "it", {"items": items()})
        with client_of(lasting_url) as other:
            add_many([Talk(client, "it"), Talk(other, "it")])


def add_many(workers: list[Talk], changes: int = 16) -> None:
    """Each by a thread: all are there, and every version once."""

    def add(i: int) -> Any:
        new = {"items": [{"id": f"new {i}", "tags": [TAGS[i % 6]]}]}
        return change(workers[i % len(workers)], "/items", new)

    with ThreadPoolExecutor(8) as threads:
        responses = list(threads.map(add, range(changes)))
    assert [each.status_code for each in responses] == [200] * changes
    for talk in workers:
        wait_for(talk, version=1 + changes)
        there = set(served_version(talk).catalog.arm_ids)
        assert there == {*FILMS, *(f"new {i}" for i in range(changes))}
    storage = workers[0].use_cases.storage
    written = storage.catalogue_log.changes(served_version(workers[0]).id, 1, 1 + changes)
    assert [each.kind for each in written] == ["replace"] + ["add"] * changes


def test_the_same_item_is_added_once(lasting_url: str) -> None:
    with client_of(lasting_url) as client:
        put(client, "it", {"items": items()})
        with client_of(lasting_url) as other:
            new = {"items": [{"id": "Jaws", "tags": ["horror"]}]}
            workers = [Talk(client, "it"), Talk(other, "it")] * 4
            with ThreadPoolExecutor(8) as threads:
                got = list(threads.map(lambda talk: change(talk, "/items", new), workers))
            assert sorted(each.status_code for each in got) == [200] + [422] * 7
            for talk in workers[:2]:
                wait_for(talk, items=7)


# Workers that are not on the same version, step by step


def worker(url: str) -> UseCases:
    """What a process has, without the threads that follow others."""
    storage = opened(url)
    loader = StateLoader(storage)
    catalogues = Catalogues(storage)
    catalogues.refresh()
    catalogues.opened = True
    return UseCases(storage, catalogues, StateCache(10**8), loader, lambda state, person: None)


@pytest.fixture
def workers(tmp_path: Path) -> Iterator[tuple[UseCases, UseCases]]:
    url = f"sqlite:///{tmp_path / 'service.db'}"
    with client_of(url) as client:
        put(client, "it", {"items": items(), "settings": settings_with()})
    one, other = worker(url), worker(url)
    yield one, other
    one.storage.close()
    other.storage.close()


JAWS = [{"id": "Jaws", "tags": {"horror": 1.0}, "features": None}]


def test_an_item_that_another_worker_just_added_is_not_added_again(
    workers: tuple[UseCases, UseCases], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between our look at what is served and our look at where to write."""
    one, other = workers
    find = one.storage.catalogue_log.find

    def find_late(name: str) -> Any:
        monkeypatch.setattr(one.storage.catalogue_log, "find", find)
        other.catalogues.add("it", JAWS)
        return find(name)

    monkeypatch.setattr(one.storage.catalogue_log, "find", find_late)
    with pytest.raises(InvalidInput, match="'Jaws'"):
        one.catalogues.add("it", JAWS)
    for use_cases in workers:
        use_cases.catalogues.refresh()
        assert use_cases.catalogues.states() == {"films": "ok", "it": "ok"}


def test_a_reward_counts_before_its_item_is_known_here(workers: tuple[UseCases, UseCases]) -> None:
    """A worker that has not yet heard of an item takes in its reward, and learns from it."""
    one, other = workers
    one.next("it", "ann", NextRequest(ask=False))
    other.next("it", "ann", NextRequest(ask=False))
    one.catalogues.add("it", JAWS)
    advice = one.next("it", "ann", NextRequest(pool=["Jaws"], ask=False)).event
    other.reward("it", "ann", f"d{advice.seq}", "Jaws", 1.0, None)
    other.catalogues.refresh()
    mine, theirs = (
        use_cases.look("it", "ann", lambda state, person: arrays(state)) for use_cases in workers
    )
    assert mine["state_theta"].any()
    assert difference(mine, theirs) is None


@pytest.mark.parametrize("tags", [[], {"city": 0}])
def test_an_item_of_which_nothing_is_known_is_refused(talk: Talk, tags: Any) -> None:
    response = change(talk, "/items", {"items": [{"id": "Jaws", "tags": tags}]})
    assert response.status_code == 422
    assert "nothing is known of it" in response.json()["error"]["message"]


def test_removing_what_is_removed_is_no_new_version(talk: Talk) -> None:
    first = change(talk, "/removals", {"items": ["Heat"]}).json()["version"]
    assert change(talk, "/removals", {"items": ["Heat"]}).json()["version"] == first
