"""People who come to the page: each browser is a person, known by a secret in a cookie.

``/v1/me/...`` is ``/v1/users/{them}/...``, so a browser reaches its own person and no other. The
name in the log is a digest of the secret: who reads the one cannot make the other.
"""

from __future__ import annotations

import hashlib
import re
import secrets

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from conlinucb.service.http.scopes import ME
from conlinucb.service.problems import Problem

COOKIE = "conlinucb_person"
SAFE_COOKIE = f"__Host-{COOKIE}"
"""Over https: a browser takes it from this host alone, and sends it nowhere else."""
FACTS = "/v1/page"
PAGES = ("/", "/taste", "/profile", "/compare")
"""Where a new browser becomes a person."""
HOMES = ("/build", "/dashboard")
"""Documents for builders and operators: they hold no data, every call they make needs the key."""
A_YEAR = 365 * 24 * 3600
_SECRET = re.compile(r"[A-Za-z0-9_-]{43}")


def is_page(path: str) -> bool:
    """Whether an address is part of the page: what a browser may ask for without a key.

    >>> is_page("/v1/me/next"), is_page("/v1/users/ann/next"), is_page("/v1/meet")
    (True, False, False)
    """
    return path in (*PAGES, ME, FACTS) or path.startswith((f"{ME}/", f"{FACTS}/", "/static/"))


def name_of(secret: str) -> str:
    """The person that a secret belongs to."""
    return f"page-{hashlib.sha256(secret.encode()).hexdigest()}"


class Visitors:
    """Gives a new browser its secret, and takes it for a person from then on."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the request pass, its address and its answer's cookie changed."""
        path = scope.get("path", "")
        if scope["type"] != "http" or not is_page(path):
            await self.app(scope, receive, send)
            return
        secret = secret_of(scope)
        if path in PAGES:  # again each time: who comes back within a year stays who they are
            send = _with_cookie(scope, send, secret or secrets.token_urlsafe(32), A_YEAR)
        if path == ME or path.startswith(f"{ME}/"):
            if secret is None:
                raise Problem(401, "no_visitor", "Open the page first: it sets a cookie.")
            everything = path == ME and not scope.get("query_string")
            if everything and scope["method"] == "DELETE":
                send = _with_cookie(scope, send, "", 0)
            own = f"/v1/users/{name_of(secret)}{path[len(ME) :]}"
            scope = {**scope, "path": own, "raw_path": own.encode()}
        await self.app(scope, receive, send)


def secret_of(scope: Scope) -> str | None:
    """The secret among all cookies, whatever the others look like.

    One from before there was https, or the prefix, counts where there is no other: its bearer
    stays who they are, and gets the other one.
    """
    found = _cookies(scope)
    return found.get(SAFE_COOKIE) or found.get(COOKIE)


def _cookies(scope: Scope) -> dict[str, str]:
    """Those that are ours and hold a secret."""
    given = [value.decode("latin-1") for name, value in scope["headers"] if name == b"cookie"]
    found: dict[str, str] = {}
    for each in ";".join(given).split(";"):
        name, _, value = each.strip().partition("=")
        if name in (COOKIE, SAFE_COOKIE) and _SECRET.fullmatch(value):
            found.setdefault(name, value)
    return found


def _is_https(scope: Scope) -> bool:
    """Over TLS up to the proxy, at least; who lies about it harms their own cookie only."""
    told = dict(scope["headers"]).get(b"x-forwarded-proto", b"")
    return scope.get("scheme") == "https" or told.partition(b",")[0].strip().lower() == b"https"


def _with_cookie(scope: Scope, send: Send, value: str, seconds: int) -> Send:
    # Lax, not Strict: who follows a link to the page is still the person they were.
    rest = "Path=/; Max-Age={}; HttpOnly; SameSite=Lax{}"
    if _is_https(scope):
        cookies = [f"{SAFE_COOKIE}={value}; {rest.format(seconds, '; Secure')}"]
        if COOKIE in _cookies(scope):
            cookies.append(f"{COOKIE}=; {rest.format(0, '; Secure')}")
    else:
        cookies = [f"{COOKIE}={value}; {rest.format(seconds, '')}"]

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start" and message["status"] < 400:
            for each in cookies:
                MutableHeaders(scope=message).append("set-cookie", each)
        await send(message)

    return sending
