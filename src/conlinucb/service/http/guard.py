"""The door: who may come in, with how much, and what no answer may leak.

One layer for every route, so that none can be forgotten.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Collection
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from conlinucb.service.http.bodies import Body
from conlinucb.service.http.callers import KEY_NEEDED, Callers
from conlinucb.service.http.key_page import key_page, wants_page
from conlinucb.service.http.limits import HEALTH, Limits
from conlinucb.service.http.logs import in_the_log
from conlinucb.service.http.turns import check_turn
from conlinucb.service.observe import observer
from conlinucb.service.problems import Problem

logger = logging.getLogger("conlinucb.service")
OPEN_PATHS = HEALTH
"""What a load balancer may ask without a key."""
LARGEST_BODY = 4_000_000
LARGEST_UPLOAD = 128_000_000
"""Bytes of a catalogue; of everything else ``LARGEST_BODY``."""
Headers = tuple[tuple[bytes, bytes], ...]
_HEADERS: Headers = (
    (b"x-content-type-options", b"nosniff"),
    (b"cache-control", b"no-store"),
    (b"referrer-policy", b"no-referrer"),
)
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src {images}; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


class Guard:
    """Checks who calls, and the size of what comes in."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        callers: Callers,
        image_hosts: Collection[str] = (),
        limits: Limits | None = None,
        homes: bool = False,
    ) -> None:
        self.app, self._homes = app, homes
        self._callers, self._limits = callers, limits or Limits()
        images = " ".join(["'self'", *(f"https://{each}" for each in image_hosts)])
        policy = _POLICY.format(images=images).encode()
        self._headers = (*_HEADERS, (b"content-security-policy", policy))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request in, or say why not."""
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
            return
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        limits, body = self._limits, Body(self._limits.bodies, _limit(scope))
        exchange = _Exchange(receive, send, self._headers, body)
        limits.at_work += 1
        try:
            limits.check_crowd(scope["path"])
            check_turn(scope, self._callers.admit(scope))
            body.check_told(dict(scope["headers"]))
            await self.app(scope, exchange.receive, exchange.send)
        except Problem as problem:
            exchange.problem = problem
        except Exception:
            logger.exception("a request failed")
            exchange.problem = Problem(500, "internal", f"Something failed here. {in_the_log()}")
        finally:
            limits.at_work -= 1
            body.close()
        await exchange.finish(scope, self._homes)


def _limit(scope: Scope) -> int:
    path = scope["path"]
    small = path.endswith(("/settings", "/population", "/populations", "/experiment", "/promotion"))
    uploads = path.startswith("/v1/catalogues/") and not small
    return LARGEST_UPLOAD if uploads else LARGEST_BODY


class _Exchange:
    """One request: what comes in is limited, and a problem replaces what the app would say."""

    def __init__(self, receive: Receive, send: Send, headers: Headers, body: Body) -> None:
        self.problem: Problem | None = None
        self._receive, self._send, self._headers, self._body = receive, send, headers, body
        self._started = False

    async def receive(self) -> Message:
        """The next part of the body, unless there is too much of it, or it is too slow."""
        try:
            return await self._body.receive(self._receive)
        finally:
            self.problem = self._body.problem

    async def send(self, message: Message) -> None:
        """What the app says, unless there is a problem that it does not know of."""
        if self.problem is not None and not self._started:
            return
        if message["type"] == "http.response.start":
            self._started = True
            told = message.get("headers", ())
            own = {name for name, _ in told}
            message["headers"] = [*told, *(each for each in self._headers if each[0] not in own)]
        await self._send(message)

    async def finish(self, scope: Scope, homes: bool) -> None:
        """Say what the problem is, if there is one and nothing was said yet."""
        problem, self.problem = self.problem, None
        if problem is not None and not self._started:
            if problem.status != 500:
                observer.count("turned_away", reason=problem.code)
            page = problem.code == KEY_NEEDED and wants_page(scope)
            await _refuse(problem, self.send, key_page(str(problem), homes=homes) if page else None)


async def _refuse(problem: Problem, send: Send, page: bytes | None) -> None:
    body = json.dumps(problem.body()).encode() if page is None else page
    kind = b"application/json" if page is None else b"text/html; charset=utf-8"
    headers: list[Any] = [
        (b"content-type", kind),
        (b"content-length", str(len(body)).encode()),
        *((name.lower().encode(), value.encode()) for name, value in problem.headers().items()),
    ]
    await send({"type": "http.response.start", "status": problem.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
