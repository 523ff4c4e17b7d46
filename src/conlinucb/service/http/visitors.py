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
    """The secret among all cookies, whatever the others look like."""
    given = [value.decode("latin-1") for name, value in scope["headers"] if name == b"cookie"]
    for each in ";".join(given).split(";"):
        name, _, value = each.strip().partition("=")
        if name == COOKIE and _SECRET.fullmatch(value):
            return value
    return None


def _with_cookie(scope: Scope, send: Send, value: str, seconds: int) -> Send:
    secure = "; Secure" if scope.get("scheme") == "https" else ""
    # Lax, not Strict: who follows a link to the page is still the person they were.
    cookie = f"{COOKIE}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}"

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start" and message["status"] < 400:
            MutableHeaders(scope=message).append("set-cookie", cookie)
        await send(message)

    return sending
