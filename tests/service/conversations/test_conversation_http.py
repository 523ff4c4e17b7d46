"""What is said and shown over HTTP, what never was, and what is told of it."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from conlinucb.service.conversations import decide
from conlinucb.service.conversations.fold import RECENT
from conlinucb.service.storage import AnswerBody
from support import service_conversation
from support.service_conversation import ITEMS, TERMS, Start, asked, refusal, refused, told, upload
from support.service_talk import RECIPES, Talk
from support.service_world import client_of

start = service_conversation.start


# Numbers


def test_numbers_are_in_the_range(start: Start) -> None:
    talk = start()
    question = talk.next()["question"]
    for wrong in (-0.1, 1.1, 1e99):
        said = {"question": question, "answer": wrong}
        status, code, message = refusal(talk, "/answers", said)
        assert (status, code) == (422, "out_of_range")
        assert "from 0 to 1" in message
        assert repr(wrong) in message
    for wrong_type in ("maybe", None, [1]):
        said = {"question": question, "answer": wrong_type}
        assert refused(talk, "/answers", said) == (422, "invalid_request")
    talk.answer(question=question, answer=1.0)
    advice = talk.next()
    item = {"decision": advice["decision"], "item": advice["items"][0]["item"]}
    for wrong in (-1e-9, 1.0000001):
        assert refused(talk, "/rewards", item | {"reward": wrong}) == (422, "out_of_range")
    assert refused(talk, "/rewards", item | {"reward": "skip"}) == (422, "invalid_request")
    talk.reward(**item, reward=0)
    assert [each.kind for each in talk.log()] == ["question", "answer", "recommendation", "reward"]


def test_a_range_can_be_widened(start: Start) -> None:
    talk = start(range=[-2, 5])
    asked(talk, ["yes", "no", 5, -2, 1.25, "skip"])
    said = [each.answer for each in talk.bodies(AnswerBody)]
    assert said == [5.0, -2.0, 5.0, -2.0, 1.25, None]
    advice = talk.next(ask="never")
    item = {"decision": advice["decision"], "item": advice["items"][0]["item"]}
    assert refused(talk, "/rewards", item | {"reward": 5.5}) == (422, "out_of_range")
    talk.reward(**item, reward=5)


def test_yes_and_no_are_the_ends_of_the_range(start: Start) -> None:
    talk = start()
    asked(talk, ["yes", "no"])
    assert [each.answer for each in talk.bodies(AnswerBody)] == [1.0, 0.0]


# What was never asked or shown


def test_unknown_questions_and_decisions(start: Start) -> None:
    talk = start()
    question = talk.next()["question"]
    talk.answer(question=question, answer="yes")
    advice = talk.next()
    shown = advice["items"][0]["item"]
    before = talk.log()
    for odd in ("q99", advice["decision"].replace("d", "q"), "q2", "1", "q", "q-1", "q1e3", "d1"):
        said = {"question": odd, "answer": "yes"}
        assert refused(talk, "/answers", said) == (404, "unknown_question"), odd
    for odd in ("d99", "d1", "d2", "3", "d", "d+3", question, "d" + "9" * 30):
        body = {"decision": odd, "item": shown, "reward": 1}
        assert refused(talk, "/rewards", body) == (404, "unknown_decision"), odd
    other = next(each for each in ITEMS if each != shown)
    body = {"decision": advice["decision"], "item": other, "reward": 1}
    status, code, message = refusal(talk, "/rewards", body)
    assert (status, code) == (422, "item_not_shown")
    assert repr(shown) in message
    assert talk.log() == before


def test_questions_and_decisions_of_others(start: Start) -> None:
    talk = start()
    asked(talk, [1, 0])
    advice = talk.next()
    other = Talk(talk.client, talk.catalogue, "bob")
    other.next(ask="never")
    body = {"decision": advice["decision"], "item": advice["items"][0]["item"], "reward": 1}
    assert refused(other, "/rewards", body) == (404, "unknown_decision")
    assert refused(other, "/answers", {"question": "q4", "answer": 1}) == (404, "unknown_question")


def test_a_question_behind_which_another_was_asked_is_closed(start: Start) -> None:
    talk = start()
    question = talk.next()["question"]
    gone = talk.answer(question=question, answer="yes")["event"]
    talk.next()
    talk.next()
    talk.retract(gone)
    status, code, message = refusal(talk, "/answers", {"question": question, "answer": "no"})
    assert (status, code) == (409, "question_closed")
    assert "open now: q4" in message


def test_unknown_people_stay_unknown(start: Start) -> None:
    talk = start()
    nobody = Talk(talk.client, talk.catalogue, "nobody")
    answer = {"question": "q1", "answer": "yes"}
    reward = {"decision": "d1", "item": ITEMS[0], "reward": 1}
    for method, what, body in (
        ("POST", "/answers", answer),
        ("POST", "/rewards", reward),
        ("DELETE", "/events/1", None),
        ("GET", "", None),
        ("GET", "/export", None),
        ("DELETE", "", None),
    ):
        status, code, message = refusal(nobody, what, body, method)
        assert (status, code) == (404, "unknown_user"), what
        assert "'nobody'" in message
    status, code, _ = refusal(nobody, "/explain", None, "GET", item=ITEMS[0])
    assert (status, code) == (404, "unknown_user")


# Late rewards


def test_rewards_may_come_late(lasting_url: str) -> None:
    with client_of(lasting_url) as client:
        upload(client, "it", agent=RECIPES["conlinucb"], max_questions=None)
        talk = Talk(client, "it")
        advice = talk.next(ask="never", k=3)
        first, second, third = (each["item"] for each in advice["items"])
        for _ in range(RECENT + 3):
            talk.next(ask="never")
        talk.reward(decision=advice["decision"], item=second, reward=0.9)
        removal = {"items": [first]}
        assert client.post("/v1/catalogues/it/removals", json=removal).status_code == 200
    with client_of(lasting_url) as client:
        talk = Talk(client, "it")
        for item in (first, third):
            before = talk.state().user.theta
            talk.reward(decision=advice["decision"], item=item, reward=0.4)
            assert np.abs(talk.state().user.theta - before).max() > 1e-6
        assert talk.state().user.rounds == RECENT + 4
        agent = talk.state().version.agent
        user = agent.new_user()
        for item, reward in ((second, 0.9), (first, 0.4), (third, 0.4)):
            agent.learn(user, ITEMS.index(item), reward)
        assert np.array_equal(talk.state().user.theta, user.theta)


# Profile and export


def test_the_profile(start: Start) -> None:
    talk = start()
    talk.go_on(11)
    question = talk.next()
    profile = talk.got("GET", "")
    assert (profile["user"], profile["catalogue"]) == ("ann", talk.catalogue)
    assert (profile["rounds"], profile["questions_asked"]) == (3, 4)
    assert profile["open_question"] == question
    assert profile["events_in_all"] == len(talk.log()) == 13
    assert profile["damaged_events"] == 0
    believed = talk.state().version.agent.estimates(talk.state().user)
    assert [each["term"] for each in profile["terms"]] == TERMS
    assert [each["mean"] for each in profile["terms"]] == believed.means.tolist()
    assert [each["radius"] for each in profile["terms"]] == believed.radii.tolist()
    assert [each["event"] for each in profile["events"]] == list(range(13, 0, -1))
    latest = talk.got("GET", "", events=3)["events"]
    assert latest == profile["events"][:3]
    assert talk.got("GET", "", events=0)["events"] == []
    for wrong in (-1, 1001, "all"):
        assert talk.send("GET", "", events=wrong).status_code == 422


def test_the_export_holds_everything_and_lasts(lasting_url: str) -> None:
    with client_of(lasting_url) as client:
        upload(client, "it", agent=RECIPES["conlinucb"], max_questions=None)
        talk = Talk(client, "it", "ann é 🎬")
        talk.send("PUT", "", {"seed": 11})
        answer = {**told(talk, "/answers"), "event": "née"}
        gone = talk.answer(**answer)["event"]
        talk.go_on(12)
        talk.retract(gone)
        exported = talk.got("GET", "/export")
        (conversation,) = exported["conversations"]
        assert (exported["user"], conversation["seed"]) == ("ann é 🎬", 11)
        entries = conversation["events"]
        assert [each["about"] for each in entries] == [each.body.written() for each in talk.log()]
        assert [each["kind"] for each in entries] == [each.kind for each in talk.log()]
        assert entries[1]["client_id"] == "née"
        assert [each["event"] for each in entries if each["retracted"]] == [gone]
        assert all(each["at"] <= later["at"] for each, later in pairwise(entries))
    with client_of(lasting_url) as client:
        assert Talk(client, "it", "ann é 🎬").got("GET", "/export") == exported


def test_a_decision_that_could_not_be_read_again_is_not_written(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    talk = start()
    talk.go_on(4)
    before = talk.log()
    assert before[-1].kind == "reward"  # so that a question comes next
    monkeypatch.setattr(decide, "_chosen_by", lambda agent: None)
    status, code, message = refusal(talk, "/next")
    assert (status, code) == (500, "damaged")
    assert "its strategy is None" in message
    assert talk.log() == before
    monkeypatch.undo()
    assert talk.next()["type"] == "question"
