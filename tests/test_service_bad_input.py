"""Bad requests are refused in one shape, with what came in and what would be right.

And they change nothing: no event, no person, no version of a catalogue.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import httpx2 as httpx
import pytest
from fastapi.testclient import TestClient
from sqlalchemy import LargeBinary, select

from conlinucb.service.desk import Desk
from conlinucb.service.storage.schema import metadata
from service_world import client_of

JSON = {"content-type": "application/json"}
CSV = {"content-type": "text/csv"}
PARQUET = {"content-type": "application/vnd.apache.parquet"}
ALIEN = "Alien (1979)"
LONG = "x" * 201
HUGE = "1" + "0" * 5000
TWO_ITEMS = [{"id": "a", "tags": ["x", "y"]}, {"id": "b", "tags": ["y"]}]


@dataclass(frozen=True)
class Bad:
    """A request, the statuses that it may be refused with, and what the message must hold."""

    name: str
    method: str
    path: str
    body: str | bytes | None = None
    says: tuple[str, ...] = ()
    status: int | tuple[int, ...] = 422
    headers: tuple[tuple[str, str], ...] = tuple(JSON.items())

    def send(self, client: TestClient) -> httpx.Response:
        return client.request(self.method, self.path, content=self.body, headers=dict(self.headers))


def bad(name: str, where: str, body: Any = None, *says: str, **more: Any) -> Bad:
    """A bad request to ``METHOD /path``; a body that is no text is written as JSON."""
    method, path = where.split(" ", 1)
    content = body if body is None or isinstance(body, str | bytes) else json.dumps(body)
    return Bad(f"{name}: {where[:60]}", method, path, content, says, **more)


class Worlds:
    """Ann has an open question q1 and has seen Alien in d2; Bob talks about a small catalogue.

    Nothing was ever asked of Eve.
    """

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack
        self._make()

    def _make(self) -> None:
        self._client = client = self._stack.enter_context(client_of())
        client.put("/v1/catalogues/small", json={"items": TWO_ITEMS}).raise_for_status()
        client.post("/v1/users/bob/next?catalogue=small").raise_for_status()
        assert client.post("/v1/users/ann/next").json()["question"] == "q1"
        alien = {"ask": "never", "pool": [ALIEN]}
        assert client.post("/v1/users/ann/next", json=alien).json()["decision"] == "d2"
        client.post("/v1/users/eve/next", json=alien).raise_for_status()
        self._state = everything(client)

    def client(self) -> TestClient:
        """Of the world as it was made; where a test has changed it, of a new one."""
        if everything(self._client) != self._state:
            self._make()
        return self._client


@pytest.fixture(scope="module")
def worlds() -> Iterator[Worlds]:
    with ExitStack() as stack:
        yield Worlds(stack)


@pytest.fixture
def client(worlds: Worlds) -> TestClient:
    return worlds.client()


def everything(client: TestClient) -> Any:
    """All that a request could have changed: every row but for large contents."""
    desk: Desk = client.app.state.desk  # type: ignore[attr-defined]
    found = {}
    with desk.storage.database.connect() as connection:
        for table in metadata.sorted_tables:
            columns = [each for each in table.c if not isinstance(each.type, LargeBinary)]
            found[table.name] = connection.execute(select(*columns)).all()
    return found


def refused(client: TestClient, case: Bad) -> str:
    """The message of a refusal that changed nothing."""
    before = everything(client)
    response = case.send(client)
    allowed = case.status if isinstance(case.status, tuple) else (case.status,)
    assert response.status_code in allowed, response.text
    assert response.headers["content-type"] == "application/json"
    (content,) = response.json().items()
    assert content[0] == "error"
    assert set(content[1]) == {"code", "message"}
    assert content[1]["code"].isidentifier()
    assert everything(client) == before
    message: str = content[1]["message"]
    return message


def check(client: TestClient, case: Bad) -> None:
    message = refused(client, case)
    assert 10 < len(message) < 1000
    assert message.endswith((".", "?"))
    assert [each for each in case.says if each not in message] == [], message


def table(*rows: list[Bad]) -> pytest.MarkDecorator:
    cases = [each for row in rows for each in row]
    return pytest.mark.parametrize("case", cases, ids=[each.name for each in cases])


# Bodies that are no JSON, or not an object

NEXT = "POST /v1/users/ann/next"
ANSWERS = "POST /v1/users/ann/answers"
REWARDS = "POST /v1/users/ann/rewards"
PERSON = "PUT /v1/users/ann"
CATALOGUE = "PUT /v1/catalogues/small"
ITEMS = "POST /v1/catalogues/small/items"
REMOVALS = "POST /v1/catalogues/small/removals"
SETTINGS = "PUT /v1/catalogues/small/settings"
OPTIONAL = [NEXT, PERSON]
REQUIRED = [ANSWERS, REWARDS, CATALOGUE, ITEMS, REMOVALS, SETTINGS]
BODIES = [*OPTIONAL, *REQUIRED]
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
        bad("missing field", ANSWERS, {"question": "q1"}, "body.answer", "required"),
        bad("missing field", ANSWERS, {"answer": "yes"}, "body.question", "required"),
        bad("missing fields", REWARDS, {}, "body.decision", "body.item", "body.reward"),
        bad("missing field", CATALOGUE, {"d": 2}, "body.items", "required"),
        bad("missing field", ITEMS, {"items": [{"id": "c"}]}, "body.items.0.tags", "required"),
        bad("missing field", REMOVALS, {}, "body.items", "required"),
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


# Numbers


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


# Text


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
        wish = {"ask": "never", "pool": [text], "event": text}
        about = {"catalogue": text}
        shown = client.post(f"{user}/next", json=wish, params=about).json()
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


# Addresses and queries


@table(
    [
        bad("NUL", f"{method} /v1/users/a%00b{rest}", body, "path.user", "'a\\x00b'")
        for method, rest, body in [
            ("POST", "/next", None),
            ("POST", "/answers", {"question": "q1", "answer": "yes"}),
            ("POST", "/rewards", {"decision": "d2", "item": ALIEN, "reward": 1}),
            ("PUT", "", None),
            ("GET", "", None),
            ("GET", "/explain?item=Heat", None),
            ("DELETE", "/events/1", None),
            ("GET", "/export", None),
            ("DELETE", "", None),
        ]
    ],
    [
        bad("NUL", f"{method} /v1/catalogues/a%00b{rest}", body, "path.name", "'a\\x00b'")
        for method, rest, body in [
            ("GET", "", None),
            ("PUT", "", {"items": TWO_ITEMS}),
            ("DELETE", "", None),
            ("POST", "/items", {"items": TWO_ITEMS}),
            ("POST", "/removals", {"items": ["a"]}),
            ("GET", "/settings", None),
            ("PUT", "/settings", {}),
        ]
    ],
    [
        bad("newline", "POST /v1/users/a%0Ab/next", None, "path.user", "'a\\nb'"),
        bad("C1", "POST /v1/users/%C2%85/next", None, "path.user", "'\\x85'"),
        bad("long name", f"POST /v1/users/{LONG}/next", None, "at most 200"),
        bad("huge name", f"POST /v1/users/{'x' * 60_000}/next", None, "at most 200"),
        bad("long catalogue", f"PUT /v1/catalogues/{LONG}", {"items": TWO_ITEMS}, "at most 200"),
        bad("slash", "POST /v1/users/a%2Fb/next", None, "/v1/users/a/b/next", status=404),
        bad("slash", "GET /v1/users/a%2Fb", None, "/v1/users/a/b", status=404),
        bad("dots", "GET /v1/users/../../etc/passwd", None, status=404),
        bad("no user", "GET /v1/users", None, "/v1/users", status=404),
        bad("no name", "POST /v1/users//next", None, status=404),
        bad("next version", "POST /v2/users/ann/next", None, "/v2/users/ann/next", status=404),
        bad("version before", "GET /v0/catalogues", None, "/v0/catalogues", status=404),
        bad("no version", "GET /catalogues", None, "/catalogues", status=404),
        bad("huge address", f"GET /{'x/' * 30_000}", None, status=404),
    ],
)
def test_bad_addresses(client: TestClient, case: Bad) -> None:
    message = refused(client, case)
    assert [each for each in case.says if each not in message] == [], message


@pytest.mark.parametrize("name", ["%FF", "a%C3", "%ED%A0%80", "%C0%AF"])
@pytest.mark.parametrize("where", ["POST /v1/users/{}/next", "GET /v1/users/ann?catalogue={}"])
def test_names_that_are_no_utf8(client: TestClient, where: str, name: str) -> None:
    """Two of them would become one person, called by replacement characters."""
    before = everything(client)
    response = bad(name, where.format(name)).send(client)
    assert 400 <= response.status_code < 500
    assert everything(client) == before


@table(
    [
        bad(f"events={value[:9]}", f"GET /v1/users/ann?events={value}", None, "query.events", said)
        for value, said in {
            "-1": "'-1'",
            "1001": "1000",
            "x": "'x'",
            "": "''",
            "NaN": "'NaN'",
            "1e3": "'1e3'",
            "1.5": "'1.5'",
            "9" * 5000: "integer",
            "%00": "'\\x00'",
        }.items()
    ],
    [
        bad(f"event {value[:9]}", f"DELETE /v1/users/ann/events/{value}", None, "path.event", said)
        for value, said in {
            "0": "'0'",
            "-1": "'-1'",
            "x": "'x'",
            "1.5": "'1.5'",
            "e1": "'e1'",
            str(2**31): str(2**31),
            "9" * 5000: "integer",
            "%00": "'\\x00'",
        }.items()
    ],
    [
        bad(f"d={value}", f"PUT /v1/catalogues/small?d={value}", {"items": TWO_ITEMS}, "query.d")
        for value in ("0", "1001", "x", "", "NaN", "2.5")
    ],
    [
        bad("empty", f"{where}?catalogue=", body, "query.catalogue", "''")
        for where, body in [
            ("POST /v1/users/ann/next", None),
            ("GET /v1/users/ann", None),
            ("GET /v1/users/ann/export", None),
            ("DELETE /v1/users/ann", None),
            ("DELETE /v1/users/ann/events/1", None),
            (PERSON, None),
        ]
    ],
    [
        bad("long", f"GET /v1/users/ann?catalogue={LONG}", None, "query.catalogue", "200"),
        bad("NUL", "GET /v1/users/ann?catalogue=%00", None, "query.catalogue", "'\\x00'"),
        bad("no item", "GET /v1/users/ann/explain", None, "query.item", "required"),
        bad("empty", "GET /v1/users/ann/explain?item=", None, "query.item", "''"),
        bad("NUL", "GET /v1/users/ann/explain?item=%00", None, "query.item", "'\\x00'"),
        bad("long", f"GET /v1/users/ann/explain?item={LONG}", None, "query.item", "200"),
    ],
)
def test_bad_queries(client: TestClient, case: Bad) -> None:
    check(client, case)


# Names and ids that are not there


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
        bad("exclude", NEXT, {"exclude": ["Alein (1979)"]}, "'Alein (1979)'", ALIEN),
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
    "wish",
    [{"pool": ["nope"]}, {"offered": ["nope"]}, {"pool": [ALIEN], "exclude": [ALIEN]}],
    ids=str,
)
def test_a_refused_stranger_stays_a_stranger(client: TestClient, wish: dict[str, Any]) -> None:
    check(client, bad("stranger", "POST /v1/users/stranger/next", {**wish, "ask": "never"}))
    assert client.get("/v1/users/stranger").status_code == 404


# Lists


@table(
    [
        bad("empty pool", NEXT, {"pool": []}, "body.pool", "at least 1"),
        bad("empty offered", NEXT, {"offered": []}, "body.offered", "at least 1"),
        bad("no pool", NEXT, {"pool": {}}, "body.pool", "list"),
        bad("long pool", NEXT, {"pool": ["x"] * 100_001}, "body.pool", "100000", "100001"),
        bad("long exclude", NEXT, {"exclude": ["x"] * 10_001}, "body.exclude", "10001"),
        bad("long offered", NEXT, {"offered": ["x"] * 10_001}, "body.offered", "10001"),
        bad("all excluded", NEXT, {"ask": "never", "pool": [ALIEN], "exclude": [ALIEN]}, "pool"),
        bad("no items", CATALOGUE, {"items": []}, "body.items", "at least 1"),
        bad("no items", ITEMS, {"items": []}, "body.items", "at least 1"),
        bad("no items", REMOVALS, {"items": []}, "body.items", "at least 1"),
        bad("long list", ITEMS, {"items": [TWO_ITEMS[0]] * 10_001}, "body.items", "10001"),
        bad("long list", REMOVALS, {"items": ["a"] * 10_001}, "body.items", "10001"),
        bad("tags", ITEMS, {"items": [{"id": "c", "tags": ["x"] * 1001}]}, "tags", "1001"),
        bad("tags", CATALOGUE, {"items": [{"id": "c", "tags": ["x"] * 1001}]}, "tags", "1001"),
        bad(
            "weights",
            CATALOGUE,
            {"items": [{"id": "c", "tags": {f"t{n}": 1 for n in range(1001)}}]},
            "tags",
            "1000",
        ),
        bad(
            "features",
            CATALOGUE,
            {"items": [{"id": "c", "tags": ["x"], "features": [0.5] * 2001}]},
            "features",
            "2001",
        ),
        bad("everything removed", REMOVALS, {"items": ["a", "b"]}, "at least one"),
        bad("known item", ITEMS, {"items": [TWO_ITEMS[0]]}, "'a'", "already"),
        bad("item twice", ITEMS, {"items": [{"id": "c", "tags": ["x"]}] * 2}, "'c'", "twice"),
    ]
)
def test_bad_lists(client: TestClient, case: Bad) -> None:
    check(client, case)


@table(
    [
        bad("pool", NEXT, {"ask": "never", "pool": [ALIEN, ALIEN]}, ALIEN),
        bad("pool while a question is due", NEXT, {"pool": [ALIEN, ALIEN]}, ALIEN),
        bad("removal", REMOVALS, {"items": ["a", "a"]}, "'a'"),
        bad("upload", CATALOGUE, {"items": [TWO_ITEMS[0], TWO_ITEMS[0]]}, "'a'"),
    ]
)
def test_duplicates_are_named(client: TestClient, case: Bad) -> None:
    check(client, case)


# Catalogues and settings


def _settings(**agent: Any) -> dict[str, Any]:
    return {"agent": {"recipe": "conlinucb", **agent}}


@table(
    [
        bad("no recipe", SETTINGS, {"agent": {}}, "recipe", "conlinucb"),
        bad("recipe", SETTINGS, {"agent": {"recipe": "conlinUCB2"}}, "'conlinUCB2'", "'conlinucb'"),
        bad("recipe", SETTINGS, {"agent": {"recipe": ["conlinucb"]}}, "['conlinucb']"),
        bad("no agent", SETTINGS, {"agent": "conlinucb"}, "body.agent", "'conlinucb'"),
        bad("strategy", SETTINGS, _settings(strategy="max_radius"), "'max_radius'", "'max-radius'"),
        bad("strategy", SETTINGS, _settings(strategy=5), "5", "max-radius"),
        bad("strategy", SETTINGS, _settings(strategy={"a": 1}), "{'a': 1}"),
        bad("schedule", SETTINGS, _settings(schedule="linear"), "'linear'"),
        bad("schedule", SETTINGS, _settings(schedule={"name": "linar"}), "'linar'", "'linear'"),
        bad("schedule", SETTINGS, _settings(schedule={"name": "every", "n": 0}), "n must", "got 0"),
        bad("schedule", SETTINGS, _settings(schedule={"name": "linear", "c": 1}), "'c'", "'b'"),
        bad("option", SETTINGS, _settings(bete=1), "'bete'", "'beta'"),
        bad("surrogate", SETTINGS, '{"agent": {"recipe": "\\ud800"}}', "ud800", "'conlinucb'"),
        bad("surrogate", SETTINGS, '{"agent": {"recipe": "linucb", "\\ud800": 1}}', "ud800"),
        bad("beta", SETTINGS, _settings(beta=0), "beta", "got 0"),
        bad("alpha", SETTINGS, _settings(alpha={"delta": 7}), "delta", "got 7"),
        bad("range", SETTINGS, {"range": [1, 0]}, "range", "[1.0, 0.0]"),
        bad("range", SETTINGS, {"range": [1, 1]}, "range", "[1.0, 1.0]"),
        bad("range", SETTINGS, {"range": [0]}, "body.range"),
        bad("range", SETTINGS, {"range": [0, 1, 2]}, "body.range", "[0, 1, 2]"),
        bad("range", SETTINGS, {"range": "01"}, "body.range", "'01'"),
        bad("max_questions", SETTINGS, {"max_questions": 10**7}, "1000000", "10000000"),
        bad("field", SETTINGS, {"rest_after_skips": 3}, "rest_after_skips", "got 3"),
    ],
    [
        bad("no tags", CATALOGUE, {"items": [{"id": "a", "tags": []}]}, "tag"),
        bad("only zeros", CATALOGUE, {"items": [{"id": "a", "tags": {"x": 0}}]}, "weights of 0"),
        bad("question", CATALOGUE, {"items": TWO_ITEMS, "questions": {"z": "?"}}, "'z'"),
        bad(
            "features of some",
            CATALOGUE,
            {"items": [{**TWO_ITEMS[0], "features": [1]}, TWO_ITEMS[1]]},
            "1 of 2",
        ),
        bad(
            "features of two lengths",
            CATALOGUE,
            {
                "items": [
                    {**TWO_ITEMS[0], "features": [1]},
                    {**TWO_ITEMS[1], "features": [1, 2]},
                ]
            },
        ),
        bad(
            "features of another length",
            ITEMS,
            {"items": [{"id": "c", "tags": ["x"], "features": [1.0, 2.0, 3.0]}]},
            "3",
        ),
        bad(
            "settings",
            CATALOGUE,
            {"items": TWO_ITEMS, "settings": {"agent": {"recipe": "nope"}}},
            "'nope'",
        ),
        bad(
            "settings of a new one",
            "PUT /v1/catalogues/new",
            {"items": TWO_ITEMS, "settings": {"agent": {"recipe": "nope"}}},
            "'nope'",
        ),
    ],
)
def test_bad_catalogues_and_settings(client: TestClient, case: Bad) -> None:
    check(client, case)


def _csv(text: str, *says: str) -> Bad:
    return bad(text[:30], CATALOGUE, text.encode(), *says, headers=tuple(CSV.items()))


@table(
    [
        _csv("", "Empty"),
        _csv("item,tag\n", "no rows"),
        _csv("film,tag\na,x\n", "'item'", "'film'"),
        _csv("item,tag\na\n", "2 columns"),
        _csv("item,tag,weight\na,x,-1\nb,y,1\n", "'weight'", "-1"),
        _csv("item,tag,weight\na,x,1e400\nb,y,1\n", "'weight'", "inf"),
        _csv("item,tag,weight\na,x,NaN\nb,y,1\n", "'weight'"),
        _csv("item,tag\na\x00,x\nb,y\n", "\\x00"),
        _csv(f"item,tag\n{LONG},x\nb,y\n", "200"),
        _csv(f"item,tag\na,{LONG}\nb,y\n", "200"),
        bad("CSV of bytes", CATALOGUE, b"\xff\xfe\x00", headers=tuple(CSV.items())),
        bad("CSV in latin-1", CATALOGUE, b"item,tag\n\xe9,x\n", headers=tuple(CSV.items())),
        bad("parquet", CATALOGUE, b"", "cannot be read", headers=tuple(PARQUET.items())),
        bad("parquet", CATALOGUE, b"PAR1" * 9, "cannot be read", headers=tuple(PARQUET.items())),
        bad(
            "plain text",
            CATALOGUE,
            b"item,tag\na,x\n",
            "text/csv",
            "'text/plain'",
            status=415,
            headers=(("content-type", "text/plain"),),
        ),
    ]
)
def test_bad_tables(client: TestClient, case: Bad) -> None:
    message = refused(client, case)
    assert [each for each in case.says if each not in message] == [], message
    assert "/tmp" not in message


def test_a_catalogue_with_settings_is_replaced_as_a_whole_or_not_at_all() -> None:
    with client_of() as client:
        place, body = "/v1/catalogues/small", {"items": TWO_ITEMS, "settings": {"max_questions": 3}}
        client.put(place, json={"items": TWO_ITEMS}).raise_for_status()
        client.post("/v1/users/ann/next?catalogue=small").raise_for_status()
        before = client.get(place).json()
        response = client.put(place, json=body)
        if response.is_success:
            assert response.status_code == 202  # Ann's state is rebuilt first
        else:
            assert client.get(place).json() == before


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
    """Each is called with something bad above; a new route needs its own."""
    described = client.app.openapi()["paths"]  # type: ignore[attr-defined]
    assert {
        f"{method.upper()} {path}" for path, methods in described.items() for method in methods
    } == {
        "POST /v1/users/{user}/next",
        "POST /v1/users/{user}/answers",
        "POST /v1/users/{user}/rewards",
        "PUT /v1/users/{user}",
        "GET /v1/users/{user}",
        "GET /v1/users/{user}/explain",
        "DELETE /v1/users/{user}/events/{event}",
        "GET /v1/users/{user}/export",
        "DELETE /v1/users/{user}",
        "GET /v1/catalogues",
        "GET /v1/catalogues/{name}",
        "PUT /v1/catalogues/{name}",
        "DELETE /v1/catalogues/{name}",
        "POST /v1/catalogues/{name}/items",
        "POST /v1/catalogues/{name}/removals",
        "GET /v1/catalogues/{name}/settings",
        "PUT /v1/catalogues/{name}/settings",
        "GET /healthz",
        "GET /readyz",
    }
