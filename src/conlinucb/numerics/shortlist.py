"""Which arms of a large pool can be among the best, found without scoring all of them exactly.

First by means and the widest radius, where that leaves many by a bound of each arm's radius, and
what is left by a rough look at the scores. What each step may be off by is bounded, so no arm that
could win is left out, and the decision over the short list equals the one over the whole pool.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from conlinucb.numerics.ties import threshold
from conlinucb.numerics.validation import Floats, Indices, Singles

LARGE = 2_000
"""Pools of fewer arms are scored exactly at once."""
BLOCK = 4_096
"""Arms looked at together: what they need fits the processor's cache."""
PILOTS = 512
"""Arms of the highest bounds whose scores say what the others have to reach."""
DIRECTIONS = 12
"""Directions that most is known of, along which an arm's radius is bounded."""


Exact = Callable[[Indices], Floats]
"""The scores of these arms, as they are compared in the end."""


class Factor(NamedTuple):
    """One of the exploration terms: score = x'theta + the sum of width ||F x||."""

    width: float
    matrix: Floats
    """F, (m, d)."""
    size: float
    """At least ||F||: what rounding is relative to, in the exact computation too."""


class Shortlist(NamedTuple):
    """Positions in a pool, ascending."""

    by_score: Indices
    """All arms that may be among the k best."""
    by_mean: Indices
    """All arms whose mean may be among the k best means."""


class Arms(NamedTuple):
    """The arms of a catalogue, and those of them that are looked at."""

    full: Floats
    """(N, d): all arms."""
    short: Singles
    """(N, w >= d): over the longest one's length, in single precision, with zeros behind."""
    lengths: Floats
    """(N,)."""
    pool: Indices
    exactly: bool = False
    """Whether they are looked at in double precision."""

    @property
    def longest(self) -> float:
        """The longest arm's length."""
        return float(self.lengths.max())

    @property
    def rounding(self) -> float:
        """A product with a vector is off by at most this, relative to both lengths.

        That is (d + 3) times half of the spacing at 1, in any order of summing; twice that is
        safe, as in ``rough_means``.
        """
        kind = self.full.dtype if self.exactly else self.short.dtype
        return float((self.full.shape[1] + 4) * np.finfo(kind).eps)

    def at(self, positions: Indices) -> Arms:
        """These of the pool only."""
        return self._replace(pool=self.pool[positions])

    def over(self, matrix: Floats, take: Callable[[NDArray[Any]], Floats]) -> Floats:
        """take(X matrix') of the pool's rows X over the longest one's length, block by block."""
        rows = self.full if self.exactly else self.short
        stacked = np.zeros((len(matrix), rows.shape[1]), rows.dtype)
        stacked[:, : matrix.shape[1]] = matrix / self.longest if self.exactly else matrix
        everything = self.pool.size > len(rows) // 2  # then copying rows takes longer
        found = np.empty(len(rows) if everything else self.pool.size)
        for start in range(0, found.size, BLOCK):
            block = slice(start, start + BLOCK)
            found[block] = take((rows[block] if everything else rows[self.pool[block]]) @ stacked.T)
        return found[self.pool] if everything else found


def shortlist(
    arms: Arms, theta: Floats, factors: Sequence[Factor], k: int, exact: Exact
) -> Shortlist | None:
    """The arms worth an exact look; None where no rough look is possible."""
    means, mean_error = _scores(arms, theta, ())
    if not (np.isfinite(mean_error) and np.isfinite(means).all()):
        return None
    able = _able(arms, factors, k, means + mean_error, exact)
    if able.size < k:  # the bounds did not hold: there are more ways to be odd than one thinks
        return None
    scores, error = _scores(arms.at(able), theta, factors)
    if not (np.isfinite(error) and np.isfinite(scores).all()):
        return None
    by_score = able[_near_the_best(scores, k, error)]
    return Shortlist(by_score, _near_the_best(means, k, mean_error))


def _able(arms: Arms, factors: Sequence[Factor], k: int, means: Floats, exact: Exact) -> Indices:
    """Positions of the arms that the widest radius they may have lifts high enough.

    Any radius is at most ||F|| times the longest arm. Where that leaves many, each arm is given
    a bound of its own; exactly, since they are many where their scores are nearly the same.
    """
    widest = arms.longest * sum(each.width * _norm(each) for each in factors)
    able = _reaching(arms, k, means + widest, exact)
    if able.size <= LARGE or not 0 < widest < np.inf:
        return able
    left = arms.at(able)._replace(exactly=True)
    reach = sum(_reach(left, each) for each in factors)
    return able[_reaching(left, k, means[able] + reach, exact)]


def _reaching(arms: Arms, k: int, bounds: Floats, exact: Exact) -> Indices:
    """Positions of those whose bound is no less than the k-th best score of some.

    So many arms reach that, so what cannot is not among the k best.
    """
    first = min(max(PILOTS, 2 * k), bounds.size)
    pilots = np.argpartition(bounds, bounds.size - first)[bounds.size - first :]
    scores = exact(arms.pool[pilots])
    kth = float(np.partition(scores, scores.size - k)[scores.size - k])
    # Not "less than": whatever is not a number stays.
    return np.flatnonzero(~(bounds < threshold(kth)))


def _reach(arms: Arms, factor: Factor) -> Floats:
    """At most width ||F x|| for each arm.

    With F's singular values s_i, the largest being s, and its right vectors v_i,
    ||F x||^2 = s^2 ||x||^2 - sum (s^2 - s_i^2) (v_i'x)^2, and a sum over some of the v_i is a
    bound. Someone of whom little is known has few s_i other than s, and then it is tight.
    """
    _, values, vectors = np.linalg.svd(factor.matrix)
    largest = float(values[0]) or 1.0
    shares = np.zeros(len(vectors))  # F may have fewer rows than columns
    shares[: values.size] = (values / largest) ** 2
    known = np.flatnonzero(shares < 1 - 1e-6)[-DIRECTIONS:]
    weighted = np.sqrt(1 - shares[known])[:, None] * vectors[known]
    less = arms.over(weighted, lambda seen: np.einsum("nd,nd->n", seen, seen))
    left = np.maximum((arms.lengths[arms.pool] / arms.longest) ** 2 - less, 0.0)
    left += 6 * (known.size + 1) * arms.rounding  # of squares of entries of at most 1
    return np.asarray(factor.width * arms.longest * np.sqrt(values[0] ** 2 * left + _off(factor)))


def _norm(factor: Factor) -> float:
    """||F||, with what the exact computation may be off by."""
    if not np.isfinite(factor.matrix).all():
        return np.inf
    return float(np.sqrt(np.linalg.norm(factor.matrix, 2) ** 2 + _off(factor)))


def _off(factor: Factor) -> float:
    """What the exact ||F x||^2 of an arm of length 1 may be off by.

    That is little beside ||F||^2, but where the radius itself is next to nothing it is all.
    """
    return float(64 * (factor.matrix.shape[1] + 4) * np.finfo(np.float64).eps * factor.size**2)


def _near_the_best(rough: Floats, k: int, error: float) -> Indices:
    kth = np.partition(rough, rough.size - k)[rough.size - k]
    return np.flatnonzero(rough >= threshold(float(kth) - error) - error)


def _scores(arms: Arms, theta: Floats, factors: Sequence[Factor]) -> tuple[Floats, float]:
    """Scores of the pool (without factors: means), and how much they are off at most.

    Each entry of F x is off by the arms' rounding, and the length of the errors bounds the error
    of the length. Lengths are taken out before, so that numbers of any size fit.
    """
    if not factors and not theta.any():  # nothing is liked yet
        return np.zeros(arms.pool.size), 0.0
    parts = [theta[None, :], *(each.matrix for each in factors)]
    sizes = [float(np.linalg.norm(each)) or 1.0 for each in parts]
    stacked = np.vstack([each / size for each, size in zip(parts, sizes, strict=True)])
    longest = arms.longest

    def scores(seen: NDArray[Any]) -> Floats:
        means = sizes[0] * longest * seen[:, 0].astype(np.float64)
        return np.asarray(means + _widths(seen, factors, sizes[1:]) * longest)

    error = sizes[0] + sum(each.width * each.size for each in factors)
    return arms.over(stacked, scores), arms.rounding * longest * error


def _widths(seen: NDArray[Any], factors: Sequence[Factor], lengths: Sequence[float]) -> Floats:
    """The sum of width ||F x||, from x'theta and the entries of each F x over F's length."""
    total = np.zeros(len(seen))
    start = 1
    for (width, matrix, _), length in zip(factors, lengths, strict=True):
        part = seen[:, start : start + len(matrix)]
        radii = np.sqrt(np.einsum("nd,nd->n", part, part)).astype(np.float64)
        total += width * length * radii
        start += len(matrix)
    return total
