"""Six textbook estimators of a target's mean reward, each with how every decision bears on it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import optimize, special

from conlinucb.numerics.validation import Floats, Indices
from conlinucb.offline.acceptance import accepted
from conlinucb.offline.model import Predicted

LEVEL = 0.95


@dataclass(frozen=True, eq=False)
class Evidence:
    """What an estimator may look at: n decisions."""

    rewards: Floats
    weights: Floats
    """The target's probability of the logged action over the log's."""
    groups: Indices
    """People from 0, or decisions where nobody knows who."""
    clip: float
    """Weights above this are cut to it by ``clipped``."""
    range: tuple[float, float]
    """The least and the largest reward there is."""
    predicted: Predicted | None
    bound: float
    """The weight of decisions that ``replay`` accepts for certain."""
    seed: int


class Found(NamedTuple):
    """An estimate: its value and what an interval is made of."""

    value: float
    influence: Floats
    """(n,), of mean 0: by how much the estimate times n would move with one more such decision."""
    size: float
    """Effective number of decisions."""
    bias: tuple[float, float] = (0.0, 0.0)
    """The truth may lie by so much off what the estimate tends to, at least and at most."""


def kish(weights: Floats) -> float:
    """(sum w)^2 / sum w^2: how many decisions of equal weight would tell as much."""
    squares = float(weights @ weights)
    return float(weights.sum()) ** 2 / squares if squares > 0.0 else 0.0


def replay(given: Evidence) -> Found:
    """The mean reward of decisions accepted with a chance in proportion to their weight, w / bound.

    Under uniform logging and a target without chance these are the decisions both agree on.
    """
    taken = accepted(given.weights, given.bound, given.seed)
    return _weighted_mean(taken, given.rewards)


def ips(given: Evidence) -> Found:
    """Inverse propensity: the mean of w r."""
    return _mean(given.weights * given.rewards, kish(given.weights))


def snips(given: Evidence) -> Found:
    """Self-normalised: sum w r / sum w."""
    return _weighted_mean(given.weights, given.rewards)


def clipped(given: Evidence) -> Found:
    """The mean of min(w, c) r. What is cut off is E[(w - c)+ r]: mean (w - c)+ times a reward."""
    weights = np.minimum(given.weights, given.clip)
    cut = float((given.weights - weights).mean())
    low, high = given.range
    found = _mean(weights * given.rewards, kish(weights))
    return found._replace(bias=(cut * low, cut * high))


def dm(given: Evidence) -> Found:
    """Direct method: the mean of what a model predicts for the target's choice."""
    model = _model(given)
    residuals = given.rewards - model.logged
    found = _mean(model.target, model.size)
    return found._replace(influence=found.influence + model.leverage * residuals)


def dr(given: Evidence) -> Found:
    """Doubly robust: the model's prediction, mended by w times what it misses of each reward."""
    model = _model(given)
    scores = model.target + given.weights * (given.rewards - model.logged)
    return _mean(scores, kish(given.weights))


BY_NAME: dict[str, Callable[[Evidence], Found]] = {
    each.__name__: each for each in (replay, ips, snips, clipped, dm, dr)
}
MODELLED = ("dm", "dr")
"""Those that need a model of rewards, and so the target's probability of every arm."""


def deviation(influence: Floats, groups: Indices) -> float:
    """Standard deviation of an estimate whose groups are independent of each other."""
    sums = np.bincount(groups, weights=influence)
    many = sums.size
    return float(np.sqrt(many / (many - 1) * (sums @ sums))) / influence.size


def interval(found: Found, groups: Indices) -> tuple[float, float]:
    """By Student's t over groups, and wider by what the bias may be."""
    spread = deviation(found.influence, groups)
    half = spread * _quantile(int(groups.max()), found.bias[1] - found.bias[0], spread)
    return found.value + found.bias[0] - half, found.value + found.bias[1] + half


def _quantile(freedom: int, room: float, spread: float) -> float:
    """How many deviations to add, so that the truth is held wherever the bias has put it.

    The truth cannot be near both ends of the room for bias, so the wider that is, the more of what
    may be missed can lie beyond one end (Imbens and Manski): from 1.96 down to 1.64.
    """
    two, one = (float(special.stdtrit(freedom, share)) for share in (0.5 + LEVEL / 2, LEVEL))
    if not room > 0.0 or not spread > 0.0:
        return two
    shift = room / spread

    def missing(c: float) -> float:
        return float(special.stdtr(freedom, c + shift) - special.stdtr(freedom, -c)) - LEVEL

    return float(optimize.brentq(missing, one, two)) if missing(one) < 0.0 else one


def _mean(scores: Floats, size: float) -> Found:
    value = float(scores.mean())
    return Found(value, scores - value, size)


def _weighted_mean(weights: Floats, rewards: Floats) -> Found:
    total = max(float(weights.sum()), 1e-300)
    value = float(weights @ rewards) / total
    return Found(value, weights * (rewards - value) * (rewards.size / total), kish(weights))


def _model(given: Evidence) -> Predicted:
    assert given.predicted is not None
    return given.predicted
