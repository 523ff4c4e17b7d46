"""Catalogues uploaded over HTTP: JSON, CSV and Parquet, and what is refused."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient

import conlinucb as cl
from conlinucb.service.catalogues.uploads import from_file
from support import service_films
from support.service_films import FILMS, TABLE, about, csv, items, problem, put, served_version
from support.service_talk import Talk

name = service_films.name
talk = service_films.talk


def test_items_with_tags(memory: TestClient, name: str) -> None:
    questions = {"space": "Do you dream of the stars?"}
    out = put(memory, name, {"items": items(), "questions": questions, "d": 4}).json()
    assert (out["version"], out["building"], out["people"]) == (1, None, 0)
    assert (out["items"], out["terms"], out["d"]) == (6, 6, 4)
    talk = Talk(memory, name)
    rows = [(film, tag) for film, tags in FILMS.items() for tag in tags]
    table = {"item": [film for film, _ in rows], "tag": [tag for _, tag in rows]}
    assert np.array_equal(served_version(talk).catalog.arms, cl.Catalog.from_tags(table, d=4).arms)
    question = talk.next(offered=["space"])
    assert question["text"] == "Do you dream of the stars?"
    talk.answer(question=question["question"], answer=1)
    talk.next()
    assert talk.next(offered=["slow"])["text"] == "Do you like slow?"


def test_items_with_weights(memory: TestClient, name: str) -> None:
    weighted = [{"id": "a", "tags": {"x": 2.5, "y": 1}}, {"id": "b", "tags": {"y": 0.25}}]
    assert put(memory, name, {"items": weighted}).status_code == 200
    table = {"item": ["a", "a", "b"], "tag": ["x", "y", "y"], "weight": [2.5, 1, 0.25]}
    expected = cl.Catalog.from_tags(table, features="topics").with_constant()
    found = served_version(Talk(memory, name)).catalog
    assert np.array_equal(found.weights.toarray(), expected.weights.toarray())
    assert np.array_equal(found.arms, expected.arms)


def test_items_with_features(memory: TestClient, name: str) -> None:
    features = np.random.default_rng(3).normal(size=(6, 3))
    body = [each | {"features": row.tolist()} for each, row in zip(items(), features, strict=True)]
    assert put(memory, name, {"items": body}).json()["d"] == 3
    assert np.array_equal(served_version(Talk(memory, name)).catalog.arms, features)


def parquet(columns: dict[str, Any]) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    file = io.BytesIO()
    pq.write_table(pa.table(columns), file)
    return file.getvalue()


def send_table(client: TestClient, name: str, kind: str, body: bytes, **params: Any) -> Any:
    headers = {"content-type": kind}
    return client.put(f"/v1/catalogues/{name}", content=body, headers=headers, params=params)


@pytest.mark.parametrize(
    ("kind", "write"),
    [
        ("text/csv", csv),
        ("Text/CSV; charset=utf-8", csv),
        ("application/vnd.apache.parquet", parquet),
        ("application/x-parquet", parquet),
    ],
)
def test_tables(memory: TestClient, name: str, kind: str, write: Callable[[Any], bytes]) -> None:
    response = send_table(memory, name, kind, write(TABLE), d=2)
    assert response.status_code == 200, response.text
    assert (response.json()["items"], response.json()["d"]) == (3, 2)
    assert response.json()["report"]["rows"] == 4
    found, expected = served_version(Talk(memory, name)).catalog, cl.Catalog.from_tags(TABLE, d=2)
    assert (found.arm_ids, found.term_ids) == (expected.arm_ids, expected.term_ids)
    assert np.array_equal(found.arms, expected.arms)
    assert np.array_equal(found.terms, expected.terms)


def test_a_saved_catalogue_with_other_ids_keeps_the_rest(tmp_path: Path) -> None:
    whole = cl.Catalog(np.eye(3), np.eye(3)).with_constant().with_popularity([1, 2, 9])
    saved = whole.remove_arms([1], keep_terms=True)
    saved.save(tmp_path / "films.npz")
    found = from_file(tmp_path / "films.npz").catalog
    assert (found.arm_ids, found.term_ids) == (("0", "1", "2"), ("0", "1", "2"))
    assert found.live_arms.tolist() == [0, 2]
    assert (found.constant, found.popularity is not None) == (3, True)
    assert np.array_equal(found.arms, saved.arms)
    assert np.array_equal(found.terms, saved.terms)


def test_ids_are_text(memory: TestClient, name: str) -> None:
    body = parquet({"item": [7, 7, 42], "tag": [1, 2, 2]})
    assert send_table(memory, name, "application/x-parquet", body).status_code == 200
    talk = Talk(memory, name)
    assert served_version(talk).catalog.arm_ids == ("7", "42")
    question = talk.next()
    assert question["term"] in ("1", "2")
    talk.answer(question=question["question"], answer="yes")
    assert sorted(each["item"] for each in talk.next(k=5)["items"]) == ["42", "7"]
    assert talk.explain("42")["item"] == "42"
    body = b"item,tag\n007,x\n7,x\n7,y\n"
    assert send_table(memory, name + " csv", "text/csv", body).json()["items"] == 2


def test_other_kinds_of_content(memory: TestClient, name: str) -> None:
    for kind in ("text/plain", "application/octet-stream", "image/png"):
        status, code, message = problem(send_table(memory, name, kind, csv(TABLE)))
        assert (status, code) == (415, "wrong_type")
        assert repr(kind) in message
        assert "text/csv" in message
    assert memory.get(f"/v1/catalogues/{name}").status_code == 404


TWO = [{"id": "a", "tags": ["x"]}, {"id": "b", "tags": ["y"]}]
LONG = "a" * 201
BAD_JSON: dict[str, tuple[Any, str]] = {
    "no items": ({"items": []}, "items"),
    "items missing": ({}, "items"),
    "a list": ([], "body"),
    "no tags at all": ({"items": [{"id": "a", "tags": []}]}, "tag"),
    "tags missing": ({"items": [{"id": "a"}]}, "neither tags nor features"),
    "unknown field": ({"items": TWO, "colour": 1}, "colour"),
    "empty id": ({"items": [{"id": "", "tags": ["x"]}]}, "items.0.id"),
    "long id": ({"items": [{"id": LONG, "tags": ["x"]}]}, "items.0.id"),
    "control": ({"items": [{"id": "a\n", "tags": ["x"]}]}, "items.0.id"),
    "number as id": ({"items": [{"id": 7, "tags": ["x"]}]}, "items.0.id"),
    "negative weight": ({"items": [{"id": "a", "tags": {"x": -1}}]}, "-1"),
    "weights of 0": ({"items": [{"id": "a", "tags": {"x": 0}}]}, "tag"),
    "one has features": ({"items": [TWO[0] | {"features": [1.0]}, TWO[1]]}, "1 of 2"),
    "unequal features": (
        {"items": [TWO[0] | {"features": [1, 2]}, TWO[1] | {"features": [1]}]},
        "embeddings",
    ),
    "odd feature": ({"items": [TWO[0] | {"features": ["x"]}]}, "features"),
    "d of 0": ({"items": TWO, "d": 0}, "d"),
    "question of no tag": ({"items": TWO, "questions": {"q": "?"}}, "'q'"),
    "item twice": ({"items": [*TWO, {"id": "a", "tags": ["y"]}]}, "'a'"),
    "item without tags": ({"items": [*TWO, {"id": "lonely", "tags": []}]}, "'lonely'"),
}


@pytest.mark.parametrize("case", BAD_JSON)
def test_json_that_cannot_be_used(memory: TestClient, name: str, case: str) -> None:
    body, told = BAD_JSON[case]
    status, _, message = problem(put(memory, name, body))
    assert status == 422
    assert told in message
    assert memory.get(f"/v1/catalogues/{name}").status_code == 404


BAD_TABLES: dict[str, tuple[bytes, str]] = {
    "nothing": (b"", "The table"),
    "no rows": (b"item,tag\n", "no rows"),
    "another column": (b"itme,tag\na,x\n", "Did you mean 'itme'"),
    "one column": (b"item\na\n", "line 1: 'item' is one column"),
    "blank": (b"item,tag\na,x\n ,y\n", "line 3: ' ,y' has no item"),
    "not UTF-8": (b"item,tag\na,\xff\x81\n", "UTF-8"),
    "negative weight": (b"item,tag,weight\na,x,-2\n", "-2"),
    "weight as text": (b"item,tag,weight\na,x,much\n", "'much'"),
    "long id": (b"item,tag\n" + LONG.encode() + b",x\n", "200"),
    "ragged": (b"item,tag\na,x,y,z\n", "line 2: 'a,x,y,z' has 4 cells"),
}


@pytest.mark.parametrize("case", BAD_TABLES)
def test_tables_that_cannot_be_used(memory: TestClient, name: str, case: str) -> None:
    body, told = BAD_TABLES[case]
    status, code, message = problem(send_table(memory, name, "text/csv", body))
    assert (status, code) == (422, "invalid_input")
    assert told in message
    assert "/tmp" not in message  # where it lay here is nobody's business
    assert memory.get(f"/v1/catalogues/{name}").status_code == 404


def test_parquet_that_is_none(memory: TestClient, talk: Talk) -> None:
    whole, before = parquet(TABLE), about(talk)
    for body in (b"nonsense", whole[:-20], b"", parquet({"item": [[1], [2]], "tag": ["x", "y"]})):
        status, code, _ = problem(send_table(memory, talk.catalogue, "application/x-parquet", body))
        assert (status, code) == (422, "invalid_input")
    status, code, _ = problem(send_table(memory, talk.catalogue, "application/json", b"nonsense"))
    assert (status, code) == (422, "invalid_body")
    assert about(talk) == before


@pytest.mark.parametrize("size", [1e4, 1e12, 1e100])
def test_features_too_long_to_compute_with_are_refused(
    memory: TestClient, name: str, size: float
) -> None:
    body = {"items": [{"id": str(n), "tags": ["x"], "features": [size, n]} for n in range(3)]}
    response = put(memory, name, body)
    assert response.status_code == 422
    assert f"{size:g}; at most 1000" in response.json()["error"]["message"]


def test_an_agent_without_usable_numbers_is_refused(memory: TestClient, name: str) -> None:
    settings = {"agent": {"recipe": "linucb", "alpha": 1e300}}
    response = put(memory, name, {"items": items(), "settings": settings})
    assert response.status_code == 422
    assert "e+300" in response.json()["error"]["message"]
