"""The dashboard over HTTP: who may see it, what is in it, and what never is."""

from __future__ import annotations

import json
import re
from typing import Any, cast

import pytest
import sqlalchemy as sa
from fastapi import FastAPI
from fastapi.testclient import TestClient

from conlinucb.service.http import timings as timing
from conlinucb.service.http.timings import Timings
from conlinucb.service.http.visitors import HOMES
from conlinucb.service.storage.schema import events
from support.service_conversation import CATALOG, TERMS, upload
from support.service_crowd import use_cases_of
from support.service_door import BEARER, SECRET, error_of
from support.service_talk import RECIPES, Talk
from support.service_world import client_of, engine_of

NAMES = [f"somebody-called-{number}-{word}" for number, word in enumerate(("ann", "bea", "cy"))]


def talked(client: TestClient, people: int, catalogue: str = "it", rounds: int = 3) -> list[str]:
    """So many people answer, are shown things and rate them; their names."""
    if catalogue not in use_cases_of(client).catalogues.states():
        upload(client, catalogue, agent=RECIPES["conlinucb"], max_questions=None)
    names = [f"{NAMES[number % 3]}-{number}" for number in range(people)]
    for number, name in enumerate(names):
        talk = Talk(client, catalogue, name)
        for step in range(rounds):
            asked = talk.next(offered=[TERMS[step]])
            said = ("yes", "no", "skip")[(number + step) % 3]
            talk.answer(question=asked["question"], answer=said)
            shown = talk.next(ask="never", k=2)
            rated = {"item": shown["items"][0]["item"], "reward": float((number + step) % 2)}
            talk.reward(decision=shown["decision"], **rated)
    return names


def found(client: TestClient, catalogue: str = "it", **params: Any) -> dict[str, Any]:
    response = client.get("/v1/dashboard", params={"catalogue": catalogue, **params})
    assert response.status_code == 200, response.text
    return dict(response.json())


def test_what_people_did_is_there_and_who_they_are_is_not(url: str) -> None:
    with client_of(url) as client:
        names = talked(client, 6)
        talked(client, 2, "other")
        dashboard = found(client)
        text = json.dumps(dashboard)
        assert [name for name in (*names, *NAMES) if name in text] == []
        assert "somebody" not in text
        assert not re.search(r'"(person|user|name|id)"', text)
        today = dashboard["activity"][-1]
        assert len(dashboard["activity"]) == 30
        assert (today["people"], today["newcomers"], today["conversations"]) == (6, 6, 6)
        assert (today["steps"], today["questions"]) == (36, 18)
        assert dashboard["looked"]["people"] == 6
        assert dashboard["looked"]["events"] == 72
        assert dashboard["looked"]["whole"] is True
        stats = {each["names"][0]: each for each in dashboard["questions"]["questions"]}
        assert set(stats) == set(TERMS[:3])
        for stat in stats.values():
            assert (stat["asked"], stat["people"], stat["unanswered"]) == (6, 6, 0)
            for said in ("yes", "no", "skip"):
                assert stat[said]["share"] == pytest.approx(1 / 3)
        assert [each["round"] for each in dashboard["rounds"]["rounds"]] == [1, 2, 3]
        assert dashboard["rounds"]["liked"]["share"] == 0.5
        (none,) = dashboard["populations"]
        assert (none["number"], none["in_use"], none["liked"]["count"]) == (0, True, 18)
        store = dashboard["store"]
        assert (store["people"], store["events"], store["trouble"]) == (8, 96, None)
        assert store["write_milliseconds"] > 0


def test_few_people_are_withheld() -> None:
    with client_of() as client:
        talked(client, 4)
        dashboard = found(client)
        assert dashboard["least_people"] == 5
        assert dashboard["questions"] == {"questions": [], "withheld": 3, "left_off": 0}
        nothing = dict.fromkeys(["share", "low", "high", "count", "people"])
        rounds = dashboard["rounds"]
        assert (rounds["rounds"], rounds["chance"]) == ([], None)
        assert rounds["liked"] == rounds["popular"] == nothing
        assert [each["liked"] for each in dashboard["populations"]] == [nothing]


def test_what_was_never_shown_is_named() -> None:
    with client_of() as client:
        talked(client, 4)
        items = client.get("/v1/catalogues/it").json()["items"]
        few = {"items": items, "people": None, "never": None, "first": []}
        assert found(client)["never_shown"] == few
        about = {"features": CATALOG.arms[0].tolist(), "tags": [TERMS[0]]}
        more = [{"id": "back", "title": "Kept Back", **about}, {"id": "gone", **about}]
        client.post("/v1/catalogues/it/items", json={"items": more}).raise_for_status()
        client.post("/v1/catalogues/it/removals", json={"items": ["gone"]}).raise_for_status()
        for number in range(5):
            talk = Talk(client, "it", f"somebody-{number}")
            talk.next(ask="never", k=items, exclude=["back"])
        never = found(client, days=7)["never_shown"]
        assert never["items"] == items + 1
        assert never["people"] == 9
        assert "Kept Back" in never["first"]
        assert never["never"] == len(never["first"])
        assert "gone" not in never["first"]


def test_nobody_was_here_yet(memory: TestClient) -> None:
    dashboard = found(memory, "films", days=7)
    assert [each["people"] for each in dashboard["activity"]] == [0] * 7
    assert dashboard["questions"]["questions"] == dashboard["rounds"]["rounds"] == []
    assert dashboard["looked"]["people"] == 0


def test_damaged_events_are_left_out_and_counted(url: str) -> None:
    with client_of(url) as client:
        talked(client, 6)
        rewards = events.c.kind == "reward"
        with engine_of(client).connect() as connection:
            connection.execute(sa.update(events).where(rewards).values(body='{"reward":1}'))
        dashboard = found(client)
        assert dashboard["looked"]["damaged"] == 18
        assert dashboard["rounds"]["rounds"] == []
        assert len(dashboard["questions"]["questions"]) == 3


def test_what_is_forgotten_or_taken_back_counts_no_more() -> None:
    with client_of() as client:
        names = talked(client, 6)
        client.delete(f"/v1/users/{names[0]}").raise_for_status()
        Talk(client, "it", names[1]).retract(4)
        dashboard = found(client)
        assert dashboard["looked"]["people"] == 5
        assert dashboard["rounds"]["liked"]["count"] == 14
        assert [each["round"] for each in dashboard["rounds"]["rounds"]] == [2, 3]


def test_it_is_computed_once_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    with client_of() as client:
        talked(client, 6)
        first = found(client)
        Talk(client, "it", "someone else").next()
        again = found(client)
        assert again["looked"] == first["looked"]
        assert again["requests"]["requests"] > first["requests"]["requests"]
        assert found(client, days=7)["looked"]["people"] == 7  # another time, another computation
        monkeypatch.setattr("conlinucb.service.dashboard.reports.FRESH", -1.0)
        assert found(client)["looked"]["people"] == 7


def test_one_is_computed_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    with client_of() as client:
        talked(client, 5)
        kept = found(client)
        monkeypatch.setattr("conlinucb.service.dashboard.reports.FRESH", -1.0)
        dashboards = cast(FastAPI, client.app).state.dashboards
        with dashboards._at_work:
            assert found(client)["computed"] == kept["computed"]  # the old one, at once
            busy = client.get("/v1/dashboard?catalogue=it&days=2")
            assert busy.status_code == 503
            assert error_of(busy)["code"] == "dashboard_busy"
            assert "retry-after" in busy.headers
        assert found(client, days=2)["days"] == 2


def test_more_than_may_be_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("conlinucb.service.dashboard.reports.MOST_EVENTS", 30)
    with client_of() as client:
        talked(client, 6)
        looked = found(client)["looked"]
        assert (looked["people"], looked["events"], looked["most_events"]) == (2, 24, 30)
        assert looked["whole"] is False


@pytest.mark.parametrize("days", ["0", "-1", "367", "many", "1.5"])
def test_days_that_there_are_not(memory: TestClient, days: str) -> None:
    response = memory.get("/v1/dashboard", params={"days": days})
    assert response.status_code == 422
    assert "days" in error_of(response)["message"]


def test_a_catalogue_that_there_is_not(memory: TestClient) -> None:
    assert memory.get("/v1/dashboard?catalogue=nowhere").status_code == 404
    assert memory.get("/v1/dashboard?catalog=films").status_code == 422


# The door


@pytest.mark.parametrize("page", ["local", "open"])
def test_the_document_is_open_and_what_it_shows_is_not(page: str) -> None:
    with client_of(key=SECRET, page=page) as client:
        document = client.get("/dashboard")
        assert document.status_code == 200
        assert document.headers["content-type"] == "text/html; charset=utf-8"
        assert "set-cookie" not in document.headers
        for file in re.findall(r'(?:src|href)="(/static/[^"]+)"', document.text):
            assert client.get(file).status_code == 200
        assert client.get("/v1/dashboard").status_code == 401
        assert client.get("/v1/dashboard", headers=BEARER).status_code == 200
        assert client.get("/v1/catalogues").status_code == 401


def test_where_the_page_is_off_there_is_no_document() -> None:
    with client_of(key=SECRET, page="off") as client:
        for path in (*HOMES, "/static/dashboard.js"):
            assert client.get(path).status_code == 401
            assert client.get(path, headers=BEARER).status_code == 404
        assert client.get("/v1/dashboard", headers=BEARER).status_code == 200


def test_opening_it_makes_nobody_a_person(memory: TestClient) -> None:
    memory.cookies.clear()
    assert "set-cookie" not in memory.get("/dashboard").headers
    assert memory.head("/dashboard").status_code == 200
    assert memory.get("/v1/me").status_code == 401
    refused = memory.post("/dashboard")
    assert refused.status_code == 405
    assert refused.headers["allow"] == "GET, HEAD"


# The requests


def test_requests_are_counted_with_those_that_are_refused() -> None:
    with client_of(key=SECRET) as client:
        client.get("/healthz")
        client.get("/v1/catalogues")
        client.get("/v1/nowhere", headers=BEARER)
        client.post("/v1/users/ann/next", headers=BEARER).raise_for_status()
        response = client.get("/v1/dashboard", headers=BEARER)
        requests = response.json()["requests"]
        assert requests["statuses"]["401"] == 1
        assert requests["statuses"]["404"] == 1
        assert requests["requests"] == sum(requests["statuses"].values()) == 3
        latencies = {each["what"]: each for each in requests["latencies"]}
        assert latencies["next"]["requests"] == 1
        assert latencies["all"]["requests"] == requests["requests"]
        assert 0 < latencies["all"]["p50"] <= latencies["all"]["p95"] <= latencies["all"]["p99"]


def test_times_are_of_the_latest_requests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timing, "LATEST", 100)
    timings = Timings()
    for _ in range(250):
        timings.add("/v1/users/ann/next", 200, 9.0)
    for number in range(100):
        timings.add("/v1/me/next", 500 if number == 0 else 200, number / 1000)
    found = timings.found()
    assert found.statuses == {"200": 349, "500": 1}
    (everything, next_) = found.latencies
    assert (everything.what, next_.what, next_.requests) == ("all", "next", 350)
    assert [next_.p50, next_.p95, next_.p99] == pytest.approx([49.5, 94.05, 98.01], abs=0.01)
