"""Ask what is likely to lead to a better recommendation, in units of reward."""

from __future__ import annotations

import math

import numpy as np
from numba import types

from conlinucb.agent.strategies.allowed import allowed_terms, breadth
from conlinucb.agent.strategies.base import VIEW, TermStrategy, View, strategy_kernel
from conlinucb.agent.strategies.envelope import expected_gain
from conlinucb.catalog.catalog import Catalog
from conlinucb.numerics.compile import FLOAT, INDEX, INT, MATRIX, VECTOR, VOID, kernel
from conlinucb.numerics.linalg import quadratic, row_products, times
from conlinucb.numerics.ties import first_best, largest, threshold
from conlinucb.numerics.validation import Floats, Indices, whole

BEST = types.Tuple((INT, FLOAT))
MOST = 50


@kernel(INDEX(VECTOR, INT))
def promising(means: Floats, most: int) -> Indices:
    """Positions of the largest means, at most so many, the largest first."""
    if means.shape[0] > 4 * most:  # of many arms most are not worth sorting
        cut = np.partition(means, means.shape[0] - most)[means.shape[0] - most]
        some = np.flatnonzero(means >= cut)
        return some[np.argsort(-means[some], kind="mergesort")][:most]
    return np.argsort(-means, kind="mergesort")[:most]


@kernel(MATRIX(VIEW, INDEX))
def contrasts(view: View, arms: Indices) -> Floats:
    """sqrt(noise) cov (z_a - z_best) of these arms, the best of which comes first."""
    found, apart = np.empty((arms.shape[0], view.cov.shape[0])), np.empty(view.cov.shape[0])
    for i in range(arms.shape[0]):
        for j in range(apart.shape[0]):
            apart[j] = math.sqrt(view.noise) * (view.reach[arms[i], j] - view.reach[arms[0], j])
        times(view.cov, apart, found[i])
    return found


@kernel(VOID(VIEW, INT, MATRIX, VECTOR))
def slopes_into(view: View, k: int, seen: Floats, slopes: Floats) -> None:
    """How far a standard deviation of the answer about term k moves each arm against the best."""
    weight, x = view.weights[k], view.terms[k]
    row_products(seen, x, slopes)
    scale = math.sqrt(weight / (1.0 + weight * quadratic(view.cov, x)))
    for i in range(slopes.shape[0]):
        slopes[i] *= scale


@kernel(BEST(VIEW))
def best_question(view: View) -> tuple[int, float]:
    """The most valuable of the offered terms, and what asking about it gains.

    Were all arms level with the best, an answer would gain the range of slopes / sqrt(2 pi): what
    cannot reach the best gain by that is not looked at closer.
    """
    allowed = allowed_terms(view)
    most = int(view.constants[view.terms.shape[0]])
    arms = promising(view.means, most)
    seen = contrasts(view, arms)
    heights = view.means[arms] - view.means[arms[0]]
    n = allowed.shape[0]
    scores, slopes = np.empty(n), np.empty((n, arms.shape[0]))
    for i in range(n):
        k = view.offered[allowed[i]]
        slopes_into(view, k, seen, slopes[i])
        span = slopes[i].max() - slopes[i].min()
        scores[i] = view.chances[k] * span / math.sqrt(2.0 * math.pi)
    best, first = 0.0, largest(scores)
    for step in range(n + 1):
        i = first if step == 0 else step - 1
        if (step == 0 or i != first) and scores[i] >= threshold(best):
            gain = expected_gain(heights, slopes[i])
            scores[i] = view.chances[view.offered[allowed[i]]] * gain
            best = max(best, scores[i])
        elif i != first:
            scores[i] = -np.inf
    chosen = first_best(scores)
    return view.offered[allowed[chosen]], scores[chosen]


@strategy_kernel(cache=True)
def valuable(view: View) -> int:
    """The term of ``best_question``."""
    return best_question(view)[0]


class Valuable(TermStrategy):
    """k = argmax chance_k (E[max_a mean_a after the answer] - max_a mean_a).

    Over the ``most`` best arms of the pool (without a pool: of the catalogue) by their means, each
    of which the answer moves by sqrt(noise) x_a'P x~_k / sqrt(1 / weight_k + x~_k'P x~_k) times a
    standard normal; the expectation is exact. It is what the next recommendation gains on average,
    so it can be compared with what a question costs: see ``WhenWorth``. Nothing is asked twice
    while others are left, nor what fewer than ``least`` arms have.
    """

    name = "valuable"
    needs_pool = True
    kernel = valuable

    def __init__(self, *, most: int = MOST, least: int = 2) -> None:
        self.most = whole("most", most, low=1)
        self.least = whole("least", least, low=0)

    def prepare(self, catalog: Catalog) -> Floats:
        """Which terms are broad, then how many arms are looked at."""
        return np.append(breadth(catalog, self.least), float(self.most))
