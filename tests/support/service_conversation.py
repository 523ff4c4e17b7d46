"""Conversations about a small catalogue, led over HTTP."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient

import conlinucb as cl
from support.service_talk import RECIPES, Talk
from support.worlds import small_catalog


def in_order(catalog: cl.Catalog) -> cl.Catalog:
    """With the key-terms as a table of items and tags names them first."""
    weights = catalog.weights.toarray()
    first = np.argsort((weights > 0).argmax(axis=0), kind="stable")
    return cl.Catalog(catalog.arms, weights[:, first])


CATALOG = in_order(small_catalog(arms=12, terms=6, d=3))
ITEMS = [f"item {a}" for a in range(12)]
TERMS = [f"term {k}" for k in range(6)]
ASKING = [name for name in RECIPES if name != "linucb"]
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
    body = {"items": items, "settings": {"rest_after_answer": 0, **settings}}
    response = client.put(f"/v1/catalogues/{name}", json=body)
    assert response.status_code == 200, response.text


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


def told(talk: Talk, verb: str) -> dict[str, Any]:
    """The body of a first request of this kind, with an id."""
    if verb == "/next":
        return {"k": 2, "event": "mine"}
    if verb == "/answers":
        return {"question": question_of(talk)["question"], "answer": 0.7, "event": "mine"}
    advice = talk.next(ask="never")
    item = advice["items"][0]["item"]
    return {"decision": advice["decision"], "item": item, "reward": 0.7, "event": "mine"}


def adds_up(why: dict[str, Any]) -> bool:
    parts = sum(each["contribution"] for each in why["contributions"]) + why["rest"]
    return bool(np.isclose(parts, why["mean"], rtol=1e-9, atol=1e-9))
