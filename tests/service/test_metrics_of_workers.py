"""Two workers under load: what /metrics tells is what the clients counted, and the log the same."""

from __future__ import annotations

import json
import os
import random
import signal
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx2 as httpx
import pytest

from support.metrics import Samples, metrics_of, value
from support.soak import Drained, drained, sizes, wait_for, workers_of

pytestmark = pytest.mark.more
CLIENTS = 6
STEPS = sizes(30, 600)
USER = "/v1/users/{user}"
CONFIG = """
log_format = "json"
access_log = true
[catalogues.films]
demo = true
"""
Call = tuple[str, str, str]
"""Route, method and status."""


class Book:
    """A client that talks, now and then nonsense, and keeps book of it all."""

    def __init__(self, base: str, number: int) -> None:
        self.calls: Counter[Call] = Counter()
        self.answers: Counter[str] = Counter()
        self.questions = self.shown = 0
        self.rewards: list[float] = []
        self.ids: list[str] = []
        self._base = base
        self._user = f"person-{number}-{uuid4().hex}"
        self._random = random.Random(number)

    def run(self) -> Book:
        for _ in range(STEPS // 10):  # a new connection now and then, to either worker
            with httpx.Client(base_url=self._base, timeout=60.0) as client:
                for _ in range(10):
                    self._step(client)
        return self

    def _call(self, client: httpx.Client, method: str, path: str, body: Any = None) -> Any:
        """The answer, where it is one."""
        own = uuid4().hex
        address = path.format(user=self._user)
        headers = {"x-request-id": own}
        response = client.request(method, address, json=body, headers=headers)
        assert response.headers["x-request-id"] == own
        self.ids.append(own)
        route = path if not path.startswith("/nowhere") else "none"
        self.calls[route, method, str(response.status_code)] += 1
        return response.json() if response.status_code == 200 else None

    def _step(self, client: httpx.Client) -> None:
        chance = self._random.random()
        if chance < 0.1:
            self._call(client, "GET", "/nowhere/{user}")
        elif chance < 0.2:
            self._call(client, "POST", f"{USER}/answers", {"question": "q999", "answer": "yes"})
        elif chance < 0.3:
            self._call(client, "POST", f"{USER}/rewards", {"item": 3})
        else:
            self._talk(client)

    def _talk(self, client: httpx.Client) -> None:
        found = self._call(client, "POST", f"{USER}/next", {"event": uuid4().hex})
        if found["type"] == "question":
            self.questions += 1
            word = self._random.choice(["yes", "no", "skip", 0.5])
            body = {"question": found["question"], "answer": word, "event": uuid4().hex}
            assert self._twice(client, f"{USER}/answers", body)
            self.answers["number" if word == 0.5 else str(word)] += 1
            return
        self.shown += 1
        self.rewards.append(self._random.choice([0.0, 0.25, 1.0]))
        item = found["items"][0]["item"]
        body = {"decision": found["decision"], "item": item, "reward": self.rewards[-1]}
        assert self._twice(client, f"{USER}/rewards", {**body, "event": uuid4().hex})

    def _twice(self, client: httpx.Client, path: str, body: Any) -> bool:
        """Sent again now and then: it counts once."""
        first = self._call(client, "POST", path, body)
        if self._random.random() < 0.2:
            assert self._call(client, "POST", path, body)["repeated"]
        return not first["repeated"]


def test_metrics_and_logs_are_what_the_clients_counted(tmp_path: Path) -> None:
    config = tmp_path / "service.toml"
    config.write_text(CONFIG)
    url = f"sqlite:///{tmp_path / 'service.db'}"
    with drained(url, workers=2, config=config) as server:
        with ThreadPoolExecutor(CLIENTS) as pool:
            runs = [pool.submit(Book(server.base, each).run) for each in range(CLIENTS)]
            books = [each.result() for each in runs]
        with server.client() as client:
            found = metrics_of(client)
            _check_counts(found, books)
            _check_levels(server, found)
    _check_log("".join(server.written), books)


def _check_counts(found: Samples, books: list[Book]) -> None:
    calls = sum((each.calls for each in books), Counter[Call]())
    name = "conlinucb_requests_total"
    for (route, method, status), count in calls.items():
        assert value(found, name, route=route, method=method, status=status) == count
    polls = value(found, name, route="/readyz")
    assert value(found, name) == sum(calls.values()) + polls
    times = {route for route, _, _ in calls}
    for route in times:
        counted = sum(count for call, count in calls.items() if call[0] == route)
        assert value(found, "conlinucb_request_seconds_count", route=route) == counted
    questions = sum(each.questions for each in books)
    assert value(found, "conlinucb_questions_total", catalogue="films") == questions
    for word, count in sum((each.answers for each in books), Counter[str]()).items():
        assert value(found, "conlinucb_answers_total", answer=word) == count
    rewards = [one for each in books for one in each.rewards]
    assert value(found, "conlinucb_rewards_count", catalogue="films") == len(rewards)
    assert value(found, "conlinucb_rewards_sum", catalogue="films") == sum(rewards)
    shown = sum(each.shown for each in books)
    assert value(found, "conlinucb_recommendations_total") == shown
    appended = value(found, "conlinucb_store_seconds_count", operation="append")
    conflicts = value(found, "conlinucb_conflicts_total")
    answers = sum(sum(each.answers.values()) for each in books)
    assert appended - conflicts == questions + answers + len(rewards) + shown


def _check_levels(server: Drained, before: Samples) -> None:
    """A worker that dies takes its levels along, and leaves what it counted."""
    assert value(before, "conlinucb_workers") == 2
    assert value(before, "conlinucb_catalogue_version", catalogue="films") >= 1
    name = "conlinucb_questions_total"
    victim = workers_of(server)[0]
    os.kill(victim, signal.SIGKILL)
    wait_for(lambda: victim not in workers_of(server), "its end")
    with server.client() as other:
        wait_for(lambda: value(_tried(other), "conlinucb_workers") == 2, "another worker")
        assert value(_tried(other), name) == value(before, name) > 0


def _tried(client: httpx.Client) -> Samples:
    try:
        return metrics_of(client)
    except httpx.TransportError:
        return {}


def _check_log(text: str, books: list[Book]) -> None:
    lines = [json.loads(line) for line in text.splitlines()]
    logged = Counter(each["request"] for each in lines if each["message"] == "request")
    for one in books:
        assert all(logged[each] == 1 for each in one.ids)
    assert len({each["worker"] for each in lines if each["message"] == "request"}) >= 2
    assert "person-" not in text
