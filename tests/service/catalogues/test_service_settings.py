"""Settings of a catalogue over HTTP: every agent, what is refused, what is rebuilt."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient

import conlinucb as cl
from support import service_films
from support.service_films import (
    LATER,
    about,
    assert_folded,
    change,
    items,
    problem,
    put,
    settings_with,
    taught,
    wait_for,
)
from support.service_talk import RECIPES, Talk
from support.worlds import same_state

name = service_films.name
talk = service_films.talk

AGENTS = [
    *RECIPES.values(),
    {"recipe": "linucb"},
    {"recipe": "linucb", "alpha": {"delta": 0.1}},
    *({"recipe": "conlinucb", "strategy": each} for each in cl.STRATEGIES),
    *({"recipe": "conucb", "strategy": each, "mix": 0.2} for each in cl.STRATEGIES),
    {"recipe": "conlinucb", "schedule": {"name": "when-worth", "cost": 0.02, "most": 2}},
    *(
        {"recipe": recipe, "schedule": schedule}
        for recipe in ("arm_con", "conucb", "conlinucb")
        for schedule in (
            {"name": "never"},
            {"name": "logarithmic", "f": 3},
            {"name": "linear", "b": 0.5, "zero_based": True},
            {"name": "every", "n": 4},
        )
    ),
]


@pytest.mark.more
def test_every_agent_can_be_set(talk: Talk) -> None:
    version = about(talk)["version"]
    for number, agent in enumerate(AGENTS, start=1):
        wanted = {"agent": agent, "range": [-1, number + 1], "rest_after_skip": number}
        response = change(talk, "/settings", wanted, "PUT")
        assert response.status_code == 200, response.text
        assert response.json()["version"] == version + number
        found = talk.client.get(f"/v1/catalogues/{talk.catalogue}/settings").json()
        assert {key: found[key] for key in wanted} == wanted
        twin = Talk(talk.client, talk.catalogue, f"user {number}")
        assert twin.next()["type"] in ("question", "recommendation")
        assert twin.send("DELETE", "").status_code == 204  # so that nobody has to be rebuilt


BAD_SETTINGS: dict[str, tuple[Any, str]] = {
    "no recipe": ({"agent": {}}, "recipe"),
    "recipe": ({"agent": {"recipe": "conlinub"}}, "Did you mean 'conlinucb'"),
    "strategy": ({"agent": {"recipe": "conucb", "strategy": "max radius"}}, "'max-radius'"),
    "schedule": ({"agent": {"recipe": "conucb", "schedule": {"name": "evry"}}}, "'every'"),
    "schedule as text": ({"agent": {"recipe": "conucb", "schedule": "every"}}, "every"),
    "schedule option": (
        {"agent": {"recipe": "conucb", "schedule": {"name": "every", "b": 1}}},
        "b",
    ),
    "schedule number": (
        {"agent": {"recipe": "conucb", "schedule": {"name": "every", "n": 0}}},
        "0",
    ),
    "option": ({"agent": {"recipe": "linucb", "betta": 1}}, "Did you mean 'beta'"),
    "strategy of linucb": ({"agent": {"recipe": "linucb", "strategy": "ucb"}}, "'strategy'"),
    "beta": ({"agent": {"recipe": "linucb", "beta": 0}}, "beta"),
    "beta as text": ({"agent": {"recipe": "linucb", "beta": "1"}}, "'1'"),
    "mix": ({"agent": {"recipe": "conucb", "mix": 1}}, "mix"),
    "alpha": ({"agent": {"recipe": "linucb", "alpha": -1}}, "-1"),
    "delta": ({"agent": {"recipe": "linucb", "alpha": {"delta": 2}}}, "delta"),
    "agent": ({"agent": "linucb"}, "agent"),
    "who shares": (
        {"agent": {"recipe": "linucb", "sharing": {"name": "clusters", "a": 1}}},
        "an agent here has no sharing",
    ),
    "rewards on a budget": (
        {"agent": {"recipe": "conlinucb", "rewards": {"name": "sometimes"}}},
        "an agent here has no rewards",
    ),
    "code by name": ({"agent": {"recipe": "conucb", "strategy": "os:abort"}}, "configuration file"),
    "code in a table": (
        {"agent": {"recipe": "own", "estimator": {"name": "os:abort"}}},
        "configuration file",
    ),
    "pair": ({"pair_question": "Do you like {first}?"}, "{second}"),
    "range": ({"range": [1, 0]}, "range"),
    "range of one": ({"range": [1]}, "range"),
    "field": ({"max_question": 3}, "max_question"),
    "cap": ({"max_questions": -1}, "max_questions"),
}


@pytest.mark.parametrize("case", BAD_SETTINGS)
def test_settings_that_cannot_be_used(talk: Talk, case: str) -> None:
    wrong, told = BAD_SETTINGS[case]
    before = about(talk)
    status, _, message = problem(change(talk, "/settings", wrong, "PUT"))
    assert status == 422
    assert told in message
    assert about(talk) == before
    assert talk.next()["type"] == "question"


@pytest.mark.parametrize(
    "wrong",
    [
        {"agent": {"recipe": "nope"}},
        {"agent": {"recipe": "conucb", "mix": 9}},
        {"agent": {"recipe": "conucb", "strategy": "os:abort"}},
    ],
)
def test_a_catalogue_with_settings_that_cannot_be_used(
    memory: TestClient, name: str, wrong: Any
) -> None:
    status, _, _ = problem(put(memory, name, {"items": items(), "settings": wrong}))
    assert status == 422
    assert memory.get(f"/v1/catalogues/{name}").status_code == 404


def test_a_catalogue_and_its_settings_change_together(talk: Talk) -> None:
    talk.go_on(8)
    body = {"items": items(LATER), "settings": settings_with("conucb", range=[0, 5])}
    assert put(talk.client, talk.catalogue, body).status_code in (200, 202)
    wait_for(talk, building=None, items=4)
    wanted = {"agent": RECIPES["conucb"], "range": [0, 5]}
    wait_for(talk, building=None, settings=about(talk)["settings"] | wanted)
    assert_folded(talk)


def test_manners_change_at_once(talk: Talk) -> None:
    talk.go_on(12)
    before, version = taught(talk), about(talk)["version"]
    out = change(
        talk, "/settings", settings_with(question="{term}, perhaps?", range=[-1, 1]), "PUT"
    )
    assert (out.status_code, out.json()["version"]) == (200, version + 1)
    assert same_state(before, taught(talk))
    question = talk.next()
    assert question["text"] == f"{question['term']}, perhaps?"
    talk.answer(question=question["question"], answer=-1)


def test_another_prior_is_served_at_once(talk: Talk) -> None:
    talk.go_on(20)
    before = taught(talk)
    for recipe in ("conucb", "arm_con"):
        version = about(talk)["version"]
        out = change(talk, "/settings", settings_with(recipe), "PUT")
        assert (out.status_code, out.json()["version"]) == (200, version + 1)
        assert out.json()["settings"]["agent"]["recipe"] == recipe
        assert talk.state().version.number == version + 1
        assert_folded(talk)
        talk.go_on(len(talk.log()) + 8)
        assert_folded(talk)
    assert not np.array_equal(before["state_theta"], taught(talk)["state_theta"])


def test_another_algorithm_on_the_same_prior_goes_on_at_once(talk: Talk) -> None:
    """LinUCB, Arm-Con and ConLinUCB with one beta read one state."""
    talk.go_on(12)
    before = taught(talk)
    for recipe in ("arm_con", "linucb", "conlinucb"):
        out = change(talk, "/settings", settings_with(recipe), "PUT")
        assert (out.status_code, out.json()["building"]) == (200, None)
        assert same_state(before, taught(talk))


def test_a_question_must_name_its_term(talk: Talk) -> None:
    response = talk.client.put(
        f"/v1/catalogues/{talk.catalogue}/settings", json={"question": "Do you like it?"}
    )
    assert response.status_code == 422
    assert "{term}" in response.json()["error"]["message"]
