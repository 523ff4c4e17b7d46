"""What a person said last and saw lately, kept with their state: no log need be read for it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from conlinucb.catalog.catalog import Catalog
from conlinucb.service.settings import LONGEST_REST
from conlinucb.service.storage import Arrays


class Heard(NamedTuple):
    """An answer or a reward, and its event."""

    value: float
    event: int


@dataclass(eq=False)
class Memory:
    """By the fold of the log, event by event, as the rest of the state."""

    answers: dict[int, Heard] = field(default_factory=dict)
    """The last answer about each key-term, by index: asked about it alone, picked of a group, or
    one of a pair of which both or neither was said. No skips."""
    ratings: dict[int, Heard] = field(default_factory=dict)
    """The last reward of each item, or the answer to a question about it, by index."""
    shown: dict[str, int] = field(default_factory=dict)
    """The round in which each item was shown last, the oldest first; by id, since a version may
    lack it that is there again in the next."""
    preferred: dict[tuple[int, int], int] = field(default_factory=dict)
    """Of pairs the key-term that was liked more and the other one, and the event."""

    def heard(self, kind: str, index: int, value: float, event: int) -> None:
        """Note an answer about a key-term, or a reward of an arm."""
        said = self.ratings if kind == "arm" else self.answers
        said.pop(index, None)  # so that the latest is the last
        said[index] = Heard(value, event)

    def prefers(self, liked: int, other: int, event: int) -> None:
        """Note which of two key-terms is liked more; the last word about them counts."""
        for pair in ((liked, other), (other, liked)):
            self.preferred.pop(pair, None)
        self.preferred[liked, other] = event

    def showed(self, items: tuple[str, ...], round_: int) -> None:
        """Note what a round showed; what no setting keeps resting any more is forgotten."""
        for each in items:
            self.shown.pop(each, None)
            self.shown[each] = round_
        while self.shown and next(iter(self.shown.values())) <= round_ - LONGEST_REST:
            del self.shown[next(iter(self.shown))]

    def shown_since(self, round_: int) -> list[str]:
        """What was shown after a round."""
        return [each for each, at in self.shown.items() if at > round_]

    @property
    def bytes(self) -> int:
        """What it takes, about: an entry with its key, or an item's name."""
        said = len(self.answers) + len(self.ratings) + len(self.preferred)
        return 250 * (said + len(self.shown))

    def fits(self, catalog: Catalog) -> bool:
        """Whether the catalogue has all that was said something about."""
        sizes = ((self.answers, len(catalog.term_ids)), (self.ratings, len(catalog)))
        of_pairs = max((max(pair) for pair in self.preferred), default=0)
        fits = all(max(said, default=0) < size for said, size in sizes)
        return fits and of_pairs < max(len(catalog.term_ids), 1)

    def to_arrays(self) -> Arrays:
        """As named arrays."""
        shown = json.dumps(list(self.shown)).encode()
        return {
            "said_of_terms": _table(self.answers),
            "said_of_items": _table(self.ratings),
            "shown_items": np.frombuffer(shown, dtype=np.uint8),
            "shown_in": np.array(list(self.shown.values()), dtype=np.int64),
            **({"said_of_pairs": _pairs(self.preferred)} if self.preferred else {}),
        }

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> Memory | None:
        """What ``to_arrays`` made; None of a state of before this was kept.

        Raises one of ``LookupError``, ``ValueError``, ``TypeError`` and ``OverflowError`` where it
        cannot be read.
        """
        if "said_of_terms" not in arrays:
            return None
        rounds = arrays["shown_in"]
        items = json.loads(arrays["shown_items"].tobytes())
        if not isinstance(items, list) or not all(isinstance(each, str) for each in items):
            raise ValueError("shown_items are not the names of items")
        if rounds.dtype.kind != "i" or rounds.shape != (len(items),) or (np.diff(rounds) < 0).any():
            raise ValueError(f"shown_in does not hold the rounds of {len(items)} items")
        return cls(
            _read(arrays["said_of_terms"]),
            _read(arrays["said_of_items"]),
            dict(zip(items, rounds.tolist(), strict=True)),
        )._with_pairs(arrays.get("said_of_pairs"))

    def _with_pairs(self, table: np.ndarray | None) -> Memory:
        if table is not None:
            if table.dtype.kind != "i" or table.ndim != 2 or table.shape[1] != 3 or table.min() < 0:
                raise ValueError("said_of_pairs is not a table of two indices and an event")
            self.preferred = {(int(a), int(b)): int(event) for a, b, event in table}
        return self


def _table(said: dict[int, Heard]) -> np.ndarray:
    rows = [(index, each.value, each.event) for index, each in said.items()]
    return np.array(rows, dtype=np.float64).reshape(-1, 3)


def _pairs(preferred: dict[tuple[int, int], int]) -> np.ndarray:
    return np.array([(*pair, event) for pair, event in preferred.items()], dtype=np.int64)


def _read(table: np.ndarray) -> dict[int, Heard]:
    whole = table[:, [0, 2]]
    if table.shape[1] != 3 or not np.isfinite(table).all() or (whole < 0).any():
        raise ValueError("what was said is not a table of index, value and event")
    return {int(index): Heard(float(value), int(event)) for index, value, event in table}
