"""Someone who says anything in any order, and what that must come to."""

from __future__ import annotations

import json
from typing import Any

import httpx2 as httpx
import numpy as np
from fastapi.testclient import TestClient

import conlinucb as cl
from conlinucb.service.conversations import views
from conlinucb.service.conversations.fold import fold
from conlinucb.service.conversations.use_cases import UseCases
from conlinucb.service.storage import Broken, retracted

BETAS = {"conlinucb": 0.15, "spanner": 0.15, "random": 0.15, "arm_con": 1.0, "linucb": 1.0}
"""Priors of those whose estimate one ridge regression gives."""
ITEMS = [f"item {number}" for number in range(12)]


class Talk:
    """One person, who says anything in any order; what was written is looked at all the time."""

    def __init__(self, client: TestClient, catalogue: str, name: str) -> None:
        self.client = client
        self.catalogue = catalogue
        self.name = name
        self.log: list[dict[str, Any]] = []
        self.sent: list[tuple[str, dict[str, Any], int]] = []
        assert self._send("PUT", "", {"seed": 7}).status_code == 204

    def step(self, kind: str, given: Any) -> None:
        """Do one thing, if there is anything to do it to."""
        first = kind.split()[0]
        if first == "next":
            self._next(given)
        elif first == "answer":
            self._answer(*given)
        elif first == "reward":
            self._reward(*given)
        elif kind == "send again":
            self._send_again(given)
        elif kind == "take back":
            self._take_back(given)
        elif kind == "take back anything":
            self._take_back_anything(given)
        elif kind == "forget":
            self._send("DELETE", "")
            self.sent = []
        else:
            self._odd(kind, given)

    def _call(self, method: str, path: str, body: Any = None, **params: Any) -> httpx.Response:
        return self.client.request(
            method,
            f"/v1/users/{self.name}{path}",
            params={"catalogue": self.catalogue, **params},
            content=None if body is None else json.dumps(body),
            headers={"content-type": "application/json"},
        )

    def _exported(self) -> list[dict[str, Any]]:
        response = self._call("GET", "/export")
        if response.status_code == 404:
            return []
        (conversation,) = response.json()["conversations"]
        events: list[dict[str, Any]] = conversation["events"]
        return events

    def _send(self, method: str, path: str, body: Any = None) -> httpx.Response:
        """Send it; a refusal wrote nothing, anything else one event at most."""
        response = self._call(method, path, body)
        now = self._exported()
        assert response.status_code < 500, response.text
        if method == "DELETE" and response.status_code == 204:
            assert now == []
        elif response.is_success:
            assert len(self.log) <= len(now) <= len(self.log) + 1
            assert [_plain(each) for each in now[: len(self.log)]] == [*map(_plain, self.log)]
        else:
            assert set(response.json()["error"]) == {"code", "message"}
            assert now == self.log
        if body and body.get("event") and response.is_success and len(now) > len(self.log):
            assert now[-1]["client_id"] == body["event"]
            self.sent.append((path, body, now[-1]["event"]))
        self.log = now
        return response

    def _nth(self, place: int, *kinds: str) -> Any:
        found = [each for each in self.log if each["kind"] in kinds]
        return found[-1 - place % len(found)] if found else None

    def _next(self, body: dict[str, Any]) -> None:
        if self.catalogue == "spanner":  # made for all key-terms
            body.pop("offered", None)
        used = {each["client_id"]: each["kind"] for each in self.log if each["client_id"]}
        response = self._send("POST", "/next", body)
        mine = used.get(body.get("event"), "question") in ("question", "recommendation")
        assert response.status_code == (200 if mine else 409), response.text

    def _answer(self, place: int, value: Any, event: str | None) -> None:
        if asked := self._nth(place, "question"):
            body = {"question": f"q{asked['event']}", "answer": value, "event": event}
            self._send("POST", "/answers", body)

    def _reward(self, place: int, which: int, value: float, event: str | None) -> None:
        if shown := self._nth(place, "recommendation"):
            items = shown["about"]["items"]
            item = items[which % len(items)]["item"]
            body = {"decision": f"d{shown['event']}", "item": item, "reward": value, "event": event}
            self._send("POST", "/rewards", body)

    def _take_back(self, place: int) -> None:
        if said := self._nth(place, "answer", "reward"):
            assert self._send("DELETE", f"/events/{said['event']}").status_code == 200
            assert self.log[said["event"] - 1]["retracted"]

    def _take_back_anything(self, number: int) -> None:
        kind = {each["event"]: each["kind"] for each in self.log}.get(number)
        expected = 404 if kind is None else 200 if kind in ("answer", "reward") else 409
        assert self._send("DELETE", f"/events/{number}").status_code == expected

    def _send_again(self, place: int) -> None:
        if self.sent:
            path, body, event = self.sent[-1 - place % len(self.sent)]
            before = self.log
            response = self._send("POST", path, body)
            assert response.status_code == 200, response.text
            assert self.log == before
            if path != "/next":
                assert response.json() == {"event": event, "repeated": True}

    def _odd(self, kind: str, given: Any) -> None:
        """What must be refused."""
        if kind == "odd request":
            requests = [("/next", given)]
        elif kind == "odd question":
            requests = [("/answers", {"question": given[0], "answer": given[1]})]
        else:
            number, value = given
            requests = [
                ("/answers", {"question": f"q{number}", "answer": value}),
                ("/rewards", {"decision": f"d{number}", "item": ITEMS[0], "reward": value}),
            ]
        for path, body in requests:
            assert 400 <= self._send("POST", path, body).status_code < 500

    def check(self) -> None:
        """The profile is what the log comes to, by the service's own fold and by algebra."""
        response = self._call("GET", "", events=1000)
        if response.status_code == 404:
            assert self.log == []
            return
        profile = response.json()
        assert profile["events"] == self.log[::-1]
        use_cases: UseCases = self.client.app.state.use_cases  # type: ignore[attr-defined]
        version = use_cases.catalogues.serving(self.catalogue)
        if self.catalogue in BETAS:
            _check_ridge(version.catalog, BETAS[self.catalogue], self.log, profile["terms"])
        person = use_cases.storage.people.find(version.id, self.name)
        assert person is not None
        rows = use_cases.storage.log.after(person.id)
        state, broken = fold(version, person.seed, rows)
        assert not broken
        asked = next((row for row in rows if row.seq == state.open_seq), None)
        assert not isinstance(asked, Broken)
        found = views.profile(state, self.name)
        found = views.with_events(found, version, asked, rows[::-1], retracted(rows), ())
        folded = json.loads(found.model_dump_json())
        assert _close(profile.pop("terms"), folded.pop("terms"))
        assert profile == folded


def _check_ridge(
    catalog: cl.Catalog, beta: float, log: list[dict[str, Any]], found: list[dict[str, Any]]
) -> None:
    """The estimate is the ridge regression of all that was said and not taken back."""
    taught = [_said(catalog, each) for each in log if not each["retracted"] and _teaches(each)]
    vectors = np.array([vector for vector, _ in taught]).reshape(-1, catalog.d)
    M = beta * np.eye(catalog.d) + vectors.T @ vectors
    theta = np.linalg.solve(M, vectors.T @ np.array([value for _, value in taught]))
    terms = catalog.terms
    radii = np.sqrt(np.einsum("kd,dk->k", terms, np.linalg.solve(M, terms.T)))
    np.testing.assert_allclose([each["mean"] for each in found], terms @ theta, atol=1e-9)
    np.testing.assert_allclose([each["radius"] for each in found], radii, atol=1e-9)


def _teaches(event: dict[str, Any]) -> bool:
    skipped = event["kind"] == "answer" and event["about"]["answer"] is None
    return event["kind"] in ("answer", "reward") and not skipped


def _said(catalog: cl.Catalog, event: dict[str, Any]) -> tuple[Any, float]:
    """The features of what an event is about, and its value."""
    about = event["about"]
    if event["kind"] == "reward":
        return catalog.arms[catalog.arm_index(about["item"])], about["reward"]
    if about["about"] == "arm":
        return catalog.arms[catalog.arm_index(about["id"])], about["answer"]
    return catalog.terms[catalog.term_index(about["id"])], about["answer"]


def _plain(event: dict[str, Any]) -> dict[str, Any]:
    """An event but for the mark that it was taken back."""
    return {name: value for name, value in event.items() if name != "retracted"}


def _close(one: list[dict[str, Any]], other: list[dict[str, Any]]) -> bool:
    """The same key-terms with numbers that are equal but for rounding."""
    if [each["term"] for each in one] != [each["term"] for each in other]:
        return False
    numbers = [[(each["mean"], each["radius"]) for each in side] for side in (one, other)]
    return bool(np.allclose(numbers[0], numbers[1], rtol=0, atol=1e-9))
