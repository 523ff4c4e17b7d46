"""Ask what is likely to lead to a better recommendation, in units of reward."""

from __future__ import annotations

import math

import numpy as np
from numba import types

from conlinucb.agent.strategies.allowed import allowed_terms, breadth
from conlinucb.agent.strategies.base import VIEW, TermStrategy, View, strategy_kernel
from conlinucb.agent.strategies.envelope import expected_gain
from conlinucb.agent.strategies.gain_bounds import (
    RIVALS,
    SLACK,
    Rivals,
    by_chords,
    cross_products,
    rivals_of,
    still_in,
)
from conlinucb.catalog.catalog import Catalog
from conlinucb.numerics.compile import FLOAT, INDEX, INT, MATRIX, VECTOR, kernel
from conlinucb.numerics.linalg import quadratic
from conlinucb.numerics.ties import first_best, largest, threshold
from conlinucb.numerics.validation import Floats, Indices, whole

BEST = types.Tuple((INT, FLOAT))
MOST = 50
BLOCK = 128
"""Terms looked at together."""


@kernel(INDEX(VECTOR, INT))
def promising(means: Floats, most: int) -> Indices:
    """Positions of the largest means, at most so many, the largest first."""
    if means.shape[0] > 4 * most:  # of many arms most are not worth sorting
        cut = np.partition(means, means.shape[0] - most)[means.shape[0] - most]
        some = np.flatnonzero(means >= cut)
        return some[np.argsort(-means[some], kind="mergesort")][:most]
    return np.argsort(-means, kind="mergesort")[:most]


@kernel(FLOAT(VIEW, INT, VECTOR, VECTOR), inner=True)
def gain_of(view: View, k: int, heights: Floats, steep: Floats) -> float:
    """What asking about term k gains; ``steep`` are its slopes were its radius 0."""
    m, square = steep.shape[0], quadratic(view.cov, view.terms[k])
    view.bounds[k] = math.sqrt(square)
    scale = 1.0 / math.sqrt(1.0 + view.weights[k] * square)
    lines, slopes = np.zeros(m + 1), np.zeros(m + 1)  # the last is the best arm's
    for a in range(m):
        lines[a], slopes[a] = heights[a], scale * steep[a]
    return view.chances[k] * expected_gain(lines, slopes)


@kernel(FLOAT(VIEW, INDEX, VECTOR, MATRIX, VECTOR, FLOAT), inner=True)
def look_at(
    view: View, terms: Indices, heights: Floats, steep: Floats, scores: Floats, best: float
) -> float:
    """The gains of these terms into ``scores``, -inf where below ``best``; the best by now."""
    n, tops = terms.shape[0], np.empty(16)
    for i in range(n):
        bound = by_chords(heights, steep[i], tops) * (1.0 + SLACK)
        scores[i] = view.chances[terms[i]] * bound
    first = largest(scores)
    for step in range(n + 1):
        i = first if step == 0 else step - 1
        if (step == 0 or i != first) and scores[i] >= threshold(best):
            scores[i] = gain_of(view, terms[i], heights, steep[i])
            best = max(best, scores[i])
        elif i != first:
            scores[i] = -np.inf
    return best


@kernel(FLOAT(VIEW, INDEX, RIVALS, VECTOR, FLOAT, FLOAT), inner=True)
def look_at_block(
    view: View, allowed: Indices, rivals: Rivals, scores: Floats, cost: float, best: float
) -> float:
    """The same of these positions in ``view.offered``, with the arms that matter to them."""
    n, m = allowed.shape[0], rivals.heights.shape[0]
    steep, which = np.empty((n, m)), np.empty(m, dtype=np.int64)
    terms = view.offered[allowed]
    cross_products(rivals.effects, view.terms, view.offered, allowed, steep)
    for i in range(n):
        scale = math.sqrt(view.weights[terms[i]])
        for a in range(m):
            steep[i, a] *= scale
    count = still_in(rivals.heights, steep, cost, threshold(best), which)
    if 4 * count > 3 * m:
        return look_at(view, terms, rivals.heights, steep, scores, best)
    if count == 0 and threshold(best) > 0.0:
        return best
    heights, fewer = np.empty(count), np.empty((n, count))
    for a in range(count):
        heights[a] = rivals.heights[which[a]]
    for i in range(n):
        for a in range(count):
            fewer[i, a] = steep[i, which[a]]
    return look_at(view, terms, heights, fewer, scores, best)


@kernel(BEST(VIEW, FLOAT, INT))
def best_above(view: View, cost: float, any_will_do: int) -> tuple[int, float]:
    """The most valuable of the offered terms, and what asking about it gains.

    Where no question is worth more than ``cost`` this may be found out without looking at them,
    and the gain is 0. With ``any_will_do`` the first that is found to be worth more is enough.
    """
    terms, best = view.terms.shape[0], cost
    arms = promising(view.means, int(view.constants[terms]))
    rivals = rivals_of(view, arms, view.constants[terms + 1], cost)
    if rivals.most * (1.0 + SLACK) < threshold(cost):
        return view.offered[0], 0.0
    allowed = allowed_terms(view)
    scores = np.full(allowed.shape[0], -np.inf)
    for start in range(0, allowed.shape[0], BLOCK):
        block = allowed[start : start + BLOCK]
        best = look_at_block(view, block, rivals, scores[start : start + BLOCK], cost, best)
        if any_will_do and threshold(best) > cost:
            break
    chosen = first_best(scores)
    return view.offered[allowed[chosen]], max(scores[chosen], 0.0)


@kernel(BEST(VIEW))
def best_question(view: View) -> tuple[int, float]:
    """The most valuable of the offered terms, and what asking about it gains."""
    return best_above(view, 0.0, 0)


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
    draws = "never"
    kernel = valuable

    def __init__(self, *, most: int = MOST, least: int = 2) -> None:
        self.most = whole("most", most, low=1)
        self.least = whole("least", least, low=0)

    def prepare(self, catalog: Catalog) -> Floats:
        """Which terms are broad, how many arms are looked at, and the longest term's length."""
        longest = np.linalg.norm(catalog._terms[catalog._live_terms], axis=1).max()
        return np.append(breadth(catalog, self.least), [float(self.most), float(longest)])
