"""ConUCB's own question: the term whose answer shrinks the pool's uncertainty the most."""

from __future__ import annotations

from conlinucb.agent.strategies.base import TermStrategy, View, strategy_kernel
from conlinucb.agent.strategies.credit import best_credit


@strategy_kernel(cache=True)
def optimal_greedy(view: View) -> int:
    """argmax ||Z cov x~||^2 / (1 + x~'cov x~), Z the pool's reach."""
    return view.offered[best_credit(view.terms, view.offered, view.cov, view.reach)]


class OptimalGreedy(TermStrategy):
    """k = argmax ||X_t M^-1 M~^-1 x~||^2 / (1 + x~'M~^-1 x~); on one matrix M^-1 M~^-1 is P."""

    name = "optimal-greedy"
    needs_pool = True
    draws = "never"
    kernel = optimal_greedy
