"""Rate limits: of keys, visitors and addresses, shared by workers, without harm to others."""

from __future__ import annotations

import multiprocessing
import time
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from conlinucb.service.http import rates
from conlinucb.service.http.rates import Limit, RateTable
from conlinucb.service.http.visitors import COOKIE
from support.service_door import BEARER, SECRET, error_of
from support.service_keys import bearer, keyed_client
from support.service_world import client_of, serving

pytestmark = pytest.mark.more  # a service for each

SLOW = Limit("key", rate=0.01, burst=5)
"""So slow that nothing is paid off while a test runs."""


def test_a_burst_and_then_the_rate(monkeypatch: pytest.MonkeyPatch) -> None:
    moment = [10**12]
    monkeypatch.setattr(time, "monotonic_ns", lambda: moment[0])
    table, limit = RateTable(), Limit("key", rate=2.0, burst=3)
    assert [table.take(b"a", limit) for _ in range(4)] == [0, 0, 0, 0.5]
    moment[0] += 250_000_000
    assert table.take(b"a", limit) == pytest.approx(0.25)
    moment[0] += 250_000_000
    assert [table.take(b"a", limit), table.take(b"a", limit)] == [0, 0.5]
    moment[0] += 10 * 10**9  # no more than the burst is saved up
    assert [table.take(b"a", limit) for _ in range(4)] == [0, 0, 0, 0.5]


def test_others_are_not_counted_and_refusals_cost_nothing() -> None:
    table = RateTable()
    for _ in range(5):
        assert table.take(b"greedy", SLOW) == 0
    first = table.take(b"greedy", SLOW)
    for _ in range(1000):
        assert table.take(b"greedy", SLOW) > 0
    assert table.take(b"greedy", SLOW) <= first  # trying on does not put it off
    assert not table.knows(b"other")
    assert table.take(b"other", SLOW) == 0
    assert table.knows(b"other")


def test_more_callers_than_there_is_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rates, "BUCKETS", 2)
    table = RateTable()
    for number in range(200):
        assert table.take(b"%d" % number, SLOW) == 0  # forgotten ones come in anew
    assert sum(table.knows(b"%d" % number) for number in range(200)) == 2 * rates.WAYS


def _take_many(path: str, count: int) -> int:
    table = RateTable(Path(path))
    return sum(table.take(b"a", Limit("key", rate=0.01, burst=300)) == 0 for _ in range(count))


def test_processes_share_a_file(tmp_path: Path) -> None:
    path = str(tmp_path / "rates")
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        taken = pool.starmap(_take_many, [(path, 400)] * 2)
    # Where both change it at the same moment, one request may count for nothing.
    assert 300 <= sum(taken) <= 330
    assert (tmp_path / "rates").stat().st_mode & 0o777 == 0o600


def test_a_key_over_its_limit_and_the_others() -> None:
    with keyed_client(key_requests_per_second=0.5, burst_seconds=10) as (client, keys):
        path, greedy = "/v1/openapi.json", bearer(keys["use"])
        answers = [client.get(path, headers=greedy) for _ in range(8)]
        assert [each.status_code for each in answers] == [200] * 5 + [429] * 3
        refused = answers[-1]
        assert error_of(refused)["code"] == "too_many_requests"
        assert 1 <= int(refused.headers["retry-after"]) <= 2
        assert keys["use"] not in refused.text
        assert client.get(path, headers=bearer(keys["build"])).status_code == 200
        for _ in range(10):
            assert client.get("/healthz", headers=greedy).status_code == 200


def test_who_is_on_this_machine_has_no_limit() -> None:
    with client_of(key_requests_per_second=0.1, address_requests_per_second=0.1) as client:
        for _ in range(20):
            assert client.get("/v1/catalogues").status_code == 200


def _visit(client: TestClient, letter: str) -> int:
    headers = {"cookie": f"{COOKIE}={letter * 43}"}
    return client.get("/v1/me/picture", headers=headers).status_code


def test_visitors_and_addresses_of_an_open_page() -> None:
    limits: dict[str, Any] = {
        "visitor_requests_per_second": 0.3,
        "address_requests_per_second": 1.2,
    }
    with client_of(key=SECRET, page="open", **limits) as client:
        assert [_visit(client, "a") for _ in range(4)] == [200, 200, 200, 429]
        assert [_visit(client, "b") for _ in range(3)] == [200] * 3  # another one
        found = [_visit(client, "c") for _ in range(3)]
        assert found.count(200) == 3
        found = [client.get("/v1/page").status_code for _ in range(6)]
        assert 429 in found  # 12 from one address
        assert client.get("/v1/catalogues").status_code == 429  # also for who has no key at all
        assert client.get("/v1/catalogues", headers=BEARER).status_code == 200


def test_new_visitors_are_few_and_known_ones_stay() -> None:
    with client_of(key=SECRET, page="open", new_visitors_per_minute=3) as client:
        assert [_visit(client, each) for each in "abcd"] == [200, 200, 200, 429]
        assert [_visit(client, each) for each in "abc"] == [200, 200, 200]


def test_nothing_is_limited_where_limits_are_0() -> None:
    off = ("key_requests_per_second", "visitor_requests_per_second", "address_requests_per_second")
    limits: dict[str, Any] = dict.fromkeys((*off, "new_visitors_per_minute"), 0)
    with client_of(key=SECRET, page="open", **limits) as client:
        for _ in range(30):
            assert _visit(client, "a") == 200


@pytest.mark.more
def test_workers_share_the_limit_of_a_key(tmp_path: Path) -> None:
    config = tmp_path / "service.toml"
    config.write_text("key_requests_per_second = 0.5\nburst_seconds = 40\n", "utf-8")
    url = f"sqlite:///{tmp_path / 'service.db'}"
    with serving(url, workers=2, config=config, CONLINUCB_KEY=SECRET) as server:
        started, statuses = time.monotonic(), []
        for _ in range(60):  # a connection each, so that both workers get some
            with server.client() as client:
                statuses.append(client.get("/v1/openapi.json", headers=BEARER).status_code)
        passed = time.monotonic() - started
    assert set(statuses) == {200, 429}
    assert 20 <= statuses.count(200) <= 21 + 0.5 * passed
