"""Populations are learned and switched while people talk and servers die: nothing is lost."""

from __future__ import annotations

import random
import threading
import time
from typing import Any

import httpx2 as httpx
import pytest

from conlinucb.service.conversations.audit import Checker
from support.service_world import client_of, free_port
from support.soak import (
    Drained,
    check_database,
    check_state,
    drained,
    is_current,
    sizes,
    talking,
    wait_for,
)

pytestmark = pytest.mark.more
AT = "/v1/catalogues/films"


def allow_few(client: httpx.Client) -> None:
    """Let a population be learned of the first who talk."""
    settings = client.get(f"{AT}/settings").json() | {"population_least": 2}
    assert client.put(f"{AT}/settings", json=settings).status_code in (200, 202)


def learn(client: httpx.Client, **body: Any) -> int:
    # The first one compiles kernels, which takes its time on a busy machine.
    response = client.post(f"{AT}/populations", json=body, timeout=300.0)
    assert response.status_code == 200, response.text
    return int(response.json()["number"])


def in_use(client: httpx.Client) -> int:
    found = client.get(f"{AT}/populations").json()
    return next((int(each["number"]) for each in found if each["in_use"]), 0)


def test_a_fit_while_eight_talk(lasting_url: str) -> None:
    with (
        drained(lasting_url, workers=2) as server,
        talking(server.base, 8) as talkers,
        server.client() as client,
    ):
        allow_few(client)
        talkers.go_on(200)
        for _ in range(sizes(2, 40)):
            learn(client, use=True)
            talkers.go_on(60)
            talkers.check(client)
        talkers.stop()
        talkers.check_whole(client)
        wait_for(lambda: is_current(client, lasting_url), "the last version in this worker")
        for user in ("shared", *(each.own for each in talkers.all)):
            check_state(client, lasting_url, user)
    check_database(lasting_url)


class Switcher(threading.Thread):
    """Switches versions as fast as it can, and notes what it was told."""

    def __init__(self, base: str) -> None:
        super().__init__(daemon=True)
        self._base, self._ended = base, threading.Event()
        self.told: list[int] = []
        self.tried: list[int] = []

    def run(self) -> None:
        chance = random.Random(3)
        with httpx.Client(base_url=self._base, timeout=30.0) as client:
            while not self._ended.is_set():
                wanted = chance.choice([0, 1, 2])
                self.tried.append(wanted)
                try:
                    response = client.put(f"{AT}/population", json={"number": wanted})
                except httpx.TransportError:
                    return  # it was killed
                assert response.status_code == 200, response.text
                self.told.append(wanted)

    def stop(self) -> None:
        self._ended.set()
        self.join()


def test_kill_in_the_middle_of_switching(lasting_url: str) -> None:
    chance, port = random.Random(2), free_port()
    server = Drained(lasting_url, port=port)
    try:
        with talking(server.base) as talkers, server.wait().client() as client:
            allow_few(client)
            talkers.go_on(150)
            assert learn(client) == 1
            talkers.go_on(60)
            assert learn(client, use=True) == 2
            for _ in range(sizes(2, 50)):
                switcher = Switcher(server.base)
                switcher.start()
                talkers.go_on(chance.randint(20, 60))
                wait_for(lambda at=switcher: len(at.told) > 1, "two switches")  # type: ignore[misc]
                time.sleep(chance.random() / 5)
                server.kill()
                switcher.stop()
                server = Drained(lasting_url, port=port)
                server.wait()
                # The last it was told, or the one that it was never answered about.
                assert in_use(client) in (switcher.told[-1], switcher.tried[-1])
                talkers.go_on(20)
                talkers.check(client)
            talkers.stop()
            talkers.check_whole(client)
            for user in ("shared", *(each.own for each in talkers.all)):
                check_state(client, lasting_url, user)
        assert talkers.interrupted
    finally:
        if server.process.poll() is None:
            server.kill()
    check_database(lasting_url)
    _decides_the_same_after_a_rebuild(lasting_url)


def _decides_the_same_after_a_rebuild(url: str) -> None:
    shown = []
    for _ in range(2):
        with client_of(url) as client:
            found = client.post("/v1/users/talker-0/next", json={"ask": "never", "k": 20}).json()
            shown.append([each["item"] for each in found["items"]])
            _rebuild(client)
    assert shown[0] == shown[1]


def _rebuild(client: Any) -> None:
    checker = Checker(client.app.state.use_cases.storage)
    checker.catalogues()
    assert list(checker.rebuild())
