"""What people say unasked: topics that nobody asked about, items that nobody recommended."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from conlinucb.service.conversations.audit import Checker
from conlinucb.service.conversations.fold import fold
from support import service_conversation
from support.service_conversation import (
    CATALOG,
    ITEMS,
    TERMS,
    Start,
    adds_up,
    question_of,
    refusal,
    refused,
    upload,
)
from support.service_talk import RECIPES, Talk, arrays
from support.service_world import client_of

start = service_conversation.start
BETA = RECIPES["conlinucb"]["beta"]


def test_a_newcomer_begins_with_what_they_love(url: str) -> None:
    with client_of(url) as client:
        upload(client, "it", agent=RECIPES["conlinucb"])
        talk = Talk(client, "it")
        assert talk.answer(topic=TERMS[2], answer="yes") == {"event": 1, "repeated": False}
        assert talk.reward(item=ITEMS[5], reward=0.25) == {"event": 2, "repeated": False}
        seen = np.stack([CATALOG.terms[2], CATALOG.arms[5]])
        M = BETA * np.eye(3) + seen.T @ seen
        direct = np.linalg.solve(M, seen.T @ np.array([1.0, 0.25]))
        assert np.allclose(talk.state().user.theta, direct, atol=1e-12)
        assert not list(client.app.state.use_cases.storage.quarantine.all())  # type: ignore[attr-defined]
        checker = Checker(talk.use_cases.storage)
        assert checker.catalogues() == []
        assert [one.findings for one in checker.people()] == [[]]
        assert talk.next()["type"] == "question"


def test_the_log_has_what_was_said_and_nothing_more(start: Start) -> None:
    talk = start()
    talk.answer(topic=TERMS[0], answer=0.5, event="a")
    talk.reward(item=ITEMS[0], reward=1)
    first, second = talk.got("GET", "/export")["conversations"][0]["events"]
    assert first["about"] == {"about": "term", "id": TERMS[0], "answer": 0.5}
    assert (first["kind"], first["client_id"]) == ("answer", "a")
    assert (second["kind"], second["about"]) == ("reward", {"item": ITEMS[0], "reward": 1.0})
    events = talk.got("GET", "")["events"]
    assert [each["event"] for each in events] == [2, 1]


@pytest.mark.parametrize("recipe", RECIPES)
def test_a_rebuild_comes_to_the_same_and_explanations_add_up(start: Start, recipe: str) -> None:
    talk = start(recipe)
    for number in range(3):
        talk.answer(topic=TERMS[number], answer=0.3 * number)
        talk.reward(item=ITEMS[number + 4], reward=0.4)
        talk.go_on(len(talk.log()) + 3)
    state = talk.state()
    again, broken = fold(state.version, talk.person.seed, talk.log())
    assert not broken
    mine, theirs = arrays(state), arrays(again)
    assert set(mine) == set(theirs)
    assert all(np.array_equal(mine[name], theirs[name]) for name in mine)
    assert adds_up(talk.explain(ITEMS[9]))


BODIES: dict[str, dict[str, Any]] = {
    "/answers": {"topic": TERMS[1], "answer": 0.5},
    "/rewards": {"item": ITEMS[1], "reward": 0.5},
}
OTHERS = {"/answers": {"answer": 0.25}, "/rewards": {"reward": 0.25}}
ELSEWHERE = {"/answers": {"topic": TERMS[3]}, "/rewards": {"item": ITEMS[3]}}


@pytest.mark.parametrize("verb", BODIES)
def test_twice_is_once(start: Start, verb: str) -> None:
    talk, body = start(), BODIES[verb]
    first = talk.got("POST", verb, body | {"event": "mine"})
    again = first | {"repeated": True}
    assert talk.got("POST", verb, body | {"event": "mine"}) == again
    assert talk.got("POST", verb, body) == again
    assert refused(talk, verb, body | OTHERS[verb]) == (409, "already_said")
    for other in (OTHERS[verb], ELSEWHERE[verb]):
        changed = body | other | {"event": "mine"}
        assert refused(talk, verb, changed) == (409, "event_id_used")
    assert len(talk.log()) == 1


@pytest.mark.parametrize("verb", BODIES)
def test_an_id_is_not_shared_with_what_was_asked(start: Start, verb: str) -> None:
    """The same topic as an answer to a question, the same item as one recommended."""
    talk = start()
    if verb == "/answers":
        asked = question_of(talk)
        talk.answer(question=asked["question"], answer=0.5, event="mine")
        body = {"topic": asked["term"], "answer": 0.5}
    else:
        advice = talk.next(ask="never")
        item = advice["items"][0]["item"]
        talk.reward(decision=advice["decision"], item=item, reward=0.5, event="mine")
        body = {"item": item, "reward": 0.5}
    assert refused(talk, verb, body | {"event": "mine"}) == (409, "event_id_used")
    assert talk.got("POST", verb, body)["repeated"] is False


@pytest.mark.parametrize("verb", BODIES)
def test_taken_back_it_was_never_said(start: Start, verb: str) -> None:
    talk = start()
    talk.go_on(4)
    before = talk.state().user.theta.copy()
    event = talk.got("POST", verb, BODIES[verb])["event"]
    assert not np.allclose(talk.state().user.theta, before)
    talk.retract(event)
    assert np.allclose(talk.state().user.theta, before, atol=1e-12)
    assert talk.got("POST", verb, BODIES[verb] | OTHERS[verb])["repeated"] is False


@pytest.mark.parametrize(
    ("verb", "change", "code", "says"),
    [
        ("/answers", {"answer": "skip"}, "nothing_said", "only a question can be skipped"),
        ("/answers", {"answer": 1.5}, "out_of_range", "from 0 to 1"),
        ("/answers", {"topic": "term 11"}, "unknown_name", "term 1"),
        ("/rewards", {"reward": -0.1}, "out_of_range", "from 0 to 1"),
        ("/rewards", {"item": "item 99"}, "unknown_name", "item 9"),
    ],
)
def test_what_cannot_be_used_is_refused_and_leaves_no_one(
    start: Start, verb: str, change: dict[str, Any], code: str, says: str
) -> None:
    talk = start()
    status, found, message = refusal(talk, verb, BODIES[verb] | change)
    assert (status, found) == (422, code)
    assert says in message
    assert refused(talk, "", method="GET") == (404, "unknown_user")


def test_null_is_no_answer(start: Start) -> None:
    assert refused(start(), "/answers", {"topic": TERMS[0], "answer": None})[0] == 422


def test_a_volunteered_topic_rests(start: Start) -> None:
    talk = start(rest_after_answer=20)
    for term in TERMS[:-1]:
        talk.answer(topic=term, answer="no")
    assert question_of(talk)["term"] == TERMS[-1]


def test_an_open_question_stays_open(start: Start) -> None:
    talk = start()
    question = question_of(talk)
    talk.answer(topic=question["term"], answer="yes")
    assert talk.next() == question
    talk.answer(question=question["question"], answer="yes")


def test_a_removed_item_can_be_rewarded(start: Start) -> None:
    talk = start()
    removals = f"/v1/catalogues/{talk.catalogue}/removals"
    assert talk.client.post(removals, json={"items": [ITEMS[0]]}).status_code == 200
    talk.reward(item=ITEMS[0], reward=1)
    assert talk.state().user.theta.any()


def test_a_browser_volunteers_for_itself(start: Start) -> None:
    talk = start()
    talk.client.get("/")
    path = f"/v1/me/answers?catalogue={talk.catalogue}"
    told = talk.client.post(path, json={"topic": TERMS[0], "answer": "yes"})
    talk.client.cookies.clear()
    assert told.json() == {"event": 1, "repeated": False}
