"""Ask to compare the two whose difference tells most about what could be recommended."""

from __future__ import annotations

import numpy as np

from conlinucb.agent.question import Kind
from conlinucb.agent.strategies.allowed import wanted_pairs
from conlinucb.agent.strategies.base import View, strategy_kernel
from conlinucb.agent.strategies.informative import Informative, seen_by_arms
from conlinucb.agent.strategies.pair_search import Contest, best_pair

DEAF = 1e-100
"""A weight that says nothing, and yet can be divided by."""


@strategy_kernel(cache=True)
def informative_pairs(view: View) -> int:
    """argmax chance x'cov G cov x / (noise + x'cov x), x = x~_i - x~_j, by roots, as radii are."""
    which, asked, reluctance, least = wanted_pairs(view)
    noises = 1.0 / np.maximum(view.weights, DEAF)
    return best_pair(
        Contest(
            view.terms, which, seen_by_arms(view), view.cov, 1.0,
            view.chances, noises, asked, reluctance, least,
        )
    )  # fmt: skip


class InformativePairs(Informative):
    """(k1, k2) = argmax chance ||X P x||^2 / (1 / weight + x'P x) over all x = x~_k1 - x~_k2.

    As ``informative``: the variance of the arms' means that the answer takes away, summed over the
    arms X of the catalogue or, with ``over="pool"``, of the round. The chance of an answer is that
    of both, 1 / weight the mean of both. No pair is asked twice while others are left, nor what
    fewer than ``least`` arms have.
    """

    name = "informative-pairs"
    kind: Kind = "pair"
    kernel = informative_pairs
