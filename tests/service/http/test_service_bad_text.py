"""Text that cannot be used is refused; odd text that can be is not."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi.testclient import TestClient

from support import service_refusals
from support.service_refusals import (
    ALIEN,
    ANSWERS,
    CATALOGUE,
    ITEMS,
    LONG,
    NEXT,
    REMOVALS,
    REWARDS,
    SETTINGS,
    TWO_ITEMS,
    Bad,
    bad,
    check,
    table,
)
from support.service_world import client_of

pytestmark = pytest.mark.more  # generated requests

client = service_refusals.client
worlds = service_refusals.worlds

TEXTS = {
    "empty": ("", "at least 1 character"),
    "long": (LONG, "at most 200 characters"),
    "NUL": ("a\x00b", "'a\\x00b'"),
    "newline": ("a\n", "'a\\n'"),
    "tab": ("\t", "'\\t'"),
    "DEL": ("\x7f", "'\\x7f'"),
    "C1": ("\x85", "'\\x85'"),
    "lone surrogate": ("\ud800", "ud800"),
    "other surrogate": ("a\udfff", "udfff"),
}
NO_TEXTS = {"number": 5, "list": ["a"], "object": {}, "true": True}
TEXT_FIELDS: dict[str, tuple[str, Any]] = {
    "event of next": (NEXT, lambda text: {"event": text}),
    "pool": (NEXT, lambda text: {"pool": [text]}),
    "exclude": (NEXT, lambda text: {"exclude": [text]}),
    "offered": (NEXT, lambda text: {"offered": [text]}),
    "question": (ANSWERS, lambda text: {"question": text, "answer": "yes"}),
    "event of an answer": (ANSWERS, lambda text: {"question": "q1", "answer": 1, "event": text}),
    "decision": (REWARDS, lambda text: {"decision": text, "item": ALIEN, "reward": 1}),
    "item": (REWARDS, lambda text: {"decision": "d2", "item": text, "reward": 1}),
    "event of a reward": (
        REWARDS,
        lambda text: {"decision": "d2", "item": ALIEN, "reward": 1, "event": text},
    ),
    "added id": (ITEMS, lambda text: {"items": [{"id": text, "tags": ["x"]}]}),
    "added tag": (ITEMS, lambda text: {"items": [{"id": "c", "tags": [text]}]}),
    "removed id": (REMOVALS, lambda text: {"items": [text]}),
}
UPLOADED: dict[str, tuple[str, Any]] = {
    "uploaded id": (CATALOGUE, lambda text: {"items": [{"id": text, "tags": ["x"]}]}),
    "uploaded tag": (CATALOGUE, lambda text: {"items": [{"id": "c", "tags": [text]}]}),
    "weighted tag": (CATALOGUE, lambda text: {"items": [{"id": "c", "tags": {text: 1}}]}),
    "term of a question": (
        CATALOGUE,
        lambda text: {"items": TWO_ITEMS, "questions": {text: "Well?"}},
    ),
}


@table(
    [
        bad(f"{field} {name}", where, body(text), said)
        for field, (where, body) in TEXT_FIELDS.items()
        for name, (text, said) in TEXTS.items()
    ],
    [
        bad(f"{field} {name}", where, body(text))
        for field, (where, body) in UPLOADED.items()
        for name, (text, _) in TEXTS.items()
    ],
    [
        bad(f"{field} {name}", where, body(value))
        for field, (where, body) in TEXT_FIELDS.items()
        for name, value in NO_TEXTS.items()
    ],
)
def test_bad_text(client: TestClient, case: Bad) -> None:
    check(client, case)


@table(
    [
        bad("long question", SETTINGS, {"question": "x" * 501}, "body.question", "500"),
        bad("NUL in a question", SETTINGS, {"question": "Do you\x00?"}, "body.question", "\\x00"),
        bad("empty question", SETTINGS, {"question": ""}, "body.question", "''"),
        bad("surrogate", SETTINGS, '{"question": "\\ud800"}', "body.question", "ud800"),
        bad(
            "empty text of a question",
            CATALOGUE,
            {"items": TWO_ITEMS, "questions": {"x": ""}},
            "body.questions.x",
        ),
        bad(
            "NUL in the text of a question",
            CATALOGUE,
            {"items": TWO_ITEMS, "questions": {"x": "\x00"}},
            "body.questions.x",
        ),
        bad(
            "long text of a question",
            CATALOGUE,
            {"items": TWO_ITEMS, "questions": {"x": "x" * 501}},
            "body.questions.x",
            "500",
        ),
    ]
)
def test_bad_texts_of_questions(client: TestClient, case: Bad) -> None:
    check(client, case)


ODD_BUT_FINE = [
    "😀",
    "👩‍🚀",  # held together by a character that does not print
    "שלום עולם",
    "مرحبا",
    "می‌خواهم",  # spelt with a non-joiner
    "e\u0301",
    "a\u00a0b",
    "'; DROP TABLE people; --",
    "<img src=x onerror=alert(1)>",
    "{term}",
    "..",
    "x" * 200,
    "\N{MATHEMATICAL DOUBLE-STRUCK CAPITAL X}" * 200,
]


@pytest.mark.parametrize("text", ODD_BUT_FINE)
def test_odd_text_is_allowed(text: str) -> None:
    items = [{"id": text, "tags": [text, "y"]}, {"id": "b", "tags": ["y"]}]
    with client_of() as client:
        place = f"/v1/catalogues/{_quoted(text)}"
        response = client.put(place, json={"items": items, "questions": {text: text}})
        assert response.status_code == 200, response.text
        user = f"/v1/users/{_quoted(text)}"
        wanted = {"ask": "never", "pool": [text], "event": text}
        about = {"catalogue": text}
        shown = client.post(f"{user}/next", json=wanted, params=about).json()
        assert [each["item"] for each in shown["items"]] == [text]
        body = {"decision": shown["decision"], "item": text, "reward": 1}
        assert client.post(f"{user}/rewards", json=body, params=about).status_code == 200
        why = client.get(f"{user}/explain", params={**about, "item": text}).json()
        assert why["item"] == text
        profile = client.get(user, params=about).json()
        assert (profile["user"], profile["catalogue"]) == (text, text)
        assert [each["term"] for each in profile["terms"]] == [text, "y"]


def _quoted(text: str) -> str:
    return "".join(f"%{byte:02X}" for byte in text.encode())
