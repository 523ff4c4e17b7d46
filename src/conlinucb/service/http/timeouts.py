"""A connection on which no whole request comes in time is closed."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

REQUEST_TIMEOUT = 30.0
"""Seconds from the opening of a connection, or from an answer, to the end of the next headers."""


class RequestTimeoutProtocol(HttpToolsProtocol):
    """Uvicorn's protocol, which by itself waits for the rest of a request forever."""

    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Begin to wait."""
        super().connection_made(transport)
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no more."""
        self._rest()
        super().connection_lost(exc)

    def on_headers_complete(self) -> None:
        """The request is here; its body has a limit of its own."""
        self._rest()
        super().on_headers_complete()

    def on_response_complete(self) -> None:
        """Wait for the next one, unless it is here already."""
        is_here = bool(self.pipeline)
        super().on_response_complete()
        if not is_here:
            self._wait()

    def _wait(self) -> None:
        self._rest()
        self._timer = self.loop.call_later(REQUEST_TIMEOUT, self._hang_up)

    def _rest(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _hang_up(self) -> None:
        if not self.transport.is_closing():
            self.transport.close()
