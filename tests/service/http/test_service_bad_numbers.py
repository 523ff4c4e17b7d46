"""Numbers that cannot be used are refused with what came in and where."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient

from support import service_refusals
from support.service_refusals import (
    ALIEN,
    ANSWERS,
    CATALOGUE,
    ITEMS,
    NEXT,
    REWARDS,
    SETTINGS,
    Bad,
    bad,
    check,
    everything,
    table,
)

client = service_refusals.client
worlds = service_refusals.worlds

HUGE = "1" + "0" * 5000
NUMBERS = {
    "NaN": "nan",
    "Infinity": "inf",
    "-Infinity": "-inf",
    "1e400": "inf",
    "-1e400": "-inf",
    "-1": "-1",
    "1e101": "1e+101",
    "[]": "[]",
    "{}": "{}",
    '"much"': "'much'",
}
WRONG_TYPES = {"true": "True", '"1"': "'1'"}
FIELDS = {
    "answer": (ANSWERS, '{"question": "q1", "answer": %s}', "answer"),
    "reward": (REWARDS, f'{{"decision": "d2", "item": "{ALIEN}", "reward": %s}}', "reward"),
    "k": (NEXT, '{"k": %s, "ask": "never"}', "body.k"),
    "seed": ("PUT /v1/users/stranger", '{"seed": %s}', "body.seed"),
    "d": (CATALOGUE, '{"items": [{"id": "a", "tags": ["x"]}], "d": %s}', "body.d"),
    "weight": (CATALOGUE, '{"items": [{"id": "a", "tags": {"x": %s}}]}', "items.0.tags"),
    "added weight": (ITEMS, '{"items": [{"id": "c", "tags": {"x": %s}}]}', "items.0.tags"),
    "max_questions": (SETTINGS, '{"max_questions": %s}', "body.max_questions"),
    "rest_after_skip": (SETTINGS, '{"rest_after_skip": %s}', "body.rest_after_skip"),
    "rest_after_answer": (SETTINGS, '{"rest_after_answer": %s}', "body.rest_after_answer"),
    "rest_after_shown": (SETTINGS, '{"rest_after_shown": %s}', "body.rest_after_shown"),
    "beta": (SETTINGS, '{"agent": {"recipe": "conlinucb", "beta": %s}}', "beta"),
    "alpha": (SETTINGS, '{"agent": {"recipe": "conlinucb", "alpha": %s}}', "alpha"),
    "mix": (SETTINGS, '{"agent": {"recipe": "conucb", "mix": %s}}', "mix"),
}
SIGNED = {  # -1 is one of them, so it is left out
    "range": (SETTINGS, '{"range": [-2, %s]}', "body.range.1"),
    "feature": (
        CATALOGUE,
        '{"items": [{"id": "a", "tags": ["x"], "features": [%s]}]}',
        "body.items.0.features.0",
    ),
}
ALL_FIELDS = {**FIELDS, **SIGNED}


def _number(field: str, token: str, *says: str) -> Bad:
    where, body, place = ALL_FIELDS[field]
    return bad(f"{field} {token[:9]}", where, body % token, place, *says)


@table(
    [
        _number(field, token, *([] if (field, token) == ("alpha", "{}") else [said]))
        for field in ALL_FIELDS
        for token, said in NUMBERS.items()
        if not (token == "-1" and field in SIGNED)
        and not (token == "{}" and field == "alpha")  # alpha by Eq. 8
    ],
    [_number("k", token, said) for token, said in {"0": "0", "101": "101", "1.5": "1.5"}.items()],
    [_number("answer", token, "0 to 1", token) for token in ("1.0000001", "2.0", "-0.001")],
    [_number("reward", token, "0 to 1", token) for token in ("1.0000001", "2.0", "-0.001")],
    [_number("answer", "null"), _number("reward", "null"), _number("k", "null")],
    [_number("seed", str(2**64), str(2**64)), _number("d", "1001", "1000", "1001")],
)
def test_bad_numbers(client: TestClient, case: Bad) -> None:
    check(client, case)


@table(
    [
        _number(field, token, said)
        for field in ALL_FIELDS
        for token, said in WRONG_TYPES.items()
        if field not in ("beta", "alpha", "mix")
    ]
)
def test_no_numbers(client: TestClient, case: Bad) -> None:
    check(client, case)


@pytest.mark.parametrize("field", ALL_FIELDS)
def test_ten_to_the_five_thousand(client: TestClient, field: str) -> None:
    where, body, _ = ALL_FIELDS[field]
    before = everything(client)
    response = bad(field, where, body % HUGE).send(client)
    assert response.status_code in (400, 422)
    message = response.json()["error"]["message"]
    assert any(word in message for word in ("number", "digits", "integer")), message
    assert everything(client) == before
