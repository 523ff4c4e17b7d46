"""Catalogues replaced while people talk, named, and deleted."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from fastapi.testclient import TestClient

from conlinucb.service.config import CatalogueConfig, ServiceConfig
from conlinucb.service.http.app import create_app
from conlinucb.service.storage import MEMORY
from support import service_films
from support.service_films import (
    FILMS,
    LATER,
    TABLE,
    TAGS,
    Hold,
    about,
    assert_folded,
    change,
    csv,
    items,
    problem,
    put,
    settings_with,
    wait_for,
)
from support.service_talk import RECIPES, Talk
from support.service_world import client_of, opened

hold = service_films.hold
name = service_films.name
talk = service_films.talk


# Replaced while people talk


@pytest.mark.parametrize("recipe", RECIPES)
def test_the_old_version_is_served_until_the_new_one_is_built(
    memory: TestClient, name: str, hold: Hold, recipe: str
) -> None:
    put(memory, name, {"items": items(), "settings": settings_with(recipe)})
    talk, quiet = Talk(memory, name), Talk(memory, name, "bob")
    talk.go_on(24)
    quiet.go_on(4)
    version = about(talk)["version"]
    response = put(memory, name, {"items": items(LATER)})
    assert response.status_code == 202
    assert (response.json()["version"], response.json()["building"]) == (version, version + 1)
    assert (response.json()["items"], response.json()["people"]) == (6, 2)
    talk.go_on(32)
    shown = {each["item"] for each in talk.next(ask="never", k=9)["items"]}
    assert shown == set(FILMS)
    assert_folded(talk)
    hold.release(talk)
    assert about(talk)["version"] == version + 1
    assert about(talk)["settings"]["agent"]["recipe"] == recipe
    for one in (talk, quiet):
        assert_folded(one)
    shown = {each["item"] for each in talk.next(ask="never", k=9)["items"]}
    assert shown == set(LATER)
    talk.go_on(48)
    assert_folded(talk)


def test_one_change_after_the_other(talk: Talk, hold: Hold) -> None:
    talk.go_on(4)
    version = put(talk.client, talk.catalogue, {"items": items(LATER)}).json()["building"]
    for response in (
        put(talk.client, talk.catalogue, {"items": items()}),
        change(talk, "/items", {"items": [{"id": "Jaws", "tags": ["horror"]}]}),
        change(talk, "/removals", {"items": ["Heat"]}),
        change(talk, "/settings", settings_with("conucb"), "PUT"),
    ):
        status, code, message = problem(response)
        assert (status, code) == (409, "catalogue_building")
        assert f"Version {version} " in message
        assert response.headers["retry-after"]
    hold.release(talk)
    assert change(talk, "/removals", {"items": ["Heat"]}).json()["version"] == version + 1


def test_a_build_waits_for_nobody() -> None:
    """Whoever comes first may build a version; only a build under way is left to its builder."""
    storage = opened(MEMORY)
    entry = storage.catalogue_log.create("it")
    storage.catalogue_log.append(entry, "replace", b"one", wait=False)
    waiting = storage.catalogue_log.find("it")
    assert waiting is not None
    storage.catalogue_log.append(waiting, "replace", b"two", wait=True)
    pending = storage.catalogue_log.find("it")
    assert pending is not None
    assert pending.pending == 2
    assert storage.catalogue_log.lease(pending)
    assert not storage.catalogue_log.lease(pending)
    storage.close()


def test_a_build_goes_on_after_a_restart(lasting_url: str, hold: Hold) -> None:
    with client_of(lasting_url) as client:
        put(client, "it", {"items": items(), "settings": settings_with()})
        talk = Talk(client, "it")
        talk.go_on(12)
        before = put(client, "it", {"items": items(LATER)}).json()
        talk.go_on(16)
    with client_of(lasting_url) as client, client_of(lasting_url) as other:
        talk = Talk(client, "it")
        assert about(talk) == before
        assert before["building"] is not None
        hold.release(talk)
        assert_folded(talk)
        follower = Talk(other, "it")
        wait_for(follower, version=before["building"])
        assert_folded(follower)
        talk.go_on(24)
        assert_folded(follower)


def test_what_was_said_of_things_that_are_gone(talk: Talk) -> None:
    """It teaches nothing, does no harm, and counts again when they are back."""
    for tag in TAGS:
        question = talk.next(offered=[tag])
        assert question["term"] == tag
        talk.answer(question=question["question"], answer=0.8)
        advice = talk.next(k=6)
        item = advice["items"][0]["item"]
        talk.reward(decision=advice["decision"], item=item, reward=0.6)
    before = talk.state().user.theta
    late = talk.next(ask="never", pool=["Heat"])["decision"]
    small = {"Alien": ["horror", "space"], "Solaris": ["space", "slow"]}
    replace_and_wait(talk, small)
    assert_folded(talk)
    why = talk.explain("Alien")
    assert {each["about"] for each in why["contributions"]} <= {"horror", "space", "slow", *small}
    parts = sum(each["contribution"] for each in why["contributions"]) + why["rest"]
    assert parts == pytest.approx(why["mean"], abs=1e-9)
    assert [each["term"] for each in talk.got("GET", "")["terms"]] == ["horror", "space", "slow"]
    theta = talk.state().user.theta
    talk.reward(decision=late, item="Heat", reward=1)
    assert np.array_equal(talk.state().user.theta, theta)
    replace_and_wait(talk, FILMS)
    assert_folded(talk)
    assert talk.retract(len(talk.log()))["repeated"] is False
    np.testing.assert_allclose(talk.state().user.theta, before, atol=1e-9)


def replace_and_wait(talk: Talk, films: dict[str, list[str]]) -> None:
    version = about(talk)["version"]
    assert put(talk.client, talk.catalogue, {"items": items(films)}).status_code in (200, 202)
    wait_for(talk, version=version + 1)


@pytest.mark.parametrize("at_once", [True, False])
def test_an_open_question_about_a_term_that_is_gone(talk: Talk, at_once: bool) -> None:
    talk.go_on(8)
    question = talk.next(offered=["slow"])
    assert question["term"] == "slow"
    small = {film: [tag for tag in FILMS[film] if tag != "slow"] for film in FILMS}
    replace_and_wait(talk, small)
    theta, said = talk.state().user.theta, {"question": question["question"], "answer": 1}
    if at_once:  # answered before another one is asked
        assert talk.answer(**said)["repeated"] is False
        assert talk.answer(**said)["repeated"] is True
        assert np.array_equal(talk.state().user.theta, theta)
        assert talk.next()["term"] != "slow"
    else:
        other = talk.next()
        assert other["term"] != "slow"
        status, code, _ = problem(talk.send("POST", "/answers", said))
        assert (status, code) == (409, "question_closed")
        talk.answer(question=other["question"], answer=1)
    assert_folded(talk)
    talk.go_on(20)
    assert_folded(talk)


# Names


def test_which_catalogue_is_meant(tmp_path: Path) -> None:
    file = tmp_path / "films.csv"
    file.write_bytes(csv(TABLE))
    catalogues = {"small": CatalogueConfig(file=file), "demo": CatalogueConfig(demo=True)}
    for default, meant in ((None, "small"), ("demo", "demo")):
        with client_of(catalogues=catalogues, default=default) as client:
            client.post("/v1/users/ann/next")
            assert client.get("/v1/users/ann").json()["catalogue"] == meant
            named = client.get("/v1/users/ann", params={"catalogue": "small"})
            assert named.status_code == (200 if meant == "small" else 404)
            listed = client.get("/v1/catalogues").json()
            assert [each["catalogue"] for each in listed] == ["small", "demo"]


def test_where_none_is_meant() -> None:
    app = create_app(ServiceConfig(database=MEMORY, catalogues={}))
    with TestClient(app, base_url="http://127.0.0.1") as client:
        status, code, message = problem(client.post("/v1/users/ann/next"))
        assert (status, code) == (422, "catalogue_needed")
        assert "?catalogue=" in message


def test_an_unknown_catalogue_is_told_the_nearest(memory: TestClient) -> None:
    path = "/v1/users/ann"
    wrong = {"catalogue": "filmz"}
    for response in (
        memory.post(f"{path}/next", params=wrong),
        memory.get(path, params=wrong),
        memory.put(path, params=wrong),
        memory.delete(path, params=wrong),
        memory.get("/v1/catalogues/filmz"),
        memory.get("/v1/catalogues/filmz/settings"),
        memory.put("/v1/catalogues/filmz/settings", json={}),
        memory.delete("/v1/catalogues/filmz"),
    ):
        status, code, message = problem(response)
        assert (status, code) == (404, "unknown_catalogue")
        assert "'filmz'" in message
        assert "Did you mean 'films" in message


def test_a_catalogue_is_deleted_with_everyone_in_it(lasting_url: str) -> None:
    with client_of(lasting_url) as client:
        put(client, "it", {"items": items(), "settings": settings_with()})
        with client_of(lasting_url) as other:
            talk, elsewhere = Talk(client, "it"), Talk(other, "it")
            talk.go_on(12)
            elsewhere.next()
            assert client.delete("/v1/catalogues/it").status_code == 204
            assert client.get("/v1/users/ann/export").status_code == 404
            assert put(client, "it", {"items": items(LATER)}).json()["version"] == 1
            assert talk.next()["question"] == "q1"
            wait_for(elsewhere, items=4)
            assert elsewhere.next()["question"] == "q1"
            assert len(elsewhere.log()) == 1
