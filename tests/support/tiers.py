"""What ``make test`` runs of a large product, and what is left to ``make test-more``."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

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


def _values(item: pytest.Function) -> Iterator[str]:
    """What a case consists of; with ``sliced(words=True)`` each word of a text by itself."""
    mark = item.get_closest_marker("sliced")
    split = mark is not None and mark.kwargs.get("words", False)
    for name, value in item.callspec.params.items():
        yield from (f"{name} {each!r}" for each in (str(value).split() if split else [value]))
