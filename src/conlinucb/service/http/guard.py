"""The door: who may come in, with how much, and what no answer may leak.

One layer for every route, so that none can be forgotten.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Collection
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from conlinucb.service.http.callers import Callers
from conlinucb.service.problems import Problem

logger = logging.getLogger("conlinucb.service")
OPEN_PATHS = ("/healthz", "/readyz")
"""What a load balancer may ask without a key."""
LARGEST_BODY = 4_000_000
LARGEST_UPLOAD = 128_000_000
"""Bytes of a catalogue; of everything else ``LARGEST_BODY``."""
MOST_AT_ONCE = 1_000
"""Requests that wait or are worked on; more are told to come again."""
SLOWEST_BODY = 30.0
"""Seconds in which a body must have come."""
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
    ) -> None:
        self.app = app
        self._callers = callers
        images = " ".join(["'self'", *(f"https://{each}" for each in image_hosts)])
        policy = _POLICY.format(images=images).encode()
        self._headers = (*_HEADERS, (b"content-security-policy", policy))
        self._inside = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request in, or say why not."""
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
            return
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        exchange = _Exchange(receive, send, self._headers)
        self._inside += 1
        try:
            self._check_crowd()
            self._callers.admit(scope)
            exchange.limit(dict(scope["headers"]), _limit(scope))
            await self.app(scope, exchange.receive, exchange.send)
        except Problem as problem:
            exchange.problem = problem
        except Exception:
            logger.exception("a request failed")
            exchange.problem = Problem(500, "internal", "Something failed here; the log says what.")
        finally:
            self._inside -= 1
        await exchange.finish()

    def _check_crowd(self) -> None:
        if self._inside > MOST_AT_ONCE:
            raise Problem(
                503, "crowded", f"More than {MOST_AT_ONCE} requests are waiting.", retry=True
            )


def _limit(scope: Scope) -> int:
    path = scope["path"]
    small = path.endswith(("/settings", "/population", "/populations", "/experiment", "/promotion"))
    uploads = path.startswith("/v1/catalogues/") and not small
    return LARGEST_UPLOAD if uploads else LARGEST_BODY


class _Exchange:
    """One request: what comes in is limited, and a problem replaces what the app would say."""

    def __init__(self, receive: Receive, send: Send, headers: Headers) -> None:
        self.problem: Problem | None = None
        self._receive, self._send, self._headers = receive, send, headers
        self._started = self._complete = False
        self._seen = self._most = 0
        self._deadline = 0.0

    def limit(self, headers: dict[bytes, bytes], most: int) -> None:
        """Take at most so many bytes, in time."""
        told = headers.get(b"content-length", b"0")
        if told.isdigit() and (len(told) > 15 or int(told) > most):
            raise _too_large(told.decode()[:15], most)
        self._most = most
        self._deadline = asyncio.get_running_loop().time() + SLOWEST_BODY

    async def receive(self) -> Message:
        """The next part of the body; once it is there, what else comes may take its time."""
        if self._complete:
            return await self._receive()
        try:
            async with asyncio.timeout_at(self._deadline):
                message = await self._receive()
        except TimeoutError:
            raise self._refused(
                Problem(408, "too_slow", f"The body did not come within {SLOWEST_BODY:g} seconds.")
            ) from None
        self._seen += len(message.get("body", b""))
        if self._seen > self._most:
            raise self._refused(_too_large(f"{self._seen:,}", self._most))
        self._complete = not message.get("more_body", False)
        return message

    def _refused(self, problem: Problem) -> Problem:
        """Remembered, since the framework makes a 400 of whatever is raised here."""
        self.problem = problem
        return problem

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

    async def finish(self) -> None:
        """Say what the problem is, if there is one and nothing was said yet."""
        problem, self.problem = self.problem, None
        if problem is not None and not self._started:
            await _refuse(problem, self.send)


def _too_large(size: str, limit: int) -> Problem:
    return Problem(
        413, "too_large", f"The body has {size} bytes or more; at most {limit:,} are taken."
    )


async def _refuse(problem: Problem, send: Send) -> None:
    body = json.dumps(problem.body()).encode()
    headers: list[Any] = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        *((name.lower().encode(), value.encode()) for name, value in problem.headers().items()),
    ]
    await send({"type": "http.response.start", "status": problem.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
