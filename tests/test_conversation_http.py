"""What is asked, said and shown over HTTP, what is said twice, and what is forgotten."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count, pairwise
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient
from sqlalchemy import func, select

import conlinucb as cl
from conlinucb.service.conversation import RECENT
from conlinucb.service.memory import SNAPSHOT_EVERY
from conlinucb.service.storage.schema import events, people, snapshots
from conlinucb.service.views import CONTRIBUTIONS
from service_world import client_of
from test_retraction import RECIPES, Talk
from worlds import small_catalog


def in_order(catalog: cl.Catalog) -> cl.Catalog:
    """With the key-terms as a table of items and tags names them first."""
    weights = catalog.weights.toarray()
    first = np.argsort((weights > 0).argmax(axis=0), kind="stable")
    return cl.Catalog(catalog.arms, weights[:, first])


CATALOG = in_order(small_catalog(arms=12, terms=6, d=3))
ITEMS = [f"item {a}" for a in range(12)]
TERMS = [f"term {k}" for k in range(6)]
ASKING = [name for name in RECIPES if name != "linucb"]
ONE_EACH = {"name": "linear", "b": 1}
NUMBERS = count()


def upload(client: TestClient, name: str, **settings: Any) -> None:
    weights = CATALOG.weights.toarray()
    items = [
        {
            "id": ITEMS[a],
            "features": CATALOG.arms[a].tolist(),
            "tags": {TERMS[k]: weights[a, k] for k in np.flatnonzero(weights[a])},
        }
        for a in range(len(ITEMS))
    ]
    body = {"items": items, "settings": settings}
    response = client.put(f"/v1/catalogues/{name}", json=body)
    assert response.status_code == 200, response.text


@pytest.fixture(scope="module")
def memory() -> Iterator[TestClient]:
    with client_of() as client:
        yield client


Start = Callable[..., Talk]


@pytest.fixture
def start(memory: TestClient) -> Start:
    """A conversation about a catalogue of its own, with these settings."""

    def begin(recipe: str = "conlinucb", **settings: Any) -> Talk:
        name = f"{recipe} {next(NUMBERS)}"
        given = {"agent": RECIPES[recipe], "max_questions": None}
        upload(memory, name, **given | settings)
        return Talk(memory, name)

    return begin


def refusal(talk: Talk, what: str, body: Any = None, method: str = "POST", **params: Any) -> Any:
    """Status, code and message of a request that is refused."""
    response = talk.send(method, what, body, **params)
    assert set(response.json()) == {"error"}, response.text
    error = response.json()["error"]
    return response.status_code, error["code"], error["message"]


def refused(talk: Talk, what: str, body: Any = None, method: str = "POST") -> tuple[int, str]:
    status, code, _ = refusal(talk, what, body, method)
    return status, code


def question_of(talk: Talk) -> dict[str, Any]:
    """The next question; at most one recommendation comes before it."""
    came = talk.next()
    if came["type"] != "question":
        came = talk.next()
    assert came["type"] == "question", came
    return came


def asked(talk: Talk, answers: list[Any]) -> list[str]:
    """What the next questions are about; each gets the next of these answers."""
    found: list[str] = []
    for answer in answers:
        question = question_of(talk)
        talk.answer(question=question["question"], answer=answer)
        found.append(question["term"])
    return found


# Questions


@pytest.mark.parametrize("recipe", ASKING)
def test_the_same_question_until_it_is_answered(start: Start, recipe: str) -> None:
    talk = start(recipe)
    question = talk.next()
    assert question["type"] == "question"
    wishes: list[dict[str, Any]] = [{}, {"k": 3}, {"pool": ITEMS[:2]}, {"offered": TERMS[:1]}]
    for wish in wishes:
        assert talk.next(**wish) == question
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


@pytest.mark.parametrize("algorithm", ["arm_con", "conucb", *cl.STRATEGIES])
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
    settings = {"agent": RECIPES["arm_con"], "max_questions": None, "rest_after_skip": 1000}
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
    said = [each.body["answer"] for each in talk.log() if each.kind == "answer"]
    assert said == [5.0, -2.0, 5.0, -2.0, 1.25, None]
    advice = talk.next(ask="never")
    item = {"decision": advice["decision"], "item": advice["items"][0]["item"]}
    assert refused(talk, "/rewards", item | {"reward": 5.5}) == (422, "out_of_range")
    talk.reward(**item, reward=5)


def test_yes_and_no_are_the_ends_of_the_range(start: Start) -> None:
    talk = start()
    asked(talk, ["yes", "no"])
    assert [e.body["answer"] for e in talk.log() if e.kind == "answer"] == [1.0, 0.0]


# Said twice


def told(talk: Talk, verb: str) -> dict[str, Any]:
    """The body of a first request of this kind, with an id."""
    if verb == "/next":
        return {"k": 2, "event": "mine"}
    if verb == "/answers":
        return {"question": question_of(talk)["question"], "answer": 0.7, "event": "mine"}
    advice = talk.next(ask="never")
    item = advice["items"][0]["item"]
    return {"decision": advice["decision"], "item": item, "reward": 0.7, "event": "mine"}


OTHERS: dict[str, dict[str, Any]] = {
    "/next": {"k": 7},
    "/answers": {"answer": "no"},
    "/rewards": {"reward": 0.1},
}
"""What is different when it is sent again."""


@pytest.mark.parametrize("verb", OTHERS)
def test_sent_twice_it_counts_once(url: str, verb: str) -> None:
    with client_of(url) as client:
        upload(client, "it", agent=RECIPES["conlinucb"], max_questions=None)
        talk = Talk(client, "it")
        body = told(talk, verb)
        first = talk.got("POST", verb, body)
        second = first if verb == "/next" else first | {"repeated": True}
        written = talk.log()
        for again in (body, body | OTHERS[verb]):
            assert talk.got("POST", verb, again) == second
        assert talk.log() == written
        asked(talk, [0.2, "skip", 0.4])  # long after
        written = talk.log()
        assert talk.got("POST", verb, body | OTHERS[verb]) == second
        assert talk.log() == written


@pytest.mark.parametrize("verb", OTHERS)
def test_sent_at_once_it_counts_once(lasting_url: str, verb: str) -> None:
    """By eight threads, to two workers."""
    with client_of(lasting_url) as one:
        upload(one, "it", agent=RECIPES["conlinucb"], max_questions=None)
        with client_of(lasting_url) as other:
            talk = Talk(one, "it")
            asked(talk, [0.3])
            body, before = told(talk, verb), len(talk.log())
            got = at_once([Talk(each, "it") for each in [one, other] * 4], verb, body)
            assert len(talk.log()) == before + 1
            assert talk.log()[-1].client_id == "mine"
            if verb == "/next":
                assert all(each == got[0] for each in got)
            else:
                assert {each["event"] for each in got} == {before + 1}
                assert sorted(each["repeated"] for each in got) == [False] + [True] * 7


def at_once(talks: list[Talk], verb: str, body: dict[str, Any]) -> list[dict[str, Any]]:
    """The same request by as many threads, started together."""
    barrier = threading.Barrier(len(talks))

    def send(talk: Talk) -> dict[str, Any]:
        barrier.wait()
        return talk.got("POST", verb, body)

    with ThreadPoolExecutor(len(talks)) as threads:
        return list(threads.map(send, talks))


def test_someone_new_is_met_once(lasting_url: str) -> None:
    """By eight threads, to two workers: all get one question."""
    with client_of(lasting_url) as one:
        upload(one, "it", agent=RECIPES["conlinucb"], max_questions=None)
        with client_of(lasting_url) as other:
            for name in ("ann", "bob", "cid"):
                talks = [Talk(each, "it", name) for each in [one, other] * 4]
                got = at_once(talks, "/next", {})
                assert [each["question"] for each in got] == ["q1"] * 8
                assert len(talks[0].log()) == 1


@pytest.mark.parametrize("verb", OTHERS)
def test_an_id_is_of_one_kind(start: Start, verb: str) -> None:
    talk = start()
    talk.got("POST", verb, told(talk, verb))
    for other in OTHERS:
        if other != verb:
            body, before = told(talk, other), talk.log()
            status, code, message = refusal(talk, other, body)
            assert (status, code) == (409, "event_id_used")
            assert "'mine'" in message
            assert talk.log() == before


def test_an_id_is_one_persons_own(start: Start) -> None:
    talk = start()
    other = Talk(talk.client, talk.catalogue, "bob")
    body = told(talk, "/answers")
    assert other.next()["question"] == body["question"]
    assert talk.answer(**body) == other.answer(**body) == {"event": 2, "repeated": False}


def test_an_id_brings_the_same_after_its_pool_is_gone(start: Start) -> None:
    talk = start()
    wish = {"pool": ITEMS[:1], "ask": "never", "event": "mine"}
    first = talk.next(**wish)
    path = f"/v1/catalogues/{talk.catalogue}/removals"
    assert talk.client.post(path, json={"items": ITEMS[:1]}).status_code == 200
    assert talk.next(**wish) == first


def test_without_an_id_the_same_is_repeated_and_another_refused(start: Start) -> None:
    talk = start()
    for verb, what in (("/answers", "answer"), ("/rewards", "reward")):
        said = {**told(talk, verb), "event": None}
        first = talk.got("POST", verb, said)
        assert talk.got("POST", verb, said) == first | {"repeated": True}
        status, code, message = refusal(talk, verb, said | OTHERS[verb])
        assert (status, code) == (409, "already_said")
        assert f"has its {what} already, 0.7 in event {first['event']}" in message
    question = question_of(talk)["question"]
    skip = talk.answer(question=question, answer="skip")
    assert talk.answer(question=question, answer="skip") == skip | {"repeated": True}
    assert refused(talk, "/answers", {"question": question, "answer": 0}) == (409, "already_said")


def test_without_an_id_at_once(start: Start) -> None:
    talk = start()
    for verb in ("/answers", "/rewards"):
        body = {**told(talk, verb), "event": None}
        got = at_once([talk] * 8, verb, body)
        assert len({each["event"] for each in got}) == 1
        assert sum(not each["repeated"] for each in got) == 1


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
        agent = talk.state().served.agent
        user = agent.new_user()
        for item, reward in ((second, 0.9), (first, 0.4), (third, 0.4)):
            agent.learn(user, ITEMS.index(item), reward)
        assert np.array_equal(talk.state().user.theta, user.theta)


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
        ("exclude", "Item 33", "item 3"),
        ("offered", "termm 2", "term 2"),
    ):
        status, code, message = refusal(talk, "/next", {field: [wrong]})
        assert (status, code) == (422, "unknown_name")
        assert repr(wrong) in message
        assert f"Did you mean '{near}" in message


def test_wishes_that_leave_nothing(start: Start) -> None:
    talk = start(agent={"recipe": "linucb"})
    removal = {"items": [ITEMS[2]]}
    talk.client.post(f"/v1/catalogues/{talk.catalogue}/removals", json=removal)
    for none in ({"exclude": ITEMS}, {"pool": [ITEMS[2]]}, {"pool": ITEMS[:1], "exclude": ITEMS}):
        assert refused(talk, "/next", none) == (422, "invalid_input")
    odd: tuple[dict[str, Any], ...] = ({"pool": []}, {"offered": []}, {"k": 0}, {"k": 101})
    for wish in (*odd, {"ask": "always"}):
        assert refused(talk, "/next", wish) == (422, "invalid_request")
    assert refused(talk, "", None, "GET") == (404, "unknown_user")  # nothing was written
    shown = talk.next(pool=ITEMS[2:4], k=5)["items"]
    assert [each["item"] for each in shown] == [ITEMS[3]]


@pytest.mark.parametrize("strategy", cl.STRATEGIES)
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
    by_hand = talk.desk.catalogues.serving(talk.catalogue).agent
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


# Explanations


def adds_up(why: dict[str, Any]) -> bool:
    parts = sum(each["contribution"] for each in why["contributions"]) + why["rest"]
    return bool(np.isclose(parts, why["mean"], rtol=1e-9, atol=1e-9))


@pytest.mark.parametrize("recipe", RECIPES)
def test_contributions_add_up(start: Start, recipe: str) -> None:
    talk = start(recipe)
    talk.go_on(30)
    removed = next(each.body["item"] for each in talk.log() if each.kind == "reward")
    path = f"/v1/catalogues/{talk.catalogue}/removals"
    assert talk.client.post(path, json={"items": [removed]}).status_code == 200
    said = {
        each.seq: each.body.get("answer", each.body.get("reward"))
        for each in talk.log()
        if each.kind in ("answer", "reward")
    }
    taught = {seq: value for seq, value in said.items() if value is not None}
    assert recipe == "linucb" or len(taught) < len(said)
    agent, user = talk.state().served.agent, talk.state().user
    for item in (*ITEMS[:3], removed):
        why = talk.explain(item)
        assert adds_up(why)
        assert abs(why["mean"]) > 1e-6
        assert {part["event"]: part["value"] for part in why["contributions"]} == taught
        exact = agent.score(user, [ITEMS.index(item)])
        found = [why["mean"], why["radius"], why["score"]]
        assert found == [exact.means[0], exact.radii[0], exact.scores[0]]
    status, code, message = refusal(talk, "/explain", None, "GET", item="itme 1")
    assert (status, code) == (422, "unknown_name")
    assert "Did you mean" in message


@pytest.mark.parametrize("recipe", ["conucb", "conlinucb"])
def test_a_long_explanation_has_a_rest(start: Start, recipe: str) -> None:
    talk = start(recipe)
    asked(talk, ["yes", "skip", 0.3])
    for i in range(CONTRIBUTIONS // 12 + 1):
        advice = talk.next(ask="never", k=12)
        for j, each in enumerate(advice["items"]):
            said = {"decision": advice["decision"], "item": each["item"]}
            talk.reward(**said, reward=((5 * i + 3 * j) % 11) / 10)
    why = talk.explain(ITEMS[2])
    assert len(why["contributions"]) == CONTRIBUTIONS
    sizes = [abs(each["contribution"]) for each in why["contributions"]]
    assert sizes == sorted(sizes, reverse=True)
    assert abs(why["rest"]) <= 6 * sizes[-1]
    assert adds_up(why)


def test_a_mean_is_that_of_a_direct_solve(start: Start) -> None:
    talk = start("conlinucb")
    talk.go_on(40)
    M, Y = 0.4 * np.eye(CATALOG.d), np.zeros(CATALOG.d)
    for each in talk.log():
        value = each.body.get("answer", each.body.get("reward"))
        if value is not None:
            reward = each.kind == "reward"
            x = (
                CATALOG.arms[ITEMS.index(each.body["item"])]
                if reward
                else CATALOG.terms[TERMS.index(each.body["id"])]
            )
            M += np.outer(x, x)
            Y += value * x
    theta = np.linalg.solve(M, Y)
    for a, item in enumerate(ITEMS):
        why = talk.explain(item)
        assert why["mean"] == pytest.approx(CATALOG.arms[a] @ theta, rel=1e-9, abs=1e-9)
        radius = np.sqrt(CATALOG.arms[a] @ np.linalg.solve(M, CATALOG.arms[a]))
        assert why["radius"] == pytest.approx(radius, rel=1e-9)
    beliefs = [each["mean"] for each in talk.got("GET", "")["terms"]]
    np.testing.assert_allclose(beliefs, CATALOG.terms @ theta, rtol=1e-9, atol=1e-9)


def test_exploring_says_what_is_not_shown_for_its_mean(start: Start) -> None:
    flags = []
    for alpha in (0, 3):
        talk = start(agent={"recipe": "linucb", "alpha": alpha})
        for _ in range(4):
            means = sorted(talk.explain(item)["mean"] for item in ITEMS) if talk_began(talk) else []
            advice = talk.next(k=2)
            for each in advice["items"]:
                if means:
                    assert each["exploring"] == (each["mean"] < means[-2] - 1e-9)
                    flags.append((alpha, each["exploring"]))
                said = {"decision": advice["decision"], "item": each["item"]}
                talk.reward(**said, reward=0.8)
    assert {(0, False), (3, True)} <= set(flags)
    assert (0, True) not in flags


def talk_began(talk: Talk) -> bool:
    return bool(talk.send("GET", "").status_code == 200)


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
    believed = talk.state().served.agent.estimates(talk.state().user)
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
        assert [each["about"] for each in entries] == [each.body for each in talk.log()]
        assert [each["kind"] for each in entries] == [each.kind for each in talk.log()]
        assert entries[1]["client_id"] == "née"
        assert [each["event"] for each in entries if each["retracted"]] == [gone]
        assert all(each["at"] <= later["at"] for each, later in pairwise(entries))
    with client_of(lasting_url) as client:
        assert Talk(client, "it", "ann é 🎬").got("GET", "/export") == exported


# Two workers, several catalogues, being forgotten


def test_a_question_may_be_answered_elsewhere(lasting_url: str) -> None:
    """To a worker that knows the person, but not yet that they were asked."""
    with client_of(lasting_url) as one:
        upload(one, "it", agent=RECIPES["conlinucb"], max_questions=None)
        with client_of(lasting_url) as other:
            mine, theirs = Talk(one, "it"), Talk(other, "it")
            first = mine.next()
            assert theirs.next() == first
            mine.answer(question=first["question"], answer="yes")
            advice = theirs.next()
            mine.reward(decision=advice["decision"], item=advice["items"][0]["item"], reward=1)
            second = mine.next()
            assert second["type"] == "question"
            theirs.answer(question=second["question"], answer="no")
            assert mine.next()["type"] == "recommendation"
            assert [each.seq for each in mine.log()] == list(range(1, 8))


def test_an_explanation_adds_up_while_another_worker_writes(
    lasting_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between its look at the state and its look at the log."""
    with client_of(lasting_url) as one:
        upload(one, "it", agent=RECIPES["conlinucb"], max_questions=None)
        with client_of(lasting_url) as other:
            mine, theirs = Talk(one, "it"), Talk(other, "it")
            mine.go_on(8)
            advice = theirs.next(ask="never", k=2)
            log = mine.desk.storage.log
            read = log.after

            def read_late(person: int, seq: int = 0) -> Any:
                if seq == 0:
                    monkeypatch.setattr(log, "after", read)
                    for each in advice["items"]:
                        said = {"decision": advice["decision"], "item": each["item"]}
                        theirs.reward(**said, reward=1)
                return read(person, seq)

            assert adds_up(mine.explain(ITEMS[0]))
            monkeypatch.setattr(log, "after", read_late)
            assert adds_up(mine.explain(ITEMS[0]))
            assert len(mine.log()) == 8 + 3


def rows_about(talk: Talk, person: int) -> int:
    """Rows that the database still has of a person."""
    with talk.desk.storage.database.connect() as connection:
        return sum(
            connection.scalar(select(func.count()).select_from(table).where(column == person)) or 0
            for table, column in (
                (people, people.c.id),
                (events, events.c.person),
                (snapshots, snapshots.c.person),
            )
        )


def test_whoever_is_deleted_is_gone_everywhere(lasting_url: str) -> None:
    with client_of(lasting_url) as one:
        upload(one, "it", agent=RECIPES["conlinucb"], max_questions=None)
        with client_of(lasting_url) as other:
            mine, theirs = Talk(one, "it"), Talk(other, "it")
            fresh = mine.next()
            mine.answer(question=fresh["question"], answer=1)
            mine.go_on(SNAPSHOT_EVERY + 4)
            mine.wait_for_snapshot(SNAPSHOT_EVERY)
            question = theirs.next()
            advice = theirs.next(ask="never")
            id_ = mine.person.id
            assert rows_about(mine, id_) > SNAPSHOT_EVERY
            assert mine.send("DELETE", "").status_code == 204
            assert rows_about(mine, id_) == 0
            reward = {"decision": advice["decision"], "item": advice["items"][0]["item"]}
            said = {"question": question["question"], "answer": 1}
            assert refused(theirs, "/answers", said) == (404, "unknown_user")
            assert refused(theirs, "/rewards", reward | {"reward": 1}) == (404, "unknown_user")
            assert refused(theirs, "", None, "GET") == (404, "unknown_user")
            assert refused(mine, "", None, "DELETE") == (404, "unknown_user")
            # Someone of the same name starts from nothing, first where the old one was at hand.
            assert theirs.next() == fresh
            assert mine.next() == fresh
            for talk in (mine, theirs):
                assert not talk.state().user.theta.any()
                assert len(talk.log()) == 1
            assert rows_about(mine, id_) == 0


def test_a_new_person_of_the_same_name_is_not_the_old_one(lasting_url: str) -> None:
    """Where a worker did not notice that there was a change of people."""
    with client_of(lasting_url) as one:
        upload(one, "it", agent=RECIPES["conlinucb"], max_questions=None)
        with client_of(lasting_url) as other:
            mine, theirs = Talk(one, "it"), Talk(other, "it")
            theirs.go_on(12)
            mine.send("DELETE", "")
            fresh = mine.next(ask="never", k=12)
            assert fresh["decision"] == "d1"
            advice = theirs.next(ask="never", k=12)
            assert advice["decision"] == "d2"
            assert [each["mean"] for each in advice["items"]] == [0.0] * 12


def test_catalogues_know_a_person_each_by_themselves(start: Start) -> None:
    one, other = start(), start("conucb")
    one.go_on(12)
    other.go_on(4)
    assert [len(talk.log()) for talk in (one, other)] == [12, 4]
    assert one.got("GET", "")["rounds"] == 3
    assert other.got("GET", "")["rounds"] == 1
    exported = one.client.get("/v1/users/ann/export").json()["conversations"]
    sizes = {each["catalogue"]: len(each["events"]) for each in exported}
    assert sizes[one.catalogue] == 12
    assert sizes[other.catalogue] == 4
    alone = one.got("GET", "/export")["conversations"]
    assert [each["catalogue"] for each in alone] == [one.catalogue]


def test_a_person_can_be_deleted_in_one_catalogue_or_in_all(start: Start) -> None:
    talks = [start(), start("conucb"), start("linucb")]
    for talk in talks:
        talk.name = "zoe"
        talk.go_on(4)
    assert talks[0].send("DELETE", "").status_code == 204
    assert refused(talks[0], "", None, "GET") == (404, "unknown_user")
    assert talks[1].got("GET", "")["events_in_all"] == 4
    assert talks[0].client.delete("/v1/users/zoe").status_code == 204
    for talk in talks:
        assert refused(talk, "", None, "GET") == (404, "unknown_user")
    assert talks[0].client.get("/v1/users/zoe/export").status_code == 404
