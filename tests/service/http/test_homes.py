"""The builder's home without a browser: who may open its document, and that it holds nothing."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from conlinucb.service.http.routes.page import FOLDER
from conlinucb.service.http.visitors import HOMES
from support.service_door import BEARER, SECRET
from support.service_world import client_of

FILES = ("page.css", "common.js", "build.css", "build.js", "keyed.js", "preview.js", "served.js")
DATA = ("/v1/catalogues", "/v1/openapi.json", "/v1/catalogues/films/settings")


def test_without_a_key_it_is_there_and_makes_nobody_a_person(memory: TestClient) -> None:
    memory.cookies.clear()
    response = memory.get("/build")
    assert response.status_code == 200
    assert response.headers["content-type"] == "text/html; charset=utf-8"
    assert "set-cookie" not in response.headers
    assert "script-src 'self';" in response.headers["content-security-policy"]
    assert memory.head("/build").status_code == 200
    assert memory.post("/build").headers["allow"] == "GET, HEAD"


@pytest.mark.parametrize("page", ["local", "open"])
def test_with_a_key_the_document_is_there_and_every_call_needs_the_key(page: str) -> None:
    with client_of(key=SECRET, page=page) as client:
        document = client.get("/build")
        assert document.status_code == 200
        assert "set-cookie" not in document.headers
        for each in FILES:
            assert client.get(f"/static/{each}").status_code == 200
        for path in DATA:
            assert client.get(path).status_code == 401
            assert client.get(path, headers=BEARER).status_code == 200
        body = {"items": [{"id": "a", "tags": ["x"]}]}
        assert client.post("/v1/catalogues/preview", json=body).status_code == 401
        taken = client.post("/v1/catalogues/preview", json=body, headers=BEARER)
        assert taken.status_code == 200
        for home in HOMES:
            assert client.get(home).status_code != 401
            assert client.get(f"{home}/x").status_code == 401


def test_other_sites_may_not_read_it() -> None:
    with client_of(key=SECRET) as client:
        client.headers["host"] = "films.example"
        for origin, status in (("https://films.example", 200), ("https://evil.example", 403)):
            response = client.get("/build", headers={"origin": origin})
            assert response.status_code == status
    with client_of() as client:
        assert client.get("/build", headers={"origin": "https://evil.example"}).status_code == 403
        assert client.get("/build", headers={"host": "evil.example"}).status_code == 421


def test_a_page_that_is_off_has_no_homes() -> None:
    with client_of(page="off") as client:
        for path in (*HOMES, "/static/build.js"):
            assert client.get(path).status_code == 404
    with client_of(page="off", key=SECRET) as client:
        for path in (*HOMES, "/static/build.js"):
            assert client.get(path).status_code == 401
            assert client.get(path, headers=BEARER).status_code == 404


def test_the_files_it_names_are_there() -> None:
    text = "".join((FOLDER / each).read_text("utf-8") for each in ("build.html", *FILES))
    named = set(re.findall(r"/static/([\w.-]+)", text))
    assert named <= {path.name for path in FOLDER.iterdir()}
    assert {"api.js", "recipes.csv"} <= named


def test_the_documented_errors_are_those_that_are_said(memory: TestClient) -> None:
    """Docs quote errors of the reader: the same tables bring them about."""
    docs = (Path(__file__).parents[3] / "docs/build.md").read_text("utf-8")
    for body in (
        b"item;tag\nSoup;a\nSoup;b\nPie;c\nPie;d\nSoup;c\nSoup;\n",
        b"item,tags\nTea,hot\nPie,sweet,baked\n",
    ):
        kind = {"content-type": "text/csv"}
        response = memory.post("/v1/catalogues/preview", content=body, headers=kind)
        assert response.json()["error"]["message"] in docs
