"""The table of routes and scopes: nothing is missing in it, nothing is too much."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from conlinucb.service.http.callers import is_proxied
from conlinucb.service.http.scopes import ANYONE, PAGE, READ, USE, Routes, is_enough, named, table
from conlinucb.service.http.visitors import HOMES, PAGES, is_page
from support.service_door import OPEN, ROUTES, address


def test_every_route_is_in_the_table_and_nothing_else_is() -> None:
    here = {f"{method} {path}" for method, path in ROUTES}
    listed = {
        f"{method} {path}".replace("{file:path}", "page.css")
        for methods, _, path in (each.partition(" ") for each in _lines())
        for method in methods.split(",")
    }
    assert here == listed


def _lines() -> list[str]:
    return [each.replace(", ", ",") for each in table()]


@pytest.mark.parametrize(("method", "path"), ROUTES)
def test_addresses_are_found(method: str, path: str) -> None:
    found = Routes(table()).find(method, address(path).partition("?")[0])
    assert found is not None
    assert found.route == f"{method} {path}".replace("page.css", "{file:path}")
    assert (found.need == ANYONE) == (path in OPEN)
    assert (found.need == PAGE) == (is_page(path) and not path.startswith("/static/"))


def test_without_the_page_its_routes_are_gone() -> None:
    routes = Routes(table(page=False))
    for path in (*PAGES, *HOMES, "/static/page.css", "/v1/page"):
        assert routes.find("GET", path) is None
    assert routes.find("GET", "/v1/catalogues") is not None


@pytest.mark.parametrize(
    "path", ["/v1/users", "/v1/users/", "/v1/users//next", "/v1/catalogues/", "/x", "", "/v1/me/x"]
)
def test_what_is_no_route_is_not_found(path: str) -> None:
    assert Routes(table()).find("GET", path) is None


def test_what_stands_for_oneself_is_the_page_s() -> None:
    routes = Routes(table())
    for method, path in (("GET", "/v1/me"), ("POST", "/v1/me/next"), ("DELETE", "/v1/me/events/3")):
        found = routes.find(method, path)
        assert found is not None
        assert found.need == PAGE
        assert routes.find(method, path.replace("/v1/me", "/v1/users/ann")) is not None
    assert set(routes.methods("/v1/me")) == {"PUT", "GET", "DELETE"}


def test_scopes_and_needs() -> None:
    enough = {
        scope: {need for need in set(table().values()) if is_enough(frozenset({scope}), need)}
        for scope in ("use", "build", "admin")
    }
    assert enough["use"] == {ANYONE, PAGE, READ, USE}
    assert enough["build"] == {ANYONE, PAGE, READ, "build"}
    assert enough["admin"] == set(table().values())
    assert not is_enough(frozenset(), USE)


def test_named_parts() -> None:
    route = "DELETE /v1/users/{user}/events/{event}"
    assert named(route, "event", "/v1/users/ann/events/3") == "3"
    assert named(route, "name", "/v1/users/ann/events/3") is None


TRACES = [
    "forwarded",
    "x-forwarded-for",
    "x-forwarded-host",
    "x-forwarded-proto",
    "x-forwarded",
    "x-real-ip",
    "via",
    "cf-connecting-ip",
    "true-client-ip",
    "x-client-ip",
    "x-envoy-external-address",
    "cdn-loop",
]


@pytest.mark.parametrize("name", TRACES)
def test_traces_of_proxies(name: str) -> None:
    assert is_proxied([b"host", name.encode()])


def test_programs_leave_none() -> None:
    usual = "host user-agent accept accept-encoding connection content-type content-length origin"
    assert not is_proxied([each.encode() for each in usual.split()])


def test_the_documented_table_is_the_one_in_use() -> None:
    docs = (Path(__file__).parents[3] / "docs/service.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (anyone|page|use|use or build|build|admin) \| (`.*`) \|$", docs, re.M)
    told = {route: need for need, routes in rows for route in re.findall("`([^`]+)`", routes)}
    assert told == table()
