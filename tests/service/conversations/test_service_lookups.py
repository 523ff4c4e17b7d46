"""Names that are not there cost nothing, however many others there are."""

from __future__ import annotations

import difflib
from typing import Any, cast

import pytest
from fastapi import FastAPI

from conlinucb.errors import MANY_NAMES, nearest
from conlinucb.service.storage import RewardBody
from support.service_films import problem, wait_for
from support.service_talk import Talk
from support.service_world import client_of

ITEMS = [{"id": f"Item {i}", "tags": [f"tag {i % 5}"]} for i in range(MANY_NAMES + 5)]


@pytest.fixture
def no_comparing(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> Any:
        raise AssertionError("letters are compared")

    monkeypatch.setattr(difflib, "get_close_matches", refuse)


def test_of_many_names_one_that_differs_in_case_is_near(no_comparing: None) -> None:
    many = [f"Item {i}" for i in range(MANY_NAMES + 1)]
    assert nearest("ITEM 7", many) == " Did you mean 'Item 7'?"
    assert nearest("Item 7x", many) == ""


def test_what_is_gone_is_passed_over_without_a_search(no_comparing: None) -> None:
    with client_of() as client:
        client.put("/v1/catalogues/many", json={"items": ITEMS}).raise_for_status()
        talk = Talk(client, "many")
        talk.go_on(12)
        rewarded = {each.item for each in talk.bodies(RewardBody)}
        assert rewarded
        rest = [each for each in ITEMS if each["id"] not in rewarded]
        client.put("/v1/catalogues/many", json={"items": rest}).raise_for_status()
        wait_for(talk, version=2, building=None)
        talk.go_on(16)
        item = rest[0]["id"]
        path = f"/v1/users/{talk.name}/explain"
        found = client.get(path, params={"catalogue": "many", "item": item})
        assert found.status_code == 200
        for gone in rewarded:
            response = client.get(path, params={"catalogue": "many", "item": gone})
            assert problem(response)[:2] == (422, "unknown_name")


def test_arm_con_asks_about_nothing_that_is_excluded() -> None:
    agent = {"recipe": "arm_con", "schedule": {"name": "linear", "b": 1}}
    items = [{"id": name, "tags": [name]} for name in "abc"]
    with client_of() as client:
        body = {"items": items, "settings": {"agent": agent}}
        client.put("/v1/catalogues/few", json=body).raise_for_status()
        came = client.post("/v1/users/ann/next?catalogue=few", json={"exclude": ["a", "c"]}).json()
        assert (came["type"], came["about"], came["term"]) == ("question", "arm", "b")


@pytest.mark.parametrize("call", ["PUT", "POST"])
def test_someone_new_in_a_catalogue_that_was_just_deleted(call: str) -> None:
    with client_of() as client:
        client.put("/v1/catalogues/few", json={"items": ITEMS[:3]}).raise_for_status()
        use_cases = cast(FastAPI, client.app).state.use_cases
        stale = use_cases.catalogues.serving("few")
        use_cases.storage.catalogue_log.delete(stale.id)  # as another process does it
        path = "/v1/users/ann" + ("/next" if call == "POST" else "")
        response = client.request(call, path, params={"catalogue": "few"})
        assert problem(response)[:2] == (404, "unknown_catalogue")
