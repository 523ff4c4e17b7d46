"""The door: who may come in, with how much, and what no answer may leak.

One layer for every route, so that none can be forgotten.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import ipaddress
import json
from collections.abc import Collection
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from conlinucb.service.problems import Problem

OPEN_PATHS = ("/healthz", "/readyz")
"""What a load balancer may ask without a key."""
LARGEST_BODY = 4_000_000
LARGEST_UPLOAD = 128_000_000
"""Bytes of a catalogue; of everything else ``LARGEST_BODY``."""
MOST_AT_ONCE = 1_000
"""Requests that wait or are worked on; more are told to come again."""
SLOWEST_BODY = 30.0
"""Seconds in which a body must have come."""
_HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"cache-control", b"no-store"),
    (b"referrer-policy", b"no-referrer"),
)


class Guard:
    """Checks the host, the key and the size of what comes in."""

    def __init__(self, app: ASGIApp, *, key: str | None, hosts: Collection[str]) -> None:
        self.app = app
        self._digest = None if key is None else _digest(key)
        self._hosts = frozenset(hosts)
        self._inside = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request in, or say why not."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        started = False

        async def send_with_headers(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                message["headers"] = [*message.get("headers", ()), *_HEADERS]
            await send(message)

        self._inside += 1
        try:
            self._check_crowd()
            self._check_host(headers)
            self._check_key(scope["path"], headers)
            limited = _limited(receive, headers, _limit(scope))
            await self.app(scope, limited, send_with_headers)
        except Problem as problem:
            if started:
                raise
            await _refuse(problem, send_with_headers)
        finally:
            self._inside -= 1

    def _check_crowd(self) -> None:
        if self._inside > MOST_AT_ONCE:
            raise Problem(
                503, "crowded", f"More than {MOST_AT_ONCE} requests are waiting.", retry=True
            )

    def _check_host(self, headers: dict[bytes, bytes]) -> None:
        """Without a key, only pages that name this machine may talk to it (DNS rebinding)."""
        if self._digest is not None:
            return
        host = _host_name(headers.get(b"host", b"").decode("latin-1"))
        if host not in self._hosts and not is_loopback(host):
            raise Problem(
                421, "wrong_host", f"This service is at a loopback address, not at {host[:100]!r}."
            )

    def _check_key(self, path: str, headers: dict[bytes, bytes]) -> None:
        if self._digest is None or path in OPEN_PATHS:
            return
        given = headers.get(b"authorization", b"").decode("latin-1")
        scheme, _, key = given.partition(" ")
        if scheme.lower() != "bearer" or not hmac.compare_digest(_digest(key), self._digest):
            raise Problem(401, "key_needed", "Send the key: Authorization: Bearer KEY.")


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a service bound to this address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def _host_name(host: str) -> str:
    """The host header without its port."""
    if host.startswith("["):
        return host.partition("]")[0] + "]"
    return host.partition(":")[0].lower()


def _digest(key: str) -> bytes:
    return hashlib.sha256(key.encode("utf-8", "surrogateescape")).digest()


def _limit(scope: Scope) -> int:
    return LARGEST_UPLOAD if scope["path"].startswith("/v1/catalogues/") else LARGEST_BODY


def _limited(receive: Receive, headers: dict[bytes, bytes], limit: int) -> Receive:
    """Receive at most ``limit`` bytes, in time."""
    told = headers.get(b"content-length", b"0")
    if told.isdigit() and int(told) > limit:
        raise _too_large(int(told), limit)
    seen = 0
    deadline = asyncio.get_running_loop().time() + SLOWEST_BODY

    async def limited() -> Message:
        nonlocal seen
        if seen < 0:  # the body is there; what else comes may take its time
            return await receive()
        try:
            async with asyncio.timeout_at(deadline):
                message = await receive()
        except TimeoutError:
            raise Problem(
                408, "too_slow", f"The body did not come within {SLOWEST_BODY:g} seconds."
            ) from None
        seen += len(message.get("body", b""))
        if seen > limit:
            raise _too_large(seen, limit)
        if not message.get("more_body", False):
            seen = -1
        return message

    return limited


def _too_large(size: int, limit: int) -> Problem:
    return Problem(
        413, "too_large", f"The body has {size:,} bytes or more; at most {limit:,} are taken."
    )


async def _refuse(problem: Problem, send: Send) -> None:
    body = json.dumps(problem.body()).encode()
    headers: list[Any] = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        *((name.lower().encode(), value.encode()) for name, value in problem.headers().items()),
    ]
    if problem.status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    await send({"type": "http.response.start", "status": problem.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
