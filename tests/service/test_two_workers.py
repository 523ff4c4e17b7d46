"""Two workers on one database, and every moment at which the other can come between."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import httpx2 as httpx
import pytest
from fastapi.testclient import TestClient
from sqlalchemy import event, insert, text

from conlinucb.service.storage import Storage, now
from conlinucb.service.storage.schema import departures
from support.service_world import Postgres, client_of, engine_of, opened
from support.soak import Entry, check_adds_up, check_log, check_state, code_of, log_of, wait_for

pytestmark = pytest.mark.more  # two applications for each test

# Two workers, step by step: applications of their own on one database


@pytest.fixture
def pair(lasting_url: str) -> Iterator[tuple[TestClient, TestClient]]:
    """Clients of two applications on one database."""
    with client_of(lasting_url) as one, client_of(lasting_url) as other:
        yield one, other


Pair = tuple[TestClient, TestClient]


def ask(client: httpx.Client, user: str = "ann", **body: Any) -> Entry:
    response = client.post(f"/v1/users/{user}/next", json=body)
    assert response.status_code == 200, response.text
    found: Entry = response.json()
    return found


def answer(client: httpx.Client, question: str, user: str = "ann") -> httpx.Response:
    body = {"question": question, "answer": "yes"}
    return client.post(f"/v1/users/{user}/answers", json=body)


def reward(client: httpx.Client, decision: str, item: str, user: str = "ann") -> httpx.Response:
    body = {"decision": decision, "item": item, "reward": 1.0}
    return client.post(f"/v1/users/{user}/rewards", json=body)


def test_answer_to_a_question_that_another_worker_asked(pair: Pair) -> None:
    one, other = pair
    assert answer(one, ask(one)["question"]).status_code == 200
    assert ask(other)["type"] == "recommendation"
    question = ask(other)["question"]
    response = answer(one, question)
    assert response.status_code == 200, response.text


def test_question_to_someone_deleted_and_met_again_by_another_worker(pair: Pair) -> None:
    one, other = pair
    assert answer(one, ask(one)["question"]).status_code == 200
    assert other.delete("/v1/users/ann").status_code == 204
    assert ask(other, ask="never")["decision"] == "d1"
    question = ask(other)["question"]
    assert question == "q2"
    response = answer(one, question)
    assert response.status_code == 200, response.text
    check_log(log_of(one, "ann"))


def test_next_sent_again_returns_what_it_returned(pair: Pair) -> None:
    for one, other in (pair, pair[::-1]):
        user = uuid4().hex
        assert answer(one, ask(one, user)["question"], user).status_code == 200
        decision = ask(one, user, event="first")
        assert ask(other, user)["type"] == "question"
        for each in (one, other):
            assert ask(each, user, event="first") == decision


def test_reward_sent_again_after_it_was_taken_back_and_given_by_another(pair: Pair) -> None:
    one, other = pair
    advice = ask(one, ask="never")
    body = {"decision": advice["decision"], "item": advice["items"][0]["item"], "reward": 1.0}
    receipts = []
    for client, event_id in ((one, "first"), (other, "second")):
        sent = {**body, "event": event_id}
        receipts.append(client.post("/v1/users/ann/rewards", json=sent).json()["event"])
        if event_id == "first":
            assert client.delete(f"/v1/users/ann/events/{receipts[0]}").status_code == 200
    again = one.post("/v1/users/ann/rewards", json={**body, "event": "first"}).json()
    assert again == {"event": receipts[0], "repeated": True}


def test_reward_of_an_item_that_another_worker_added(
    lasting_url: str, pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker that hears of an event before it hears of the item that it is about."""
    one, other = pair
    decision = _new_item_shown(one, other, monkeypatch)
    assert reward(one, decision, "A new film").status_code == 200
    assert other.get("/v1/users/ann").status_code == 200
    _both_agree(lasting_url, one, other, monkeypatch)


def test_reward_through_a_worker_that_does_not_know_the_item_yet(
    lasting_url: str, pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = pair
    decision = _new_item_shown(one, other, monkeypatch)
    assert reward(other, decision, "A new film").status_code == 200
    _both_agree(lasting_url, one, other, monkeypatch)


def _new_item_shown(one: TestClient, other: TestClient, monkeypatch: pytest.MonkeyPatch) -> str:
    """The decision in which one worker shows an item that the other has not heard of."""
    question = ask(one)
    assert other.get("/v1/users/ann").status_code == 200
    catalogues = other.app.state.use_cases.catalogues  # type: ignore[attr-defined]
    monkeypatch.setattr(catalogues, "refresh", lambda: None)
    item = {"id": "A new film", "tags": [question["term"]]}
    added = one.post("/v1/catalogues/films/items", json={"items": [item]})
    assert added.status_code == 200
    return str(ask(one, pool=["A new film"], ask="never")["decision"])


def _both_agree(
    url: str, one: TestClient, other: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once it has heard of it, too."""
    monkeypatch.undo()
    other.app.state.use_cases.catalogues.refresh()  # type: ignore[attr-defined]
    for client in (one, other):
        check_state(client, url, "ann", items=["A new film"])


# Someone comes between, before each statement


class Between:
    """Does something once, right before the n-th statement of an application's next request."""

    def __init__(self, client: TestClient) -> None:
        self._deed: Callable[[], object] | None = None
        self._left = 0
        self._lock = threading.Lock()
        event.listen(engine_of(client), "before_cursor_execute", self._before)

    def set(self, number: int, deed: Callable[[], object]) -> None:
        self._deed, self._left = deed, number

    def cancel(self) -> bool:
        """Whether it was never done: the request had fewer statements."""
        pending, self._deed = self._deed is not None, None
        return pending

    def _before(self, connection: Any, cursor: Any, statement: str, *more: Any) -> None:
        request = threading.current_thread().name.startswith("AnyIO")  # not the background
        if not request or _in_transaction(connection):
            return
        with self._lock:
            self._left -= 1
            if self._deed is None or self._left > 0:
                return
            deed, self._deed = self._deed, None
        deed()


def _in_transaction(connection: Any) -> bool:
    """Where the other one would wait for this one, and this one for the other."""
    raw = connection.connection.dbapi_connection
    if hasattr(raw, "in_transaction"):
        return bool(raw.in_transaction)
    return bool(raw.info.transaction_status != 0)


@dataclass(frozen=True)
class Scene:
    """Someone with an open question, a reward given and one that is not."""

    user: str
    question: str
    decision: str
    items: tuple[str, str]
    rewarded: int


def scene(client: TestClient) -> Scene:
    user = uuid4().hex
    assert answer(client, ask(client, user)["question"], user).status_code == 200
    advice = ask(client, user, k=2)
    one, other = (each["item"] for each in advice["items"])
    rewarded = reward(client, advice["decision"], one, user).json()["event"]
    question = ask(client, user)["question"]
    return Scene(user, question, advice["decision"], (one, other), rewarded)


REQUESTS: dict[str, Callable[[TestClient, Scene], httpx.Response]] = {
    "next": lambda client, at: client.post(f"/v1/users/{at.user}/next", json={"event": "n"}),
    "advice": lambda client, at: client.post(
        f"/v1/users/{at.user}/next", json={"ask": "never", "event": "n"}
    ),
    "answer": lambda client, at: answer(client, at.question, at.user),
    "reward": lambda client, at: reward(client, at.decision, at.items[1], at.user),
    "retract": lambda client, at: client.delete(f"/v1/users/{at.user}/events/{at.rewarded}"),
    "profile": lambda client, at: client.get(f"/v1/users/{at.user}"),
    "explain": lambda client, at: client.get(
        f"/v1/users/{at.user}/explain", params={"item": at.items[0]}
    ),
    "export": lambda client, at: client.get(f"/v1/users/{at.user}/export"),
    "delete": lambda client, at: client.delete(f"/v1/users/{at.user}"),
    "stranger": lambda client, at: client.post(f"/v1/users/new-{at.user}/next"),
}
DEEDS: dict[str, Callable[[TestClient, Scene], object]] = {
    "answers": lambda client, at: answer(client, at.question, at.user),
    "rewards": lambda client, at: reward(client, at.decision, at.items[1], at.user),
    "retracts": lambda client, at: client.delete(f"/v1/users/{at.user}/events/{at.rewarded}"),
    "recommends": lambda client, at: ask(client, at.user, ask="never"),
    "deletes": lambda client, at: client.delete(f"/v1/users/{at.user}"),
    "deletes-stranger": lambda client, at: client.delete(f"/v1/users/new-{at.user}"),
    "deletes-and-meets": lambda client, at: (
        client.delete(f"/v1/users/{at.user}"),
        ask(client, at.user),
    ),
}
MEETINGS = [
    *(
        (request, deed)
        for request in REQUESTS
        for deed in DEEDS
        if "stranger" not in request + deed
    ),
    ("stranger", "deletes-stranger"),
]
MOST_STATEMENTS = 40


@pytest.mark.parametrize(("request_", "deed"), MEETINGS)
def test_another_worker_comes_between(
    worlds: tuple[str, TestClient, TestClient, Between], request_: str, deed: str
) -> None:
    url, one, other, between = worlds
    for number in range(1, MOST_STATEMENTS):
        at = scene(one)
        assert other.get(f"/v1/users/{at.user}").status_code == 200
        between.set(number, lambda at=at: DEEDS[deed](other, at))  # type: ignore[misc]
        response = REQUESTS[request_](one, at)
        done = between.cancel()
        assert response.status_code < 500, (number, response.text)
        if response.status_code >= 400:
            code_of(response)
        elif request_ == "explain":
            check_adds_up(response.json())
        _check_both(one, other, url, at)
        if done:
            return
    raise AssertionError(f"{request_} takes {MOST_STATEMENTS} statements or more")


def _check_both(one: TestClient, other: TestClient, url: str, at: Scene) -> None:
    """Both workers agree with the log; where the person is gone, both say so."""
    if one.get(f"/v1/users/{at.user}").status_code == 404:
        assert other.get(f"/v1/users/{at.user}").status_code == 404
        return
    check_log(log_of(one, at.user))
    for client in (one, other):
        check_state(client, url, at.user)


@pytest.fixture(scope="module")
def worlds(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[tuple[str, TestClient, TestClient, Between]]:
    """Two applications on one SQLite, and the way to come between."""
    url = f"sqlite:///{tmp_path_factory.mktemp('between') / 'service.db'}"
    with client_of(url) as one, client_of(url) as other:
        yield url, one, other, Between(one)


def test_deletion_while_something_is_taken_back(postgres: Postgres) -> None:
    """Two transactions of several rows each: neither may end in a deadlock."""
    url = postgres.new_database()
    with client_of(url) as one, client_of(url) as other, ThreadPoolExecutor(1) as pool:
        at = scene(one)
        deletions: list[Future[httpx.Response]] = []

        def before(connection: Any, cursor: Any, statement: str, *more: Any) -> None:
            if statement.startswith("UPDATE events") and not deletions:
                deletions.append(pool.submit(other.delete, f"/v1/users/{at.user}"))
                wait_for(lambda: _someone_waits(url) or deletions[0].done(), "a lock")

        event.listen(engine_of(one), "before_cursor_execute", before)
        taken = one.delete(f"/v1/users/{at.user}/events/{at.rewarded}")
        assert taken.status_code in (200, 404), taken.text
        assert deletions[0].result().status_code == 204, deletions[0].result().text
        assert one.get(f"/v1/users/{at.user}").status_code == 404


def _someone_waits(url: str) -> bool:
    waiting = text("SELECT count(*) FROM pg_locks WHERE NOT granted")
    with closing(Storage(url)) as storage, storage.database.connect() as connection:
        return bool(connection.scalar(waiting))


def test_departures_that_end_in_another_order_than_they_began(postgres: Postgres) -> None:
    """The first to begin may be the last to be seen, and is still to be forgotten."""
    with closing(opened(postgres.new_database())) as storage:
        with storage.database.transaction() as connection:
            connection.execute(insert(departures), {"person": 1, "at": now()})
            with storage.database.transaction() as quicker:
                quicker.execute(insert(departures), {"person": 2, "at": now()})
            last, gone = storage.people.departed(0)
            assert gone == [2]
        assert 1 in storage.people.departed(last)[1]


# What one worker acknowledged, the other knows at once


def test_a_new_catalogue_is_known_to_the_other_worker_at_once(pair: Pair) -> None:
    one, other = pair
    for number in range(4):
        name = f"new {number}"
        body = {"items": [{"id": "a", "tags": ["x"]}, {"id": "b", "tags": ["y"]}]}
        assert one.put(f"/v1/catalogues/{name}", json=body).status_code == 200
        assert other.post(f"/v1/users/ann/next?catalogue={name}").status_code == 200


def test_a_new_item_is_known_to_the_other_worker_at_once(pair: Pair) -> None:
    one, other = pair
    for number in range(4):
        item = f"new {number}"
        body = {"items": [{"id": item, "tags": ["horror"]}]}
        assert one.post("/v1/catalogues/films/items", json=body).status_code == 200
        shown = ask(other, ask="never", pool=[item])["items"]
        assert [each["item"] for each in shown] == [item]
        assert other.get("/v1/users/ann/explain", params={"item": item}).status_code == 200
