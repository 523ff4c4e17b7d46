"""Lists, catalogues, settings and tables that cannot be used are refused."""

from __future__ import annotations

from typing import Any

from fastapi.testclient import TestClient

from support import service_refusals
from support.service_refusals import (
    ALIEN,
    CATALOGUE,
    ITEMS,
    LONG,
    NEXT,
    REMOVALS,
    SETTINGS,
    TWO_ITEMS,
    Bad,
    bad,
    check,
    refused,
    table,
)
from support.service_world import client_of

client = service_refusals.client
worlds = service_refusals.worlds

CSV = {"content-type": "text/csv"}
PARQUET = {"content-type": "application/vnd.apache.parquet"}


# Lists


@table(
    [
        bad("empty pool", NEXT, {"pool": []}, "body.pool", "at least 1"),
        bad("empty offered", NEXT, {"offered": []}, "body.offered", "at least 1"),
        bad("no pool", NEXT, {"pool": {}}, "body.pool", "list"),
        bad("long pool", NEXT, {"pool": ["x"] * 100_001}, "body.pool", "100000", "100001"),
        bad("long exclude", NEXT, {"exclude": ["x"] * 10_001}, "body.exclude", "10001"),
        bad("long offered", NEXT, {"offered": ["x"] * 10_001}, "body.offered", "10001"),
        bad("all excluded", NEXT, {"ask": "never", "pool": [ALIEN], "exclude": [ALIEN]}, "exclude"),
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
            "2 own features",
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


PREVIEW = "POST /v1/catalogues/preview"


def _csv(text: str, *says: str, where: str = CATALOGUE) -> Bad:
    return bad(text[:30], where, text.encode(), *says, headers=tuple(CSV.items()))


@table(
    [
        _csv("", "is empty"),
        _csv("item,tag\n", "no rows"),
        _csv("colour,tag\na,x\n", "line 1: 'colour,tag'", "column of items"),
        _csv("item,tag\na\n", "2 columns"),
        _csv("item,tag,weight\na,x,-1\nb,y,1\n", "line 2: 'a,x,-1' has the weight '-1'"),
        _csv("item,tag,weight\na,x,1e400\nb,y,1\n", "line 2", "the weight '1e400'"),
        _csv("item,tag,weight\na,x,NaN\nb,y,1\n", "line 2", "the weight 'NaN'"),
        _csv("item,tag\na\x00,x\nb,y\n", "\\x00"),
        _csv(f"item,tag\n{LONG},x\nb,y\n", "200"),
        _csv(f"item,tag\na,{LONG}\nb,y\n", "200"),
        _csv("item,tag\na\n", "line 2: 'a' has 1 cell", where=PREVIEW),
        bad("preview", PREVIEW, {"items": []}, "body.items", "at least 1"),
        bad("preview", f"{PREVIEW}?d=0", {"items": TWO_ITEMS}, "query.d", "1"),
        bad("CSV of bytes", CATALOGUE, b"\xff\xfe\x00", headers=tuple(CSV.items())),
        bad(
            "CSV of no letters",
            CATALOGUE,
            b"item,tag\n\x81,x\n",
            "0x81",
            headers=tuple(CSV.items()),
        ),
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
            assert client.get(f"{place}/settings").json()["max_questions"] == 3
        else:
            assert client.get(place).json() == before
