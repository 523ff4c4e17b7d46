"""What is said twice over HTTP counts once."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from support import service_conversation
from support.service_conversation import (
    ITEMS,
    Start,
    asked,
    question_of,
    refusal,
    refused,
    told,
    upload,
)
from support.service_talk import RECIPES, Talk
from support.service_world import client_of

start = service_conversation.start

OTHERS: dict[str, dict[str, Any]] = {
    "/next": {"k": 7},
    "/answers": {"answer": "no"},
    "/rewards": {"reward": 0.1},
}
"""What is different when it is sent again."""


@pytest.mark.sliced
@pytest.mark.parametrize("verb", OTHERS)
def test_sent_twice_it_counts_once(url: str, verb: str) -> None:
    with client_of(url) as client:
        upload(client, "it", agent=RECIPES["conlinucb"], max_questions=None)
        talk = Talk(client, "it")
        body = told(talk, verb)
        first = talk.got("POST", verb, body)
        second = first if verb == "/next" else first | {"repeated": True}
        written = talk.log()
        assert talk.got("POST", verb, body) == second
        refuses_another(talk, verb, body, second)
        assert talk.log() == written
        asked(talk, [0.2, "skip", 0.4])  # long after
        written = talk.log()
        assert talk.got("POST", verb, body) == second
        refuses_another(talk, verb, body, second)
        assert talk.log() == written


def refuses_another(talk: Talk, verb: str, body: Any, first: Any) -> None:
    """An id belongs to what was said under it; what ``next`` chose from is no part of it."""
    other = body | OTHERS[verb]
    if verb == "/next":
        assert talk.got("POST", verb, other) == first
    else:
        status, code, message = refusal(talk, verb, other)
        assert (status, code) == (409, "event_id_used")
        assert "'mine'" in message


@pytest.mark.sliced
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
    body = {"pool": ITEMS[:1], "ask": "never", "event": "mine"}
    first = talk.next(**body)
    path = f"/v1/catalogues/{talk.catalogue}/removals"
    assert talk.client.post(path, json={"items": ITEMS[:1]}).status_code == 200
    assert talk.next(**body) == first


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
