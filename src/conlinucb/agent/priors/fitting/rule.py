"""What is believed before anybody said anything, and what a fit is pulled towards."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from conlinucb.agent.priors.gaussian import SHARE, TASTE
from conlinucb.catalog.catalog import Catalog
from conlinucb.numerics.validation import Floats, Indices

MEAN_PULLS = np.array([30.0, 1.0, 0.25])
"""Pseudo-people that hold the mean at its beginning: ordinary directions, constant, popularity.
Tastes differ far more than what everybody likes does; held less, a mean that is learned from what
was recommended takes the recommender's choices for everybody's taste."""
SCALE_PULL = 2.0
"""Pseudo-people that hold the target's scales at the rule's."""
NOISE_PULL = 10.0
"""Pseudo-events that hold the noise at the rule's."""
FLOOR = 1e-3
"""Noise and scales are at least this share of the rule's."""
LEAST_SPREAD = 0.1
"""A column's spread counts as at least this share of the median one's."""


class Rule(NamedTuple):
    """The stated beginning: N(mean, diag(variances)), noise, and how directions belong together."""

    mean: Floats
    spread: Floats
    """(d,): variances of a group times spread^2 are comparable."""
    group: Indices
    """(d,): 0 ordinary, 1 the constant, 2 popularity."""
    scales: Floats
    """(3,): variance between people of a comparable direction, by group."""
    pulls: Floats
    """(d,): pseudo-people that hold each entry of the mean."""
    noise: float

    def target(self, scales: Floats) -> Floats:
        """(d,): the diagonal covariance that a fit is pulled to."""
        return np.asarray(scales[self.group] / self.spread**2)

    @property
    def variances(self) -> Floats:
        """(d,): between people, and of not knowing the mean."""
        return self.target(self.scales) * (1.0 + 1.0 / self.pulls)


def rule_of(
    catalog: Catalog, low: float, width: float, base: float, noise: float | None = None
) -> Rule:
    """The beginning for rewards from ``low`` to ``low + width``, ``base`` of the way up on average.

    The constant is at that level, everything else at 0. Unless told, rewards vary as a yes or no
    would, half of it for reasons that the features tell: between people, and for not knowing the
    mean.
    """
    constant, column = special_columns(catalog)
    arms = catalog.arms[catalog.live_arms]
    squares = np.mean(arms**2, axis=0)
    group = np.zeros(catalog.d, dtype=np.int64)
    mean = np.zeros(catalog.d)
    if constant is not None:
        group[constant] = 1
        mean[constant] = (low + base * width) / arms[0, constant]
    if column is not None:
        group[column] = 2
    lengths = np.sqrt(np.where(squares > 1e-12, squares, 1.0))
    spread = np.where(group == 0, _spreads(arms, squares), lengths)
    pulls = MEAN_PULLS[group]
    total = base * (1.0 - base) * width**2
    shares = _shares(group) * (TASTE * total if noise is None else noise)
    # What a group's directions, all of scale 1, make of a random item's variance.
    made = np.array([np.sum((squares / spread**2)[group == g]) for g in range(3)])
    found = shares / np.where(made > 0.0, made, 1.0) * MEAN_PULLS / (1.0 + MEAN_PULLS)
    scales = np.where(shares > 0.0, found, 1.0)
    left = (1.0 - TASTE) * total if noise is None else noise
    return Rule(mean, spread, group, scales, pulls, left)


def special_columns(catalog: Catalog) -> tuple[int | None, int | None]:
    """The columns that are the constant and popularity, where there are any.

    A feature that is the same for all arms is a constant, whether it is marked as one or not.
    """
    popularity = None if catalog.popularity is None else catalog.popularity.column
    if catalog.constant is not None:
        return catalog.constant, popularity
    arms = catalog.arms[catalog.live_arms]
    same = (np.ptp(arms, axis=0) <= 1e-12) & (np.abs(arms[0]) > 1e-6)
    return (int(np.argmax(same)) if same.any() and len(arms) > 1 else None), popularity


def _spreads(arms: Floats, squares: Floats) -> Floats:
    """Root mean square of each column over the arms that have it at all.

    Over these only: a rare topic would else seem short, and be believed to matter the more. One
    that no arm has, as when all of its items were removed, is like the others.
    """
    having = np.mean(arms != 0.0, axis=0)
    if not having.any():
        return np.ones(having.size)
    spread = np.sqrt(squares / np.where(having > 0.0, having, 1.0))
    middle = float(np.median(spread[having > 0.0]))
    return np.where(having > 0.0, np.maximum(spread, max(LEAST_SPREAD * middle, 1e-6)), middle)


def _shares(group: Indices) -> Floats:
    """Shares of the variance by group; absent groups leave theirs to the others."""
    shares = np.array([1.0 - 2.0 * SHARE, SHARE, SHARE])
    shares *= np.isin(np.arange(3), group)
    if shares[0]:
        shares[0] += 1.0 - shares.sum()
    return np.asarray(shares / shares.sum())
