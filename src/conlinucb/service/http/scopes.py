"""Which key each route needs: one table, read by the guard, the docs' table and the tests.

A route that is not in it is not served to anyone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

ME = "/v1/me"
"""Stands for ``/v1/users/{the person behind the cookie}``."""
SCOPES = ("use", "build", "admin")
ANYONE, PAGE, USE, READ, BUILD, ADMIN = "anyone", "page", "use", "use or build", "build", "admin"
"""What a route can need; "page": none where the page is open, else any key."""
_ENOUGH = {
    ANYONE: frozenset(SCOPES),
    PAGE: frozenset(SCOPES),
    USE: frozenset({"use", "admin"}),
    READ: frozenset(SCOPES),
    BUILD: frozenset({"build", "admin"}),
    ADMIN: frozenset({"admin"}),
}
_WITH_PAGE: dict[str, str] = {
    "GET, HEAD /": PAGE,
    "GET, HEAD /taste": PAGE,
    "GET, HEAD /profile": PAGE,
    "GET, HEAD /compare": PAGE,
    "GET, HEAD /build": ANYONE,
    "GET, HEAD /dashboard": ANYONE,
    "GET, HEAD /static/{file:path}": ANYONE,
    "GET /v1/page": PAGE,
    "GET /v1/page/search": PAGE,
    "GET /v1/page/beginning": PAGE,
    "POST /v1/page/comparison": PAGE,
}
"""Not there where the page is off. Documents for builders and operators hold no data."""
_ALWAYS: dict[str, str] = {
    "GET /healthz": ANYONE,
    "GET /readyz": ANYONE,
    "GET /metrics": ADMIN,
    "GET, HEAD /v1/openapi.json": READ,
    "PUT /v1/users/{user}": USE,
    "GET /v1/users/{user}": USE,
    "DELETE /v1/users/{user}": USE,
    "POST /v1/users/{user}/next": USE,
    "POST /v1/users/{user}/answers": USE,
    "POST /v1/users/{user}/rewards": USE,
    "POST /v1/users/{user}/steps": USE,
    "GET /v1/users/{user}/picture": USE,
    "GET /v1/users/{user}/best": USE,
    "GET /v1/users/{user}/explain": USE,
    "GET /v1/users/{user}/export": USE,
    "DELETE /v1/users/{user}/events/{event}": USE,
    "GET /v1/catalogues": READ,
    "GET /v1/catalogues/{name}": READ,
    "GET /v1/catalogues/{name}/settings": READ,
    "PUT /v1/catalogues/{name}": BUILD,
    "DELETE /v1/catalogues/{name}": BUILD,
    "POST /v1/catalogues/preview": BUILD,
    "POST /v1/catalogues/columns": BUILD,
    "POST /v1/catalogues/{name}/items": BUILD,
    "POST /v1/catalogues/{name}/removals": BUILD,
    "PUT /v1/catalogues/{name}/settings": BUILD,
    "GET /v1/catalogues/{name}/populations": BUILD,
    "POST /v1/catalogues/{name}/populations": BUILD,
    "PUT /v1/catalogues/{name}/population": BUILD,
    "PUT /v1/catalogues/{name}/experiment": BUILD,
    "GET /v1/catalogues/{name}/experiment": BUILD,
    "DELETE /v1/catalogues/{name}/experiment": BUILD,
    "POST /v1/catalogues/{name}/experiment/promotion": BUILD,
    "POST /v1/catalogues/{name}/experiment/rollback": BUILD,
    "GET /v1/catalogues/{name}/experiment/comparison": BUILD,
    "GET /v1/dashboard": BUILD,
}
OF_ALL_CATALOGUES = frozenset({"GET /metrics"})
"""Refused to a key of one catalogue: what they say is about all of them."""


@dataclass(frozen=True)
class Found:
    """What an address needs."""

    route: str
    """Its method and its path as described, such as ``GET /v1/users/{user}``."""
    need: str


def table(*, page: bool = True) -> dict[str, str]:
    """Every route with what it needs."""
    return _ALWAYS | (_WITH_PAGE if page else {})


def is_enough(scopes: frozenset[str], need: str) -> bool:
    """Whether one of the scopes opens what needs this.

    >>> is_enough(frozenset({"use"}), READ), is_enough(frozenset({"use"}), BUILD)
    (True, False)
    """
    return not scopes.isdisjoint(_ENOUGH[need])


class Routes:
    """Finds what an address needs, before anything of the request is read.

    >>> routes = Routes(table())
    >>> routes.find("POST", "/v1/users/ann/next").need, routes.find("GET", "/v1/me").need
    ('use', 'page')
    >>> routes.find("GET", "/v1/users/ann/next"), sorted(routes.methods("/v1/users/ann/next"))
    (None, ['POST'])
    """

    def __init__(self, needs: Mapping[str, str]) -> None:
        self._found: dict[str, list[Found]] = {}
        self._patterns: dict[str, re.Pattern[str]] = {}
        for route, need in needs.items():
            self.add(route, need)

    def add(self, route: str, need: str) -> None:
        """One more: its methods, its path, and what it needs."""
        methods, _, path = route.partition(" /")
        for method in methods.split(", "):
            self._found.setdefault(method, []).append(Found(f"{method} /{path}", need))
            several = (_pattern(each.route) for each in self._found[method])
            self._patterns[method] = re.compile("|".join(several))

    def find(self, method: str, path: str) -> Found | None:
        """The route at an address, one without variable parts first."""
        mine = path == ME or path.startswith(f"{ME}/")
        if mine:
            path = f"/v1/users/me{path[len(ME) :]}"
        pattern = self._patterns.get(method)
        matched = None if pattern is None else pattern.fullmatch(path)
        if matched is None or matched.lastindex is None:
            return None
        found = self._found[method][matched.lastindex - 1]
        return Found(found.route, PAGE) if mine and found.need == USE else found

    def methods(self, path: str) -> Iterator[str]:
        """All that can be done at an address."""
        return (each for each in self._found if self.find(each, path) is not None)


def _pattern(route: str) -> str:
    """The path as a group; ``{file:path}`` takes slashes, other parts do not."""
    path = re.escape(route.partition(" ")[2])
    path = re.sub(r"\\{\w+:path\\}", ".*", path)
    return "(" + re.sub(r"\\{\w+\\}", "[^/]+", path) + ")"


def named(route: str, part: str, path: str) -> str | None:
    """What stands in an address in place of ``{part}``.

    >>> named("GET /v1/catalogues/{name}/settings", "name", "/v1/catalogues/films/settings")
    'films'
    """
    places = route.partition(" ")[2].split("/")
    wanted = f"{{{part}}}"
    return path.split("/")[places.index(wanted)] if wanted in places else None
