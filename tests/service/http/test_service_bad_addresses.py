"""Addresses and queries that cannot be used are refused."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient

from support import service_refusals
from support.service_refusals import (
    ALIEN,
    LONG,
    PERSON,
    TWO_ITEMS,
    Bad,
    bad,
    check,
    everything,
    refused,
    table,
)

client = service_refusals.client
worlds = service_refusals.worlds


@table(
    [
        bad("NUL", f"{method} /v1/users/a%00b{rest}", body, "path.user", "'a\\x00b'")
        for method, rest, body in [
            ("POST", "/next", None),
            ("POST", "/answers", {"question": "q1", "answer": "yes"}),
            ("POST", "/rewards", {"decision": "d2", "item": ALIEN, "reward": 1}),
            ("POST", "/steps", {"next": {"k": 1}}),
            ("GET", "/picture", None),
            ("GET", "/best", None),
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
        bad("slash", "POST /v1/users/a%2Fb/next", None, "slash (%2F)"),
        bad("slash", "GET /v1/users/a%2Fb", None, "slash (%2F)"),
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
