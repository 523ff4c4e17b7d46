"""ConLinUCB-MCR: ask about the term the estimate is least certain of."""

from __future__ import annotations

import numpy as np

from conlinucb.agent.strategies.base import TermStrategy, View, strategy_kernel
from conlinucb.agent.strategies.lazy import widest


@strategy_kernel(cache=True)
def max_radius(view: View) -> int:
    """argmax ||x~||_P."""
    no_means = np.zeros(view.offered.shape[0])
    return widest(view.terms, view.offered, view.cov, no_means, 1.0, view.bounds)


class MaxRadius(TermStrategy):
    """k = argmax over the offered terms of ||x~_k||_P (the paper's MCR)."""

    name = "max-radius"
    draws = "never"
    kernel = max_radius
