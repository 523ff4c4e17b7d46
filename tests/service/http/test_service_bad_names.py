"""Names and ids that are not there are refused with what would be right."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi.testclient import TestClient

from support import service_refusals
from support.service_refusals import (
    ALIEN,
    ANSWERS,
    ITEMS,
    NEXT,
    PERSON,
    REMOVALS,
    REWARDS,
    Bad,
    bad,
    check,
    table,
)

client = service_refusals.client
worlds = service_refusals.worlds


def _to_all(kind: str, rest: str, status: int, *says: str) -> list[Bad]:
    """The same mistake in every address about a person."""
    answer = {"question": "q1", "answer": "yes"}
    reward = {"decision": "d2", "item": ALIEN, "reward": 1}
    routes: list[tuple[str, str, Any]] = [
        ("POST", "/answers", answer),
        ("POST", "/rewards", reward),
        ("GET", "", None),
        ("DELETE", "/events/1", None),
        ("GET", "/export", None),
        ("DELETE", "", None),
    ]
    return [
        bad(kind, f"{method} {rest.format(path)}", body, *says, status=status)
        for method, path, body in routes
    ]


UNKNOWN = {"status": 404}


@table(
    _to_all("unknown user", "/v1/users/stranger{}", 404, "'stranger'"),
    _to_all("no conversation there", "/v1/users/ann{}?catalogue=small", 404, "'ann'"),
    _to_all("unknown catalogue", "/v1/users/ann{}?catalogue=film", 404, "'film'", "'films'"),
    [
        bad(
            "next, unknown catalogue", f"{NEXT}?catalogue=smal", {}, "'smal'", "'small'", **UNKNOWN
        ),
        bad("meet, unknown catalogue", f"{PERSON}?catalogue=x", {}, "'x'", "'films'", **UNKNOWN),
        bad("explain to a stranger", f"GET /v1/users/stranger/explain?item={ALIEN}", **UNKNOWN),
        bad("explain nothing", "GET /v1/users/ann/explain?item=Alein%20(1979)", None, ALIEN),
        bad("catalogue", "GET /v1/catalogues/smal", None, "'smal'", "'small'", **UNKNOWN),
        bad("catalogue", "DELETE /v1/catalogues/smal", None, "'smal'", "'small'", **UNKNOWN),
        bad("catalogue", "GET /v1/catalogues/smal/settings", None, "'small'", **UNKNOWN),
        bad("catalogue", "PUT /v1/catalogues/smal/settings", {}, "'small'", **UNKNOWN),
        bad(
            "catalogue",
            "POST /v1/catalogues/smal/items",
            {"items": [{"id": "c", "tags": ["x"]}]},
            "'smal'",
            "'small'",
            **UNKNOWN,
        ),
        bad(
            "catalogue",
            "POST /v1/catalogues/smal/removals",
            {"items": ["a"]},
            "'smal'",
            "'small'",
            **UNKNOWN,
        ),
    ],
    [
        bad(f"question {given}", ANSWERS, {"question": given, "answer": "yes"}, said, **UNKNOWN)
        for given, said in {
            "q0": "q0",
            "q99": "q99",
            "q2": "q2",  # a recommendation
            "d2": "q12, got 'd2'",
            "q": "q12, got 'q'",
            "1": "q12, got '1'",
            "Q1": "q12, got 'Q1'",
            "q-1": "q12, got 'q-1'",
            "q1 ": "q12, got 'q1 '",
            "q٣": "q12, got 'q٣'",
            "q9999999999": "q12, got 'q9999999999'",
            "😀": "q12, got '😀'",
        }.items()
    ],
    [
        bad(
            f"decision {given}",
            REWARDS,
            {"decision": given, "item": ALIEN, "reward": 1},
            said,
            **UNKNOWN,
        )
        for given, said in {
            "d0": "d0",
            "d99": "d99",
            "d1": "d1",  # a question
            "q1": "d12, got 'q1'",
            "2": "d12, got '2'",
        }.items()
    ],
    [
        bad(
            f"{given}, nothing asked",
            "POST /v1/users/eve/answers",
            {"question": given, "answer": "yes"},
            "'eve'",
            **UNKNOWN,
        )
        for given in ("q0", "q00", "q1")
    ],
    [
        bad(
            "another item", REWARDS, {"decision": "d2", "item": "Heat", "reward": 1}, "Heat", ALIEN
        ),
        bad("no event", "DELETE /v1/users/ann/events/99", None, "99", **UNKNOWN),
        bad("a question", "DELETE /v1/users/ann/events/1", None, "question", status=409),
        bad("a decision", "DELETE /v1/users/ann/events/2", None, "recommendation", status=409),
        bad("pool", NEXT, {"pool": ["Alein (1979)"]}, "'Alein (1979)'", ALIEN),
        bad("offered", NEXT, {"offered": ["comedie"]}, "'comedie'", "'comedies'"),
        bad("ask", NEXT, {"ask": "always"}, "'always'", "'due' or 'never'"),
        bad("answer", ANSWERS, {"question": "q1", "answer": "maybe"}, "'maybe'", "'yes', 'no'"),
        bad("removal", REMOVALS, {"items": ["c"]}, "'c'", "'a', 'b'"),
        bad("tag", ITEMS, {"items": [{"id": "c", "tags": ["X"]}]}, "'X'", "'x'"),
    ],
)
def test_unknown_names(client: TestClient, case: Bad) -> None:
    check(client, case)


@pytest.mark.parametrize(
    "body",
    [{"pool": ["nope"]}, {"offered": ["nope"]}, {"pool": [ALIEN], "exclude": [ALIEN]}],
    ids=str,
)
def test_a_refused_stranger_stays_a_stranger(client: TestClient, body: dict[str, Any]) -> None:
    check(client, bad("stranger", "POST /v1/users/stranger/next", {**body, "ask": "never"}))
    assert client.get("/v1/users/stranger").status_code == 404
