"""What the events of this package look like: a row that was written whole may still be nonsense."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from conlinucb.service.storage import Broken, Event

LARGEST_NUMBER = 1e100
LARGEST_COUNT = 2**53


def _count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < LARGEST_COUNT


def _number(value: Any) -> bool:
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return number and math.isfinite(value) and abs(value) <= LARGEST_NUMBER


def _text(value: Any) -> bool:
    return isinstance(value, str)


def _kind(value: Any) -> bool:
    return value in ("term", "arm")


def _answer(value: Any) -> bool:
    return value is None or _number(value)


def _items(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(each, dict) and _text(each.get("item")) for each in value
    )


FIELDS: dict[str, dict[str, Callable[[Any], bool]]] = {
    "question": {
        "about": _kind,
        "id": _text,
        "number": _count,
        "round": _count,
        "mean": _number,
        "radius": _number,
        "text": _text,
        "strategy": _text,
    },
    "answer": {"question": _count, "about": _kind, "id": _text, "answer": _answer},
    "recommendation": {"round": _count, "items": _items},
    "reward": {"decision": _count, "item": _text, "reward": _number},
    "retraction": {"of": _count},
}


def flaw(kind: str, body: Any) -> str | None:
    """What is wrong with an event, or None.

    >>> flaw("retraction", {"of": [2]})
    'its of is [2]'
    """
    if kind not in FIELDS or not isinstance(body, dict):
        return f"its kind is {kind!r}"
    for name, fits in FIELDS[kind].items():
        if name not in body:
            return f"it has no {name}"
        if not fits(body[name]):
            return f"its {name} is {body[name]!r}"[:200]
    return None


def sound(row: Event | Broken) -> Event | Broken:
    """The event, if it is one of this package's."""
    wrong = flaw(row.kind, row.body) if isinstance(row, Event) else None
    return row if wrong is None else Broken(row.seq, wrong)


LONG_GAP = 1_000
"""Events missing in a row that are named one by one."""


def sound_log(rows: Sequence[Event | Broken], after: int = 0) -> list[Event | Broken]:
    """A log behind an event without gaps: what is missing is among it as broken."""
    found: list[Event | Broken] = []
    for row in sorted(rows, key=lambda each: each.seq):
        gap = range(after + 1, row.seq)
        if len(gap) > LONG_GAP:  # a number that is damaged, rather than so many lost
            found.append(Broken(gap[0], f"it and all up to {gap[-1]} are not there"))
        else:
            found += [Broken(seq, "it is not there") for seq in gap]
        found.append(sound(row))
        after = row.seq
    return found
