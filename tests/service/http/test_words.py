"""Errors of routes speak of items and topics, not of arms and terms."""

from __future__ import annotations

import re
from typing import Any

import pytest
from fastapi.testclient import TestClient

from support.service_door import BODIES, ROUTES, address

LIBRARY = re.compile(r"\b(arms?|key-terms?|terms?)\b", re.I)
BAD: list[Any] = [
    {"pool": ["nothing"]},
    {"pool": []},
    {"offered": ["nothing"]},
    {"offered": []},
    {"like": "nothing"},
    {"topic": "nothing", "answer": "yes"},
    {"item": "nothing", "reward": 1},
    {"question": "q1", "answer": 7},
    {"items": []},
    {"items": [{"id": "a", "tags": []}]},
    {"items": [{"id": "a", "tags": ["x"], "features": [0.0]}]},
    {"items": [{"id": "new", "tags": ["no such tag"]}]},
    {"items": ["nothing"]},
    {"agent": {"recipe": "arm_con", "strategy": "ucb"}},
    {"agent": {"recipe": "conlinucb", "strategy": "nothing"}},
    {"agent": {"recipe": "conlinucb", "beta": -1}},
    {"number": 99},
    [],
]


TAKE_A_BODY = [each for each in ROUTES if each[0] in ("POST", "PUT")]


@pytest.mark.parametrize(("method", "path"), TAKE_A_BODY)
def test_bad_input_to_every_route(memory: TestClient, method: str, path: str) -> None:
    here = address(path).replace("/small", "/films")
    for body in (*BAD, *BODIES.values()):
        response = memory.request(method, here, json=body)
        if response.status_code >= 400:
            said = response.json()["error"]["message"]
            # Not what came in, nor names of fields (an experiment has arms of its own).
            spoken = re.sub(r"'[^']*'|\"[^\"]*\"|\[.*\]|\{.*\}|\bbody[\w.]*", "", said)
            assert not LIBRARY.search(spoken), f"{body}: {said}"


def test_unknown_items_and_topics(memory: TestClient) -> None:
    for path in ("/v1/users/kim/explain?item=nothing", "/v1/users/kim/best?k=0"):
        memory.put("/v1/users/kim")
        said = memory.get(path).json()["error"]["message"]
        assert not LIBRARY.search(said)
