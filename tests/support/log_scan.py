"""What the whole test run wrote to logs, searched for keys and people at its end.

Keys and people are noted as they are used: by the clients of ``service_world``, which every test
of the service goes through, and by tests that make keys.
"""

from __future__ import annotations

import logging
import re
from urllib.parse import unquote

import httpx2 as httpx

from conlinucb.service.http.logs import Text

LOGGERS = ("conlinucb", "uvicorn")
_WORD = re.compile(r"[\w@.+-]+")
_USER = re.compile(r"/v1/users/([^/?]+)")
_VISITOR = re.compile(r"page-[0-9a-f]{64}")
_KEY = re.compile(r"clu_[\w-]{43}")
_SHORTEST = 3
"""Shorter names are in any text."""
WORDS = frozenset({"slow", "nobody", "new", "one", "two", "unknown", "person", "people", "other"})
"""Names of people in tests that messages have, too."""

lines: dict[str, None] = {}
secrets: set[str] = set()
people: set[str] = set()


class _Collect(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        note_text(self.format(record))


def collect() -> None:
    """Keep everything that these loggers say from now on, errors with their traces."""
    handler = _Collect(logging.DEBUG)
    handler.setFormatter(Text())  # as the service writes it
    for name in LOGGERS:
        logging.getLogger(name).addHandler(handler)


def note_text(text: str) -> None:
    """What a server or a logger wrote."""
    lines.update(dict.fromkeys(text.splitlines()))


def note_request(request: httpx.Request) -> None:
    """The key and the person of a request."""
    scheme, _, key = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer" and len(key) >= 16:
        secrets.add(key)
    found = _USER.search(request.url.raw_path.decode("latin-1"))
    if found:
        people.add(unquote(found[1]))


def found_in(text: str) -> str | None:
    """The first key or person that a line names."""
    for pattern in (_KEY, _VISITOR):
        matched = pattern.search(text)
        if matched:
            return matched[0]
    for each in secrets:
        if each in text:
            return each
    words = set(_WORD.findall(text))
    named = (each for each in words & people if len(each) >= _SHORTEST and each not in WORDS)
    return next(named, None)


def leaks() -> list[str]:
    """Every line that names someone or holds a key."""
    return [f"{leak!r} in: {line[:300]}" for line in lines if (leak := found_in(line))]
