"""What was said and what comes next in one request; sent again, nothing happens twice."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from fastapi.testclient import TestClient

from conlinucb.service.conversations.audit import difference
from conlinucb.service.conversations.fold import fold
from conlinucb.service.schemas import StepsBody
from conlinucb.service.schemas.talk import MOST_SAID
from support import service_conversation
from support.service_conversation import ITEMS, TERMS, Start, refusal, upload
from support.service_talk import RECIPES, Talk, arrays
from support.service_world import client_of

start = service_conversation.start


def step(talk: Talk, said: list[Any] | None = None, **next_: Any) -> dict[str, Any]:
    """One request that says these things and asks for what comes next."""
    return talk.got("POST", "/steps", {"said": said or [], "next": next_ or None})


LOVES: list[dict[str, Any]] = [
    {"answer": {"topic": TERMS[0], "answer": "yes", "event": "a"}},
    {"reward": {"item": ITEMS[1], "reward": 1, "event": "b"}},
]


def test_a_step_is_what_its_parts_are_one_by_one(start: Start) -> None:
    one, by_one = start(), start()
    out = step(one, LOVES, ask="never", k=2)
    by_one.answer(**LOVES[0]["answer"])
    by_one.reward(**LOVES[1]["reward"])
    assert out["step"] == by_one.next(ask="never", k=2)
    assert out["receipts"] == [{"event": 1, "repeated": False}, {"event": 2, "repeated": False}]
    assert out["ended"] is None
    assert out["picture"] == one.got("GET", "/picture") == by_one.got("GET", "/picture")
    assert [each.body for each in one.log()] == [each.body for each in by_one.log()]


def test_a_question_comes_and_its_answer_goes_with_the_next_request(start: Start) -> None:
    talk = start()
    first = step(talk, event="1")
    assert first["step"]["type"] == "question"
    answer = {"question": first["step"]["question"], "answer": "no", "event": "2"}
    second = step(talk, [{"answer": answer}], k=3)
    assert second["step"]["type"] == "recommendation"
    topic = next(
        each for each in second["picture"]["topics"] if each["term"] == first["step"]["term"]
    )
    assert (topic["liking"], topic["said"]) == (-1.0, "no")
    assert second["picture"]["questions_asked"] == second["picture"]["rounds"] == 1


def test_nothing_next_and_nothing_said_is_a_look(start: Start) -> None:
    talk = start()
    out = step(talk)
    assert (out["receipts"], out["step"], out["ended"]) == ([], None, None)
    assert out["picture"] == talk.got("GET", "/picture")
    with pytest.raises(AssertionError):
        _ = talk.person


def test_sent_again_nothing_happens_twice(start: Start) -> None:
    talk = start()
    first = step(talk, LOVES, ask="never", k=2, event="c")
    before = [each.body for each in talk.log()]
    again = step(talk, LOVES, ask="never", k=2, event="c")
    assert [each.body for each in talk.log()] == before
    assert again["receipts"] == [{"event": 1, "repeated": True}, {"event": 2, "repeated": True}]
    assert {**again, "receipts": []} == {**first, "receipts": []}


def test_what_was_cut_off_in_the_middle_goes_on(start: Start) -> None:
    """As after a broken connection: only the first thing had come through."""
    whole, cut = start(), start()
    step(cut, LOVES[:1])
    again, direct = (step(each, LOVES, ask="never", k=2, event="c") for each in (cut, whole))
    assert [each["repeated"] for each in again["receipts"]] == [True, False]
    assert {**again, "receipts": []} == {**direct, "receipts": []}


def test_what_is_refused_says_so_and_the_rest_goes_on(start: Start) -> None:
    talk = start()
    said = [
        {"take_back": {"event": 7}},
        {"answer": {"topic": TERMS[0], "answer": "yes"}},
        {"answer": {"topic": TERMS[0], "answer": "no"}},
        {"answer": {"topic": "nothing like it", "answer": "no"}},
        {"answer": {"question": "q9", "answer": "no"}},
        {"reward": {"item": ITEMS[0], "reward": 7}},
        {"reward": {"decision": "d1", "item": ITEMS[0], "reward": 1}},
        {"take_back": {"event": 1}},
        {"answer": {"topic": TERMS[0], "answer": "no"}},
    ]
    out = step(talk, said, ask="never")
    codes = [each["error"]["code"] if "error" in each else None for each in out["receipts"]]
    assert codes == [
        "unknown_user",
        None,
        "already_said",
        "unknown_name",
        "unknown_question",
        "out_of_range",
        "unknown_decision",
        None,
        None,
    ]
    assert out["step"]["type"] == "recommendation"
    assert out["picture"]["answered"] == [{"term": TERMS[0], "answer": "no", "event": 3}]


WRONG: dict[str, Any] = {
    "nothing in it": {"said": [{}]},
    "two in one": {"said": [{**LOVES[0], **LOVES[1]}]},
    "an unknown field": {"said": [], "then": {}},
    "too many": {"said": [LOVES[0]] * (MOST_SAID + 1)},
    "no event": {"said": [{"take_back": {"event": 0}}]},
    "neither question nor topic": {"said": [{"answer": {"answer": "yes"}}]},
    "no list": {"said": LOVES[0]},
    "an unknown pool": {"next": {"pool": ["no such item"]}},
    "an unknown likeness": {"next": {"like": "no such item", "ask": "never"}},
}


@pytest.mark.parametrize("how", WRONG)
def test_bodies_that_make_no_sense_are_refused(start: Start, how: str) -> None:
    assert refusal(start(), "/steps", WRONG[how])[0] == 422


def test_as_many_as_are_taken_are_taken() -> None:
    assert len(StepsBody.model_validate({"said": [LOVES[0]] * MOST_SAID}).said) == MOST_SAID


def test_two_who_write_at_once_lose_nothing(start: Start) -> None:
    talk, done = start(), []

    def write(own: int) -> None:
        for number in range(own, len(TERMS), 2):
            said = {"topic": TERMS[number], "answer": "yes", "event": f"e{number}"}
            out = step(talk, [{"answer": said}], ask="never", event=f"n{number}")
            done.append(out["receipts"][0]["event"])

    threads = [threading.Thread(target=write, args=(own,)) for own in (0, 1)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert len(set(done)) == len(TERMS)
    state = talk.state()
    folded, broken = fold(state.version, talk.person.seed, talk.log())
    assert not broken
    assert difference(arrays(state), arrays(folded)) is None
    assert len(state.memory.answers) == len(TERMS)
    assert state.user.rounds == len(TERMS)


def test_two_services_on_one_database_see_each_other(lasting_url: str) -> None:
    """What one has at hand is caught up with what the other wrote, before anything is decided."""
    with client_of(lasting_url) as one, client_of(lasting_url) as other:
        upload(one, "it", agent=RECIPES["conlinucb"])
        first, second = Talk(one, "it"), Talk(other, "it")
        step(first, LOVES[:1], ask="never", event="x")
        said = step(second, LOVES[1:], ask="never", event="y")
        assert {each["event"] for each in said["picture"]["answered"]} == {1}
        out = step(first, [{"take_back": {"event": 1}}], ask="never", event="z")
        assert out["picture"]["answered"] == []
        assert out["picture"] == second.got("GET", "/picture")


def test_the_page_has_it_for_its_visitor(memory: TestClient) -> None:
    assert memory.post("/v1/me/steps", json={"said": []}).status_code == 401
    memory.get("/")
    try:
        found = memory.post("/v1/me/steps", json={"said": [], "next": {"ask": "never"}})
        assert found.json()["step"]["items"][0]["title"]
        assert memory.get("/v1/me/picture").json()["rounds"] == 1
    finally:
        memory.delete("/v1/me")
        memory.cookies.clear()
