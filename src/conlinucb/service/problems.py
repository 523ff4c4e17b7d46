"""What can go wrong in a request, in one shape: a status, a code and a sentence."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from conlinucb.errors import (
    ConlinucbError,
    Damaged,
    InvalidInput,
    Outdated,
    QuestionClosed,
    StorageError,
    StoreDown,
    StoreRefuses,
    UnknownName,
)

RETRY_AFTER = 2
"""Seconds after which a caller may try again."""
CLOSE = {"Connection": "close"}
"""Of a refusal after which nobody waits for the rest of the request."""


class Problem(ConlinucbError):
    """A refusal that the caller is told: what came in, and what would be right."""

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        *,
        retry: bool = False,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.retry = retry
        self._headers = dict(headers or {})

    def body(self) -> dict[str, Any]:
        """As it is sent."""
        return {"error": {"code": self.code, "message": str(self)}}

    def headers(self) -> dict[str, str]:
        """What else the answer says, and when to try again, where that helps."""
        hint = {"Retry-After": str(RETRY_AFTER)} if self.retry else {}
        return hint | self._headers


_MEANINGS: tuple[tuple[type[ConlinucbError], int, str, bool], ...] = (
    (QuestionClosed, 409, "question_closed", False),
    (UnknownName, 422, "unknown_name", False),
    (InvalidInput, 422, "invalid_input", False),
    (StoreDown, 503, "store_unavailable", True),
    (StoreRefuses, 507, "store_refuses", True),
    (Outdated, 503, "store_outdated", True),
    (Damaged, 500, "damaged", False),
    (StorageError, 503, "store_conflict", True),
)


_SPOKEN = re.compile(
    r"""('[^']*'|"[^"]*")|\b(an arm|arm|arms|key-term|key-terms|term|terms)\b""", re.I
)
_WORDS = {"an arm": "an item", "arm": "item", "arms": "items", "term": "topic", "terms": "topics"}
"""What the library calls an arm and a key-term, callers know as an item and a topic."""


def in_plain_words(text: str) -> str:
    """An error of the library as a caller reads it; what is quoted stays as it is.

    >>> in_plain_words("Arm 'long term' is no arm; every key-term needs one.")
    "Item 'long term' is no item; every topic needs one."
    """

    def word(matched: re.Match[str]) -> str:
        if matched[1]:
            return matched[1]
        plain = _WORDS[matched[2].lower().removeprefix("key-")]
        return plain.capitalize() if matched[2][0].isupper() else plain

    return _SPOKEN.sub(word, text)


def problem_of(error: ConlinucbError) -> Problem:
    """The problem that an error of the package is to a caller."""
    if isinstance(error, Problem):
        return error
    for kind, status, code, retry in _MEANINGS:
        if isinstance(error, kind):
            return Problem(status, code, _told(error), retry=retry)
    return Problem(500, "internal", "Something failed here.")


def _told(error: ConlinucbError) -> str:
    """What callers may read: where the database is stands in the log."""
    if isinstance(error, StoreDown):
        return "The database does not answer."
    if isinstance(error, Outdated):
        return "The database is of another version than this service: its log says which."
    return in_plain_words(str(error)) if isinstance(error, InvalidInput) else str(error)
