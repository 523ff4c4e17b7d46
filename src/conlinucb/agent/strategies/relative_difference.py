"""RelativeConUCB's pair where the difference is learned from."""

from __future__ import annotations

import numpy as np

from conlinucb.agent.question import Kind
from conlinucb.agent.strategies.base import VIEW, TermStrategy, View, strategy_kernel
from conlinucb.agent.strategies.credit import best_credit, pool_seen
from conlinucb.agent.strategies.pair_search import Contest, best_pair
from conlinucb.agent.strategies.relative_greedy import related_terms
from conlinucb.catalog.catalog import Catalog
from conlinucb.errors import InvalidInput
from conlinucb.numerics.compile import INDEX, INT, kernel
from conlinucb.numerics.validation import Floats, Indices


@kernel(INT(VIEW, INDEX))
def one_after_the_other(view: View, which: Indices) -> int:
    """The term with the best credit, then the one whose difference to it has the best."""
    first = which[best_credit(view.terms, which, view.cov, view.reach)]
    others = which[which != first]
    apart = np.empty((others.shape[0], view.terms.shape[1]))
    for i in range(others.shape[0]):
        for c in range(apart.shape[1]):
            apart[i, c] = view.terms[others[i], c] - view.terms[first, c]
    at = best_credit(apart, np.arange(others.shape[0]), view.cov, view.reach)
    return int(first * view.terms.shape[0] + others[at])


@strategy_kernel(cache=True)
def relative_difference(view: View) -> int:
    """argmax ||Z cov x||^2 / (1 + x'cov x) over all differences x, Z the pool's reach."""
    which = related_terms(view)
    if view.constants[0] == 0.0:
        return one_after_the_other(view, which)
    terms = view.terms.shape[0]
    ones, never = np.ones(terms), np.zeros(terms, dtype=np.int64)
    seen = pool_seen(view.cov, view.reach)
    return best_pair(
        Contest(view.terms, which, seen, view.cov, 1.0, ones, ones, never[:0], never, 0)
    )


class RelativeDifference(TermStrategy):
    """(k1, k2) = argmax of ConUCB's credit ||X_t M^-1 M~^-1 x||^2 / (1 + x'M~^-1 x) over all
    differences x = x~_k1 - x~_k2 of key-terms of the pool's arms.

    With ``exact=False`` k1 = argmax credit(x~_k), then k2 = argmax credit(x~_k - x~_k1). Made for
    ``pair_update="difference"``. On one matrix M^-1 M~^-1 is P.
    """

    name = "relative-difference"
    kind: Kind = "pair"
    needs_pool = True
    draws = "never"
    kernel = relative_difference

    def __init__(self, *, exact: bool = True) -> None:
        if not isinstance(exact, bool):
            raise InvalidInput(f"exact must be True or False, got {exact!r}.")
        self.exact = exact

    def prepare(self, catalog: Catalog) -> Floats:
        """Whether all differences are looked at."""
        return np.array([float(self.exact)])
