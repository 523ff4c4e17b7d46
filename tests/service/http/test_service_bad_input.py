"""Bad requests are refused in one shape, with what came in and what would be right.

And they change nothing: no event, no person, no version of a catalogue.
"""

from __future__ import annotations

from typing import Any

import pytest
from fastapi.testclient import TestClient

from support import service_refusals
from support.service_refusals import (
    ALIEN,
    ANSWERS,
    BODIES,
    CATALOGUE,
    FIT,
    ITEMS,
    NEXT,
    REMOVALS,
    REQUIRED,
    REWARDS,
    USE,
    Bad,
    bad,
    check,
    everything,
    refused,
    table,
)
from support.service_world import client_of

client = service_refusals.client
worlds = service_refusals.worlds


# Bodies that are no JSON, or not an object

NOT_JSON: dict[str, str | bytes] = {
    "words": "not json",
    "one quote": "'",
    "truncated object": '{"event": "e1", "k": 1',
    "truncated string": '{"event": "e1',
    "trailing comma": '{"event": "e1",}',
    "two objects": "{} {}",
    "control character in a string": '{"event": "a\x01"}',
    "no UTF-8": b'{"event": "\xff\xfe"}',
    "NUL": b"\x00",
    "white space": "  ",
    "XML": "<event>e1</event>",
}
TOO_DEEP = {
    "deep list": "[" * 100_000,
    "deep list, closed": "[" * 20_000 + "]" * 20_000,
    "deep object": '{"a":' * 50_000,
}
NO_OBJECTS = {"list": "[]", "number": "7", "text": '"q1"', "true": "true"}


@table(
    [
        bad(name, where, body, "JSON", status=(400, 422))
        for where in BODIES
        for name, body in {**NOT_JSON, **TOO_DEEP}.items()
    ]
)
def test_no_json(client: TestClient, case: Bad) -> None:
    check(client, case)


@table(
    [bad(name, where, body, "object") for where in BODIES for name, body in NO_OBJECTS.items()],
    [bad("null", where, "null", "got None") for where in REQUIRED],
    [bad("nothing", where, b"") for where in REQUIRED],
    [bad("unknown field", where, {"what": 1}, "what") for where in BODIES],
    [bad("odd field", where, '{"\\ud800": 1}') for where in BODIES],
    [
        bad("missing field", ANSWERS, {"question": "q1"}, "either an answer or what was picked"),
        bad("neither", ANSWERS, {"answer": "yes"}, "either a question or a topic"),
        bad("both", ANSWERS, {"question": "q1", "topic": "t", "answer": "yes"}, "either"),
        bad("missing fields", REWARDS, {}, "body.item", "body.reward"),
        bad("missing field", CATALOGUE, {"d": 2}, "body.items", "required"),
        bad("missing field", ITEMS, {"items": [{"id": "c"}]}, "neither tags nor features"),
        bad("missing field", REMOVALS, {}, "body.items", "required"),
        bad("missing field", USE, {}, "body.number", "required"),
        bad("number", USE, {"number": 1.5}, "body.number", "1.5"),
        bad("unknown", USE, {"number": 4}, "no population 4", status=404),
        bad("weight", FIT, {"random_weight": 0}, "body.random_weight", "got 0"),
        bad("too few", FIT, {}, "0 people", "population_least", status=409),
    ],
)
def test_wrong_bodies(client: TestClient, case: Bad) -> None:
    check(client, case)


@pytest.mark.parametrize("kind", ["", "text/plain", "application/x-www-form-urlencoded"])
@pytest.mark.parametrize("where", BODIES)
def test_wrong_content_type(client: TestClient, where: str, kind: str) -> None:
    before = everything(client)
    case = bad("", where, {}, headers=(("content-type", kind),))
    response = case.send(client)
    assert response.status_code in (415, 422)
    message = response.json()["error"]["message"]
    assert "application/json" in message  # what would be right
    assert everything(client) == before


# What holds for all of them


@pytest.mark.parametrize(
    ("where", "body"),
    [
        (ANSWERS, {"question": "q1", "answer": None}),
        (ITEMS, {"items": [{"id": "c", "tags": {"x": -1}}]}),
        (CATALOGUE, {"items": [{"id": "c", "tags": 7}]}),
    ],
)
def test_places_are_named_as_the_caller_wrote_them(
    client: TestClient, where: str, body: dict[str, Any]
) -> None:
    message = refused(client, bad("place", where, body))
    assert [word for word in ("constrained", "literal[", "list[", "dict[") if word in message] == []


def test_once_said_cannot_be_said_otherwise() -> None:
    with client_of() as client:
        client.post("/v1/users/ann/next")
        client.post("/v1/users/ann/next", json={"ask": "never", "pool": [ALIEN]})
        client.put("/v1/users/seeded", json={"seed": 1}).raise_for_status()
        said = {"question": "q1", "answer": "yes", "event": "e1"}
        liked = {"decision": "d2", "item": ALIEN, "reward": 1, "event": "e2"}
        client.post("/v1/users/ann/answers", json=said).raise_for_status()
        client.post("/v1/users/ann/rewards", json=liked).raise_for_status()
        cases = [
            bad("answer", ANSWERS, {"question": "q1", "answer": "no"}, "q1", "1.0", "event 3"),
            bad("reward", REWARDS, {**liked, "reward": 0, "event": None}, ALIEN, "1.0", "event 4"),
            bad("event id", NEXT, {"event": "e1", "ask": "never"}, "'e1'", "answer"),
            bad("seed", "PUT /v1/users/seeded", {"seed": 2}, "seed 1", "got 2"),
        ]
        everyone = [client.get("/v1/users/ann/export").json(), client.get("/v1/catalogues").json()]
        for case in cases:
            response = case.send(client)
            assert response.status_code == 409, response.text
            message = response.json()["error"]["message"]
            assert [each for each in case.says if each not in message] == [], message
        now = [client.get("/v1/users/ann/export").json(), client.get("/v1/catalogues").json()]
        assert now == everyone


def test_every_route_is_in_the_table(client: TestClient) -> None:
    """Each is called with something bad in these files; a new route needs its own."""
    described = client.app.openapi()["paths"]  # type: ignore[attr-defined]
    assert {
        f"{method.upper()} {path}" for path, methods in described.items() for method in methods
    } == {
        "POST /v1/users/{user}/next",
        "POST /v1/users/{user}/answers",
        "POST /v1/users/{user}/rewards",
        "POST /v1/users/{user}/steps",
        "GET /v1/users/{user}/picture",
        "GET /v1/users/{user}/best",
        "GET /v1/page/search",
        "GET /v1/page/beginning",
        "PUT /v1/users/{user}",
        "GET /v1/users/{user}",
        "GET /v1/users/{user}/explain",
        "DELETE /v1/users/{user}/events/{event}",
        "GET /v1/users/{user}/export",
        "DELETE /v1/users/{user}",
        "GET /v1/catalogues",
        "GET /v1/catalogues/{name}",
        "PUT /v1/catalogues/{name}",
        "POST /v1/catalogues/preview",
        "POST /v1/catalogues/columns",
        "DELETE /v1/catalogues/{name}",
        "POST /v1/catalogues/{name}/items",
        "POST /v1/catalogues/{name}/removals",
        "GET /v1/catalogues/{name}/settings",
        "PUT /v1/catalogues/{name}/settings",
        "GET /v1/catalogues/{name}/populations",
        "POST /v1/catalogues/{name}/populations",
        "PUT /v1/catalogues/{name}/population",
        "PUT /v1/catalogues/{name}/experiment",
        "GET /v1/catalogues/{name}/experiment",
        "DELETE /v1/catalogues/{name}/experiment",
        "POST /v1/catalogues/{name}/experiment/promotion",
        "POST /v1/catalogues/{name}/experiment/rollback",
        "GET /v1/catalogues/{name}/experiment/comparison",  # in test_experiments.py
        "GET /v1/dashboard",  # in test_dashboard_http.py
        "GET /v1/page",
        "POST /v1/page/comparison",  # in test_lab.py
        "GET /metrics",  # in test_metrics.py
        "GET /healthz",
        "GET /readyz",
    }
