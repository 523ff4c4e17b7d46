"""RelativeConUCB's pair where each of the two is learned from: two of ConUCB's questions."""

from __future__ import annotations

import numpy as np

from conlinucb.agent.question import Kind
from conlinucb.agent.strategies.base import VIEW, TermStrategy, View, strategy_kernel
from conlinucb.agent.strategies.credit import best_credit
from conlinucb.numerics.compile import INDEX, MATRIX, VECTOR, kernel
from conlinucb.numerics.linalg import dot, times
from conlinucb.numerics.validation import Floats, Indices


@kernel(INDEX(VIEW))
def related_terms(view: View) -> Indices:
    """The offered terms that an arm of the pool has; all of them where these are fewer than two."""
    has = np.zeros(view.terms.shape[0], dtype=np.uint8)
    for arm in view.pool:
        for j in range(view.arm_start[arm], view.arm_start[arm + 1]):
            has[view.arm_terms[j]] = 1
    some = view.offered[has[view.offered] == 1]
    return some if some.shape[0] >= 2 else view.offered


@kernel(MATRIX(MATRIX, VECTOR))
def after_asking(cov: Floats, x: Floats) -> Floats:
    """The covariance once x has been asked about."""
    seen, after = np.empty(x.shape[0]), cov.copy()
    times(cov, x, seen)
    gain = 1.0 / (1.0 + dot(x, seen))
    for i in range(x.shape[0]):
        for j in range(x.shape[0]):
            after[i, j] -= gain * seen[i] * seen[j]
    return after


@strategy_kernel(cache=True)
def relative_greedy(view: View) -> int:
    """The term with the best credit, then that with the best once the first has been asked."""
    which = related_terms(view)
    first = which[best_credit(view.terms, which, view.cov, view.reach)]
    others = which[which != first]
    cov = after_asking(view.cov, view.terms[first])
    second = others[best_credit(view.terms, others, cov, view.reach)]
    return int(first * view.terms.shape[0] + second)


class RelativeGreedy(TermStrategy):
    """k1 = argmax of ConUCB's credit ||X_t M^-1 M~^-1 x~||^2 / (1 + x~'M~^-1 x~), then k2 = argmax
    of the same as if k1 had been asked about, among key-terms of the pool's arms.

    Made for ``pair_update`` "winner" and "both". On one matrix M^-1 M~^-1 is P.
    """

    name = "relative-greedy"
    kind: Kind = "pair"
    needs_pool = True
    draws = "never"
    kernel = relative_greedy
