"""ConLinUCB-UCB: ask about the term with the largest upper confidence bound."""

from __future__ import annotations

import numpy as np

from conlinucb.agent.strategies.base import TermStrategy, View, strategy_kernel
from conlinucb.agent.strategies.lazy import widest
from conlinucb.numerics.linalg import dot


@strategy_kernel(cache=True)
def upper_confidence(view: View) -> int:
    """argmax x~'theta + alpha ||x~||_P."""
    means = np.empty(view.offered.shape[0])
    for i in range(means.shape[0]):
        means[i] = dot(view.terms[view.offered[i]], view.theta)
    return widest(view.terms, view.offered, view.cov, means, view.alpha, view.bounds)


class UpperConfidence(TermStrategy):
    """k = argmax over the offered terms of x~_k'theta + alpha_t ||x~_k||_P."""

    name = "ucb"
    draws = "never"
    kernel = upper_confidence
