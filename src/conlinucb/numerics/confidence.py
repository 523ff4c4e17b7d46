"""Intervals for a mean that stay valid however often one looks.

The values are bounded and come one after the other, each with the same mean given those before it.
For every m that the mean might be, someone bets on the next value being above m, and someone else
on its being below; were m the mean, neither game would be worth anything, and the chance that one
of them ever multiplies its stake by 2 / alpha is at most alpha (Ville). What is left once all m are
dropped against which one of the two has won that much is an interval for the mean at all times at
once: the hedged capital process, with predictable plug-in bets, of Waudby-Smith and Ramdas
(Estimating means of bounded random variables by betting, 2023).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from conlinucb.errors import InvalidInput
from conlinucb.numerics.validation import Floats, finite_entries, number

CELLS = 1_000
"""Values that the mean might have, evenly spread, from end to end."""
MOST_STAKED = 0.75
"""Share of the capital that a bet may lose."""
AT_ONCE = 4_000_000
"""Numbers worked on together."""


class Sequence(NamedTuple):
    """After each of n values, an interval; each lies within the one before."""

    lows: Floats
    """(n,)"""
    highs: Floats
    """(n,)"""
    means: Floats
    """(n,) of the values so far."""


def confidence_sequence(
    values: ArrayLike, low: float = 0.0, high: float = 1.0, *, alpha: float = 0.05
) -> Sequence:
    """Intervals that all hold the mean at once with a chance of at least 1 - alpha.

    The values are from ``low`` to ``high``. Ends are rounded outwards, to a thousandth of that.

    >>> found = confidence_sequence([0.0, 1.0] * 500)
    >>> print(f"{found.lows[-1]:.2f} to {found.highs[-1]:.2f}")
    0.42 to 0.57
    """
    given = _checked(values, low, high, number("alpha", alpha, low=1e-9, high=0.5))
    if not given.size:
        return Sequence(np.empty(0), np.empty(0), np.empty(0))
    units = (given - low) / (high - low)
    bets = _bets(units, alpha)
    lower = _lowest(units, bets, alpha)
    upper = 1.0 - _lowest(1.0 - units, bets, alpha)
    means = np.cumsum(given) / np.arange(1, given.size + 1)
    return Sequence(low + lower * (high - low), low + upper * (high - low), means)


def _checked(values: ArrayLike, low: float, high: float, alpha: float) -> Floats:
    if not low < high:
        raise InvalidInput(f"low must be below high, got {low} and {high}.")
    given = np.asarray(values, dtype=np.float64).ravel()
    finite_entries("values", given)
    outside = (given < low) | (given > high)
    if outside.any():
        raise InvalidInput(
            f"values must be from {low:g} to {high:g}, got {given[np.argmax(outside)]:g}."
        )
    return given


def _bets(units: Floats, alpha: float) -> Floats:
    """(n,) what to stake on each value, by the variance of those before it."""
    t = np.arange(1, units.size + 1)
    means = (0.5 + np.cumsum(units)) / (t + 1)
    variances = (0.25 + np.cumsum((units - means) ** 2)) / (t + 1)
    before = np.concatenate([[0.25], variances[:-1]])
    return np.sqrt(2.0 * math.log(2.0 / alpha) / (before * t * np.log(t + 1)))


def _lowest(units: Floats, bets: Floats, alpha: float) -> Floats:
    """(n,) the largest m that was given up by then, since what was above it won too much.

    The larger m is, the less is won: so all below it are given up, too.
    """
    enough = math.log(2.0 / alpha)
    found = np.zeros(units.size)
    for cells in _blocks(units.size):
        staked = np.minimum(bets[:, None], MOST_STAKED / np.maximum(cells, 1e-12)[None, :])
        capital = np.cumsum(np.log1p(staked * (units[:, None] - cells[None, :])), axis=0)
        won = np.maximum.accumulate(capital, axis=0) >= enough
        found = np.maximum(found, np.where(won, cells[None, :], 0.0).max(axis=1))
    return found


def _blocks(n: int) -> list[Floats]:
    cells = np.linspace(0.0, 1.0, CELLS + 1)
    many = max(1, min(CELLS, AT_ONCE // n))
    return np.array_split(cells, math.ceil(cells.size / many))
