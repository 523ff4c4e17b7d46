"""The JSON files of a run: written whole or not at all, and read with what is wrong named."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from conlinucb import atomic
from conlinucb.errors import IncompatibleState
from conlinucb.experiments.outcome import FORMAT, Outcome, Search
from conlinucb.experiments.typed_json import decoded, encoded
from conlinucb.simulation.store import refuse_format

T = TypeVar("T")


def write_outcome(path: Path, outcome: Outcome) -> Outcome:
    """Write, and return what reading will give."""
    return Outcome.from_json(_write(path, outcome.to_json()))


def read_outcome(path: Path) -> Outcome | None:
    """What a setting came to, or None if there is no such file; a damaged one is refused."""
    return _read(path, Outcome.from_json)


def write_search(path: Path, search: Search, spec: dict[str, Any]) -> Search:
    """Write a search with its specification, and return what reading will give."""
    return decoded(Search, _write(path, {"format": FORMAT, **encoded(search), "spec": spec}))


def read_search(path: Path) -> tuple[Search, dict[str, Any]] | None:
    """A search and its specification, or None if there is no such file."""
    return _read(
        path, lambda content: (decoded(Search, content), decoded(dict, content.get("spec"), "spec"))
    )


def _write(path: Path, content: dict[str, Any]) -> Any:
    text = json.dumps(content, indent=1)
    path.parent.mkdir(parents=True, exist_ok=True)
    atomic.write(path, text.encode())
    return json.loads(text)


def _read(path: Path, made: Callable[[Any], T]) -> T | None:
    if not path.exists():
        return None
    content = _undamaged(path, lambda: decoded(dict, json.loads(path.read_text("utf-8"))))
    refuse_format(path, content, FORMAT)
    return _undamaged(path, lambda: made(content))


def _undamaged(path: Path, work: Callable[[], T]) -> T:
    try:
        return work()
    except ValueError as error:
        raise IncompatibleState(f"{path} is damaged: {error}. Delete it to run again.") from None


def unless_found(work: Callable[[], T], path: Path) -> T | None:
    """The work's result; None if another process finished it first and took its files away."""
    try:
        return work()
    except FileNotFoundError:
        if not path.exists():
            raise
        return None
