"""The whole API under generated requests, and conversations in any order.

``CONLINUCB_FUZZ=20`` makes it twenty times as many.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from itertools import count
from types import SimpleNamespace
from typing import Any

import httpx2 as httpx
import numpy as np
import pytest
import schemathesis
from fastapi import FastAPI
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis.config import SchemathesisConfig
from starlette.types import ASGIApp, Receive, Scope, Send

import conlinucb as cl
from conlinucb.service import views
from conlinucb.service.app import create_app
from conlinucb.service.config import ServiceConfig
from conlinucb.service.conversation import fold
from conlinucb.service.desk import Desk
from conlinucb.service.storage import MEMORY
from service_world import client_of

MORE = int(os.environ.get("CONLINUCB_FUZZ", "1"))
STEADY = settings(
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=list(Phase) if MORE > 1 else [Phase.explicit, Phase.generate],  # shrinking takes minutes
)

# Every operation of the description


REAL: dict[str, list[Any]] = {
    "user": ["ann", "bob"],
    "name": ["films", "small"],
    "catalogue": ["films", "small"],
    "event": [1, 3],
    "item": ["Alien (1979)"],
}
"""What is there, so that generated requests meet it."""


def _described() -> dict[str, Any]:
    """The description, in which parameters may also be what is there."""
    found = _application().openapi()
    for path in found["paths"].values():
        for operation in path.values():
            for parameter in operation.get("parameters", ()):
                if parameter["name"] in REAL:
                    real = {"enum": REAL[parameter["name"]]}
                    parameter["schema"] = {"anyOf": [real, parameter["schema"]]}
    # Schemathesis 4.32 misreads prefixItems in a response; here all of them are alike.
    pair = found["components"]["schemas"]["Settings"]["properties"]["range"]
    pair["items"] = pair.pop("prefixItems")[0]
    return found


def _application() -> FastAPI:
    return create_app(ServiceConfig(database=MEMORY))


@schemathesis.serializer("application/vnd.apache.parquet")
def _as_bytes(context: schemathesis.SerializationContext, value: Any) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode()


CONFIG = SchemathesisConfig.from_dict(
    {
        "seed": 1,
        "generation": {"deterministic": True},
        "checks": {
            # What the description allows may still name something that is not there: 422.
            "positive_data_acceptance": {"enabled": False},
            "allow_header_conformance": {"enabled": False},  # test_service_guard.py
        },
    }
)
SCHEMA = schemathesis.openapi.from_dict(_described(), config=CONFIG)
SCHEMA.app = _application()  # never started: each operation is tried on a service of its own


def _without_lifespan(app: ASGIApp) -> ASGIApp:
    """The application, which is running already."""

    async def call(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            raise NotImplementedError
        await app(scope, receive, send)

    return call


def _populate(client: TestClient) -> None:
    """The examples of the description become true: q1 is open, d2 shows Alien, Solaris is out."""
    items = [{"id": "a", "tags": ["x", "y"]}, {"id": "b", "tags": ["z"]}]
    client.put("/v1/catalogues/small", json={"items": items}).raise_for_status()
    gone = {"items": ["Solaris (1972)"]}
    client.post("/v1/catalogues/films/removals", json=gone).raise_for_status()
    assert client.post("/v1/users/ann/next").json()["question"] == "q1"
    alien = {"ask": "never", "pool": ["Alien (1979)"]}
    assert client.post("/v1/users/ann/next", json=alien).json()["decision"] == "d2"
    liked = {"decision": "d2", "item": "Alien (1979)", "reward": 1.0}
    assert client.post("/v1/users/ann/rewards", json=liked).json()["event"] == 3
    for catalogue in ("films", "small"):
        client.post("/v1/users/bob/next", params={"catalogue": catalogue}).raise_for_status()


@pytest.fixture
def service() -> Iterator[SimpleNamespace]:
    """A running application with people in it; in the end something must have gone well."""
    with client_of() as client:
        _populate(client)
        found = SimpleNamespace(app=_without_lifespan(client.app), statuses=set(), fine=True)
        yield found
    assert not found.fine or found.statuses & {200, 202, 204}, "nothing real was ever reached"


@SCHEMA.parametrize()
@settings(STEADY, max_examples=10 * MORE)
def test_every_response_is_as_documented(
    case: schemathesis.Case[Any], service: SimpleNamespace
) -> None:
    service.fine = False
    response = case.call_and_validate(base_url="http://127.0.0.1", app=service.app)
    service.fine = True
    service.statuses.add(response.status_code)


# Conversations in any order


def _agent(recipe: str, **options: Any) -> dict[str, Any]:
    return {"recipe": recipe, "schedule": {"name": "linear", "b": 1.0}, **options}


AGENTS = {
    "conlinucb": _agent("conlinucb"),
    "spanner": _agent("conlinucb", strategy="spanner"),
    "random": _agent("conlinucb", strategy="random"),
    "conucb": _agent("conucb"),
    "arm_con": _agent("arm_con"),
    "linucb": {"recipe": "linucb"},
}
BETAS = {"conlinucb": 0.15, "spanner": 0.15, "random": 0.15, "arm_con": 1.0, "linucb": 1.0}
"""Priors of those whose estimate one ridge regression gives."""
ITEMS = [f"item {number}" for number in range(12)]
TAGS = [f"tag {number}" for number in range(6)]
TAGGED = [
    {"id": item, "tags": [TAGS[n % 6], TAGS[n // 3], TAGS[(5 * n + 1) % 6]]}
    for n, item in enumerate(ITEMS)
]
MANNERS = {"max_questions": None, "rest_after_skip": 2}
IDS = st.none() | st.sampled_from(["e1", "e2", "e3", "שלום", "👩‍🚀"])
VALUES = st.sampled_from(["yes", "no", "skip"]) | st.floats(0, 1) | st.sampled_from([0, 1])
WISHES = st.fixed_dictionaries(
    {},
    optional={
        "pool": st.lists(st.sampled_from(ITEMS), min_size=4, unique=True),
        "exclude": st.lists(st.sampled_from(ITEMS), max_size=3, unique=True),
        "offered": st.lists(st.sampled_from(TAGS), min_size=1, unique=True),
        "k": st.integers(1, 100),
        "ask": st.sampled_from(["due", "never"]),
        "event": IDS,
    },
)
NAN, INF = float("nan"), float("inf")
ODD: list[Any] = [2, -0.5, 1e300, NAN, INF, -INF, None, [], {}, "maybe", "\x00", 10**400]
ODD_WISHES: list[dict[str, Any]] = [
    *({"k": each} for each in ODD[1:]),
    {"pool": []},
    {"pool": ["nope"]},
    {"pool": [1]},
    {"pool": "item 1"},
    {"exclude": ["nope"]},
    {"exclude": None},
    {"event": ""},
    {"event": "x" * 201},
    {"event": "\n"},
    {"event": 5},
    {"ask": "no"},
    {"what": 1},
    {"ask": "never", "pool": ITEMS[:2], "exclude": ITEMS[:2]},
]


PLACES = st.integers(0, 40)
"""Which of the events at hand, counted from the last."""
STEPS: dict[str, st.SearchStrategy[Any]] = {
    "next": WISHES,
    "next again": WISHES,  # more often than others
    "answer": st.tuples(PLACES, VALUES, IDS),
    "answer the last": st.tuples(st.just(0), VALUES, IDS),
    "reward": st.tuples(PLACES, PLACES, st.floats(0, 1), IDS),
    "reward the last": st.tuples(st.just(0), PLACES, st.floats(0, 1), IDS),
    "take back": PLACES,
    "take back anything": st.integers(1, 30),
    "send again": PLACES,
    "odd wish": st.sampled_from(ODD_WISHES),
    "odd value": st.tuples(st.integers(1, 30), st.sampled_from(ODD)),
    "odd question": st.tuples(st.sampled_from(["q99", "d1", "1", "", "q-1", "q1 "]), VALUES),
    "forget": st.just(None),
}
STEP = st.one_of(*(st.tuples(st.just(name), each) for name, each in STEPS.items()))


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

    def _next(self, wish: dict[str, Any]) -> None:
        if self.catalogue == "spanner":  # made for all key-terms
            wish.pop("offered", None)
        used = {each["client_id"]: each["kind"] for each in self.log if each["client_id"]}
        response = self._send("POST", "/next", wish)
        mine = used.get(wish.get("event"), "question") in ("question", "recommendation")
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
        if kind == "odd wish":
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
        desk: Desk = self.client.app.state.desk  # type: ignore[attr-defined]
        served = desk.catalogues.serving(self.catalogue)
        if self.catalogue in BETAS:
            _check_ridge(served.catalog, BETAS[self.catalogue], self.log, profile["terms"])
        person = desk.storage.people.find(served.id, self.name)
        assert person is not None
        rows = desk.storage.log.after(person.id)
        state, broken = fold(served, person.seed, rows)
        assert not broken
        folded = json.loads(views.profile(state, self.name, rows, 1000).model_dump_json())
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


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    with client_of() as found:
        for name, agent in AGENTS.items():
            place, manners = f"/v1/catalogues/{name}", {"agent": agent, **MANNERS}
            found.put(place, json={"items": TAGGED}).raise_for_status()
            found.put(f"{place}/settings", json=manners).raise_for_status()
        yield found


NUMBERS = count()


@pytest.mark.parametrize("catalogue", AGENTS)
@settings(STEADY, max_examples=4 * MORE)
@given(steps=st.lists(STEP, min_size=20, max_size=30))
def test_profile_is_the_fold_of_the_log(
    client: TestClient, catalogue: str, steps: list[tuple[str, Any]]
) -> None:
    talk = Talk(client, catalogue, f"person {next(NUMBERS)}")
    for kind, given_ in steps:
        talk.step(kind, given_)
        talk.check()
