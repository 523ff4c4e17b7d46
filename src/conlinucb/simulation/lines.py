"""The search without a model: points spread over the ranges, then lines from the best so far.

A quarter of the trials is spread: the first point, and points that fill the ranges evenly (Halton).
The others go along lines: from the best point so far, one parameter after another is varied over
its range, then again near the best, and nearer. Spread alone, points in four dimensions miss an
optimum by far.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from conlinucb.numerics.validation import seed_of
from conlinucb.simulation.ranges import Range
from conlinucb.simulation.space import Point, Space
from conlinucb.simulation.trial import Trial, best_of

LINES = 8
"""Twice along each of four parameters, so four times along each of two."""
NEAR = 0.2
"""How far from the best a second line along a parameter goes, as a share of its range; further
lines go half as far as the one before."""


class Lines:
    """A quarter of the trials spread, the others along lines from the best so far."""

    def __repr__(self) -> str:
        return "Lines()"

    def stages(self, budget: int) -> list[int]:
        """How many trials are spread over the ranges, and how many go along each line after.

        >>> Lines().stages(64), Lines().stages(2)
        ([16, 6, 6, 6, 6, 6, 6, 6, 6], [2])
        """
        spread = budget if budget <= 2 else max(2, budget // 4)
        rest = [(budget - spread + left) // LINES for left in range(LINES)]
        return [spread, *(each for each in reversed(rest) if each)]

    def start(self, space: Space, seed: int) -> LineSearch:
        """The search of one algorithm."""
        return LineSearch(space, seed)


class LineSearch:
    """One algorithm's search along lines."""

    def __init__(self, space: Space, seed: int) -> None:
        self.space, self.seed = space, seed
        self.told: list[Trial] = []
        self.spread = 0

    def ask(self, stage: int, count: int) -> list[Point]:
        """The first point and the spread, or the next line; what few options leave is spread."""
        if stage == 0:
            return [dict(self.space.first), *self._spread(count - 1)]
        names = list(self.space.ranges)
        visits, at = divmod(stage - 1, len(names))
        best = best_of(self.told).parameters
        points = line(best, names[at], self.space.ranges[names[at]], count, visits)
        return points + self._spread(count - len(points))

    def tell(self, trials: list[Trial]) -> None:
        """What the points that were asked for came to."""
        self.told += trials

    def _spread(self, count: int) -> list[Point]:
        points = spread(self.space.ranges, count, self.seed, skip=self.spread)
        self.spread += count
        return points


def spread(ranges: Mapping[str, Range], count: int, seed: int, skip: int = 0) -> list[Point]:
    """Points that fill the ranges evenly: of a scrambled Halton sequence, after the first few."""
    if not count:
        return []
    from scipy.stats import qmc  # half a second to import, and not needed to simulate

    sequence = qmc.Halton(len(ranges), scramble=True, rng=int(seed_of(seed))).fast_forward(skip)
    return [
        {name: each.value(float(at)) for (name, each), at in zip(ranges.items(), row, strict=True)}
        for row in sequence.random(count)
    ]


def line(best: Point, name: str, along: Range, count: int, visits: int = 0) -> list[Point]:
    """Points that differ from the best in one parameter: over its range, then ever nearer.

    >>> from conlinucb.simulation.ranges import Log
    >>> best = {"beta": 0.1, "alpha": 0.2}
    >>> [each["beta"] for each in line(best, "beta", Log(0.001, 10.0), 2)]
    [0.01, 1.0]
    """
    if along.count is not None:
        return [{**best, name: each} for each in _others(best[name], along, count, visits)]
    places = (np.arange(count) + 0.5) / count
    if visits:
        reach = NEAR / 2 ** (visits - 1)
        places = np.clip(along.place(best[name]) + reach * (2 * places - 1), 0.0, 1.0)
    return [{**best, name: along.value(float(each))} for each in places]


def _others(best: Any, along: Range, count: int, visits: int) -> list[Any]:
    """Other values of those that can be counted: over the range first, then the nearest."""
    others = [each for each in along.values() if each != best]
    if len(others) <= count:
        return others
    if visits:
        return sorted(others, key=lambda each: abs(along.place(each) - along.place(best)))[:count]
    return [others[int(at)] for at in (np.arange(count) + 0.5) * len(others) / count]
