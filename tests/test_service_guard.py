"""The door of the service: keys, hosts, limits, headers, one shape of error, and its way out."""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import json
import logging
import os
import re
import signal
import socket
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest
from fastapi.testclient import TestClient
from starlette.routing import Route
from starlette.types import Message, Scope
from starlette.websockets import WebSocketDisconnect

from conlinucb import cli
from conlinucb.errors import ConlinucbError, InvalidInput
from conlinucb.service import guard
from conlinucb.service.app import create_app
from conlinucb.service.config import (
    KEY,
    SHORTEST_KEY,
    CatalogueConfig,
    ServiceConfig,
    key_from_environment,
)
from conlinucb.service.settings import Settings
from conlinucb.service.storage import MEMORY
from service_world import Server, client_of, free_port

SECRET = "an-unlikely-key-4711"
BEARER = {"authorization": f"Bearer {SECRET}"}
OPEN = {"/healthz", "/readyz"}
DOCS = Path(__file__).parents[1] / "docs" / "service.md"
ALIEN = "Alien (1979)"
TWO_ITEMS = [{"id": "a", "tags": ["x", "y"]}, {"id": "b", "tags": ["y"]}]
BODIES: dict[str, Any] = {
    "POST /v1/users/{user}/answers": {"question": "q1", "answer": "yes"},
    "POST /v1/users/{user}/rewards": {"decision": "d2", "item": ALIEN, "reward": 1},
    "PUT /v1/catalogues/{name}": {"items": TWO_ITEMS},
    "POST /v1/catalogues/{name}/items": {"items": [{"id": "c", "tags": ["x"]}]},
    "POST /v1/catalogues/{name}/removals": {"items": ["a"]},
    "PUT /v1/catalogues/{name}/settings": {},
}


def walked(routes: Any, prefix: str = "") -> Iterator[tuple[str, str]]:
    """Every method and path, whether it is described or not."""
    for route in routes:
        inner = getattr(route, "original_router", None)
        if inner is not None:
            yield from walked(inner.routes, prefix + route.include_context.prefix)
        else:
            assert isinstance(route, Route), f"{route} is of no kind that is known here"
            yield from ((method, prefix + route.path) for method in route.methods or ())


APP = create_app(ServiceConfig(database=MEMORY))
ROUTES = sorted(walked(APP.routes))
DESCRIBED: dict[str, Any] = APP.openapi()


def address(path: str) -> str:
    """A path about things that are there."""
    filled = path.format(user="ann", name="small", event=3)
    return f"{filled}?item={ALIEN}" if path.endswith("/explain") else filled


def error_of(response: httpx.Response) -> dict[str, str]:
    """The one shape of every error."""
    assert response.headers["content-type"] == "application/json"
    content = response.json()
    assert set(content) == {"error"}
    assert set(content["error"]) == {"code", "message"}
    found: dict[str, str] = content["error"]
    return found


def populate(client: httpx.Client) -> None:
    client.put("/v1/catalogues/small", json={"items": TWO_ITEMS}).raise_for_status()
    assert client.post("/v1/users/ann/next").json()["question"] == "q1"
    alien = {"ask": "never", "pool": [ALIEN]}
    assert client.post("/v1/users/ann/next", json=alien).json()["decision"] == "d2"
    liked = {"decision": "d2", "item": ALIEN, "reward": 1}
    assert client.post("/v1/users/ann/rewards", json=liked).json()["event"] == 3


@pytest.fixture(scope="module")
def guarded() -> Iterator[TestClient]:
    """A client that has not the key, of a service that wants it."""
    with client_of(key=SECRET) as client:
        client.headers.update(BEARER)
        populate(client)
        del client.headers["authorization"]
        yield client


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    """Of a service without a key."""
    with client_of(hosts=["films.example"]) as found:
        found.put("/v1/catalogues/small", json={"items": TWO_ITEMS}).raise_for_status()
        yield found


# The key


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
    deletions = [("DELETE", path) for path in last]
    assert set(deletions) < set(ROUTES)
    with client_of(key=SECRET) as client:
        client.headers.update(BEARER)
        populate(client)
        for method, path in [*(each for each in ROUTES if each not in deletions), *deletions]:
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
        _add_route(client, "/v1/broken", _break)
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


@pytest.mark.parametrize("host", ["films.example", "films.example:443", "Films.Example"])
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
    before = client.get("/v1/catalogues").json()
    response = send(limit + 1)
    assert response.status_code == 413, response.text
    assert error_of(response)["code"] == "too_large"
    assert f"{limit:,}" in error_of(response)["message"]
    assert client.get("/v1/catalogues").json() == before


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
    monkeypatch.setattr(guard, "SLOWEST_BODY", 0.1)
    scope = _scope(method, path, 100)
    response = asyncio.run(_called(client.app, scope, _never(b'{"items": [')))
    assert response.status_code == 408, response.text
    assert error_of(response)["code"] == "too_slow"
    assert "0.1 seconds" in error_of(response)["message"]
    assert client.get("/v1/users/slow").status_code == 404  # nobody was met
    assert client.get("/v1/catalogues/slow").status_code == 404


def test_a_slow_answer_is_no_slow_body(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the route takes does not count."""
    monkeypatch.setattr(guard, "SLOWEST_BODY", 0.1)
    _add_route(client, "/v1/slow", lambda: time.sleep(0.3))
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


def _add_route(client: TestClient, path: str, function: Callable[[], Any]) -> None:
    client.app.add_api_route(path, function, include_in_schema=False)  # type: ignore[attr-defined]


def _break() -> None:
    raise RuntimeError("password=hunter2 at line 7")


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
    _add_route(client, "/v1/broken", _break)
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


@pytest.mark.parametrize("path", ["/", "/nowhere", "/v1", "/v1/users/ann/next/more", "/v1/%00"])
def test_unknown_addresses(client: TestClient, path: str) -> None:
    response = client.get(path)
    assert response.status_code == 404
    assert error_of(response)["code"] == "unknown_address"


@pytest.mark.parametrize("path", sorted({path for _, path in ROUTES}))
def test_wrong_methods(client: TestClient, path: str) -> None:
    there = {method for method, each in ROUTES if each == path}
    response = client.patch(address(path))
    assert response.status_code == 405
    assert error_of(response)["code"] == "wrong_method"
    assert "PATCH" in error_of(response)["message"]
    assert {each.strip() for each in response.headers["allow"].split(",")} == there


def test_a_failure_says_nothing_of_the_inside(client: TestClient) -> None:
    _add_route(client, "/v1/broken", _break)
    response = client.get("/v1/broken")
    assert response.status_code == 500
    assert error_of(response) == {
        "code": "internal",
        "message": "Something failed here; the log says what.",
    }
    assert client.get("/v1/catalogues").status_code == 200


# The description and the documentation


def test_every_route_is_described() -> None:
    described = {
        (method.upper(), path) for path, methods in DESCRIBED["paths"].items() for method in methods
    }
    own = {("GET", "/v1/openapi.json"), ("HEAD", "/v1/openapi.json")}
    assert described == set(ROUTES) - own


def test_the_key_is_described_and_may_be_missing() -> None:
    assert DESCRIBED["components"]["securitySchemes"] == {
        "key": {"type": "http", "scheme": "bearer"}
    }
    assert DESCRIBED["security"] == [{"key": []}, {}]


OPERATIONS = {
    f"{method.upper()} {path}": operation
    for path, methods in DESCRIBED["paths"].items()
    for method, operation in methods.items()
}


def _resolved(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema behind a reference, or of several the one that is an object."""
    if "$ref" in schema:
        found: dict[str, Any] = DESCRIBED["components"]["schemas"][schema["$ref"].split("/")[-1]]
        return found
    several = [each for each in schema.get("anyOf", ()) if each != {"type": "null"}]
    return _resolved(several[0]) if several else schema


@pytest.mark.parametrize(
    "name", [name for name, operation in OPERATIONS.items() if "requestBody" in operation]
)
def test_every_body_has_an_example(name: str) -> None:
    for kind, content in OPERATIONS[name]["requestBody"]["content"].items():
        if "parquet" in kind:  # bytes, not for people
            continue
        schema = _resolved(content["schema"])
        examples = schema.get("examples") or content.get("examples") or content.get("example")
        assert examples, f"{kind} has none"


@pytest.mark.parametrize("name", OPERATIONS)
def test_errors_are_described(name: str) -> None:
    responses = OPERATIONS[name]["responses"]
    for status, response in responses.items():
        if int(status) >= 400 and (name, status) != ("GET /readyz", "503"):
            schema = response["content"]["application/json"]["schema"]
            assert schema == {"$ref": "#/components/schemas/ErrorOut"}
    needed = {"405", "421"} if name.split()[1] in OPEN else {"401", "413", "422", "500", "503"}
    assert needed <= set(responses)
    assert OPERATIONS[name]["summary"]


@pytest.mark.parametrize("path", sorted({path for _, path in ROUTES}))
def test_every_path_is_documented(path: str) -> None:
    assert path in DOCS.read_text(encoding="utf-8")


FIELDS = [
    (model.__name__, field)
    for model in (Settings, ServiceConfig, CatalogueConfig)
    for field in model.model_fields
]


@pytest.mark.parametrize(("model", "field"), FIELDS)
def test_every_setting_is_documented(model: str, field: str) -> None:
    """As code in a sentence, or as a key or table of TOML."""
    text = DOCS.read_text(encoding="utf-8")
    assert re.search(rf"`{field}`|\b{field} = |^\[(\w+\.)*{field}\b", text, re.MULTILINE), model


@pytest.mark.parametrize("name", [KEY, "CONLINUCB_DATABASE"])
def test_every_variable_is_documented(name: str) -> None:
    assert name in DOCS.read_text(encoding="utf-8")


# The command


@pytest.fixture
def command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., str]:
    """``conlinucb serve`` in this process, which must be refused; what it says."""
    monkeypatch.delenv(KEY, raising=False)
    monkeypatch.delenv("CONLINUCB_DATABASE", raising=False)

    def run(*options: str) -> str:
        def bind(self: Any) -> None:
            raise AssertionError(f"{options} were taken")

        monkeypatch.setattr("uvicorn.Config.bind_socket", bind)
        monkeypatch.setattr(sys, "argv", ["conlinucb", "serve", *options])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        assert ended.value.code not in (0, None)
        said = capsys.readouterr()
        assert "Traceback" not in said.err
        return said.err

    return run


def test_serving_everyone_without_a_key_is_refused(command: Callable[..., str]) -> None:
    port = free_port()
    said = command("--host", "0.0.0.0", "--port", str(port), "--database", MEMORY)
    assert KEY in said
    assert "0.0.0.0" in said
    assert not _listens(port)


def test_a_short_key_is_refused(
    command: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY, "short-and-sweet")
    said = command("--host", "0.0.0.0", "--database", MEMORY)
    assert str(SHORTEST_KEY) in said
    assert "short-and-sweet" not in said


@pytest.mark.parametrize("database", [MEMORY, "sqlite:///:memory:", "sqlite:///"])
def test_memory_has_one_process(command: Callable[..., str], database: str) -> None:
    port = str(free_port())
    said = command("--database", database, "--workers", "2", "--port", port)
    assert "--workers 1" in said


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--port", "70000"], "port"),
        (["--port", "-1"], "port"),
        (["--workers", "0"], "workers"),
        (["--workers", "65"], "workers"),
        (["--database", "mysql://here/there"], "postgresql://"),
        (["--database", "nonsense"], "sqlite:///PATH"),
        (["--config", "nowhere.toml"], "nowhere.toml"),
        (["--host", "no.such.host.invalid"], KEY),
    ],
)
def test_bad_options(command: Callable[..., str], options: list[str], says: str) -> None:
    assert says in command(*options)


# Real servers: coming up and going down


@pytest.fixture
def database(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'service.db'}"


def _workers(pid: int) -> set[int]:
    """The worker processes of a server."""
    found = set()
    for each in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            parent = (each / "stat").read_text().rpartition(")")[2].split()[1]
            if int(parent) == pid and b"spawn_main" in (each / "cmdline").read_bytes():
                found.add(int(each.name))
    return found


def _runs(pid: int) -> bool:
    """Whether a process is there, and not only its exit code."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def _until(true: Callable[[], bool], seconds: float = 60.0) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.05)


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@contextlib.contextmanager
def _started(server: Server) -> Iterator[Server]:
    """A server that is killed in the end with all its processes, should there be any."""
    try:
        yield server
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(server.process.pid, signal.SIGKILL)
        server.process.communicate()


def _sent(port: int, head: str, *headers: str) -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", port), timeout=60)
    lines = [head, f"Host: 127.0.0.1:{port}", f"Authorization: Bearer {SECRET}", *headers]
    connection.sendall("".join(f"{line}\r\n" for line in (*lines, "")).encode())
    return connection


def _stop_in_the_middle(server: Server, stop: Callable[[], None]) -> str:
    """The answer to a request whose body comes when the server is already stopping."""
    body = b'{"ask": "never", "k": 3}'
    kind = ("Content-Type: application/json", f"Content-Length: {len(body)}")
    idle = _sent(server.port, "GET /healthz HTTP/1.1")
    assert idle.recv(1000).startswith(b"HTTP/1.1 200")
    begun = _sent(server.port, "POST /v1/users/ann/next HTTP/1.1", *kind, "Expect: 100-continue")
    with idle, begun:
        assert begun.recv(1000).startswith(b"HTTP/1.1 100")  # a route waits for the body
        stop()
        while idle.recv(1000):
            pass  # a server that stops closes connections on which nothing happens
        begun.sendall(body)
        answer = b""
        while piece := begun.recv(65536):
            answer += piece
    return answer.decode()


def _check_stopped(server: Server, answer: str) -> str:
    assert answer.startswith("HTTP/1.1 200"), answer
    assert '"decision":"d1"' in answer
    log = server.process.communicate(timeout=60)[1]
    assert server.process.returncode == 0, log
    assert "Traceback" not in log
    assert not _listens(server.port)
    return log


def test_sigterm_lets_what_has_begun_finish_and_the_log_keeps_secrets(database: str) -> None:
    wrong = SECRET.replace("7", "8")
    with _started(Server(database, CONLINUCB_KEY=SECRET)) as server:
        server.wait()
        with server.client() as client:
            for key in (SECRET, wrong):
                client.headers["authorization"] = f"Bearer {key}"
                for path in ("answers", "rewards", "nowhere", "%00"):
                    client.post(f"/v1/users/magdalena/{path}", json={"question": SECRET})
            assert client.get("/v1/catalogues").status_code == 401
        _check_second(database, server.port)
        log = _check_stopped(server, _stop_in_the_middle(server, server.process.terminate))
    assert SECRET not in log
    assert wrong not in log
    assert "magdalena" not in log


def _check_second(database: str, port: int) -> None:
    """Another server on the same port says so and ends; the first one goes on."""
    with _started(Server(database, port=port, CONLINUCB_KEY=SECRET)) as second:
        said = second.process.communicate(timeout=60)[1]
    assert second.process.returncode not in (0, None)
    assert f"127.0.0.1:{port} cannot be bound to" in said
    assert "Traceback" not in said
    assert httpx.get(f"http://127.0.0.1:{port}/healthz").status_code == 200


def test_control_c_lets_what_has_begun_finish(database: str) -> None:
    with _started(Server(database)) as server:
        server.wait()
        group = server.process.pid  # a terminal tells all processes
        answer = _stop_in_the_middle(server, lambda: os.killpg(group, signal.SIGINT))
        _check_stopped(server, answer)


def test_a_killed_worker_is_replaced_and_a_killed_parent_leaves_no_orphan(database: str) -> None:
    with _started(Server(database, workers=2)) as server:
        server.wait()
        _until(lambda: len(_workers(server.process.pid)) == 2)
        killed = min(_workers(server.process.pid))
        os.kill(killed, signal.SIGKILL)
        _until(lambda: len(_workers(server.process.pid) - {killed}) == 2)
        server.wait()
        with server.client() as client:
            assert client.post("/v1/users/ann/next").status_code == 200
        _kill_parent(server)


def test_a_parent_killed_during_the_start_leaves_no_orphan(database: str) -> None:
    with _started(Server(database)) as server:
        _until(lambda: len(_workers(server.process.pid)) == 1)
        _kill_parent(server)


def _kill_parent(server: Server) -> None:
    workers = _workers(server.process.pid)
    assert workers
    os.kill(server.process.pid, signal.SIGKILL)
    _until(lambda: not any(map(_runs, workers)), seconds=30)
    assert not _listens(server.port)
