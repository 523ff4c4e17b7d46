"""Questions about groups and pairs over HTTP: asked, answered in their own words, taken back."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from conlinucb import Picked
from conlinucb.agent.question import question_about
from conlinucb.service.conversations.seen import answer_word
from conlinucb.service.storage import AnswerBody, QuestionBody
from support import service_conversation
from support.service_conversation import TERMS, Start, adds_up
from support.service_pairs import PAIR, ask_about_a_pair
from support.service_talk import SCHEDULE, Talk

start = service_conversation.start
AGENT = {"recipe": "conlinucb", "beta": 0.4, "schedule": SCHEDULE}


@pytest.fixture(params=["pick-any", "best-of"])
def talk(start: Start, request: pytest.FixtureRequest) -> Talk:
    return start(agent={**AGENT, "strategy": request.param}, range=[1.0, 5.0])


def refused(talk: Talk, body: dict[str, Any], code: str) -> str:
    response = talk.send("POST", "/answers", body)
    assert response.status_code == 422, response.text
    found = response.json()["error"]
    assert found["code"] == code
    return str(found["message"])


def test_a_group_is_asked_and_picked_from(talk: Talk) -> None:
    asked = talk.next()
    best = asked["pick"] == "best"
    assert (asked["type"], asked["about"]) == ("question", "group")
    assert asked["text"] == f"Which of these do you like{' best' if best else ''}?"
    assert len(asked["terms"]) == (3 if best else 6)
    picked = asked["terms"][1:2] if best else asked["terms"][2:0:-1]
    state = talk.state()
    twin = state.version.agent.load_user(state.user.to_arrays())
    receipt = talk.answer(question=asked["question"], picked=picked, event="once")
    which = [TERMS.index(each) for each in asked["terms"]]
    question = question_about(
        state.version.catalog, "group", which, twin.questions, 1, asked["pick"]
    )
    state.version.agent.hear(twin, question, Picked(tuple(picked), no=1.0, yes=5.0))
    np.testing.assert_allclose(talk.state().user.theta, twin.theta, atol=1e-12)
    body = talk.bodies(AnswerBody)[-1]
    assert sorted(body.picked or ()) == sorted(picked)
    assert body.answer == pytest.approx(1.0 + 4.0 * len(picked) / len(which))
    assert talk.answer(question=asked["question"], picked=picked[::-1], event="once") == {
        **receipt,
        "repeated": True,
    }
    assert adds_up(talk.explain("item 2"))
    said = {each["term"]: each["said"] for each in talk.got("GET", "/picture")["topics"]}
    assert {term for term, word in said.items() if word == "yes"} == set(picked)
    talk.retract(receipt["event"])
    assert not talk.state().user.theta.any()
    assert talk.got("GET", "/export")["conversations"][0]["events"][1]["about"]["picked"]


def test_none_of_these_and_skips(talk: Talk) -> None:
    asked = talk.next()
    talk.answer(question=asked["question"], picked=[])
    assert talk.bodies(AnswerBody)[-1].picked == []
    before = talk.state().user.theta.copy()
    assert before.any()
    talk.next()
    asked = talk.next()
    talk.answer(question=asked["question"], answer="unknown")
    body = talk.bodies(AnswerBody)[-1]
    assert (body.answer, answer_word(body, (0.0, 1.0))) == (None, "unknown")
    assert talk.state().user.theta.tolist() == before.tolist()


def test_answers_that_do_not_fit_a_group(talk: Talk) -> None:
    asked = talk.next()
    q = {"question": asked["question"]}
    assert "'opera'" in refused(talk, {**q, "picked": ["opera"]}, "unfitting_answer")
    assert "once" in refused(talk, {**q, "picked": asked["terms"][:1] * 2}, "unfitting_answer")
    for word in ("yes", "both", 3.0):
        assert "picked" in refused(talk, {**q, "answer": word}, "unfitting_answer")
    if asked["pick"] == "best":
        assert "best" in refused(talk, {**q, "picked": asked["terms"][:2]}, "unfitting_answer")
    for body in ({**q}, {**q, "picked": [], "answer": "yes"}, {"topic": "term 1", "picked": []}):
        assert talk.send("POST", "/answers", body).status_code == 422
    assert talk.state().open_seq == 1
    assert [type(each) for each in talk.bodies(QuestionBody)] == [QuestionBody]


@pytest.mark.parametrize(
    ("said", "answer", "worth"),
    [
        ("first", 5.0, (5.0, 1.0)),
        ("yes", 5.0, (5.0, 1.0)),
        ("second", 1.0, (1.0, 5.0)),
        ("both", 3.0, (5.0, 5.0)),
        ("neither", 3.0, (1.0, 1.0)),
        ("unknown", None, None),
    ],
)
def test_what_is_said_of_a_pair(start: Start, said: str, answer: Any, worth: Any) -> None:
    talk = start(range=[1.0, 5.0])
    talk.next(ask="never")
    seq = ask_about_a_pair(talk)
    state = talk.state()
    twin = state.version.agent.load_user(state.user.to_arrays())
    receipt = talk.answer(question=f"q{seq}", answer=said, event="a")
    body = talk.bodies(AnswerBody)[-1]
    assert (body.answer, body.chose is None) == (answer, answer is None)
    assert twin.open is not None
    state.version.agent.hear(twin, twin.open, worth)
    np.testing.assert_allclose(talk.state().user.theta, twin.theta, atol=1e-12)
    assert talk.answer(question=f"q{seq}", answer=said, event="a")["repeated"]
    assert twin.times == {TERMS.index(each): 1 for each in PAIR}
    assert adds_up(talk.explain("item 2"))
    talk.retract(receipt["event"])
    assert not talk.state().user.theta.any()


def test_a_topic_is_not_answered_like_a_pair(start: Start) -> None:
    talk = start()
    asked = talk.next()
    assert asked["about"] == "term"
    for body in ({"answer": "both"}, {"picked": [asked["term"]]}):
        refused(talk, {"question": asked["question"], **body}, "unfitting_answer")
    refused(talk, {"topic": "term 1", "answer": "first"}, "unfitting_answer")


def test_texts_of_ones_own(start: Start) -> None:
    own = {"best_question": "{terms}: which first?"}
    talk = start(agent={**AGENT, "strategy": "best-of"}, **own)
    asked = talk.next()
    assert asked["text"] == f"{', '.join(asked['terms'])}: which first?"
