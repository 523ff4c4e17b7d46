"""The door of the service: hosts, limits, headers, and one shape of error."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator
from typing import Any

import httpx2 as httpx
import pytest
from fastapi.testclient import TestClient
from starlette.routing import compile_path
from starlette.types import Message, Scope

from conlinucb.service.http import bodies, guard
from support import service_door
from support.service_door import BEARER, ROUTES, TWO_ITEMS, add_route, address, error_of, fail

client = service_door.client
guarded = service_door.guarded


# The host


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:8000",
        "127.0.0.1.evil.example",
        "localhost.evil.example",
        "films.example.evil.example",
        "192.168.1.7",
        "0.0.0.0",
        "[2001:db8::1]:8000",
        "",
        "x" * 1000,
        "\x00",
    ],
)
@pytest.mark.parametrize("path", ["/v1/catalogues", "/healthz", "/nowhere"])
def test_other_hosts_are_refused(client: TestClient, host: str, path: str) -> None:
    response = client.get(path, headers={"host": host})
    assert response.status_code == 421
    assert error_of(response)["code"] == "wrong_host"
    assert "loopback" in error_of(response)["message"]
    assert len(response.text) < 500


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "127.0.0.1:8000", "localhost", "LOCALHOST:8000", "[::1]:8000", "127.8.9.10"],
)
def test_loopback_hosts_are_served(client: TestClient, host: str) -> None:
    assert client.get("/v1/catalogues", headers={"host": host}).status_code == 200


@pytest.mark.parametrize(
    "host", ["films.example", "films.example:443", "Films.Example", "capitals.example:80"]
)
def test_named_hosts_are_served(client: TestClient, host: str) -> None:
    assert client.get("/v1/catalogues", headers={"host": host}).status_code == 200


def test_with_a_key_any_host_is_served(guarded: TestClient) -> None:
    headers = {**BEARER, "host": "evil.example"}
    assert guarded.get("/v1/catalogues", headers=headers).status_code == 200


# How much may come in, and how slowly


@pytest.fixture
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "LARGEST_BODY", 1000)
    monkeypatch.setattr(guard, "LARGEST_UPLOAD", 5000)


def _padded(body: dict[str, Any], size: int) -> bytes:
    text = json.dumps(body).encode()
    return text + b" " * (size - len(text))


@pytest.mark.usefixtures("narrow")
@pytest.mark.parametrize(
    ("method", "path", "body", "limit"),
    [
        ("POST", "/v1/users/ann/next", {}, 1000),
        ("POST", "/v1/users/ann/answers", {"question": "q9", "answer": 1}, 1000),
        ("PUT", "/v1/catalogues/small", {"items": TWO_ITEMS}, 5000),
        ("POST", "/v1/catalogues/small/items", {"items": [{"id": "c", "tags": ["x"]}]}, 5000),
    ],
)
@pytest.mark.parametrize("pieces", [False, True], ids=["with a length", "in pieces"])
def test_large_bodies(
    client: TestClient, method: str, path: str, body: dict[str, Any], limit: int, pieces: bool
) -> None:
    def send(size: int) -> httpx.Response:
        content = _padded(body, size)
        scope = _scope(method, path, None if pieces else len(content))
        return asyncio.run(_called(client.app, scope, _all_of(content, pieces)))

    fits = send(limit)
    assert fits.status_code != 413, fits.text
    before = _listed(client)
    response = send(limit + 1)
    assert response.status_code == 413, response.text
    assert error_of(response)["code"] == "too_large"
    assert f"{limit:,}" in error_of(response)["message"]
    assert _listed(client) == before


def _listed(client: TestClient) -> list[dict[str, Any]]:
    """All catalogues, without the count of people, which may be some seconds old."""
    return [{**entry, "people": None} for entry in client.get("/v1/catalogues").json()]


@pytest.mark.parametrize("told", ["9" * 30, "9" * 5000])
def test_a_body_said_to_be_huge_is_not_waited_for(client: TestClient, told: str) -> None:
    scope = _scope("POST", "/v1/users/ann/next", told)
    response = asyncio.run(_called(client.app, scope, _never()))
    assert response.status_code == 413, response.text


@pytest.mark.parametrize(
    ("method", "path"), [("POST", "/v1/users/slow/next"), ("PUT", "/v1/catalogues/slow")]
)
def test_slow_bodies(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, method: str, path: str
) -> None:
    monkeypatch.setattr(bodies, "GRACE", 0.1)
    scope = _scope(method, path, 100)
    response = asyncio.run(_called(client.app, scope, _never(b'{"items": [')))
    assert response.status_code == 408, response.text
    assert error_of(response)["code"] == "too_slow"
    assert "11 bytes of the body came in 0.1 seconds" in error_of(response)["message"]
    assert client.get("/v1/users/slow").status_code == 404  # nobody was met
    assert client.get("/v1/catalogues/slow").status_code == 404


def test_a_slow_answer_is_no_slow_body(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the route takes does not count."""
    monkeypatch.setattr(bodies, "GRACE", 0.1)
    add_route(client, "/v1/slow", lambda: time.sleep(0.3))
    assert client.get("/v1/slow").status_code == 200


def _scope(method: str, path: str, length: int | str | None) -> Scope:
    headers = [(b"host", b"127.0.0.1"), (b"content-type", b"application/json")]
    if length is not None:
        headers.append((b"content-length", str(length).encode()))
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "query_string": b"",
        "headers": headers,
        "client": ("127.0.0.1", 50000),
        "server": ("127.0.0.1", 80),
        "state": {},
    }


async def _all_of(content: bytes, pieces: bool) -> AsyncIterator[Message]:
    step = 700 if pieces else len(content)
    for start in range(0, len(content), step):
        more = start + step < len(content)
        yield {"type": "http.request", "body": content[start : start + step], "more_body": more}


async def _never(first: bytes = b"") -> AsyncIterator[Message]:
    """A body that begins and does not go on."""
    yield {"type": "http.request", "body": first, "more_body": True}
    await asyncio.Event().wait()


async def _called(app: Any, scope: Scope, body: AsyncIterator[Message]) -> httpx.Response:
    """What the application answers to messages that come one by one."""
    sent: list[Message] = []

    async def receive() -> Message:
        async for message in body:
            return message
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        sent.append(message)

    await app(scope, receive, send)
    content = b"".join(each.get("body", b"") for each in sent[1:])
    return httpx.Response(sent[0]["status"], headers=sent[0]["headers"], content=content)


# What every answer has


HEADERS = {
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
}
ANSWERS: dict[str, tuple[int, str, str, dict[str, Any]]] = {
    "fine": (200, "GET", "/v1/catalogues", {}),
    "description": (200, "GET", "/v1/openapi.json", {}),
    "nothing to say": (204, "PUT", "/v1/users/zoe", {}),
    "healthy": (200, "GET", "/healthz", {}),
    "ready": (200, "GET", "/readyz", {}),
    "wrong host": (421, "GET", "/v1/catalogues", {"headers": {"host": "evil.example"}}),
    "unknown user": (404, "GET", "/v1/users/nobody", {}),
    "unknown address": (404, "GET", "/nowhere", {}),
    "wrong method": (405, "PATCH", "/v1/catalogues", {}),
    "wrong type": (415, "PUT", "/v1/catalogues/small", {"content": b"x"}),
    "invalid": (422, "POST", "/v1/users/ann/next", {"json": {"k": 0}}),
    "failure": (500, "GET", "/v1/broken", {}),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_headers_on_every_answer(client: TestClient, name: str) -> None:
    add_route(client, "/v1/broken", fail)
    status, method, path, more = ANSWERS[name]
    response = client.request(method, path, **more)
    assert response.status_code == status
    assert {each: response.headers.get(each) for each in HEADERS} == HEADERS
    assert "server" not in response.headers
    if status >= 400:
        error_of(response)


def test_a_refusal_at_the_door_has_the_headers(guarded: TestClient) -> None:
    response = guarded.get("/v1/catalogues")
    assert response.status_code == 401
    assert {each: response.headers.get(each) for each in HEADERS} == HEADERS


@pytest.mark.parametrize("path", ["/nowhere", "/v1", "/v1/users/ann/next/more", "/v1/%00"])
def test_unknown_addresses(client: TestClient, path: str) -> None:
    response = client.get(path)
    assert response.status_code == 404
    assert error_of(response)["code"] == "unknown_address"


@pytest.mark.parametrize("path", sorted({path for _, path in ROUTES}))
def test_wrong_methods(client: TestClient, path: str) -> None:
    here = address(path).partition("?")[0]  # a catalogue may be called preview, too
    there = {method for method, each in ROUTES if compile_path(each)[0].match(here)}
    response = client.patch(address(path))
    assert response.status_code == 405
    assert error_of(response)["code"] == "wrong_method"
    assert "PATCH" in error_of(response)["message"]
    assert {each.strip() for each in response.headers["allow"].split(",")} == there


def test_a_failure_says_nothing_of_the_inside(client: TestClient) -> None:
    add_route(client, "/v1/broken", fail)
    response = client.get("/v1/broken", headers={"x-request-id": "r-1"})
    assert response.status_code == 500
    assert error_of(response) == {
        "code": "internal",
        "message": "Something failed here. The log says what, under request r-1.",
    }
    assert client.get("/v1/catalogues").status_code == 200


@pytest.mark.parametrize(
    ("method", "path", "near"),
    [
        ("POST", "/v1/users/ann/next?catalog=films", "catalogue"),
        ("GET", "/v1/users/ann?event=3", "events"),
        ("GET", "/v1/catalogues?catalogue=films", "no parameters"),
        ("PUT", "/v1/catalogues/new?D=3", "'d'"),
    ],
)
def test_parameters_no_one_looks_at_are_refused(
    client: TestClient, method: str, path: str, near: str
) -> None:
    response = client.request(method, path)
    assert response.status_code == 422
    assert error_of(response)["code"] == "unknown_parameter"
    assert near in error_of(response)["message"]
