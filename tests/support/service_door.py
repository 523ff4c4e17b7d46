"""A service with a key and one without, all its routes, and its one shape of error."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import httpx2 as httpx
import pytest
from fastapi.testclient import TestClient
from starlette.routing import Mount, Route

from conlinucb.service.config import ServiceConfig
from conlinucb.service.http.app import create_app
from conlinucb.service.http.visitors import HOMES
from conlinucb.service.storage import MEMORY
from support.service_world import client_of

SECRET = "an-unlikely-key-4711"
BEARER = {"authorization": f"Bearer {SECRET}"}
OPEN = {"/healthz", "/readyz", *HOMES, "/static/page.css"}
"""What holds no data, and so wants no key."""
ALIEN = "Alien (1979)"
TWO_ITEMS = [{"id": "a", "tags": ["x", "y"]}, {"id": "b", "tags": ["y"]}]
BODIES: dict[str, Any] = {
    "POST /v1/users/{user}/answers": {"question": "q1", "answer": "yes"},
    "POST /v1/users/{user}/rewards": {"decision": "d2", "item": ALIEN, "reward": 1},
    "POST /v1/users/{user}/steps": {"said": [], "next": {"ask": "never"}},
    "PUT /v1/catalogues/{name}": {"items": TWO_ITEMS},
    "POST /v1/catalogues/preview": {"items": TWO_ITEMS},
    "POST /v1/catalogues/columns": {"items": TWO_ITEMS},
    "POST /v1/catalogues/{name}/items": {"items": [{"id": "c", "tags": ["x"]}]},
    "POST /v1/catalogues/{name}/removals": {"items": ["a"]},
    "PUT /v1/catalogues/{name}/settings": {},
    "PUT /v1/catalogues/{name}/population": {"number": 0},
    "PUT /v1/catalogues/{name}/experiment": {
        "arms": [{"name": "a", "share": 0.5}, {"name": "b", "share": 0.5}]
    },
    "POST /v1/catalogues/{name}/experiment/promotion": {"arm": "a"},
    "POST /v1/page/comparison": {"agents": ["ucb"], "rounds": 1},
}


def walked(routes: Any, prefix: str = "") -> Iterator[tuple[str, str]]:
    """Every method and path, whether it is described or not."""
    for route in routes:
        inner = getattr(route, "original_router", None)
        if inner is not None:
            yield from walked(inner.routes, prefix + route.include_context.prefix)
        elif isinstance(route, Mount):
            yield from ((method, f"{prefix}{route.path}/page.css") for method in ("GET", "HEAD"))
        else:
            assert isinstance(route, Route), f"{route} is of no kind that is known here"
            yield from ((method, prefix + route.path) for method in route.methods or ())


APP = create_app(ServiceConfig(database=MEMORY))
ROUTES = sorted(walked(APP.routes))
DESCRIBED: dict[str, Any] = APP.openapi()


def address(path: str) -> str:
    """A path about things that are there."""
    filled = path.format(user="ann", name="small", event=3)
    queries = {"/explain": f"?item={ALIEN}", "/search": "?q=alien"}
    return filled + next((text for end, text in queries.items() if path.endswith(end)), "")


def error_of(response: httpx.Response) -> dict[str, str]:
    """The one shape of every error."""
    assert response.headers["content-type"] == "application/json"
    content = response.json()
    assert set(content) == {"error"}
    assert set(content["error"]) == {"code", "message"}
    found: dict[str, str] = content["error"]
    return found


def populate(client: httpx.Client) -> None:
    small = {"items": TWO_ITEMS, "settings": {"population_least": 1}}
    client.put("/v1/catalogues/small", json=small).raise_for_status()
    _reward_all(client)
    started = "PUT /v1/catalogues/{name}/experiment"
    client.put(address(started.split()[1]), json=BODIES[started]).raise_for_status()
    assert client.post("/v1/users/ann/next").json()["question"] == "q1"
    alien = {"ask": "never", "pool": [ALIEN]}
    assert client.post("/v1/users/ann/next", json=alien).json()["decision"] == "d2"
    liked = {"decision": "d2", "item": ALIEN, "reward": 1}
    assert client.post("/v1/users/ann/rewards", json=liked).json()["event"] == 3


def _reward_all(client: httpx.Client) -> None:
    """Enough to learn a population from."""
    about = {"catalogue": "small"}
    shown = client.post("/v1/users/bob/next", params=about, json={"ask": "never"}).json()
    rewards: list[dict[str, Any]] = [{"item": each["id"]} for each in TWO_ITEMS]
    rewards += [{"item": shown["items"][0]["item"], "decision": shown["decision"]}]
    for each in rewards:
        said = each | {"reward": 1}
        client.post("/v1/users/bob/rewards", params=about, json=said).raise_for_status()


@pytest.fixture(scope="module")
def guarded() -> Iterator[TestClient]:
    """A client that has not the key, of a service that wants it."""
    with client_of(key=SECRET) as client:
        client.headers.update(BEARER)
        populate(client)
        del client.headers["authorization"]
        yield client


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    """Of a service without a key."""
    with client_of(hosts=["films.example", "Capitals.Example"]) as found:
        found.put("/v1/catalogues/small", json={"items": TWO_ITEMS}).raise_for_status()
        yield found


def add_route(client: TestClient, path: str, function: Callable[[], Any]) -> None:
    client.app.state.routes.add(f"GET {path}", "use")  # type: ignore[attr-defined]
    client.app.add_api_route(path, function, include_in_schema=False)  # type: ignore[attr-defined]


def fail() -> None:
    raise RuntimeError("password=hunter2 at line 7")
