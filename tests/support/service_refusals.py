"""Bad requests, and the service that must refuse them without any change."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import httpx2 as httpx
import pytest
from fastapi.testclient import TestClient
from sqlalchemy import LargeBinary, select

from conlinucb.service.conversations.use_cases import UseCases
from conlinucb.service.storage.schema import metadata
from support.service_world import client_of

JSON = {"content-type": "application/json"}
ALIEN = "Alien (1979)"
LONG = "x" * 201
TWO_ITEMS = [{"id": "a", "tags": ["x", "y"]}, {"id": "b", "tags": ["y"]}]


@dataclass(frozen=True)
class Bad:
    """A request, the statuses that it may be refused with, and what the message must hold."""

    name: str
    method: str
    path: str
    body: str | bytes | None = None
    says: tuple[str, ...] = ()
    status: int | tuple[int, ...] = 422
    headers: tuple[tuple[str, str], ...] = tuple(JSON.items())

    def send(self, client: TestClient) -> httpx.Response:
        return client.request(self.method, self.path, content=self.body, headers=dict(self.headers))


def bad(name: str, where: str, body: Any = None, *says: str, **more: Any) -> Bad:
    """A bad request to ``METHOD /path``; a body that is no text is written as JSON."""
    method, path = where.split(" ", 1)
    content = body if body is None or isinstance(body, str | bytes) else json.dumps(body)
    return Bad(f"{name}: {where[:60]}", method, path, content, says, **more)


class Worlds:
    """Ann has an open question q1 and has seen Alien in d2; Bob talks about a small catalogue.

    Nothing was ever asked of Eve.
    """

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack
        self._make()

    def _make(self) -> None:
        self._client = client = self._stack.enter_context(client_of())
        client.put("/v1/catalogues/small", json={"items": TWO_ITEMS}).raise_for_status()
        client.post("/v1/users/bob/next?catalogue=small").raise_for_status()
        assert client.post("/v1/users/ann/next").json()["question"] == "q1"
        alien = {"ask": "never", "pool": [ALIEN]}
        assert client.post("/v1/users/ann/next", json=alien).json()["decision"] == "d2"
        client.post("/v1/users/eve/next", json=alien).raise_for_status()
        self._state = everything(client)

    def client(self) -> TestClient:
        """Of the world as it was made; where a test has changed it, of a new one."""
        if everything(self._client) != self._state:
            self._make()
        return self._client


@pytest.fixture(scope="module")
def worlds() -> Iterator[Worlds]:
    with ExitStack() as stack:
        yield Worlds(stack)


@pytest.fixture
def client(worlds: Worlds) -> TestClient:
    return worlds.client()


def everything(client: TestClient) -> Any:
    """All that a request could have changed: every row but for large contents.

    Not what is kept in the background of what was written before: counts.
    """
    use_cases: UseCases = client.app.state.use_cases  # type: ignore[attr-defined]
    found = {}
    with use_cases.storage.database.connect() as connection:
        for table in (each for each in metadata.sorted_tables if each.name != "counts"):
            columns = [each for each in table.c if not isinstance(each.type, LargeBinary)]
            found[table.name] = connection.execute(select(*columns)).all()
    return found


def refused(client: TestClient, case: Bad) -> str:
    """The message of a refusal that changed nothing."""
    before = everything(client)
    response = case.send(client)
    allowed = case.status if isinstance(case.status, tuple) else (case.status,)
    assert response.status_code in allowed, response.text
    assert response.headers["content-type"] == "application/json"
    (content,) = response.json().items()
    assert content[0] == "error"
    assert set(content[1]) == {"code", "message"}
    assert content[1]["code"].isidentifier()
    assert everything(client) == before
    message: str = content[1]["message"]
    return message


def check(client: TestClient, case: Bad) -> None:
    message = refused(client, case)
    assert 10 < len(message) < 1000
    assert message.endswith((".", "?"))
    assert [each for each in case.says if each not in message] == [], message


def table(*rows: list[Bad]) -> pytest.MarkDecorator:
    cases = [each for row in rows for each in row]
    return pytest.mark.parametrize("case", cases, ids=[each.name for each in cases])


NEXT = "POST /v1/users/ann/next"
ANSWERS = "POST /v1/users/ann/answers"
REWARDS = "POST /v1/users/ann/rewards"
STEPS = "POST /v1/users/ann/steps"
PERSON = "PUT /v1/users/ann"
CATALOGUE = "PUT /v1/catalogues/small"
ITEMS = "POST /v1/catalogues/small/items"
REMOVALS = "POST /v1/catalogues/small/removals"
SETTINGS = "PUT /v1/catalogues/small/settings"
FIT = "POST /v1/catalogues/small/populations"
USE = "PUT /v1/catalogues/small/population"
EXPERIMENT = "PUT /v1/catalogues/small/experiment"
PROMOTION = "POST /v1/catalogues/small/experiment/promotion"
OPTIONAL = [NEXT, PERSON]
REQUIRED = [
    *(ANSWERS, REWARDS, STEPS, CATALOGUE, ITEMS, REMOVALS, SETTINGS, USE),
    *(EXPERIMENT, PROMOTION),
]
BODIES = [*OPTIONAL, *REQUIRED, FIT]
