"""ConLinUCB-UCB: ask about the term with the largest upper confidence bound."""

from __future__ import annotations

import numpy as np

from conlinucb.linalg import dot, quadratic
from conlinucb.strategies.base import TermStrategy, View, strategy_kernel
from conlinucb.ties import first_best


@strategy_kernel(cache=True)
def upper_confidence(view: View) -> int:
    """argmax x~'theta + alpha ||x~||_P."""
    scores = np.empty(view.offered.shape[0])
    for i in range(scores.shape[0]):
        x = view.terms[view.offered[i]]
        scores[i] = dot(x, view.theta) + view.alpha * np.sqrt(quadratic(view.cov, x))
    return view.offered[first_best(scores)]


class UpperConfidence(TermStrategy):
    """k = argmax over the offered terms of x~_k'theta + alpha_t ||x~_k||_P."""

    name = "ucb"
    kernel = staticmethod(upper_confidence)
