"""An id acknowledged once is known from then on, whatever was said before or has changed since."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi.testclient import TestClient

from support.service_conversation import question_of, refused, upload
from support.service_talk import Talk
from support.service_world import client_of

pytestmark = pytest.mark.more  # a service for each


@pytest.fixture
def talk(memory: TestClient, request: pytest.FixtureRequest) -> Talk:
    name = f"again {request.node.name}"
    upload(memory, name, range=[0, 1])
    return Talk(memory, name)


def test_an_id_of_a_repetition_is_kept(talk: Talk) -> None:
    question = question_of(talk)["question"]
    said = {"question": question, "answer": "yes"}
    first = talk.answer(**said, event="one")
    again = talk.answer(**said, event="two")
    assert again == {"event": first["event"], "repeated": True}
    assert talk.answer(**said, event="two") == again
    # Sent for something else, neither id is taken for a new one.
    for event in ("one", "two"):
        other = {"topic": "term 1", "answer": "no", "event": event}
        assert refused(talk, "/answers", other) == (409, "event_id_used")
        assert refused(talk, "/rewards", {"item": "item 1", "reward": 1, "event": event}) == (
            409,
            "event_id_used",
        )
    assert len(talk.log()) == first["event"]


def test_an_id_under_which_the_open_question_was_repeated_is_kept(talk: Talk) -> None:
    question = question_of(talk)
    assert talk.next(event="again") == question
    talk.answer(question=question["question"], answer=1)
    assert talk.next(event="again")["question"] == question["question"]
    assert talk.next(event="another").get("question") != question["question"]


def test_an_id_of_a_repetition_is_known_to_other_processes_and_goes_with_the_person(
    lasting_url: str,
) -> None:
    with client_of(lasting_url) as one, client_of(lasting_url) as two:
        upload(one, "it")
        talk, other = Talk(one, "it"), Talk(two, "it")
        body: dict[str, Any] = {"item": "item 2", "reward": 0.5}
        first = talk.reward(**body, event="one")
        assert talk.reward(**body, event="two")["repeated"] is True
        assert other.reward(**body, event="two") == {"event": first["event"], "repeated": True}
        body["item"] = "item 3"
        assert refused(other, "/rewards", {**body, "event": "two"}) == (409, "event_id_used")
        talk.send("DELETE", "")
        assert talk.reward(**body, event="two")["repeated"] is False


@pytest.mark.parametrize("new", [[0, 5], [-1, 0.4], [2, 3]])
@pytest.mark.parametrize("answer", ["yes", "no", "skip", 0.75, 0])
def test_an_answer_sent_again_after_the_range_changed_is_recognised(
    talk: Talk, answer: Any, new: list[float]
) -> None:
    question = question_of(talk)["question"]
    said = {"question": question, "answer": answer, "event": "one"}
    first = talk.answer(**said)
    rerange(talk, new)
    assert talk.answer(**said) == {"event": first["event"], "repeated": True}
    other = {**said, "answer": "no" if answer == "yes" else "yes"}
    assert refused(talk, "/answers", other) == (409, "event_id_used")


@pytest.mark.parametrize("answer", ["yes", 0.75])
def test_so_are_what_nobody_asked_for_and_rewards(talk: Talk, answer: Any) -> None:
    told = {"topic": "term 2", "answer": answer, "event": "told"}
    reward = {"item": "item 4", "reward": 0.6, "event": "liked"}
    first, second = talk.answer(**told), talk.reward(**reward)
    rerange(talk, [2, 3])
    assert talk.answer(**told) == {"event": first["event"], "repeated": True}
    assert talk.reward(**reward) == {"event": second["event"], "repeated": True}
    # What is new must fit the range of now.
    assert refused(talk, "/rewards", {**reward, "item": "item 5", "event": "more"}) == (
        422,
        "out_of_range",
    )


def rerange(talk: Talk, new: list[float]) -> None:
    path = f"/v1/catalogues/{talk.catalogue}/settings"
    settings = talk.client.get(path).json() | {"range": new}
    assert talk.client.put(path, json=settings).status_code == 200
