"""What a caller of ``next`` may ask for over HTTP: pools, what is offered, and seeds."""

from __future__ import annotations

from typing import Any

import pytest

from support import service_conversation
from support.runs import ASKING_ABOUT_TERMS
from support.service_conversation import ITEMS, TERMS, Start, asked, refusal, refused
from support.service_talk import RECIPES, Talk

start = service_conversation.start


# Pools


def test_what_is_shown_is_of_the_pool(start: Start) -> None:
    talk = start(agent={"recipe": "linucb"})
    shown = [each["item"] for each in talk.next(pool=ITEMS[3:7], k=100)["items"]]
    assert sorted(shown) == sorted(ITEMS[3:7])
    shown = [
        each["item"]
        for each in talk.next(pool=ITEMS[3:7], exclude=[ITEMS[4], ITEMS[0]], k=100)["items"]
    ]
    assert sorted(shown) == sorted([ITEMS[3], *ITEMS[5:7]])
    everything = talk.next(k=100)["items"]
    assert sorted(each["item"] for each in everything) == sorted(ITEMS)
    scores = [each["score"] for each in everything]
    assert scores == sorted(scores, reverse=True)
    assert len(talk.next(exclude=ITEMS[1:], k=100)["items"]) == 1


def test_unknown_names_in_a_wish(start: Start) -> None:
    talk = start()
    for field, wrong, near in (
        ("pool", "itme 3", "item"),
        ("offered", "termm 2", "term 2"),
    ):
        status, code, message = refusal(talk, "/next", {field: [wrong]})
        assert (status, code) == (422, "unknown_name")
        assert repr(wrong) in message
        assert f"Did you mean '{near}" in message


def test_excluding_what_is_not_there_makes_no_difference(start: Start) -> None:
    talk = start(agent={"recipe": "linucb"})
    shown = talk.next(exclude=["gone since the last version", ITEMS[0]], k=100)["items"]
    assert sorted(each["item"] for each in shown) == sorted(ITEMS[1:])


def test_wishes_that_leave_nothing(start: Start) -> None:
    talk = start(agent={"recipe": "linucb"})
    removal = {"items": [ITEMS[2]]}
    talk.client.post(f"/v1/catalogues/{talk.catalogue}/removals", json=removal)
    for none in ({"exclude": ITEMS}, {"pool": ITEMS[:1], "exclude": ITEMS}):
        assert refused(talk, "/next", none) == (422, "nothing_left")
    assert refused(talk, "/next", {"pool": [ITEMS[2]]}) == (422, "invalid_input")
    odd: tuple[dict[str, Any], ...] = ({"pool": []}, {"offered": []}, {"k": 0}, {"k": 101})
    for body in (*odd, {"ask": "always"}):
        assert refused(talk, "/next", body) == (422, "invalid_request")
    assert refused(talk, "", None, "GET") == (404, "unknown_user")  # nothing was written
    shown = talk.next(pool=ITEMS[2:4], k=5)["items"]
    assert [each["item"] for each in shown] == [ITEMS[3]]


@pytest.mark.parametrize("strategy", ASKING_ABOUT_TERMS)
def test_what_is_asked_is_of_what_is_offered(start: Start, strategy: str) -> None:
    talk = start(agent={**RECIPES["conlinucb"], "strategy": strategy})
    if strategy == "spanner":
        status, code, message = refusal(talk, "/next", {"offered": TERMS[:2]})
        assert (status, code) == (422, "invalid_input")
        assert "max-radius" in message
        assert talk.next(offered=TERMS)["term"] in TERMS
        return
    for few in (TERMS[:1], TERMS[2:4], TERMS[5:]):
        question = talk.next(offered=few)
        assert question["term"] in few
        talk.answer(question=question["question"], answer=0.5)
        talk.next()


# Seeds


def test_a_seed_decides_what_is_drawn(start: Start) -> None:
    talk = start(agent={**RECIPES["conlinucb"], "strategy": "random"})
    found = {}
    for name, seed in (("a", 7), ("b", 7), ("c", 2**64 - 1), ("d", None)):
        one = Talk(talk.client, talk.catalogue, name)
        assert one.send("PUT", "", {"seed": seed}).status_code == 204
        found[name] = asked(one, [0.5] * 12)
    assert found["a"] == found["b"]
    assert len({tuple(each) for each in found.values()}) == 3
    by_hand = talk.use_cases.catalogues.serving(talk.catalogue).agent
    user = by_hand.new_user(seed=2**64 - 1)
    for term in found["c"]:
        question = by_hand.ask(user)
        assert question is not None
        assert TERMS[question.index] == term
        by_hand.hear(user, question, 0.5)
        by_hand.recommend(user)


def test_a_seed_stays(start: Start) -> None:
    talk = start()
    for body in ({"seed": 5}, {"seed": 5}, {}, None):
        assert talk.send("PUT", "", body).status_code == 204
    status, code, message = refusal(talk, "", {"seed": 6}, "PUT")
    assert (status, code) == (409, "seed_differs")
    assert "5" in message
    for wrong in (-1, 2**64, 1.5, "x"):
        assert refused(talk, "", {"seed": wrong}, "PUT") == (422, "invalid_request")
    assert talk.got("GET", "/export")["conversations"][0]["seed"] == 5
    assert talk.got("GET", "")["events"] == []
