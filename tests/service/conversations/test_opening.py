"""Someone of whom nothing is known: what is shown and asked first tells much and is understood."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import Any

from fastapi.testclient import TestClient

from support.service_talk import Talk

ROUNDS = 4


def step(talk: Talk, **more: Any) -> dict[str, Any]:
    asked = {"fresh": True, "k": 3, "ask": "never", **more}
    return dict(talk.got("POST", "/steps", {"next": asked})["step"])


def items(came: dict[str, Any]) -> list[str]:
    return [each["item"] for each in came["items"]]


def test_first_come_films_unlike_each_other_and_not_the_oldest(memory: TestClient) -> None:
    talk = Talk(memory, "films", "opening, shown")
    catalog = talk.use_cases.catalogues.serving("films").catalog
    first = step(talk)
    assert items(first) != [str(each) for each in catalog.arm_ids[:3]]
    for one, other in combinations(first["items"], 2):
        assert len(set(one["terms"]) & set(other["terms"])) <= 1
    rounds = [items(first), *(items(step(talk)) for _ in range(ROUNDS - 1))]
    assert len({each for shown in rounds for each in shown}) == 3 * ROUNDS
    old = [each for shown in rounds for each in shown if int(each[-5:-1]) < 1930]
    assert len(old) <= 1


def test_the_first_questions_are_about_broad_topics(memory: TestClient) -> None:
    talk = Talk(memory, "films", "opening, asked")
    chips = memory.get("/v1/page/beginning", params={"catalogue": "films"}).json()["chips"]
    broad = {each["term"] for each in chips}
    asked: list[str] = []
    while len(asked) < ROUNDS:
        came = step(talk, ask="due")
        if came["type"] == "question":
            asked.append(came["term"])
            talk.answer(question=came["question"], answer="skip")
    assert len(set(asked)) == ROUNDS
    assert set(asked) <= broad


def test_who_said_something_is_shown_what_the_agent_finds_best(memory: TestClient) -> None:
    talk = Talk(memory, "films", "opening, known")
    talk.reward(item="Alien (1979)", reward=1)
    state = talk.state()
    best = state.version.agent.recommend(
        replace(state.user), k=3, exclude=[state.version.catalog.arm_index("Alien (1979)")]
    )
    assert items(step(talk)) == [str(each) for each in best.ids]
