"""A browser without the key reads a page; programs get the same JSON as ever."""

from __future__ import annotations

import re

import pytest
from fastapi.testclient import TestClient

from conlinucb.service.http.key_page import key_page
from support import service_door
from support.service_door import BEARER, OPEN, ROUTES, SECRET, address, error_of
from support.service_world import client_of

guarded = service_door.guarded
BROWSER = {"accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}
PROGRAMS = ["*/*", "", "application/json", "application/json, text/html;q=0.5", "text/html;q=0"]
READ = sorted({path for method, path in ROUTES if method == "GET" and path not in OPEN})


@pytest.mark.parametrize("path", [*READ, "/nowhere"])
def test_a_browser_reads_why(guarded: TestClient, path: str) -> None:
    response = guarded.get(address(path), headers=BROWSER, follow_redirects=False)
    assert response.status_code == 401
    assert response.headers["www-authenticate"] == "Bearer"
    assert response.headers["content-type"] == "text/html; charset=utf-8"
    assert response.headers["cache-control"] == "no-store"
    assert "default-src 'none'" in response.headers["content-security-policy"]
    assert "set-cookie" not in response.headers
    assert "Send the key: Authorization: Bearer KEY." in response.text
    assert response.text == guarded.get("/", headers=BROWSER).text  # nothing of what was asked for


def test_all_that_it_names_is_open(guarded: TestClient) -> None:
    named = re.findall(r'(?:href|src)="([^"]+)"', guarded.get("/", headers=BROWSER).text)
    assert named == ["/static/page.css", "/build", "/dashboard"]
    for each in named:
        assert guarded.get(each).status_code == 200


@pytest.mark.parametrize("accepts", PROGRAMS)
def test_programs_get_json(guarded: TestClient, accepts: str) -> None:
    for path in ("/", "/v1/catalogues", "/nowhere"):
        error = error_of(guarded.get(path, headers={"accept": accepts}))
        told = {"code": "key_needed", "message": "Send the key: Authorization: Bearer KEY."}
        assert error == told


def test_only_who_reads_and_has_no_key_gets_it(guarded: TestClient) -> None:
    posted = guarded.post("/v1/users/ann/next", headers=BROWSER)
    assert error_of(posted)["code"] == "key_needed"
    with_key = guarded.get("/v1/nowhere", headers=BROWSER | BEARER)
    assert (with_key.status_code, error_of(with_key)["code"]) == (404, "unknown_address")
    assert guarded.get("/", headers=BROWSER | BEARER).status_code == 200
    head = guarded.head("/", headers=BROWSER)
    assert (head.status_code, head.headers["content-type"]) == (401, "text/html; charset=utf-8")
    wrong = guarded.get("/", headers=BROWSER | {"authorization": f"Bearer {SECRET}x"})
    assert "This key opens nothing here" in wrong.text
    assert SECRET not in wrong.text


def test_where_the_page_is_off_it_says_no_more_than_the_error() -> None:
    with client_of(key=SECRET, page="off") as client:
        response = client.get("/", headers=BROWSER)
        assert response.status_code == 401
        assert "Send the key: Authorization: Bearer KEY." in response.text
        assert re.findall(r'(?:href|src)="', response.text) == []
        assert "conlinucb" not in response.text.lower()


def test_an_open_page_is_as_it_was() -> None:
    with client_of(key=SECRET, page="open") as client:
        assert client.get("/", headers=BROWSER).status_code == 200
        assert client.get("/v1/page", headers=BROWSER).status_code == 200
        client.cookies.clear()
        assert error_of(client.get("/v1/me", headers=BROWSER))["code"] == "no_visitor"


def test_what_it_says_is_text() -> None:
    assert b"<script>" not in key_page("<script>alert(1)</script> & so on", homes=True)
