"""Simulated people who talk to a server: as fast as it answers, or at a given pace.

Run as a process of its own: ``python -m benchmarks.load`` with a JSON order on standard
input, so that the clients take a core of their own and not the benchmark's.
"""

from __future__ import annotations

import hashlib
import http.client
import json
import sys
import threading
import time
from collections import defaultdict
from typing import Any

import numpy as np

from conlinucb.catalog.catalog import Catalog
from conlinucb.numerics.validation import Floats

REQUESTS_A_PERSON = 40
Times = dict[str, list[float]]


class Client:
    """One connection, kept open, and how long each kind of request took."""

    def __init__(self, port: int) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self.times: Times = defaultdict(list)

    def post(self, what: str, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """One request; an answer that is no success is an error of the benchmark."""
        started = time.perf_counter()
        content = json.dumps(body).encode()
        headers = {"content-type": "application/json"}
        self._connection.request("POST", path, content, headers)
        response = self._connection.getresponse()
        found = response.read()
        self.times[what].append(time.perf_counter() - started)
        if response.status != 200:
            raise RuntimeError(f"{path} answered {response.status}: {found.decode()[:300]}")
        answer: dict[str, Any] = json.loads(found)
        return answer

    def close(self) -> None:
        """No more requests."""
        self._connection.close()


def shard_of(name: str, shards: int) -> int:
    """Where somebody's log is: of one shard more, only its part of the people moves there.

    >>> [shard_of("ann", n) for n in (1, 2, 3)] == [shard_of("ann", n) for n in (1, 2, 3)]
    True
    """
    draws = [hashlib.sha256(f"{shard} {name}".encode()).digest() for shard in range(shards)]
    return draws.index(max(draws))


class Person:
    """Someone with a taste, who answers questions and rewards what is recommended."""

    def __init__(self, client: Client, catalog: Catalog, name: str, rng: np.random.Generator):
        theta = rng.standard_normal(catalog.d)
        self._theta: Floats = theta / np.linalg.norm(theta)
        self._client, self._catalog = client, catalog
        self._path = f"/v1/users/{name}"

    def step(self) -> int:
        """A question and its answer, or a recommendation and its reward; requests made."""
        found = self._client.post("next", f"{self._path}/next", {})
        if found["type"] == "question":
            term = self._catalog.terms[self._catalog.term_index(found["term"])]
            answer = "yes" if term @ self._theta > 0 else "no"
            body = {"question": found["question"], "answer": answer}
            self._client.post("answers", f"{self._path}/answers", body)
        else:
            item = found["items"][0]["item"]
            arm = self._catalog.arms[self._catalog.arm_index(item)]
            reward = float(np.clip((arm @ self._theta + 1) / 2, 0, 1))
            body = {"decision": found["decision"], "item": item, "reward": reward}
            self._client.post("rewards", f"{self._path}/rewards", body)
        return 2


def talk(shards: list[Client], order: dict[str, Any], catalog: Catalog, number: int) -> None:
    """Whole conversations, one person after another, until the time is up."""
    rng = np.random.default_rng(number)
    end = time.monotonic() + order["seconds"]
    pause = order["pause"]
    people = 0
    while time.monotonic() < end:
        people += 1
        name = f"{order['name']}-{number}-{people}"
        person = Person(shards[shard_of(name, len(shards))], catalog, name, rng)
        done = 0
        while done < REQUESTS_A_PERSON and time.monotonic() < end:
            done += person.step()
            if pause:
                time.sleep(rng.exponential(pause))


def insert(client: Client, order: dict[str, Any], number: int) -> None:
    """One row after another, until the time is up."""
    body = {"decision": "d12", "item": "an item of usual length", "reward": 0.5}
    end = time.monotonic() + order["seconds"]
    while time.monotonic() < end:
        client.post("bare", f"/bare/person-{number}", body)


def run(order: dict[str, Any]) -> Times:
    """All clients of an order at once."""
    catalog = Catalog.load(order["catalog"]) if order["catalog"] else None
    clients = [[Client(port) for port in order["ports"]] for _ in range(order["clients"])]
    threads = [
        threading.Thread(target=insert, args=(shards[0], order, i))
        if catalog is None
        else threading.Thread(target=talk, args=(shards, order, catalog, i))
        for i, shards in enumerate(clients)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    times: Times = defaultdict(list)
    for client in (each for shards in clients for each in shards):
        client.close()
        for what, found in client.times.items():
            times[what] += found
    return times


if __name__ == "__main__":
    print(json.dumps(run(json.load(sys.stdin))))
