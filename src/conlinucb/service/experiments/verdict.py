"""Which arm is better, with intervals that hold however often one looks, in plain words.

Two arms are compared by pairs of people: the i-th who came to one with the i-th who came to the
other (or, where the shares differ, with the mean of the next few). Who comes to which arm is
chance, so every such difference has the mean that is looked for, whatever came before it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from conlinucb.numerics.confidence import Sequence, confidence_sequence
from conlinucb.numerics.validation import Floats

MOST_TO_ONE = 20
"""People of one arm that stand against one of the other, at most."""
FAR = 100
"""Times the people so far beyond which no number of further ones is named."""


@dataclass(frozen=True, eq=False)
class Pair:
    """What is known of two arms."""

    one: str
    other: str
    people: tuple[int, int]
    """Who count, of each."""
    blocks: tuple[int, int]
    """How many of each make a pair."""
    sequence: Sequence
    """Of the differences, the other less the one, pair by pair."""
    alpha: float
    unit: str

    @property
    def difference(self) -> float | None:
        """How much more the other earns."""
        return float(self.sequence.means[-1]) if self.sequence.means.size else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """For the difference, at all looks at once."""
        if not self.sequence.lows.size:
            return None
        return float(self.sequence.lows[-1]), float(self.sequence.highs[-1])

    @property
    def better(self) -> str | None:
        """The arm that is, once it can be told."""
        if self.interval is None:
            return None
        low, high = self.interval
        return self.other if low > 0 else self.one if high < 0 else None

    @property
    def told_after(self) -> int | None:
        """How many pairs it took; None where it cannot be told yet."""
        told = (self.sequence.lows > 0) | (self.sequence.highs < 0)
        return int(np.argmax(told)) + 1 if told.any() else None

    @property
    def verdict(self) -> str:
        """In a sentence."""
        people = f"{self.people[0]:,} and {self.people[1]:,} people"
        level = f"{100 * (1 - self.alpha):g} %"
        if self.interval is None:
            return f"Nothing can be told yet: {people} of {self.one} and {self.other} count."
        low, high = self.interval
        if self.better is not None:
            worse = self.one if self.better == self.other else self.other
            least, most = sorted((abs(low), abs(high)))
            return (
                f"{self.better} is better than {worse} by {least:.3g} to {most:.3g} {self.unit}, "
                f"at {level}; {people}."
            )
        return (
            f"No difference can be told yet: {self.other} earns between {low:+.3g} and "
            f"{high:+.3g} {self.unit} more than {self.one}, at {level}; {people}. {self._more()}"
        )

    def _more(self) -> str:
        """How many more it would take, were the difference what it seems."""
        assert self.interval is not None
        seems, half = abs(self.difference or 0.0), (self.interval[1] - self.interval[0]) / 2
        pairs = self.sequence.means.size
        times = (half / seems) ** 2 if seems else math.inf
        if times > FAR:
            return f"If it is as small as it seems, {FAR} times the people would not tell it."
        more = max(1, math.ceil(pairs * (times - 1.0))) * sum(self.blocks)
        return f"If it is what it seems, some {more:,} more people will tell."


def compared(
    one: tuple[str, Floats],
    other: tuple[str, Floats],
    bounds: tuple[float, float],
    *,
    shares: Mapping[str, float] | None = None,
    alpha: float = 0.05,
    unit: str = "per item",
) -> Pair:
    """Two arms, by the numbers of their people in the order in which they came.

    >>> rng = np.random.default_rng(0)
    >>> a, b = rng.random(400) * 0.8, 0.2 + rng.random(400) * 0.8
    >>> print(compared(("a", a), ("b", b), (0.0, 1.0)).verdict)
    b is better than a by 0.138 to 0.24 per item, at 95 %; 400 and 400 people.
    """
    given = shares or {}
    blocks = _blocks(given.get(one[0], 1.0), given.get(other[0], 1.0))
    many = min(one[1].size // blocks[0], other[1].size // blocks[1])
    means = [
        values[: many * block].reshape(many, block).mean(axis=1)
        for (_, values), block in zip((one, other), blocks, strict=True)
    ]
    width = bounds[1] - bounds[0]
    sequence = confidence_sequence(means[1] - means[0], -width, width, alpha=alpha)
    return Pair(one[0], other[0], (one[1].size, other[1].size), blocks, sequence, alpha, unit)


def _blocks(one: float, other: float) -> tuple[int, int]:
    """How many of each arm make a pair, by the shares alone."""
    if one >= other:
        return min(MOST_TO_ONE, max(1, round(one / other))), 1
    return 1, min(MOST_TO_ONE, max(1, round(other / one)))
