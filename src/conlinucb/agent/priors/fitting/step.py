"""One step of EM: from sums over people to the next belief."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from conlinucb.agent.priors.fitting import kernels
from conlinucb.agent.priors.fitting.rule import FLOOR, NOISE_PULL, SCALE_PULL, Rule
from conlinucb.agent.priors.fitting.sums import Belief, Sums
from conlinucb.numerics.validation import Floats


def first_belief(rule: Rule) -> Belief:
    """Where EM starts: the rule itself."""
    return Belief(rule.mean, np.diag(rule.target(rule.scales)), rule.noise, rule.scales)


def next_belief(
    belief: Belief, sums: Sums, rule: Rule, pull: float, *, noise: bool, scales: bool
) -> Belief:
    """The belief that explains the people better; noise and the target's scales may stay.

    The covariance is that of people's posteriors, pulled by ``pull`` pseudo-people to the target,
    and the target's scales are those of the people, pulled to the rule's. The mean is not EM's,
    which creeps where people say little, but the best one for this covariance and noise.
    """
    root = np.linalg.cholesky(belief.covariance)
    people = sums.people
    held = root.T * (rule.pulls / rule.target(belief.scales))
    right = sums.means - held @ (belief.mean - rule.mean)
    pulled = held @ root
    step = np.linalg.solve(people * np.eye(len(root)) + pulled, right)
    best = np.linalg.solve(people * np.eye(len(root)) - sums.covariance + pulled, right)
    among = root @ _around(sums, step) @ root.T / people
    found = _scales(np.diag(among), people, rule) if scales else belief.scales
    target = np.diag(rule.target(found))
    covariance = (people * among + pull * target) / (people + pull)
    variance = _noise(sums, rule) if noise else belief.noise
    mean = belief.mean + root @ best
    return Belief(mean, 0.5 * (covariance + covariance.T), variance, found)


def uncertainty(belief: Belief, sums: Sums, rule: Rule) -> Floats:
    """Covariance of the mean itself, of which a few people do not say much."""
    root = np.linalg.cholesky(belief.covariance)
    pulled = (root.T * (rule.pulls / rule.target(belief.scales))) @ root
    known = sums.people * np.eye(len(root)) - sums.covariance + pulled
    return np.asarray(root @ np.linalg.solve(known, root.T))


def objective(belief: Belief, sums: Sums, rule: Rule, pull: float) -> float:
    """The likelihood with the logs of what pulls: what steps are judged by."""
    target = rule.target(belief.scales)
    inverse = np.linalg.inv(belief.covariance)
    _, determinant = np.linalg.slogdet(belief.covariance)
    covariance = determinant - np.sum(np.log(target)) + float(np.diag(inverse) @ target)
    mean = float(np.sum(rule.pulls / target * (belief.mean - rule.mean) ** 2))
    noise = NOISE_PULL * (np.log(belief.noise) + rule.noise / belief.noise)
    return float(sums.likelihood - 0.5 * (pull * covariance + mean + noise))


def _around(sums: Sums, step: NDArray[Any]) -> Floats:
    """Covariances and squared distances from the mean after ``step``, summed."""
    crossed = np.outer(sums.means, step)
    squares = sums.squares - crossed - crossed.T + sums.people * np.outer(step, step)
    return np.asarray(sums.covariance + squares)


def _scales(variances: Floats, people: float, rule: Rule) -> Floats:
    comparable = variances * rule.spread**2
    found = rule.scales.copy()
    for group in np.unique(rule.group):
        seen = float(np.mean(comparable[rule.group == group]))
        found[group] = (people * seen + SCALE_PULL * rule.scales[group]) / (people + SCALE_PULL)
    return np.maximum(found, FLOOR * rule.scales)


def _noise(sums: Sums, rule: Rule) -> float:
    residual = float(sums.tally[kernels.RESIDUAL])
    found = (residual + NOISE_PULL * rule.noise) / (sums.events + NOISE_PULL)
    return max(found, FLOOR * rule.noise)
