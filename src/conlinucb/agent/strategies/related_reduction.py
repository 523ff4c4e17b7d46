"""Var-LCR: the term whose answer would narrow its own arms in the pool the most."""

from __future__ import annotations

import numpy as np

from conlinucb.agent.strategies.base import TermStrategy, View, strategy_kernel
from conlinucb.agent.strategies.related import best_mean
from conlinucb.numerics.linalg import dot, quadratic, times


@strategy_kernel(cache=True)
def related_reduction(view: View) -> int:
    """argmax of the weighted mean of sqrt(s_a) - sqrt(s_a after asking) over the term's arms.

    Adding x~x~' takes (z_a'cov x~)^2 / (1 + x~'cov x~) off s_a = z_a'cov z_a.
    """
    total = np.zeros(view.terms.shape[0])
    weight = np.zeros(view.terms.shape[0])
    variance = np.full(view.terms.shape[0], -1.0)
    u = np.empty(view.theta.shape[0])
    for i in range(view.pool.shape[0]):
        times(view.cov, view.reach[i], u)
        s = max(dot(view.reach[i], u), 0.0)
        for j in range(view.arm_start[view.pool[i]], view.arm_start[view.pool[i] + 1]):
            k = view.arm_terms[j]
            if variance[k] < 0.0:
                variance[k] = quadratic(view.cov, view.terms[k])
            left = s - dot(u, view.terms[k]) ** 2 / (1.0 + variance[k])
            total[k] += view.arm_weights[j] * (np.sqrt(s) - np.sqrt(max(left, 0.0)))
            weight[k] += view.arm_weights[j]
    return best_mean(total, weight, view.offered)


class RelatedReduction(TermStrategy):
    """k = argmax of the mean drop of sqrt(x_a'M^-1 M~^-1 M^-1 x_a) over its arms in the pool.

    0 if none of its arms is in the pool. On one matrix the arms' own radii take that place.
    """

    name = "related-reduction"
    needs_pool = True
    draws = "never"
    kernel = related_reduction
