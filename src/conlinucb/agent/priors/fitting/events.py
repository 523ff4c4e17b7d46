"""People's feedback as arrays: one row of the catalogue's features, a value and a weight each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from conlinucb.numerics.validation import Floats, Indices

CHUNK = 256
"""People in one piece of work. Sums are taken in the order of chunks, on however many threads."""
Keys = NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class Events:
    """Events of person u are starts[u] to starts[u + 1] - 1.

    ``rows`` counts arms first, then key-terms. A value that is NaN is an answer nobody gave.
    ``deltas`` is what to add to the popularity feature (empty: nothing).
    """

    keys: Keys
    """A number for each person that depends on their id alone."""
    starts: Indices
    rows: Indices
    values: Floats
    weights: Floats
    deltas: Floats
    skipped: int = 0
    """Rows left out since nothing has their id."""
    clipped: int = 0
    """Values that were outside the range."""

    @property
    def people(self) -> int:
        """How many people there are, with or without a weight."""
        return self.keys.size

    def between(self, first: int, last: int) -> Events:
        """People first .. last - 1, as views."""
        a, b = int(self.starts[first]), int(self.starts[last])
        deltas = self.deltas[a:b] if self.deltas.size else self.deltas
        return Events(
            self.keys[first:last],
            self.starts[first : last + 1] - a,
            self.rows[a:b],
            self.values[a:b],
            self.weights[a:b],
            deltas,
        )

    def chunks(self) -> Iterator[Events]:
        """All people, ``CHUNK`` at a time."""
        for first in range(0, self.people, CHUNK):
            yield self.between(first, min(first + CHUNK, self.people))

    def chosen(self, people: Indices) -> Events:
        """These people, in this order."""
        sizes = np.diff(self.starts)[people]
        starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        at = np.repeat(self.starts[people] - starts[:-1], sizes) + np.arange(starts[-1])
        deltas = self.deltas[at] if self.deltas.size else self.deltas
        return Events(
            self.keys[people], starts, self.rows[at], self.values[at], self.weights[at], deltas
        )

    def with_values(self, values: Floats, weights: Floats) -> Events:
        """The same events with other values and weights."""
        return replace(self, values=values, weights=weights)

    @property
    def owners(self) -> Indices:
        """Which person each event is of."""
        return np.repeat(np.arange(self.people), np.diff(self.starts))


def joined(parts: list[Events]) -> Events:
    """Events of several parts, none of which share a person."""
    if not parts:
        return nobody()
    sizes = np.concatenate([np.diff(each.starts) for each in parts])
    return Events(
        np.concatenate([each.keys for each in parts]),
        np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        np.concatenate([each.rows for each in parts]),
        np.concatenate([each.values for each in parts]),
        np.concatenate([each.weights for each in parts]),
        np.concatenate([each.deltas for each in parts]),
    )


def nobody() -> Events:
    """No events of no people."""
    none = np.empty(0)
    return Events(
        np.empty(0, dtype=np.uint64),
        np.zeros(1, dtype=np.int64),
        np.empty(0, dtype=np.int64),
        none,
        none,
        none,
    )
