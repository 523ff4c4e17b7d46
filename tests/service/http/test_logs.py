"""Log lines: one format, the request they belong to, and nothing of anyone in them."""

from __future__ import annotations

import io
import json
import logging
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient

from conlinucb.errors import Damaged
from conlinucb.service.http import logs
from support.service_door import BEARER, SECRET, add_route
from support.service_world import client_of

pytestmark = pytest.mark.more  # a service for each

NAME = "ann-of-the-logs"


class Lines(io.StringIO):
    """What was logged, read line by line."""

    def read_all(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.getvalue().splitlines()]


@pytest.fixture
def lines() -> Iterator[Lines]:
    """Everything that the package logs meanwhile, as JSON."""
    written, root = Lines(), logging.getLogger("conlinucb")
    handler = logging.StreamHandler(written)
    handler.setFormatter(logs.Json())
    before = root.level
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    yield written
    root.removeHandler(handler)
    root.setLevel(before)


def test_each_request_has_a_line_where_wanted(lines: Lines) -> None:
    with client_of(key=SECRET, access_log=True) as client:
        client.get("/healthz")
        client.get(f"/v1/users/{NAME}")
        response = client.post(f"/v1/users/{NAME}/next", headers=BEARER)
    entries = [each for each in lines.read_all() if each["logger"].endswith(".requests")]
    assert [(each["route"], each["method"], each["status"]) for each in entries] == [
        ("none", "GET", 401),
        ("/v1/users/{user}/next", "POST", 200),
    ]
    assert entries[1]["request"] == response.headers["x-request-id"]
    assert 0 < entries[1]["milliseconds"] < 60_000
    assert entries[1]["level"] == "info"
    assert NAME not in lines.getvalue()
    assert SECRET not in lines.getvalue()


def test_without_the_setting_there_is_none(lines: Lines) -> None:
    with client_of() as client:
        client.post(f"/v1/users/{NAME}/next").raise_for_status()
    assert "/next" not in lines.getvalue()


@pytest.mark.parametrize("path", ["/healthz", "/v1/catalogues", "/nowhere", f"/v1/users/{NAME}"])
def test_an_id_is_echoed_in_every_answer(memory: TestClient, path: str) -> None:
    own = memory.get(path, headers={"x-request-id": "my.own_ID-7"})
    assert own.headers.get_list("x-request-id") == ["my.own_ID-7"]
    made = {memory.get(path).headers["x-request-id"] for _ in range(3)}
    assert len(made) == 3


@pytest.mark.parametrize("sent", ["", "a b", "x" * 65, "a\tb", 'a"b', "ä"])
def test_an_id_that_is_not_sane_is_replaced(memory: TestClient, sent: str) -> None:
    response = memory.get("/healthz", headers=[(b"x-request-id", sent.encode())])
    assert response.headers["x-request-id"] != sent
    assert len(response.headers["x-request-id"]) == 16


def test_refusals_at_the_door_have_one_too() -> None:
    with client_of(key=SECRET) as client:
        refused = client.get("/v1/catalogues", headers={"x-request-id": "r-2"})
        assert refused.status_code == 401
        assert refused.headers["x-request-id"] == "r-2"


def test_a_failure_is_logged_under_its_request_without_its_text(lines: Lines) -> None:
    with client_of() as client:

        def fail() -> None:
            raise KeyError(NAME)

        add_route(client, "/v1/broken", fail)
        response = client.get("/v1/broken")
    assert response.status_code == 500
    (entry,) = [each for each in lines.read_all() if each["message"] == "a request failed"]
    assert entry["request"] == response.headers["x-request-id"]
    assert entry["request"] in response.json()["error"]["message"]
    assert entry["exception"].startswith("builtins.KeyError\n")
    assert "test_logs.py" in entry["exception"]
    assert NAME not in lines.getvalue()


def test_what_is_said_of_a_person_is_for_the_caller_alone(lines: Lines) -> None:
    with client_of() as client:

        def fail() -> None:
            raise Damaged(f"What is kept of {NAME!r} cannot be read.")

        add_route(client, "/v1/damaged", fail)
        response = client.get("/v1/damaged")
    assert NAME in response.json()["error"]["message"]
    assert "damaged: Damaged" in lines.getvalue()
    assert NAME not in lines.getvalue()


def _failed() -> logging.LogRecord:
    try:
        try:
            int(NAME)
        except ValueError as error:
            raise RuntimeError(NAME) from error
    except RuntimeError:
        found = sys.exc_info()
    return logging.LogRecord("one", logging.ERROR, __file__, 1, "two %s", ("three",), found)


def test_a_line_for_people_says_the_same() -> None:
    token = logs.REQUEST.set("r-3")
    try:
        text = logs.Text().format(_failed())
    finally:
        logs.REQUEST.reset(token)
    first, *way = text.splitlines()
    assert first == "ERROR one: two three (request=r-3)"
    assert way[0] == "builtins.RuntimeError"
    assert "after builtins.ValueError" in way
    assert NAME not in text


def test_a_line_of_json_is_one_line() -> None:
    (line,) = logs.Json().format(_failed()).splitlines()
    assert json.loads(line)["message"] == "two three"
