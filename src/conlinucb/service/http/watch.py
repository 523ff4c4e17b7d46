"""Every request is seen: it has an id, is timed and counted, and written to the log where wanted.

Two layers: the outermost one sees those that are refused at the door, too, the innermost one is
where an address becomes a route. Nothing seen holds the address itself, which has people's names.
"""

from __future__ import annotations

import logging
import time
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from conlinucb.service.http.guard import OPEN_PATHS
from conlinucb.service.http.logs import REQUEST, request_id, said
from conlinucb.service.http.metrics import Metrics
from conlinucb.service.http.timings import Timings
from conlinucb.service.http.traces import Traces, note

logger = logging.getLogger("conlinucb.service.requests")
NO_ROUTE = "none"
"""The route of what was refused at the door, and of unknown addresses."""
METHODS = {"GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"}
_SEEN = "conlinucb.seen"
_BROKEN = 500


class Seen:
    """One request, while it is at work."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        """As the innermost layer has it, once it is there."""
        self.id = request_id(scope["headers"])
        self.path: str = scope["path"]
        self.status = _BROKEN
        self.noted = False
        self.line: dict[str, Any] = {}
        """What there is to say of it, once it is noted."""
        self.started = time.perf_counter()

    @property
    def route(self) -> str:
        """The template of its address."""
        path = getattr(self.scope.get("route"), "path", None)
        return path if isinstance(path, str) and path else NO_ROUTE

    @property
    def method(self) -> str:
        """One of those that are known."""
        method: str = self.scope["method"]
        return method if method in METHODS else "other"

    @property
    def caller(self) -> str:
        """What kind of caller the guard found."""
        return str(getattr(self.scope.get("state", {}).get("caller"), "kind", "unknown"))


class Routed:
    """The innermost layer: what the router finds, it writes into the scope that it is given."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let it pass."""
        if _SEEN in scope:
            scope[_SEEN].scope = scope
        await self.app(scope, receive, send)


class Watch:
    """The outermost layer."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        metrics: Metrics,
        timings: Timings,
        traces: Traces | None,
        access_log: bool,
    ) -> None:
        self.app, self._traces = app, traces
        self._metrics, self._timings, self._access_log = metrics, timings, access_log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let it pass, and note how it went before the end of the answer is sent."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        if self._traces is None:
            await self._watched(Seen(scope), scope, receive, send)
            return
        seen = Seen(scope)
        with self._traces.request(scope) as span:
            await self._watched(seen, scope, receive, send)
            note(span, seen.line)

    async def _watched(self, seen: Seen, scope: Scope, receive: Receive, send: Send) -> None:
        scope[_SEEN] = seen
        header = (b"x-request-id", seen.id.encode())

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                seen.status = message["status"]
                message["headers"] = [*message.get("headers", ()), header]
            elif not message.get("more_body"):
                self._note(seen)  # before the caller can have it: who then asks finds it counted
            await send(message)

        token = REQUEST.set(seen.id)
        try:
            await self.app(scope, receive, sending)
        finally:
            self._note(seen)
            REQUEST.reset(token)
            seen.scope = {}  # each holds the other: a circle would be left to the collector

    def _note(self, seen: Seen) -> None:
        if seen.noted:
            return
        seen.noted = True
        seconds = time.perf_counter() - seen.started
        line = seen.line = _line(seen, seconds)
        route, status = line["route"], str(seen.status)
        self._metrics.count("requests", route=route, method=line["method"], status=status)
        self._metrics.time("request_seconds", seconds, route=route)
        if seen.path in OPEN_PATHS:  # of which there can be more than of all others
            return
        self._timings.add(seen.path, seen.status, seconds)
        if self._access_log:
            _write(line)


def _write(line: dict[str, Any]) -> None:
    """As ``logger.info`` does, without a search for where in the code it is called."""
    if logger.isEnabledFor(logging.INFO):
        found = logger.makeRecord(
            logger.name, logging.INFO, __file__, 0, "request", (), None, extra=said(**line)
        )
        logger.handle(found)


def _line(seen: Seen, seconds: float) -> dict[str, Any]:
    return {
        "route": seen.route,
        "method": seen.method,
        "status": seen.status,
        "milliseconds": round(1000 * seconds, 3),
        "caller": seen.caller,
    }
