"""ConUCB's own question: the term whose answer shrinks the pool's uncertainty the most."""

from __future__ import annotations

import numpy as np

from conlinucb.agent.strategies.base import TermStrategy, View, strategy_kernel
from conlinucb.numerics.linalg import add_squares, quadratic, times
from conlinucb.numerics.ties import first_best, largest, threshold


@strategy_kernel(cache=True)
def optimal_greedy(view: View) -> int:
    """argmax ||Z cov x~||^2 / (1 + x~'cov x~), Z the pool's reach.

    ||Z cov x~||^2 = x~'G x~ with G = (Z cov)'(Z cov), so the pool's size matters once, not for
    each term. The divisor is at least 1, so a term whose x~'G x~ is below the best score needs
    none. The root is taken (same argmax) so that scores have the scale of a radius, for which
    the tie margin is meant.
    """
    effect = np.empty_like(view.reach)
    for i in range(view.reach.shape[0]):
        times(view.cov, view.reach[i], effect[i])
    G = np.zeros_like(view.cov)
    add_squares(G, effect, view.reach.shape[0])
    scores = np.empty(view.offered.shape[0])
    for i in range(scores.shape[0]):
        scores[i] = np.sqrt(quadratic(G, view.terms[view.offered[i]]))
    best, first = 0.0, largest(scores)
    for step in range(scores.shape[0] + 1):
        i = first if step == 0 else step - 1
        if (step == 0 or i != first) and scores[i] >= threshold(best):
            scores[i] /= np.sqrt(1.0 + quadratic(view.cov, view.terms[view.offered[i]]))
            best = max(best, scores[i])
        elif i != first:
            scores[i] = -np.inf
    return view.offered[first_best(scores)]


class OptimalGreedy(TermStrategy):
    """k = argmax ||X_t M^-1 M~^-1 x~||^2 / (1 + x~'M~^-1 x~); on one matrix M^-1 M~^-1 is P."""

    name = "optimal-greedy"
    needs_pool = True
    kernel = optimal_greedy
