"""What questions are like: chosen in plain words, in settings, in an address, under experiments."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from conlinucb.errors import InvalidInput
from conlinucb.service.config import read_config
from conlinucb.service.settings import Settings
from conlinucb.service.storage import AnswerBody
from support import service_conversation, service_films
from support.service_conversation import Start, adds_up
from support.service_talk import Talk

name = service_films.name
start = service_conversation.start
NEWCOMERS = {"recipe": "for_newcomers"}
RECIPES = Path(__file__).parents[3] / "examples/recipes.csv"
KIND = {"content-type": "text/csv"}
WAYS = {"pair": ("pair", None), "any": ("group", "any"), "best": ("group", "best")}


def question(talk: Talk) -> dict[str, Any]:
    for _ in range(3):
        if (came := talk.next())["type"] == "question":
            return came
    raise AssertionError("no question in three calls")


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("agent", [NEWCOMERS, {"recipe": "conucb"}, {"recipe": "logistic"}])
def test_questions_are_as_was_chosen(start: Start, way: str, agent: dict[str, Any]) -> None:
    schedule = {"schedule": {"name": "linear", "b": 1}}
    talk = start(agent={**agent, **schedule}, ask_about=way)
    asked = question(talk)
    assert (asked["about"], asked["pick"]) == WAYS[way]
    if way == "pair":
        talk.answer(question=asked["question"], answer="second")
    else:
        talk.answer(question=asked["question"], picked=asked["terms"][:1])
    assert talk.state().user.theta.any()


def test_several_at_once_are_asked_every_other_round(start: Start) -> None:
    talk = start(agent=NEWCOMERS, ask_about="any")
    kinds = []
    for _ in range(4):
        came = talk.next()
        kinds.append(came["type"])
        if came["type"] == "question":
            talk.answer(question=came["question"], picked=[])
    assert kinds == ["recommendation", "question", "recommendation", "recommendation"]


def test_one_topic_is_the_default_and_older_releases_can_read_it() -> None:
    assert Settings().ask_about == "one"
    assert "ask_about" not in json.loads(Settings().to_log())
    assert json.loads(Settings(ask_about="best").to_log())["ask_about"] == "best"


@pytest.mark.parametrize(
    ("agent", "told"),
    [
        ({"recipe": "conlinucb", "strategy": "ucb"}, "strategy = 'ucb': leave one of them out"),
        ({"recipe": "conucb", "pair_update": "both"}, "pair_update = 'both'"),
        ({"recipe": "linucb"}, "the recipe linucb asks about no topics"),
        ({"recipe": "arm_con"}, "asks about no topics"),
    ],
)
def test_two_ways_at_once_are_refused(memory: TestClient, agent: dict[str, Any], told: str) -> None:
    body = {"agent": agent, "ask_about": "pair"}
    response = memory.put("/v1/catalogues/films/settings", json=body)
    assert response.status_code == 422
    assert told in response.json()["error"]["message"]


def test_another_way_is_chosen_at_once_and_what_was_said_stays(start: Start) -> None:
    talk = start(agent=NEWCOMERS, range=[0.0, 1.0], ask_about="pair", rest_after_skip=0)
    asked = question(talk)
    talk.answer(question=asked["question"], answer="first")
    theta = talk.state().user.theta.copy()
    path = f"/v1/catalogues/{talk.catalogue}/settings"
    settings = talk.client.get(path).json()
    assert settings["ask_about"] == "pair"
    for way in ("best", "one"):
        talk.client.put(path, json={**settings, "ask_about": way}).raise_for_status()
        talk.next(ask="never")
        now = question(talk)
        assert now["about"] == ("group" if way == "best" else "term")
        talk.answer(question=now["question"], answer="skip")
        assert talk.state().user.theta == pytest.approx(theta, abs=1e-9)


def test_an_address_says_it_for_a_table(memory: TestClient, name: str) -> None:
    body, path = RECIPES.read_bytes(), f"/v1/catalogues/{name}"
    shown = memory.post(
        "/v1/catalogues/preview", content=body, headers=KIND, params={"ask_about": "best"}
    ).json()
    first = shown["questions"][0]
    assert first["text"] == "Which of these do you like best?"
    assert first["topic"].count(" / ") == 3
    assert "items have one of these; the best is picked" in first["why"]
    topics = [each for one in shown["questions"] for each in one["topic"].split(" / ")]
    assert len(set(topics)) == len(topics)
    assert all(step["answer"] for each in shown["people"] for step in each["steps"])
    done = memory.put(path, content=body, headers=KIND, params={"ask_about": "best"})
    assert done.json()["settings"]["ask_about"] == "best"
    assert done.json()["settings"]["noun"] == "recipe"
    again = memory.put(path, content=body, headers=KIND).json()  # nothing said: it stays
    assert again["settings"]["ask_about"] == "best"
    other = memory.put(path, content=body, headers=KIND, params={"ask_about": "pair"}).json()
    assert (other["settings"]["ask_about"], other["settings"]["noun"]) == ("pair", "recipe")
    wrong = memory.put(path, content=body, headers=KIND, params={"ask_about": "two"})
    assert wrong.status_code == 422
    memory.delete(path).raise_for_status()


@pytest.mark.parametrize("way", ["pair", "any", "best"])
def test_the_preview_plays_every_way(memory: TestClient, way: str) -> None:
    params = {"ask_about": way}
    body = RECIPES.read_bytes()
    response = memory.post("/v1/catalogues/preview", content=body, headers=KIND, params=params)
    assert response.status_code == 200, response.text
    shown = response.json()
    said = {step["answer"] for each in shown["people"] for step in each["steps"]}
    likes = {topic for each in shown["people"] for topic in each["likes"]}
    assert said - {None} <= likes | {"Both", "Neither", "None of these"}
    assert 0 < len(shown["questions"]) <= 5


def test_it_stands_in_the_configuration_file(tmp_path: Path) -> None:
    (tmp_path / "tags.csv").write_bytes(RECIPES.read_bytes())
    file = tmp_path / "service.toml"
    said = '[catalogues.food]\nfile = "tags.csv"\n[catalogues.food.settings]\n'
    file.write_text(said + 'ask_about = "pair"\n')
    settings = read_config(file).catalogues["food"].settings
    assert settings is not None
    assert settings.asking_agent["strategy"] == "informative-pairs"
    file.write_text(said + 'ask_about = "pairs"\n')
    with pytest.raises(InvalidInput, match="'one', 'pair', 'any' or 'best', got 'pairs'"):
        read_config(file)


def test_an_arm_with_a_strategy_of_its_own_asks_by_that(memory: TestClient, name: str) -> None:
    path = f"/v1/catalogues/{name}"
    memory.put(
        path, content=RECIPES.read_bytes(), headers=KIND, params={"ask_about": "pair"}
    ).raise_for_status()
    own = {"recipe": "conlinucb", "strategy": "ucb", "schedule": {"name": "linear", "b": 1}}
    arms = [{"name": "now", "share": 0.5}, {"name": "ucb", "share": 0.5, "agent": own}]
    memory.put(f"{path}/experiment", json={"arms": arms, "seed": 7}).raise_for_status()
    found = {question(Talk(memory, name, f"user {i}"))["about"] for i in range(8)}
    assert found == {"pair", "term"}
    memory.post(f"{path}/experiment/promotion", json={"arm": "ucb"}).raise_for_status()
    settings = memory.get(f"{path}/settings").json()
    assert (settings["ask_about"], settings["agent"]) == ("one", own)
    memory.post(f"{path}/experiment/rollback").raise_for_status()
    settings = memory.get(f"{path}/settings").json()
    assert (settings["ask_about"], settings["agent"]) == ("pair", NEWCOMERS)
    memory.delete(path).raise_for_status()


def test_what_is_preferred_is_known_in_words(start: Start) -> None:
    talk = start(agent=NEWCOMERS, ask_about="pair")
    asked = question(talk)
    first, second = asked["terms"]
    receipt = talk.answer(question=asked["question"], answer="first")
    picture = talk.got("GET", "/picture")
    assert picture["preferred"] == [{"term": first, "over": second, "event": receipt["event"]}]
    shown = talk.next(ask="never", k=12)["items"]
    told = [each for item in shown for each in item["because"] if each["kind"] == "pair"]
    assert told
    assert {(each["about"], each["over"]) for each in told} == {(first, second)}
    assert (
        not [  # it says nothing of what has both
            item for item in shown if second in item["terms"] and item["because"]
        ]
    )
    for item in shown[:2]:
        found = talk.explain(item["item"])
        assert adds_up(found)
        part = found["contributions"][0]
        assert (part["terms"], part["chose"]) == ([first, second], "first")
    kept = talk.state().snapshot()
    again = type(talk.state()).from_snapshot(talk.state().version, kept)
    assert again is not None
    assert again.memory.preferred == talk.state().memory.preferred != {}
    talk.retract(receipt["event"])
    assert talk.got("GET", "/picture")["preferred"] == []


@pytest.mark.parametrize(("word", "said"), [("both", "yes"), ("neither", "no")])
def test_both_and_neither_are_said_of_each(start: Start, word: str, said: str) -> None:
    talk = start(agent=NEWCOMERS, ask_about="pair")
    asked = question(talk)
    talk.answer(question=asked["question"], answer=word)
    assert talk.bodies(AnswerBody)[-1].chose == word
    picture = talk.got("GET", "/picture")
    assert {each["term"]: each["said"] for each in picture["topics"] if each["said"]} == (
        dict.fromkeys(asked["terms"], said)
    )
    assert picture["preferred"] == []


def test_questions_are_over_where_one_topic_is_left(memory: TestClient, name: str) -> None:
    items = [{"id": t, "tags": [t]} for t in "abc"]
    body = {"items": items, "settings": {"ask_about": "pair"}}
    memory.put(f"/v1/catalogues/{name}", json=body).raise_for_status()
    talk = Talk(memory, name)
    asked = question(talk)
    talk.answer(question=asked["question"], answer="both")
    assert talk.got("GET", "/picture")["questions_over"]
    assert talk.next()["type"] == "recommendation"
    assert talk.next()["type"] == "recommendation"
    memory.delete(f"/v1/catalogues/{name}").raise_for_status()
