"""What /metrics tells: everything that is documented, nothing of anyone."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from conlinucb.service.http.metrics import ALL, MOST_CATALOGUES, OTHER, Metrics, full_name
from support.metrics import metrics_of, samples_of, value
from support.service_door import BEARER, SECRET
from support.service_world import client_of

pytestmark = pytest.mark.more  # a service for each

DOCS = Path(__file__).parents[3] / "docs"
ALIEN = "Alien (1979)"


def test_requests_are_counted_by_route_method_and_status(memory: TestClient) -> None:
    before = metrics_of(memory)
    memory.get("/nowhere/ann")
    memory.post("/v1/users/ann-of-metrics/next").raise_for_status()
    memory.get("/v1/users/no-such-person")
    memory.patch("/healthz")
    memory.request("BREW", "/v1/users/ann/next")
    after = metrics_of(memory)

    def more(**labels: str) -> float:
        name = "conlinucb_requests_total"
        return value(after, name, **labels) - value(before, name, **labels)

    user = "/v1/users/{user}"
    assert more(route=f"{user}/next", method="POST", status="200") == 1
    assert more(route=user, method="GET", status="404") == 1
    assert more(route="none", method="PATCH", status="405") == 1
    assert more(route="none", method="GET", status="404") == 1
    assert more(method="other") == 1
    assert more() == 6  # with the first look itself
    times = "conlinucb_request_seconds_count"
    assert value(after, times) - value(before, times) == 6
    assert not [key for key in after if "ann" in str(key)]


def test_what_people_do_is_counted(memory: TestClient) -> None:
    before = metrics_of(memory)
    user = "/v1/users/cleo-of-metrics"
    asked = memory.post(f"{user}/next").json()["question"]
    memory.post(f"{user}/next").raise_for_status()  # the same question
    for _ in range(2):  # the second one is the first
        body = {"question": asked, "answer": "skip", "event": "a1"}
        memory.post(f"{user}/answers", json=body).raise_for_status()
    for topic, answer in (("horror", "no"), ("comedies", 0.25), ("action", "yes"), ("westerns", 1)):
        memory.post(f"{user}/answers", json={"topic": topic, "answer": answer}).raise_for_status()
    advice = memory.post(f"{user}/next", json={"ask": "never", "pool": [ALIEN]}).json()
    body = {"decision": advice["decision"], "item": ALIEN, "reward": 0.75}
    reward = memory.post(f"{user}/rewards", json=body).json()["event"]
    memory.delete(f"{user}/events/{reward}").raise_for_status()
    after = metrics_of(memory)

    def more(name: str, **labels: str) -> float:
        full = f"conlinucb_{name}"
        return value(after, full, catalogue="films", **labels) - value(before, full, **labels)

    assert more("questions_total") == 1
    answers = {each: more("answers_total", answer=each) for each in ("yes", "no", "number", "skip")}
    assert answers == {"yes": 2, "no": 1, "number": 1, "skip": 1}
    assert more("recommendations_total") == more("rewards_count") == 1
    assert more("rewards_sum") == 0.75
    assert more("shown_value_sum") == pytest.approx(advice["items"][0]["mean"])
    assert more("retractions_total") == 1
    hits = "conlinucb_cache_lookups_total"
    assert value(after, hits, result="hit") > value(before, hits, result="hit")
    written = "conlinucb_store_seconds_count"
    append = {"operation": "append"}
    assert value(after, written, **append) - value(before, written, **append) == 8


def test_levels_and_loads_of_a_service(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'service.db'}"
    with client_of(url) as client:
        for _ in range(3):
            body = {"ask": "never"}
            client.post("/v1/users/ann/next", json=body).raise_for_status()
    with client_of(url) as client:
        client.get("/v1/users/ann").raise_for_status()
        background = client.app.state.background  # type: ignore[attr-defined]
        background._look()
        found = metrics_of(client)
    assert value(found, "conlinucb_snapshot_age_events_sum") == 3
    assert value(found, "conlinucb_cache_lookups_total", result="miss") == 1
    assert value(found, "conlinucb_cache_people") == 1
    assert 2_000 < value(found, "conlinucb_cache_bytes") < 2_000_000
    assert value(found, "conlinucb_workers") == 1
    assert value(found, "conlinucb_catalogue_version", catalogue="films") == 2
    assert value(found, "conlinucb_population_version", catalogue="films") == 0
    assert value(found, "conlinucb_memory_bytes") > 10_000_000
    assert value(found, "conlinucb_build_info") == 1


def test_a_write_that_meets_another_is_a_conflict(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'service.db'}"
    with client_of(url) as one, client_of(url) as other:
        for client in (one, other, one):
            client.post("/v1/users/ann/next", json={"ask": "never"}).raise_for_status()
        assert value(metrics_of(one), "conlinucb_conflicts_total") == 1


def test_a_key_is_needed_where_there_is_one() -> None:
    with client_of(key=SECRET) as client:
        assert client.get("/metrics").status_code == 401
        found = samples_of(client.get("/metrics", headers=BEARER).text)
        assert value(found, REQUESTS, status="401", route="none") == 1
        assert value(found, "conlinucb_turned_away_total", reason="key_needed") == 1


def test_it_takes_no_parameters(memory: TestClient) -> None:
    assert memory.get("/metrics?name=conlinucb_requests").status_code == 422


REQUESTS = "conlinucb_requests_total"


def test_more_catalogues_than_are_told_apart_count_as_one() -> None:
    metrics = Metrics()
    for number in range(MOST_CATALOGUES + 20):
        for _ in range(2):
            metrics.count("questions", catalogue=f"c{number}")
    found = samples_of(metrics.text().decode())
    name = "conlinucb_questions_total"
    assert value(found, name, catalogue="c0") == 2
    assert value(found, name, catalogue=OTHER) == 40
    assert value(found, name) == 2 * (MOST_CATALOGUES + 20)
    assert len([key for key in found if key[0] == name]) == MOST_CATALOGUES + 1


def test_every_metric_is_documented() -> None:
    text = (DOCS / "service.md").read_text(encoding="utf-8")
    documented = set(re.findall(r"^\| `(conlinucb_\w+)", text, re.MULTILINE))
    assert documented == {full_name(each) for each in ALL}


def test_alerts_are_about_metrics_that_there_are() -> None:
    text = (DOCS / "operations.md").read_text(encoding="utf-8")
    named = {
        re.sub("_(sum|count|bucket)$", "", each) for each in re.findall(r"conlinucb_\w+", text)
    }
    assert len(named) > 10
    assert named <= {full_name(each) for each in ALL}
