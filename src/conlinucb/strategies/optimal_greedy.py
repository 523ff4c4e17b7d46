"""ConUCB's own question: the term whose answer shrinks the pool's uncertainty the most."""

from __future__ import annotations

import numpy as np

from conlinucb.linalg import quadratic
from conlinucb.strategies.base import TermStrategy, View, strategy_kernel
from conlinucb.ties import first_best


@strategy_kernel(cache=True)
def optimal_greedy(view: View) -> int:
    """argmax ||Z cov x~||^2 / (1 + x~'cov x~), Z the pool's reach.

    ||Z cov x~||^2 = x~'G x~ with G = (Z cov)'(Z cov), so the pool's size matters once, not for
    each term. The root is taken (same argmax) so that scores have the scale of a radius, for
    which the tie margin is meant.
    """
    effect = view.reach @ view.cov
    G = effect.T @ effect
    scores = np.empty(view.offered.shape[0])
    for i in range(scores.shape[0]):
        x = view.terms[view.offered[i]]
        scores[i] = np.sqrt(quadratic(G, x) / (1.0 + quadratic(view.cov, x)))
    return view.offered[first_best(scores)]


class OptimalGreedy(TermStrategy):
    """k = argmax ||X_t M^-1 M~^-1 x~||^2 / (1 + x~'M~^-1 x~); on one matrix M^-1 M~^-1 is P."""

    name = "optimal-greedy"
    needs_pool = True
    kernel = staticmethod(optimal_greedy)
