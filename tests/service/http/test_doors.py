"""Every route, by every kind of caller: which key and scope it needs, directly and by proxy."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest
from fastapi.testclient import TestClient

from conlinucb.service.http.scopes import ADMIN, ANYONE, BUILD, PAGE, READ, USE, Routes, table
from support.proxy import proxied
from support.service_door import BEARER, BODIES, ROUTES, SECRET, TWO_ITEMS, address, error_of
from support.service_keys import bearer, keyed_client
from support.service_world import client_of, serving

pytestmark = pytest.mark.more  # every route, by every caller

OPENS = {
    "use": {ANYONE, PAGE, USE, READ},
    "build": {ANYONE, PAGE, READ, BUILD},
    "admin": {ANYONE, PAGE, USE, READ, BUILD, ADMIN},
    "films": {ANYONE, PAGE, USE, READ, BUILD},
    "small": {ANYONE, PAGE, USE, READ, BUILD},
}
"""What each key of ``keyed_client`` opens, but for catalogues."""
VISITOR = {ANYONE, PAGE, USE, READ}
DESTROYS = {"DELETE /v1/catalogues/{name}", "DELETE /v1/users/{user}"}
Answered = tuple[int, str]


def need_of(method: str, path: str) -> str:
    found = Routes(table()).find(method, address(path).partition("?")[0])
    assert found is not None
    return found.need


def called(client: httpx.Client, method: str, path: str, headers: dict[str, str]) -> Answered:
    """The status and, of an error, its code."""
    body: Any = BODIES.get(f"{method} {path}")
    response = client.request(method, address(path), json=body, headers=headers)
    told = response.status_code >= 400 and method != "HEAD"
    return response.status_code, error_of(response)["code"] if told else ""


def is_let_in(answered: Answered) -> bool:
    """Past the door, whatever became of it there."""
    return answered[0] not in (401, 403, 421, 429) or answered[1] == "no_visitor"


@pytest.fixture(scope="module")
def keyed() -> Iterator[tuple[TestClient, dict[str, str]]]:
    with keyed_client() as (client, keys):
        body = {"items": TWO_ITEMS}
        client.put("/v1/catalogues/small", json=body, headers=bearer(keys["admin"]))
        yield client, keys


@pytest.mark.parametrize(("method", "path"), ROUTES)
def test_which_key_opens_a_route(
    keyed: tuple[TestClient, dict[str, str]], method: str, path: str
) -> None:
    client, keys = keyed
    need = need_of(method, path)
    if need == ANYONE:
        assert is_let_in(called(client, method, path, {}))
    else:
        assert called(client, method, path, {}) == (401, "key_needed" * (method != "HEAD"))
    destroys = f"{method} {path}" in DESTROYS
    for name, key in keys.items():
        other = (name == "films" and "{name}" in path) or f"{method} {path}" == "GET /metrics"
        if need not in OPENS[name]:
            expected = (403, "wrong_scope")
        elif other and name in ("films", "small"):
            expected = (403, "wrong_catalogue")
        else:
            if not destroys:
                assert is_let_in(called(client, method, path, bearer(key))), name
            continue
        if method != "HEAD":
            assert called(client, method, path, bearer(key)) == expected, name


@pytest.fixture(scope="module")
def keyless() -> Iterator[TestClient]:
    with client_of(hosts=["films.example"]) as client:
        client.put("/v1/catalogues/small", json={"items": TWO_ITEMS}).raise_for_status()
        yield client


TRACES: list[dict[str, str]] = [
    {"x-forwarded-for": "203.0.113.9"},
    {"forwarded": "for=203.0.113.9"},
    {"x-real-ip": "203.0.113.9"},
    {"via": "1.1 somewhere"},
    {"cf-connecting-ip": "203.0.113.9"},
    {"host": "films.example"},
]


@pytest.mark.parametrize(("method", "path"), ROUTES)
def test_without_a_key_a_proxy_opens_nothing_that_changes_or_reads_across(
    keyless: TestClient, method: str, path: str
) -> None:
    need = need_of(method, path)
    for trace in TRACES:
        answered = called(keyless, method, path, trace)
        if need in VISITOR:
            assert is_let_in(answered), trace
        else:
            assert answered == (401, "key_needed"), trace
    if f"{method} {path}" not in DESTROYS:
        assert is_let_in(called(keyless, method, path, {}))


@pytest.mark.parametrize("key", [None, SECRET])
def test_an_open_page_opens_itself_and_nothing_else(key: str | None) -> None:
    with client_of(key=key, page="open") as client:
        for method, path in ROUTES:
            answered = called(client, method, path, {})
            if need_of(method, path) in (ANYONE, PAGE):
                assert is_let_in(answered), path
            else:
                assert answered == (401, "key_needed" * (method != "HEAD")), path


def test_through_a_proxy_only_public_catalogues_are_seen(keyless: TestClient) -> None:
    for trace in TRACES:
        listed = keyless.get("/v1/catalogues", headers=trace).json()
        assert [each["catalogue"] for each in listed] == ["films"]
        about = {"catalogue": "small"}
        hidden = keyless.post("/v1/users/ann/next", params=about, headers=trace)
        assert (hidden.status_code, error_of(hidden)["code"]) == (404, "unknown_catalogue")
    both = keyless.get("/v1/catalogues").json()
    assert [each["catalogue"] for each in both] == ["films", "small"]


@pytest.mark.more
@pytest.mark.parametrize("key", [None, SECRET])
def test_real_proxies_before_a_real_service(tmp_path: Path, key: str | None) -> None:
    config = tmp_path / "service.toml"
    config.write_text('hosts = ["films.example"]\n', "utf-8")
    url = f"sqlite:///{tmp_path / 'service.db'}"
    more = {"CONLINUCB_KEY": key} if key else {}
    with (
        serving(url, config=config, **more) as server,
        proxied(server.port, "X-Forwarded-For: 203.0.113.9") as telling,
        proxied(server.port) as silent,
    ):
        for base, headers in ((telling, {}), (silent, {"host": "films.example"})):
            with httpx.Client(base_url=base, timeout=30.0) as client:
                for method, path in ROUTES:
                    need = need_of(method, path)
                    answered = called(client, method, path, headers)
                    if need == ANYONE or (key is None and need in VISITOR):
                        assert is_let_in(answered), f"{base} {method} {path}"
                    else:
                        assert answered == (401, "key_needed" * (method != "HEAD")), path
                    if key and path == "/v1/catalogues" and method == "GET":
                        assert called(client, method, path, {**headers, **BEARER})[0] == 200
