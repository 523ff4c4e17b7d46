"""Which arms of a large pool can be among the best: a rough look in single precision.

What the rough look may be off by is bounded, so no arm that could win is left out, and the
decision over the short list equals the one over the whole pool.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from conlinucb.ties import threshold
from conlinucb.validation import Floats, Indices, Singles

LARGE = 2_000
"""Pools of fewer arms are scored exactly at once."""
BLOCK = 4_096
"""Arms looked at together: what they need fits the processor's cache."""

PILOTS = 512
"""Arms of the highest means whose scores say what the others have to reach."""


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


def shortlist(
    short_arms: Singles,
    longest: float,
    pool: Indices,
    theta: Floats,
    factors: Sequence[Factor],
    k: int,
) -> Shortlist | None:
    """The arms worth an exact look; None where no rough look is possible.

    ``short_arms`` (N, w >= d) are the arms divided by ``longest``, the longest one's length.
    """
    means, _, mean_error, _ = _rough(short_arms, longest, pool, theta, ())
    if not (np.isfinite(mean_error) and np.isfinite(means).all()):
        return None
    able = _able(short_arms, longest, pool, theta, factors, k, means, mean_error)
    scores, _, error, _ = _rough(short_arms, longest, pool[able], theta, factors)
    if not (np.isfinite(error) and np.isfinite(scores).all()):
        return None
    by_score = able[_near_the_best(scores, k, error)]
    return Shortlist(by_score, _near_the_best(means, k, mean_error))


def _able(
    short_arms: Singles,
    longest: float,
    pool: Indices,
    theta: Floats,
    factors: Sequence[Factor],
    k: int,
    means: Floats,
    mean_error: float,
) -> Indices:
    """Positions of the arms whose mean is high enough for the widest radius to lift them.

    A radius is at most ||F|| times the longest arm. The k-th best score of those with the
    highest means is one that k arms reach, so what cannot reach it is not among the k best.
    """
    reach = longest * sum(each.width * _norm(each) for each in factors)
    first = min(max(PILOTS, 2 * k), means.size)
    pilots = np.argpartition(means, means.size - first)[means.size - first :]
    scores, _, error, _ = _rough(short_arms, longest, pool[pilots], theta, factors)
    kth = float(np.partition(scores, scores.size - k)[scores.size - k])
    enough = threshold(kth - error) - error
    # Not "less than enough": whatever is not a number stays.
    return np.flatnonzero(~(means + (mean_error + reach) < enough))


def _norm(factor: Factor) -> float:
    """||F|| and a little, for rounding."""
    if not np.isfinite(factor.matrix).all():
        return np.inf
    return float(np.linalg.norm(factor.matrix, 2)) * (1 + 1e-6) + 1e-6 * factor.size


def _near_the_best(rough: Floats, k: int, error: float) -> Indices:
    kth = np.partition(rough, rough.size - k)[rough.size - k]
    return np.flatnonzero(rough >= threshold(float(kth) - error) - error)


def _rough(
    short_arms: Singles, longest: float, pool: Indices, theta: Floats, factors: Sequence[Factor]
) -> tuple[Floats, Floats, float, float]:
    """Scores and means of the pool, and how much each are off at most.

    A product of d numbers in single precision is off by (d + 3) 2^-24 of the two lengths, in any
    order of summing; so is each entry of F x, and the length of the errors bounds the error of
    the length. Twice that is safe, as in ``rough_means``. Lengths are taken out before, so that
    numbers of any size fit.
    """
    d = theta.size
    parts = [theta[None, :], *(each.matrix for each in factors)]
    lengths = [float(np.linalg.norm(each)) or 1.0 for each in parts]
    stacked = np.zeros((sum(len(each) for each in parts), short_arms.shape[1]), np.float32)
    stacked[:, :d] = np.vstack([each / size for each, size in zip(parts, lengths, strict=True)])
    everything = pool.size > len(short_arms) // 2
    rows = len(short_arms) if everything else pool.size
    scores, means = np.empty(rows), np.empty(rows)
    for start in range(0, rows, BLOCK):
        block = slice(start, start + BLOCK)
        seen = (short_arms[block] if everything else short_arms[pool[block]]) @ stacked.T
        means[block] = lengths[0] * longest * seen[:, 0].astype(np.float64)
        scores[block] = means[block] + _widths(seen, factors, lengths[1:]) * longest
    rounding = 2.0 * (d + 4) * 2.0**-24 * longest
    error = rounding * (lengths[0] + sum(each.width * each.size for each in factors))
    if everything:
        scores, means = scores[pool], means[pool]
    return scores, means, error, rounding * lengths[0]


def _widths(seen: Singles, factors: Sequence[Factor], lengths: Sequence[float]) -> Floats:
    """The sum of width ||F x||, from x'theta and the entries of each F x over F's length."""
    total = np.zeros(len(seen))
    start = 1
    for (width, matrix, _), length in zip(factors, lengths, strict=True):
        part = seen[:, start : start + len(matrix)]
        radii = np.sqrt(np.einsum("nd,nd->n", part, part)).astype(np.float64)
        total += width * length * radii
        start += len(matrix)
    return total
