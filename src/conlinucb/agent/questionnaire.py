"""Questions for everybody, chosen together before anyone has answered."""

from __future__ import annotations

import numpy as np

from conlinucb.agent.estimators import Estimator
from conlinucb.agent.priors import Answers
from conlinucb.agent.strategies.allowed import breadth
from conlinucb.agent.strategies.group import as_if_answered
from conlinucb.agent.strategies.informative import spread_of
from conlinucb.catalog.catalog import Catalog
from conlinucb.numerics.ties import first_best
from conlinucb.numerics.validation import Floats, Indices, number, whole


class Batch:
    """Chooses greedily: how much an answer takes off the variance does not depend on the answer.

    So each choice is entered into the covariance as if it had been answered, with its weight.
    """

    def __init__(self, catalog: Catalog, estimator: Estimator, answers: Answers) -> None:
        self.terms, self.spread = catalog._terms, spread_of(catalog)
        self.cov = estimator.term_belief(estimator.new_state(catalog.d), 1, 0).cov.copy()
        self.chances, self.weights = answers.chance, answers.weight * estimator.answer_weight

    def scores(self) -> Floats:
        """What ``informative`` would go by, of every key-term."""
        seen = self.terms @ self.cov
        drops = np.einsum("kd,kd->k", seen @ self.spread, seen) * self.weights
        variances = np.maximum(np.einsum("kd,kd->k", seen, self.terms), 0.0)
        drops = self.chances * np.maximum(drops, 0.0) / (1.0 + self.weights * variances)
        return np.asarray(np.sqrt(drops))

    def enter(self, k: int) -> None:
        """The covariance after an answer about term k."""
        as_if_answered(self.cov, self.terms[k], self.weights[k])


def chosen_together(
    batch: Batch, catalog: Catalog, offered: Indices, n: int, least: int, alike: float | None
) -> list[int]:
    """At most n of the offered key-terms, the most informative first."""
    whole("n", n, low=0)
    whole("least", least, low=0)
    if alike is not None:
        number("alike", alike, low=0.0, high=1.0)
    left = np.zeros(len(catalog.term_ids), dtype=bool)
    left[offered] = True
    left &= (breadth(catalog, least) > 0) & (batch.chances * batch.weights > 0)
    chosen: list[int] = []
    while len(chosen) < n and left.any():
        k = first_best(np.where(left, batch.scores(), -np.inf))
        chosen.append(int(k))
        batch.enter(k)
        left[k] = False
        if alike is not None:
            left &= _cosines(catalog, k) <= alike
    return chosen


def _cosines(catalog: Catalog, k: int) -> Floats:
    """How alike the live arms of each key-term are to those of term k, by weight, (K,)."""
    weights = catalog._weights.multiply(catalog._live[:, None]).tocsc()
    lengths = np.sqrt(np.asarray(weights.multiply(weights).sum(axis=0)).ravel())
    products = np.asarray((weights.T @ weights[:, [k]]).todense()).ravel()
    return np.asarray(products / np.maximum(lengths * lengths[k], 1e-300))
