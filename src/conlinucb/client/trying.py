"""When a call is sent again: what may pass, after which pause, and until when."""

from __future__ import annotations

import json
import random
import time
from dataclasses import dataclass
from typing import Any, TypeVar

import httpx2

from conlinucb.client.calls import Call
from conlinucb.client.errors import ClientError, Refused, Unavailable
from conlinucb.errors import InvalidInput

Reply = TypeVar("Reply")
PASSING = frozenset({408, 429, 502, 503, 504, 507})
FIRST_PAUSE = 0.1
LONGEST_PAUSE = 5.0
TIMEOUT = 15.0
"""Seconds for one try."""
DEADLINE = 60.0
"""Seconds for all tries of a call."""


@dataclass
class Trying:
    """The tries of one call, up to a deadline; it decides, and leaves the sending to others."""

    call: Call[Any]
    seconds: float

    def __post_init__(self) -> None:
        self.end = time.monotonic() + self.seconds
        self.tries = 0
        self.uncertain = False

    def request(self, timeout: float) -> dict[str, Any]:
        """What the next try sends; it may take so many seconds, and ends with the deadline."""
        self.tries += 1
        call, left = self.call, max(self.end - time.monotonic(), 0.001)
        return {
            "method": call.method,
            "url": call.path,
            "params": call.params,
            "content": call.content,
            "headers": {} if call.content is None else {"content-type": call.kind},
            "timeout": min(timeout, left),
        }

    def answered(self, response: httpx2.Response) -> float | None:
        """None where this is the answer, or the seconds to wait before the next try."""
        if response.status_code in PASSING:
            code, message = _problem(response)
            known = response.status_code == 429  # turned away at the door
            return self._pause(f"{code}: {message}", known, _retry_after(response))
        if response.status_code == 404 and self.call.gone_is_done and self.uncertain:
            return None
        if response.is_error or response.status_code >= 300:
            raise Refused(response.status_code, *_problem(response))
        return None

    def failed(self, error: httpx2.TransportError) -> float:
        """The seconds to wait before the next try; an address that is none is not tried again."""
        if isinstance(error, httpx2.UnsupportedProtocol):
            raise ClientError(f"An address begins with http:// or https://. {error}") from None
        unsent = isinstance(error, httpx2.ConnectError | httpx2.ConnectTimeout)
        return self._pause(f"{type(error).__name__}: {error}", unsent, None)

    def result(self, response: httpx2.Response) -> Any:
        """The answer, read."""
        if response.status_code == 404 or not response.content:
            return self.call.read(None)
        try:
            return self.call.read(response.json())
        except (json.JSONDecodeError, UnicodeDecodeError):
            said = response.headers.get("content-type", "nothing")
            raise ClientError(f"The answer is no JSON, it was said to be {said}.") from None

    def _pause(self, reason: str, untaken: bool, wanted: float | None) -> float:
        self.uncertain |= not untaken
        longest = min(FIRST_PAUSE * 2.0 ** (self.tries - 1), LONGEST_PAUSE)
        pause = longest * random.uniform(0.5, 1.0)
        if wanted is not None:  # and not all of them at that moment
            pause = wanted + random.uniform(0.0, 0.25) * max(wanted, FIRST_PAUSE)
        if self.call.once and self.uncertain:
            raise Unavailable(f"No answer, so it may have been taken in or not. {reason}")
        if time.monotonic() + pause >= self.end:
            raise Unavailable(
                f"No answer within {self.seconds:g} s and {self.tries} tries. {reason}"
            )
        return pause


def headers_of(key: str | None) -> dict[str, str]:
    """What every call sends; a key that no header can hold is refused, not tried for a minute."""
    if key is None:
        return {}
    if not key or not all("!" <= letter <= "~" for letter in key):
        what = "is empty" if not key else "has white space or letters that are not ASCII"
        raise InvalidInput(f"The key {what}: it must be as it was made, or None for no key.")
    return {"authorization": f"Bearer {key}"}


def _problem(response: httpx2.Response) -> tuple[str, str]:
    """The service's own words, or those for an answer that is not from it: a proxy, perhaps."""
    try:
        error = response.json()["error"]
        return str(error["code"]), str(error["message"])
    except (json.JSONDecodeError, UnicodeDecodeError, KeyError, TypeError):
        return "unknown", f"The service answered with status {response.status_code}."


def _retry_after(response: httpx2.Response) -> float | None:
    text = response.headers.get("retry-after", "")
    return float(text) if text.isascii() and text.isdigit() else None
