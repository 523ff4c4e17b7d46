"""From scores to figures: means over people, and paired differences with intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from conlinucb.experiments.people.run import Scores
from conlinucb.numerics.validation import Floats

RESAMPLES = 2000
LEVEL = 95


@dataclass(frozen=True, kw_only=True)
class Figure:
    """A mean in percent, with the 95 % interval over people."""

    mean: float
    low: float
    high: float


def share(scores: Scores, rounds: int, implicit: bool) -> tuple[Floats, Floats]:
    """Each person's gain over nothing (hits) or over chance (ratings), and the most there was."""
    rewards = scores.rewards[:, :rounds].sum(axis=1)
    if implicit:
        return rewards, np.full(rewards.size, float(rounds))
    chance = scores.means[:, :rounds].sum(axis=1)
    return rewards - chance, scores.bests[:, :rounds].sum(axis=1) - chance


def figure(gains: Floats, most: Floats) -> Figure:
    """100 sum of gains / sum of most, people resampled.

    >>> figure(np.array([1.0, 1.0]), np.array([2.0, 2.0]))
    Figure(mean=50.0, low=50.0, high=50.0)
    """
    weights = _weights(gains.size)
    return _figure(100 * gains.sum() / most.sum(), 100 * (weights @ gains) / (weights @ most))


def difference(one: tuple[Floats, Floats], other: tuple[Floats, Floats]) -> Figure:
    """The first less the second, of the same people, resampled together."""
    weights = _weights(one[0].size)
    shares = [(weights @ gains) / (weights @ most) for gains, most in (one, other)]
    exact = [gains.sum() / most.sum() for gains, most in (one, other)]
    return _figure(100 * (exact[0] - exact[1]), 100 * (shares[0] - shares[1]))


def rate(one: tuple[Floats, Floats], other: tuple[Floats, Floats], counts: Floats) -> Figure:
    """The difference by how many ``counts`` there were of a person, both resampled together."""
    weights = _weights(counts.size)
    shares = [(weights @ gains) / (weights @ most) for gains, most in (one, other)]
    exact = [gains.sum() / most.sum() for gains, most in (one, other)]
    several = np.maximum(weights @ counts / counts.size, 1e-12)
    mean = 100 * (exact[0] - exact[1]) / max(counts.mean(), 1e-12)
    return _figure(mean, 100 * (shares[0] - shares[1]) / several)


def ranks(everybody: Sequence[tuple[Floats, Floats]]) -> list[tuple[int, int]]:
    """Between which places each lies in the middle 95 % of resamples; 1 has the most.

    >>> one, other = (np.array([1.0, 1.0]), np.ones(2)), (np.array([0.0, 1.0]), np.ones(2))
    >>> ranks([other, one])
    [(1, 2), (1, 1)]
    """
    weights = _weights(everybody[0][0].size)
    shares = np.stack([(weights @ gains) / (weights @ most) for gains, most in everybody])
    places = (shares[None] > shares[:, None] + 1e-12).sum(axis=1) + 1
    ends = [(100 - LEVEL) / 2, (100 + LEVEL) / 2]
    low, high = np.percentile(places, ends, axis=1, method="nearest")
    return [(int(first), int(last)) for first, last in zip(low, high, strict=True)]


def _weights(people: int) -> Floats:
    """How often each person is in each resample, the same for every contender."""
    random = np.random.default_rng(0)
    return random.multinomial(people, np.full(people, 1 / people), size=RESAMPLES).astype(float)


def _figure(mean: float, resampled: Floats) -> Figure:
    low, high = np.percentile(resampled, [(100 - LEVEL) / 2, (100 + LEVEL) / 2])
    return Figure(mean=float(mean), low=float(low), high=float(high))
