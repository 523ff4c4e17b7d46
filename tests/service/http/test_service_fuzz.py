"""The whole API under generated requests, and conversations in any order.

``CONLINUCB_FUZZ=20`` makes it twenty times as many.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import count
from types import SimpleNamespace
from typing import Any

import pytest
import schemathesis
from fastapi import FastAPI
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis.config import SchemathesisConfig
from starlette.types import ASGIApp, Receive, Scope, Send

from conlinucb.service.config import ServiceConfig
from conlinucb.service.http.app import create_app
from conlinucb.service.storage import MEMORY
from support.service_fuzz import ITEMS, Talk
from support.service_world import client_of

pytestmark = pytest.mark.more
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
    _let_learn(client)
    arms = [
        {"name": "now", "share": 0.5},
        {"name": "linucb", "share": 0.5, "agent": {"recipe": "linucb"}},
    ]
    client.put("/v1/catalogues/films/experiment", json={"arms": arms}).raise_for_status()


def _let_learn(client: TestClient) -> None:
    """So that of bob alone a population can be learned."""
    at = "/v1/catalogues/films/settings"
    few = client.get(at).json() | {"population_least": 1}
    client.put(at, json=few).raise_for_status()
    for item in ("Alien (1979)", "Metropolis (1927)", "Amélie (2001)"):
        said = {"item": item, "reward": 1.0}
        client.post("/v1/users/bob/rewards", json=said).raise_for_status()


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
TAGS = [f"tag {number}" for number in range(6)]
TAGGED = [
    {"id": item, "tags": [TAGS[n % 6], TAGS[n // 3], TAGS[(5 * n + 1) % 6]]}
    for n, item in enumerate(ITEMS)
]
SETTINGS = {"max_questions": None, "rest_after_skip": 2, "rest_after_answer": 0}
IDS = st.none() | st.sampled_from(["e1", "e2", "e3", "שלום", "👩‍🚀"])
VALUES = st.sampled_from(["yes", "no", "skip"]) | st.floats(0, 1) | st.sampled_from([0, 1])
REQUESTS = st.fixed_dictionaries(
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
ODD_REQUESTS: list[dict[str, Any]] = [
    *({"k": each} for each in ODD[1:]),
    {"pool": []},
    {"pool": ["nope"]},
    {"pool": [1]},
    {"pool": "item 1"},
    {"exclude": [""]},
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
    "next": REQUESTS,
    "next again": REQUESTS,  # more often than others
    "answer": st.tuples(PLACES, VALUES, IDS),
    "answer the last": st.tuples(st.just(0), VALUES, IDS),
    "reward": st.tuples(PLACES, PLACES, st.floats(0, 1), IDS),
    "reward the last": st.tuples(st.just(0), PLACES, st.floats(0, 1), IDS),
    "take back": PLACES,
    "take back anything": st.integers(1, 30),
    "send again": PLACES,
    "odd request": st.sampled_from(ODD_REQUESTS),
    "odd value": st.tuples(st.integers(1, 30), st.sampled_from(ODD)),
    "odd question": st.tuples(st.sampled_from(["q99", "d1", "1", "", "q-1", "q1 "]), VALUES),
    "forget": st.just(None),
}
STEP = st.one_of(*(st.tuples(st.just(name), each) for name, each in STEPS.items()))


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    with client_of() as found:
        for name, agent in AGENTS.items():
            place, wanted = f"/v1/catalogues/{name}", {"agent": agent, **SETTINGS}
            found.put(place, json={"items": TAGGED}).raise_for_status()
            found.put(f"{place}/settings", json=wanted).raise_for_status()
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
