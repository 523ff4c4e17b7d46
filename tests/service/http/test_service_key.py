"""The key of the service: wanted everywhere, compared in constant time, never shown."""

from __future__ import annotations

import hmac
import logging
from typing import Any

import pytest
from fastapi.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from conlinucb.errors import ConlinucbError, InvalidInput
from conlinucb.service.config import KEY, SHORTEST_KEY, ServiceConfig, key_from_environment
from support import service_door
from support.service_door import (
    BEARER,
    BODIES,
    OPEN,
    ROUTES,
    SECRET,
    add_route,
    address,
    error_of,
    fail,
    populate,
)
from support.service_world import client_of

guarded = service_door.guarded


def test_routes_are_walked() -> None:
    assert ("POST", "/v1/users/{user}/next") in ROUTES
    assert len(ROUTES) >= 20


@pytest.mark.parametrize(("method", "path"), ROUTES)
def test_every_route_wants_the_key(guarded: TestClient, method: str, path: str) -> None:
    body = BODIES.get(f"{method} {path}")
    wrong = [
        {},
        {"authorization": ""},
        {"authorization": SECRET},
        {"authorization": "Bearer"},
        {"authorization": "Bearer "},
        {"authorization": f"Bearer {SECRET[:-1]}"},
        {"authorization": f"Bearer {SECRET}x"},
        {"authorization": f"Bearer {SECRET.upper()}"},
        {"authorization": f"Basic {SECRET}"},
        {"x-api-key": SECRET},
        {"cookie": f"key={SECRET}"},
    ]
    for headers in wrong:
        response = guarded.request(method, address(path), json=body, headers=headers)
        if path in OPEN:
            assert response.status_code == 200
            continue
        assert response.status_code == 401
        assert response.headers["www-authenticate"] == "Bearer"
        if method != "HEAD":
            assert error_of(response)["code"] == "key_needed"
            assert "Authorization: Bearer KEY" in error_of(response)["message"]


def test_every_route_works_with_the_key() -> None:
    last = ["/v1/users/{user}/events/{event}", "/v1/catalogues/{name}", "/v1/users/{user}"]
    replaced = ("PUT", "/v1/catalogues/{name}")  # which is built first, and changed after that
    late = [replaced, *(("DELETE", path) for path in last)]
    assert set(late) < set(ROUTES)
    with client_of(key=SECRET) as client:
        client.headers.update(BEARER)
        populate(client)
        for method, path in [*(each for each in ROUTES if each not in late), *late]:
            body = BODIES.get(f"{method} {path}")
            response = client.request(method, address(path), json=body)
            assert response.status_code in (200, 202, 204), f"{method} {path}: {response.text}"


@pytest.mark.parametrize(
    "path", ["/", "/v1", "/nowhere", "/docs", "/redoc", "/openapi.json", "/healthz/", "//healthz"]
)
def test_nothing_else_is_open(guarded: TestClient, path: str) -> None:
    assert guarded.get(path, follow_redirects=False).status_code == 401


def test_no_sockets_beside_the_door(guarded: TestClient) -> None:
    with (
        pytest.raises(WebSocketDisconnect),
        guarded.websocket_connect("/v1/users/ann/next"),
    ):
        pass


def test_keys_are_compared_in_constant_time(
    guarded: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[Any, Any]] = []
    honest = hmac.compare_digest

    def watched(one: Any, other: Any) -> bool:
        seen.append((one, other))
        return honest(one, other)

    monkeypatch.setattr(hmac, "compare_digest", watched)
    for key in (SECRET, "x", "x" * 5000, SECRET[:-1], "ключ"):
        header = {b"authorization": f"Bearer {key}".encode()}
        guarded.get("/v1/catalogues", headers=header)
    assert len(seen) == 5
    assert {len(each) for pair in seen for each in pair} == {32}  # no length is given away
    assert [one == other for one, other in seen] == [True, False, False, False, False]


def test_the_key_is_in_no_log_and_no_answer(caplog: pytest.LogCaptureFixture) -> None:
    said = []
    with caplog.at_level(logging.DEBUG), client_of(key=SECRET) as client:
        add_route(client, "/v1/broken", fail)
        for headers in (BEARER, {"authorization": f"Bearer {SECRET}?"}, {"x-key": SECRET}):
            for path in ("/v1/catalogues", "/v1/users/nobody", "/v1/nowhere", "/v1/broken"):
                response = client.get(path, headers=headers)
                said.append(f"{response.headers} {response.text}")
        assert SECRET not in repr(client.app.state._state)  # type: ignore[attr-defined]
    assert "/v1/nowhere" in str(said)
    assert SECRET not in str(said)
    assert SECRET not in caplog.text


@pytest.mark.parametrize("key", ["x" * (SHORTEST_KEY - 1), "x", " "])
def test_short_keys_are_refused(monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    monkeypatch.setenv(KEY, key)
    with pytest.raises(InvalidInput, match=f"{KEY} .*{SHORTEST_KEY}.* it has {len(key)}") as found:
        key_from_environment(ServiceConfig())
    assert "xx" not in str(found.value)


@pytest.mark.parametrize(
    "key",
    ["x" * SHORTEST_KEY, "schlüssel-zum-glück", "with spaces in between", " " * 20, "x\n" * 9],
)
def test_a_key_is_refused_or_can_be_sent(monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    monkeypatch.setenv(KEY, key)
    try:
        taken = key_from_environment(ServiceConfig())
    except ConlinucbError:
        return
    with client_of(key=taken) as client:
        header = {b"authorization": b"Bearer " + key.strip().encode()}  # as a server gets it
        response = client.get("/v1/catalogues", headers=header)
        assert response.status_code == 200


@pytest.mark.parametrize(
    "host", ["0.0.0.0", "::", "192.168.1.7", "films.example", "", "127.0.0.1x"]
)
def test_a_public_address_needs_a_key(monkeypatch: pytest.MonkeyPatch, host: str) -> None:
    monkeypatch.delenv(KEY, raising=False)
    config = ServiceConfig(host=host)
    with pytest.raises(InvalidInput, match=f"{KEY}.*127.0.0.1"):
        key_from_environment(config)
    monkeypatch.setenv(KEY, "")
    with pytest.raises(InvalidInput):
        key_from_environment(config)
    monkeypatch.setenv(KEY, SECRET)
    assert key_from_environment(config) == SECRET


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.2", "::1", "localhost"])
def test_loopback_needs_none(monkeypatch: pytest.MonkeyPatch, host: str) -> None:
    monkeypatch.delenv(KEY, raising=False)
    assert key_from_environment(ServiceConfig(host=host)) is None
