"""Catalogues replaced while people talk, named, and deleted."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sqlalchemy as sa
from fastapi.testclient import TestClient

from conlinucb.service.catalogues.uploads import read_json
from conlinucb.service.config import CatalogueConfig, ServiceConfig
from conlinucb.service.conversations.loader import SNAPSHOT_EVERY
from conlinucb.service.http.app import create_app
from conlinucb.service.schemas import CatalogueBody
from conlinucb.service.storage import MEMORY
from support import service_films
from support.service_films import (
    FILMS,
    LATER,
    TABLE,
    TAGS,
    about,
    assert_folded,
    change,
    csv,
    items,
    let_wait,
    problem,
    put,
    settings_with,
    wait_for,
    wait_until,
)
from support.service_talk import RECIPES, Talk
from support.service_world import client_of
from support.soak import wait_for as eventually

name = service_films.name
talk = service_films.talk


# Replaced while people talk


@pytest.mark.parametrize("recipe", RECIPES)
def test_a_new_version_is_served_at_once_and_everyone_goes_on_on_it(
    memory: TestClient, name: str, recipe: str
) -> None:
    put(memory, name, {"items": items(), "settings": settings_with(recipe)})
    talk, quiet = Talk(memory, name), Talk(memory, name, "bob")
    talk.go_on(24)
    quiet.go_on(4)
    eventually(lambda: about(talk)["people"] == 2, "both are counted, in the background")
    version = about(talk)["version"]
    response = put(memory, name, {"items": items(LATER)})
    assert response.status_code == 200
    assert (response.json()["version"], response.json()["building"]) == (version + 1, None)
    assert (response.json()["items"], response.json()["people"]) == (4, 2)
    assert about(talk)["settings"]["agent"]["recipe"] == recipe
    for one in (talk, quiet):
        assert_folded(one)
    shown = {each["item"] for each in talk.next(ask="never", k=9)["items"]}
    assert shown == set(LATER)
    talk.go_on(48)
    assert_folded(talk)


def test_changes_need_not_wait_for_each_other(talk: Talk) -> None:
    talk.go_on(4)
    version = put(talk.client, talk.catalogue, {"items": items(LATER)}).json()["version"]
    for response in (
        change(talk, "/items", {"items": [{"id": "Jaws", "tags": ["horror"]}]}),
        change(talk, "/removals", {"items": ["Heat"]}),
        change(talk, "/settings", settings_with("conucb"), "PUT"),
        put(talk.client, talk.catalogue, {"items": items()}),
    ):
        version += 1
        assert (response.status_code, response.json()["version"]) == (200, version)
    assert_folded(talk)


def test_a_replacement_reads_nothing_of_people(lasting_url: str) -> None:
    """Nothing per person: with events that nobody could fold it takes as long and goes as well."""
    with client_of(lasting_url) as client:
        put(client, "it", {"items": items(), "settings": settings_with()})
        storage = Talk(client, "it").use_cases.storage
        entry = storage.catalogue_log.find("it")
        assert entry is not None
        people = [storage.people.add(entry.id, f"person {each}", 1) for each in range(50)]
        statements: list[str] = []

        def note(connection: Any, cursor: Any, statement: str, *more: Any) -> None:
            if "AnyIO" in threading.current_thread().name:  # those of requests
                statements.append(statement)

        sa.event.listen(storage.database.engine, "before_cursor_execute", note)
        assert put(client, "it", {"items": items(LATER)}).json()["version"] == 3
        sa.event.remove(storage.database.engine, "before_cursor_execute", note)
        told = [each for each in statements if "FROM counts" not in each]
        touched = [each for each in told if "events" in each or "snapshots" in each]
        assert (touched, len(people)) == ([], 50)
        assert any("changes" in each for each in statements)


def test_states_of_what_is_not_served_any_more_go_when_their_person_comes(
    lasting_url: str,
) -> None:
    with client_of(lasting_url) as client:
        put(client, "it", {"items": items(), "settings": settings_with()})
        talk, quiet = Talk(client, "it"), Talk(client, "it", "bob")
        for one in (talk, quiet):
            one.go_on(SNAPSHOT_EVERY)
        snapshots, bases = talk.use_cases.storage.snapshots, [talk.state().version.basis]
        people = [one.person.id for one in (talk, quiet)]
        wait_until(lambda: [snapshots.bases(each) for each in people] == [bases, bases])
        put(client, "it", {"items": items(LATER)})
        assert_folded(talk)
        assert snapshots.bases(talk.person.id) == [talk.state().version.basis] != bases
        assert snapshots.bases(quiet.person.id) == bases
        assert_folded(quiet)


@pytest.mark.parametrize("then", ["follows", "changes"])
def test_a_version_that_an_earlier_release_let_wait_is_served(lasting_url: str, then: str) -> None:
    """It rebuilt everyone's state before; it may end before it is through with that."""
    with client_of(lasting_url) as client:
        put(client, "it", {"items": items(), "settings": settings_with()})
        talk = Talk(client, "it")
        talk.go_on(12)
        body = read_json(CatalogueBody.model_validate({"items": items(LATER)})).content.to_bytes()
        number = let_wait(talk.use_cases.storage, "it", "replace", body)
        if then == "changes":
            out = change(talk, "/removals", {"items": ["Heat"]})
            assert (out.status_code, out.json()["version"]) == (200, number + 1)
        wait_for(talk, version=number + (then == "changes"), building=None)
        assert_folded(talk)


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
    assert put(talk.client, talk.catalogue, {"items": items(films)}).status_code == 200
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
        eventually(lambda: app.state.keyring.state() == "ok", "it is known whether there are keys")
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
