"""What is asked over HTTP, how often, and what rests meanwhile."""

from __future__ import annotations

from typing import Any

import pytest

from support import service_conversation
from support.runs import ASKING_ABOUT_TERMS
from support.service_conversation import ASKING, CATALOG, ITEMS, TERMS, Start, asked
from support.service_talk import RECIPES, Talk

start = service_conversation.start


@pytest.mark.parametrize("recipe", ASKING)
def test_the_same_question_until_it_is_answered(start: Start, recipe: str) -> None:
    talk = start(recipe)
    question = talk.next()
    assert question["type"] == "question"
    bodies: list[dict[str, Any]] = [{}, {"k": 3}, {"pool": ITEMS[:2]}, {"offered": TERMS[:1]}]
    for body in bodies:
        assert talk.next(**body) == question
    assert len(talk.log()) == 1
    assert talk.got("GET", "")["open_question"] == question
    talk.answer(question=question["question"], answer="yes")
    assert talk.next()["type"] == "recommendation"
    assert talk.got("GET", "")["open_question"] is None


def test_someone_can_be_spared(start: Start) -> None:
    talk = start()
    assert talk.next(ask="never")["type"] == "recommendation"
    question = talk.next()
    for _ in range(3):
        assert talk.next(ask="never")["type"] == "recommendation"
    assert talk.next() == question
    talk.answer(question=question["question"], answer=0.5)
    assert talk.got("GET", "")["rounds"] == 4


@pytest.mark.parametrize("most", [0, 3])
def test_no_more_questions_than_allowed(start: Start, most: int) -> None:
    talk = start(max_questions=most)
    for number in range(most):
        question = talk.next()
        assert talk.next() == question  # at the limit, too
        assert question["type"] == "question"
        talk.answer(question=question["question"], answer=["skip", "yes"][number % 2])
        assert talk.next()["type"] == "recommendation"
    for _ in range(3):
        assert talk.next()["type"] == "recommendation"
    assert talk.got("GET", "")["questions_asked"] == most


@pytest.mark.parametrize("algorithm", ["arm_con", "conucb", *ASKING_ABOUT_TERMS])
def test_what_was_skipped_rests(start: Start, algorithm: str) -> None:
    agent = RECIPES.get(algorithm) or {**RECIPES["conlinucb"], "strategy": algorithm}
    talk = start(agent=agent, rest_after_skip=2)
    found = asked(talk, ["skip"] * 12)
    for i in range(10):
        assert len(set(found[i : i + 3])) == 3, found
    assert len(set(found)) < 12  # what has rested may be asked again


def test_it_rests_just_as_long_as_it_should(start: Start) -> None:
    """The widest radius stays the widest where nothing is learned of it."""
    talk = start(rest_after_skip=3)
    found = asked(talk, ["skip", 0.5, 0.5, 0.5, "skip", 0.5])
    assert found[4] == found[0]
    assert found.count(found[0]) == 2


@pytest.mark.parametrize("algorithm", ["arm_con", "spanner", "max-radius"])
def test_where_everything_rests_nothing_is_asked(start: Start, algorithm: str) -> None:
    agent = RECIPES.get(algorithm) or {**RECIPES["conlinucb"], "strategy": algorithm}
    talk = start(agent=agent, rest_after_skip=1000)
    there = {"arm_con": 12, "spanner": CATALOG.d, "max-radius": 6}[algorithm]
    assert len(set(asked(talk, ["skip"] * there))) == there
    for _ in range(4):
        assert talk.next()["type"] == "recommendation"


@pytest.mark.parametrize("algorithm", ["arm_con", "random", "ucb", "spanner"])
def test_what_was_answered_may_rest_too(start: Start, algorithm: str) -> None:
    agent = RECIPES.get(algorithm) or {**RECIPES["conlinucb"], "strategy": algorithm}
    talk = start(agent=agent, rest_after_answer=2)
    found = asked(talk, ["yes", 0.2, "no", 0.9] * 3)
    for i in range(10):
        assert len(set(found[i : i + 3])) == 3, found


def test_what_rests_is_a_term_or_an_item(start: Start) -> None:
    """After a change from key-terms to items, items do not rest for the terms skipped before."""
    talk = start(rest_after_skip=1000)
    skipped = asked(talk, ["skip"] * 6)
    assert sorted(skipped) == TERMS
    settings = {
        "agent": RECIPES["arm_con"],
        "max_questions": None,
        "rest_after_skip": 1000,
        "rest_after_answer": 0,
    }
    path = f"/v1/catalogues/{talk.catalogue}/settings"
    assert talk.client.put(path, json=settings).status_code == 200
    assert sorted(asked(talk, ["skip"] * 12)) == sorted(ITEMS)


@pytest.mark.parametrize("recipe", ASKING)
def test_what_a_question_says_about_itself(start: Start, recipe: str) -> None:
    talk = start(recipe, question="And {term}?")
    asked(talk, [0.3, 0.8])
    talk.next()
    question = talk.next()
    assert question["text"] == f"And {question['term']}?"
    why = question["why"]
    if question["about"] == "term":
        before = {each["term"]: each for each in talk.got("GET", "")["terms"]}
        rank = 1 + sum(e["radius"] > question["radius"] + 1e-9 for e in before.values())
        assert (why["rank"], why["of"]) == (rank, 6)
        assert before[question["term"]]["radius"] == question["radius"]
        assert before[question["term"]]["mean"] == question["mean"]
    else:
        believed = talk.explain(question["term"])
        assert [question[each] for each in ("mean", "radius")] == [
            believed[each] for each in ("mean", "radius")
        ]
    talk.answer(question=question["question"], answer=1)
    assert radius_of(talk, question) == pytest.approx(why["radius_after"], rel=1e-9)
    assert why["strategy"] == {"arm_con": "best item", "conucb": "optimal-greedy"}.get(
        recipe, "max-radius"
    )


def radius_of(talk: Talk, question: dict[str, Any]) -> float:
    if question["about"] == "arm":
        return float(talk.explain(question["term"])["radius"])
    terms = talk.got("GET", "")["terms"]
    return next(float(each["radius"]) for each in terms if each["term"] == question["term"])


def test_a_question_stays_as_it_was_put(start: Start) -> None:
    """Whatever the settings are by the time that it is sent or looked at again."""
    talk = start()
    question = talk.next(event="mine")
    later = {"agent": {"recipe": "linucb"}, "question": "And {term}?"}
    changed = talk.client.put(f"/v1/catalogues/{talk.catalogue}/settings", json=later)
    assert changed.status_code in (200, 202)
    assert question["why"]["strategy"] == "max-radius"
    assert talk.got("GET", "")["open_question"] == question
    assert talk.next(event="mine") == question
