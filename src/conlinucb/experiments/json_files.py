"""JSON files that are there whole or not at all."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from conlinucb import atomic
from conlinucb.errors import IncompatibleState

T = TypeVar("T")


def write_json(path: Path, content: dict[str, Any]) -> dict[str, Any]:
    """Write, and return what reading will give."""
    text = json.dumps(content, indent=1)
    path.parent.mkdir(parents=True, exist_ok=True)
    atomic.write(path, text.encode())
    return dict(json.loads(text))


def read_json(path: Path) -> dict[str, Any] | None:
    """What was written for a run, with its specification, or None; anything else is refused."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(found["spec"], dict):
            raise TypeError("its spec is no table")
        return dict(found)
    except FileNotFoundError:
        return None
    except (ValueError, TypeError, KeyError) as error:
        raise IncompatibleState(f"{path} is damaged: {error!r}. Delete it to run again.") from None


def unless_found(work: Callable[[], T], path: Path) -> T | None:
    """The work's result; None if another process finished it first and took its files away."""
    try:
        return work()
    except FileNotFoundError:
        if read_json(path) is None:
            raise
        return None
