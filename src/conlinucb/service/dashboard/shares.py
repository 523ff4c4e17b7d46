"""Shares and means with intervals that know that one person's ratings are alike."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from conlinucb.service.schemas.dashboard import DifferenceOut, ShareOut

LEAST_PEOPLE = 5
"""Of fewer people no share is told."""
NORMAL = 1.959963984540054
"""Standard deviations of a normal distribution that hold 95 %."""
Floats = NDArray[np.float64]


class Sums(NamedTuple):
    """Of values v and counts n of several people: all that a mean and its variance need."""

    people: float
    v: float
    n: float
    vv: float
    vn: float
    nn: float

    @classmethod
    def of(cls, values: Floats, counts: Floats) -> Sums:
        """Of each person's sum of values and number of ratings; those without any are left out."""
        v, n = values[counts > 0], counts[counts > 0]
        return cls(n.size, v.sum(), n.sum(), (v * v).sum(), (v * n).sum(), (n * n).sum())

    def without(self, some: Sums) -> Sums:
        """Of all others than these."""
        return Sums(*(a - b for a, b in zip(self, some, strict=True)))

    @property
    def mean(self) -> float:
        """Over ratings, not over people."""
        return self.v / self.n if self.n else math.nan

    @property
    def variance(self) -> float:
        """Of the mean, by how people differ: whole people are drawn, not ratings."""
        if self.people < 2:
            return math.nan
        m = self.mean
        spread = max(0.0, self.vv - 2 * m * self.vn + m * m * self.nn)
        return float(spread / (self.n * self.n) * self.people / (self.people - 1))


def sums_by_person(person: NDArray[Any], values: NDArray[Any]) -> Sums:
    """Of single ratings and whose they are."""
    size = int(person.max()) + 1 if person.size else 0
    summed: Floats = np.bincount(person, weights=values, minlength=size).astype(float)
    return Sums.of(summed, np.bincount(person, minlength=size).astype(float))


def share(found: Sums) -> ShareOut:
    """A share of ratings with its 95 % interval, or nothing but that too few people gave them.

    Wilson's interval, with as many ratings as would vary as much if no two were one person's: at
    most those that there are, and one a person where no variation is seen.
    """
    if found.people < LEAST_PEOPLE:
        return ShareOut(share=None, low=None, high=None, count=None, people=None)
    p = min(1.0, max(0.0, found.mean))
    spread = found.variance
    n = min(found.n, p * (1 - p) / spread) if spread > 1e-15 else found.people
    low, high = wilson(p, n)
    return ShareOut(share=p, low=low, high=high, count=int(found.n), people=int(found.people))


def wilson(p: float, n: float) -> tuple[float, float]:
    """Wilson's 95 % interval of a share p of n.

    >>> low, high = wilson(0.5, 10)
    >>> round(low, 3), round(high, 3)
    (0.237, 0.763)
    """
    z2 = NORMAL * NORMAL
    middle = (p + z2 / (2 * n)) / (1 + z2 / n)
    half = NORMAL / (1 + z2 / n) * math.sqrt(p * (1 - p) / n + z2 / (4 * n * n))
    return max(0.0, middle - half), min(1.0, middle + half)


def difference(one: Sums, other: Sums) -> DifferenceOut | None:
    """How much higher the one mean is, with its 95 % interval; None where too few people speak."""
    if min(one.people, other.people) < LEAST_PEOPLE:
        return None
    found = one.mean - other.mean
    half = NORMAL * math.sqrt(one.variance + other.variance)
    return DifferenceOut(
        difference=found,
        low=found - half,
        high=found + half,
        people=int(one.people),
        others=int(other.people),
    )
