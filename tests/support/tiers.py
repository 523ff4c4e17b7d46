"""What ``make test`` runs of a large product, and what is left to ``make test-more``."""

from __future__ import annotations

import re
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

QUICK = "not more"
"""What ``make test`` gives as ``-m``."""
_WHOLE = re.compile(r"^pytestmark = pytest\.mark\.more$", re.MULTILINE)


def is_whole_more(path: Path) -> bool:
    """Whether a file says of all its tests that they are in the second tier."""
    return path.suffix == ".py" and bool(_WHOLE.search(path.read_text(encoding="utf-8")))


def slice_of(cases: Sequence[Sequence[str]]) -> list[int]:
    """Places of a few of these cases that together hold every value that any of them holds.

    Next is always the case with the most values not met yet; of several, the one whose values were
    met least often so far, and of these the first.

    >>> slice_of(["ax", "ay", "bx", "by", "cx", "cy"])
    [0, 3, 4]
    """
    met: Counter[str] = Counter()
    wanted = {value for case in cases for value in case}
    places: list[int] = []
    while wanted - met.keys():
        best = max(
            range(len(cases)),
            key=lambda place: (
                len(set(cases[place]) - met.keys()),
                -sum(met[value] for value in cases[place]),
            ),
        )
        places.append(best)
        met.update(cases[best])
    return sorted(places)


def leave_slices(items: list[pytest.Item]) -> None:
    """Mark ``more`` what a test marked ``sliced`` has beyond a slice of its cases."""
    alike: dict[object, list[pytest.Function]] = defaultdict(list)
    for item in items:
        if isinstance(item, pytest.Function) and item.get_closest_marker("sliced"):
            alike[item.parent, item.originalname].append(item)
    for same in alike.values():
        kept = slice_of([list(_values(item)) for item in same])
        for place, item in enumerate(same):
            if place not in kept:
                item.add_marker(pytest.mark.more)


DATABASES = ("url", "lasting_url")
"""Fixtures that have a test run on one kind of database after another."""


def leave_databases(items: list[pytest.Item]) -> None:
    """Of each case on several kinds of database, mark all ``more`` but one, which its name decides.

    What differs between databases is in tests/service/storage, whose tests run on all of them.
    """
    alike: dict[tuple[Any, str, str], list[pytest.Function]] = defaultdict(list)
    for item in items:
        if isinstance(item, pytest.Function) and _is_on_databases(item):
            others = {k: v for k, v in item.callspec.params.items() if k not in DATABASES}
            alike[item.parent, item.originalname, repr(others)].append(item)
    for (_, name, rest), same in alike.items():
        kept = zlib.crc32(f"{name} {rest}".encode()) % len(same)
        for place, item in enumerate(same):
            if place != kept:
                item.add_marker(pytest.mark.more)


def _is_on_databases(item: pytest.Function) -> bool:
    if "storage" in item.path.parts or item.get_closest_marker("more"):
        return False
    return hasattr(item, "callspec") and any(name in item.callspec.params for name in DATABASES)


def _values(item: pytest.Function) -> Iterator[str]:
    """What a case consists of; with ``sliced(words=True)`` each word of a text by itself."""
    mark = item.get_closest_marker("sliced")
    split = mark is not None and mark.kwargs.get("words", False)
    for name, value in item.callspec.params.items():
        yield from (f"{name} {each!r}" for each in (str(value).split() if split else [value]))
