"""Var-MRC: the term whose arms in the pool are least certain."""

from __future__ import annotations

import numpy as np

from conlinucb.agent.strategies.base import TermStrategy, View, strategy_kernel
from conlinucb.agent.strategies.related import best_mean
from conlinucb.numerics.linalg import quadratic


@strategy_kernel(cache=True)
def related_confidence(view: View) -> int:
    """argmax of the weighted mean of s_a = z_a'cov z_a over the term's arms in the pool."""
    total = np.zeros(view.terms.shape[0])
    weight = np.zeros(view.terms.shape[0])
    for i in range(view.pool.shape[0]):
        s = quadratic(view.cov, view.reach[i])
        for j in range(view.arm_start[view.pool[i]], view.arm_start[view.pool[i] + 1]):
            total[view.arm_terms[j]] += view.arm_weights[j] * s
            weight[view.arm_terms[j]] += view.arm_weights[j]
    return best_mean(total, weight, view.offered)


class RelatedConfidence(TermStrategy):
    """k = argmax of the mean of x_a'M^-1 M~^-1 M^-1 x_a over its arms in the pool, 0 if none.

    On one matrix the arms' own variance x_a'P x_a takes that place.
    """

    name = "related-confidence"
    needs_pool = True
    draws = "never"
    kernel = related_confidence
