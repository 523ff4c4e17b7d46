"""Who calls: by key, as a visitor of the page, or as a program on this machine.

Without a key everything is open to this machine, so whatever came through a proxy is taken for a
visitor: a proxy cannot always be told by its traces, and never serves this machine alone.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal, Protocol

from starlette.datastructures import QueryParams
from starlette.types import Scope

from conlinucb.service.config import is_loopback
from conlinucb.service.http.scopes import (
    ANYONE,
    OF_ALL_CATALOGUES,
    PAGE,
    SCOPES,
    Routes,
    is_enough,
    named,
)
from conlinucb.service.problems import Problem

Kind = Literal["local", "key", "visitor"]
Headers = dict[bytes, bytes]
_TRACES = frozenset(
    b"forwarded via x-real-ip x-client-ip x-cluster-client-ip x-original-forwarded-for "
    b"x-original-host x-original-uri x-proxyuser-ip true-client-ip cdn-loop fastly-client-ip "
    b"x-azure-clientip x-amzn-trace-id x-scheme x-url-scheme".split()
)
_STARTS = (b"x-forwarded", b"cf-", b"x-envoy-", b"x-appengine-", b"x-arr-", b"x-vercel-", b"fly-")
"""What proxies add to a request; a browser or a program does not."""

KEY_NEEDED = "key_needed"
"""The code of a refusal for want of a key."""
_WITH_IDS = ("/v1/users/", "/v1/catalogues/")


@dataclass(frozen=True)
class Caller:
    """Who a request comes from: ``scope["state"]["caller"]`` behind the guard."""

    kind: Kind
    key: int | None = None
    """The key's number in the database; None for the one of the environment, and without one."""
    scopes: frozenset[str] = frozenset()
    catalogue: str | None = None
    """The only catalogue they may name, which is meant where they name none; None: any."""


LOCAL = Caller("local", scopes=frozenset(SCOPES))
OWNER = Caller("key", scopes=frozenset(SCOPES))
"""Whoever has the key of the environment."""
VISITOR = Caller("visitor", scopes=frozenset({"use"}))


class Keyring(Protocol):
    """The keys of the database."""

    def needs_key(self) -> bool | None:
        """Whether there was ever one; None where that is not known."""

    def find(self, key: str) -> Caller | None:
        """Who has it."""

    def unknown(self) -> Problem:
        """Why it is not known who has it."""


class Rates(Protocol):
    """How often one may come."""

    def check(self, scope: Scope, caller: Caller | None) -> None:
        """Refuse who comes too often; None: someone who is refused anyway."""


class Callers:
    """Tells who calls, and refuses what they may not do."""

    keyring: Keyring | None = None
    """Once the database is open."""
    rates: Rates | None = None
    """How often each may come; any number of times where there are none."""

    def __init__(
        self, *, key: str | None, hosts: Collection[str], open_page: bool, routes: Routes
    ) -> None:
        self._digest = None if key is None else _digest(key)
        self._hosts = frozenset(each.lower() for each in hosts)
        self._open_page = open_page
        self._routes = routes

    def admit(self, scope: Scope) -> str:
        """Note in the scope who it is, and say which route it is; a problem where they may not come
        in, or come too often.
        """
        try:
            caller, route = self._admitted(scope)
        except Problem:
            if self.rates is not None:
                self.rates.check(scope, None)
            raise
        if self.rates is not None:
            self.rates.check(scope, caller)
        scope.setdefault("state", {})["caller"] = caller
        return route

    def _admitted(self, scope: Scope) -> tuple[Caller, str]:
        headers, path, method = dict(scope["headers"]), scope["path"], scope["method"]
        found = self._routes.find(method, path)
        others = [] if found else sorted(self._routes.methods(path))
        near = found or (self._routes.find(others[0], path) if others else None)
        need = near.need if near else None
        caller = self._caller(headers, need, scope.get("http_version", "1.1"))
        _check_slashes(scope)
        if others:
            told = {"Allow": ", ".join(others)}
            message = f"{method} {path}: there is {told['Allow']}."
            raise Problem(405, "wrong_method", message, headers=told)
        if need is None or found is None:
            raise Problem(404, "unknown_address", f"{method} {path}: Not Found.")
        _check_scope(caller, need)
        if caller.catalogue is not None:
            _check_catalogue(caller.catalogue, found.route, scope)
        return caller, found.route

    def _caller(self, headers: Headers, need: str | None, version: str) -> Caller:
        known = self._by_key(headers)
        if known is not None:
            return known
        needs_key = self._needs_key()
        if needs_key is not False:
            if need == ANYONE or (need == PAGE and self._open_page):
                _check_same(headers)
                return VISITOR
            if needs_key is None:
                raise _unknown(self.keyring)
            if b"authorization" in headers:
                raise _key_needed(
                    "This key opens nothing here: it is unknown, or has ended. It is sent as "
                    "Authorization: Bearer KEY."
                )
            raise _key_needed("Send the key: Authorization: Bearer KEY.")
        host = _host_name(headers.get(b"host", b"").decode("latin-1"))
        self._check_host(host, headers)
        return LOCAL if is_loopback(host) and not is_proxied(headers, version) else VISITOR

    def _by_key(self, headers: Headers) -> Caller | None:
        scheme, _, key = headers.get(b"authorization", b"").decode("latin-1").partition(" ")
        if scheme.lower() != "bearer":
            return None
        if self._digest is not None and hmac.compare_digest(_digest(key), self._digest):
            return OWNER
        return None if self.keyring is None else self.keyring.find(key)

    def _needs_key(self) -> bool | None:
        if self._digest is not None or self._open_page:
            return True
        return None if self.keyring is None else self.keyring.needs_key()

    def _check_host(self, host: str, headers: Headers) -> None:
        """Without a key, only pages that name this machine may talk to it (DNS rebinding)."""
        if not self._is_ours(host):
            raise Problem(
                421,
                "wrong_host",
                f"Without a key this service answers to loopback names and those in its setting "
                f"hosts, not to {host[:100]!r}.",
            )
        origin = headers.get(b"origin", b"").decode("latin-1")
        if origin and not self._is_ours(_host_name(origin.partition("://")[2])):
            raise Problem(
                403, "foreign_page", f"Pages of {origin[:100]!r} may not talk to this service."
            )

    def _is_ours(self, host: str) -> bool:
        return host in self._hosts or is_loopback(host)


def is_proxied(headers: Collection[bytes], version: str = "1.1") -> bool:
    """Whether a request bears the traces of a proxy; HTTP/1.0 is how some speak by default.

    >>> is_proxied([b"host"]), is_proxied([b"host", b"x-forwarded-for"]), is_proxied([], "1.0")
    (False, True, True)
    """
    return version == "1.0" or any(each in _TRACES or each.startswith(_STARTS) for each in headers)


def _check_scope(caller: Caller, need: str) -> None:
    if is_enough(caller.scopes, need):
        return
    if caller.kind != "key":
        raise _key_needed(
            f"What comes through a proxy needs a key with the scope {need} for this call; this "
            f"service has none: conlinucb keys make."
        )
    own = " and ".join(each for each in SCOPES if each in caller.scopes)
    raise Problem(
        403, "wrong_scope", f"This call needs a key with the scope {need}; this one has {own}."
    )


def _check_slashes(scope: Scope) -> None:
    """Refuse ids with a slash, which a proxy may or may not take for one that parts them."""
    raw = scope.get("raw_path") or b""
    if b"%2f" in raw.lower() and scope["path"].startswith(_WITH_IDS):
        raise Problem(
            422,
            "slash_in_id",
            "Ids and names in an address cannot have a slash (%2F): write another sign in its "
            "place. In bodies and parameters, ids of items may have it.",
        )


def _check_catalogue(own: str, route: str, scope: Scope) -> None:
    """A key of one catalogue names no other, neither in the path nor behind it."""
    if route in OF_ALL_CATALOGUES:
        raise Problem(
            403, "wrong_catalogue", f"{route} is about all catalogues; this key is for {own!r}."
        )
    about = QueryParams(scope["query_string"]).getlist("catalogue")
    in_path = named(route, "name", scope["path"])
    for each in about if in_path is None else [*about, in_path]:
        if each != own:
            raise Problem(
                403, "wrong_catalogue", f"This key is for {own!r}, not for {each[:200]!r}."
            )


def _key_needed(message: str) -> Problem:
    return Problem(401, KEY_NEEDED, message, headers={"WWW-Authenticate": "Bearer"})


def _unknown(keyring: Keyring | None) -> Problem:
    """Rather no one than someone who may have been shut out."""
    if keyring is not None:
        return keyring.unknown()
    return Problem(503, "starting", "The service is starting: try again soon.", retry=True)


def _check_same(headers: Headers) -> None:
    """The page's own calls come from the page."""
    origin = headers.get(b"origin", b"")
    if origin and origin.partition(b"://")[2].lower() != headers.get(b"host", b"").lower():
        raise Problem(403, "foreign_page", "Only the page itself may make this call.")


def _host_name(host: str) -> str:
    """The host header without its port."""
    if host.startswith("["):
        return host.partition("]")[0] + "]"
    return host.partition(":")[0].lower()


def _digest(key: str) -> bytes:
    return hashlib.sha256(key.encode("utf-8", "surrogateescape")).digest()
