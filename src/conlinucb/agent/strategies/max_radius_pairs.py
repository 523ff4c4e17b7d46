"""ConLinUCB-MCR for pairs: ask about the difference the estimate is least certain of."""

from __future__ import annotations

import numpy as np

from conlinucb.agent.question import Kind
from conlinucb.agent.strategies.base import TermStrategy, View, strategy_kernel
from conlinucb.agent.strategies.pair_search import Contest, best_pair


@strategy_kernel(cache=True)
def max_radius_pairs(view: View) -> int:
    """argmax ||x~_i - x~_j||_P."""
    terms = view.terms.shape[0]
    ones, never = np.ones(terms), np.zeros(terms, dtype=np.int64)
    return best_pair(
        Contest(view.terms, view.offered, view.cov, view.cov, 0.0, ones, ones, never[:0], never, 0)
    )


class MaxRadiusPairs(TermStrategy):
    """(k1, k2) = argmax over pairs of the offered terms of ||x~_k1 - x~_k2||_P, exactly."""

    name = "max-radius-pairs"
    kind: Kind = "pair"
    draws = "never"
    kernel = max_radius_pairs
