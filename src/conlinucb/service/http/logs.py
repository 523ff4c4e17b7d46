"""Logs: one line for each thing, as text or as JSON, with the request that it belongs to.

No line holds a key or who somebody is. So the text of an exception that nobody expected is left
out, which may quote anything: its kind and the places it came through are there.
"""

from __future__ import annotations

import json
import logging
import os
import re
import secrets
import sys
import traceback
from contextvars import ContextVar
from datetime import UTC, datetime
from types import TracebackType
from typing import Any, Literal

LogFormat = Literal["auto", "text", "json"]
REQUEST: ContextVar[str] = ContextVar("request", default="")
"""The id of the request that is being worked on; empty outside of any."""
_SANE = re.compile(rb"[A-Za-z0-9._-]{1,64}")
_encode = json.JSONEncoder(ensure_ascii=False, default=str).encode
_FIELDS = "fields"
"""Where a record has what is said in names and values rather than in words."""


def request_id(headers: list[tuple[bytes, bytes]]) -> str:
    """The caller's own id of a request where it has one that is fit to be repeated, or a new one.

    >>> request_id([(b"x-request-id", b"a-1")]), len(request_id([(b"x-request-id", b"a b")]))
    ('a-1', 16)
    """
    for name, value in headers:
        if name == b"x-request-id" and _SANE.fullmatch(value):
            return value.decode()
    return secrets.token_hex(8)


def in_the_log() -> str:
    """Where to look for what failed, for a caller to quote."""
    return f"The log says what, under request {REQUEST.get()}."


def said(**fields: Any) -> dict[str, Any]:
    """Names and values of a record, for ``extra=``."""
    return {_FIELDS: fields}


class Text(logging.Formatter):
    """Lines for people to read."""

    def format(self, record: logging.LogRecord) -> str:
        """One line, and the way of an exception below it."""
        fields = " ".join(f"{name}={value}" for name, value in _fields(record).items())
        line = f"{record.levelname} {record.name}: {record.getMessage()}"
        found = f"{line} ({fields})" if fields else line
        return found + (f"\n{self.formatException(record.exc_info)}" if record.exc_info else "")

    def formatException(self, ei: Any) -> str:
        """Kinds and places, no texts."""
        return way_of(ei)


class Json(logging.Formatter):
    """A JSON object in each line."""

    def format(self, record: logging.LogRecord) -> str:
        """One line, whatever is in it."""
        found: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            "worker": os.getpid(),
            **_fields(record),
        }
        if record.exc_info:
            found["exception"] = way_of(record.exc_info)
        return _encode(found)


def _fields(record: logging.LogRecord) -> dict[str, Any]:
    fields: dict[str, Any] = getattr(record, _FIELDS, {})
    request = REQUEST.get()
    return {"request": request, **fields} if request else fields


def way_of(
    found: tuple[type[BaseException], BaseException, TracebackType | None] | Any,
) -> str:
    """An exception's kind and the places it came through, with those that led to it."""
    error: BaseException | None = found[1]
    parts = []
    while error is not None:
        places = traceback.extract_tb(error.__traceback__)
        lines = [f"{type(error).__module__}.{type(error).__name__}"]
        lines += [f"  {each.filename}:{each.lineno} {each.name}" for each in reversed(places)]
        parts.append("\n".join(lines))
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    return "\nafter ".join(parts)


def set_up(kind: LogFormat) -> None:
    """Let all that is logged in this process go to standard error, in one format."""
    as_text = kind == "text" or (kind == "auto" and sys.stderr.isatty())
    lines = logging.StreamHandler()
    lines.setFormatter(Text() if as_text else Json())
    logging.getLogger("conlinucb").handlers.clear()  # those of commands, which would say it again
    logging.basicConfig(level=logging.INFO, handlers=[lines], force=True)
    logging.getLogger("alembic").setLevel(logging.WARNING)
