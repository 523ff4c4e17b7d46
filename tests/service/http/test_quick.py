"""The short way for what is called all the time answers as the framework does, to the letter."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx2 as httpx
import pytest
from fastapi.testclient import TestClient

from conlinucb.service.http import quick
from conlinucb.service.http.routes import people
from support.service_world import client_of

Pair = tuple[TestClient, TestClient]
JSON = {"content-type": "application/json"}


@pytest.fixture(scope="module")
def pair() -> Iterator[Pair]:
    """A service as it is, and one in which everything takes the long way."""
    with client_of() as short:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(people, "QUICK", {})
            long = client_of()
            client = long.__enter__()
        yield short, client
        long.__exit__(None, None, None)


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether each call that came by could take the short way."""
    found: list[bool] = []
    begun = quick.Call.begun

    def noted(*given: Any) -> Any:
        work = begun(*given)
        found.append(work is not None)
        return work

    monkeypatch.setattr(quick.Call, "begun", noted)
    return found


def told(response: httpx.Response) -> tuple[int, bytes, dict[str, str]]:
    headers = {name: value for name, value in response.headers.items() if name != "x-request-id"}
    return response.status_code, response.content, headers


def both(pair: Pair, path: str, **request: Any) -> httpx.Response:
    """The answer, which both give."""
    short, long = (client.post(path, **request) for client in pair)
    assert told(short) == told(long)
    return short


def test_a_conversation(pair: Pair, taken: list[bool]) -> None:
    kinds = set()
    for _ in range(6):
        found = both(pair, "/v1/users/ann/next", json={"k": 3, "fresh": True}).json()
        kinds.add(found["type"])
        if found["type"] == "question":
            said = {"question": found["question"], "answer": "yes", "event": found["question"]}
            assert both(pair, "/v1/users/ann/answers", json=said).json()["repeated"] is False
            assert both(pair, "/v1/users/ann/answers", json=said).json()["repeated"] is True
        else:
            item = found["items"][0]["item"]
            said = {"decision": found["decision"], "item": item, "reward": 0.25}
            both(pair, "/v1/users/ann/rewards", json=said)
    unasked = {"answer": {"topic": "set in space", "answer": "no"}}
    both(pair, "/v1/users/ann/steps", json={"said": [unasked], "next": {"k": 2}})
    assert kinds == {"question", "recommendation"}
    assert taken
    assert all(taken)


PLAIN: list[tuple[str, dict[str, Any]]] = [
    ("/v1/users/bob/next", {}),
    ("/v1/users/bob/next", {"content": b"null", "headers": JSON}),
    ("/v1/users/bob/next", {"content": b" {} ", "headers": JSON}),
    ("/v1/users/bob/next?catalogue=films", {"json": {}}),
    ("/v1/users/b%20o%C3%A4b/next", {"json": {}}),
    (
        "/v1/users/bob/next",
        {"content": b"{}", "headers": {"content-type": "application/json; charset=utf-8"}},
    ),
    ("/v1/users/bob/answers", {"json": {"question": "q999", "answer": "yes"}}),
    ("/v1/users/bob/answers", {"json": {"topic": "no such topic", "answer": "yes"}}),
    ("/v1/users/nobody/rewards", {"json": {"decision": "d1", "item": "x", "reward": 1}}),
    ("/v1/users/bob/rewards", {"json": {"item": "Alien (1979)", "reward": 7}}),
    ("/v1/users/bob/next?catalogue=nowhere", {"json": {}}),
    ("/v1/users/bob/next", {"json": {"pool": ["no such film"]}}),
]


@pytest.mark.parametrize(("path", "request_"), PLAIN)
def test_what_takes_the_short_way(
    pair: Pair, taken: list[bool], path: str, request_: dict[str, Any]
) -> None:
    both(pair, path, **request_)
    assert taken == [True]


ODD: list[tuple[str, dict[str, Any]]] = [
    ("/v1/users/bob/next", {"content": b"{}"}),
    ("/v1/users/bob/next", {"content": b"{}", "headers": {"content-type": "text/plain"}}),
    ("/v1/users/bob/next", {"content": b"{}", "headers": {"content-type": "application/x+json"}}),
    ("/v1/users/bob/next", {"content": b"{", "headers": JSON}),
    ("/v1/users/bob/next", {"content": b"\xff", "headers": JSON}),
    ("/v1/users/bob/next", {"content": b"[" * 100_000, "headers": JSON}),
    ("/v1/users/bob/next", {"content": b'{"k": NaN}', "headers": JSON}),
    ("/v1/users/bob/next", {"json": []}),
    ("/v1/users/bob/next", {"json": {"k": "3"}}),
    ("/v1/users/bob/next", {"json": {"kk": 3}}),
    ("/v1/users/bob/next?catalog=films", {"json": {}}),
    ("/v1/users/bob/next?catalogue=", {"json": {}}),
    ("/v1/users/bob/next?catalogue=films&catalogue=films", {"json": {}}),
    (f"/v1/users/{'b' * 201}/next", {"json": {}}),
    ("/v1/users/b%07b/next", {"json": {}}),
    ("/v1/users/bob/answers", {}),
    ("/v1/users/bob/answers", {"content": b"null", "headers": JSON}),
    ("/v1/users/bob/rewards", {"json": {"item": "Alien (1979)", "reward": "1"}}),
    ("/v1/users/bob/steps", {"json": {"said": [{}]}}),
]


@pytest.mark.parametrize(("path", "request_"), ODD)
def test_what_takes_the_long_way(
    pair: Pair, taken: list[bool], path: str, request_: dict[str, Any]
) -> None:
    both(pair, path, **request_)
    assert taken == [False]


def test_a_body_in_pieces(pair: Pair, taken: list[bool]) -> None:
    for content in (b'{"k": 2}', b'{"k": "2"}'):
        short, long = (
            client.post(
                "/v1/users/cleo/next",
                content=(content[at : at + 1] for at in range(len(content))),
                headers=JSON,
            )
            for client in pair
        )
        assert told(short) == told(long)
    assert taken == [True, False]


def test_every_route_on_it_is_described_as_it_is(pair: Pair) -> None:
    described = pair[0].get("/v1/openapi.json").json()["paths"]
    for name in people.QUICK:
        route = described[f"/v1/users/{{user}}/{name}"]["post"]
        assert [each["name"] for each in route["parameters"]] == ["user", "catalogue"]
        assert "application/json" in route["requestBody"]["content"]
