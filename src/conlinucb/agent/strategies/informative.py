"""Ask what tells most about everything that could be recommended."""

from __future__ import annotations

from typing import Literal

import numpy as np

from conlinucb.agent.strategies.allowed import allowed_terms, breadth
from conlinucb.agent.strategies.base import VIEW, TermStrategy, View, strategy_kernel
from conlinucb.catalog.catalog import Catalog
from conlinucb.errors import InvalidInput
from conlinucb.numerics.compile import INT, MATRIX, VECTOR, VOID, kernel
from conlinucb.numerics.linalg import add_squares, dot, quadratic, quadratics, times
from conlinucb.numerics.ties import first_best, largest, threshold
from conlinucb.numerics.validation import Floats, whole


def spread_of(catalog: Catalog) -> Floats:
    """G = X'X / N over the arms that are left: x'Gx is what direction x means to the catalogue."""
    arms = catalog._arms[catalog._live_arms]
    return np.asarray(arms.T @ arms / len(arms))


@kernel(MATRIX(VIEW))
def seen_by_arms(view: View) -> Floats:
    """cov G cov, lower triangle; G of the pool where there is one, else of the catalogue."""
    d, n = view.cov.shape[0], view.reach.shape[0]
    found = np.zeros((d, d))
    effect = np.empty((n if n else d, d))
    if n:
        for i in range(n):
            times(view.cov, view.reach[i], effect[i])
        add_squares(found, effect, n)
        return found / n
    G = view.constants[view.terms.shape[0] :].copy().reshape((d, d))
    for i in range(d):
        times(view.cov, G[i], effect[i])
    for i in range(d):  # row i of (G cov)' is cov G e_i, so row i of the product is cov of it
        times(view.cov, effect[:, i].copy(), found[i])
    return found


@kernel(VECTOR(VIEW))
def told(view: View) -> Floats:
    """(n,) x~'cov G cov x~ of the offered terms; from ``memory`` where it is kept there."""
    n, d, K = view.offered.shape[0], view.cov.shape[0], view.terms.shape[0]
    found, memory = np.empty(n), view.memory
    if memory.shape[0] == 0 or memory[K] == 0.0:
        quadratics(seen_by_arms(view).reshape((1, d, d)), 0, view.terms, view.offered, n, found)
        for i in range(n if memory.shape[0] else 0):
            memory[view.offered[i]], memory[K] = found[i], 1.0
    else:
        for i in range(n):
            found[i] = memory[view.offered[i]]
    return found


@kernel(VOID(VIEW, VECTOR, VECTOR))
def spread_times(view: View, x: Floats, out: Floats) -> None:
    """out = G x."""
    d, n = x.shape[0], view.reach.shape[0]
    out[:] = 0.0
    for i in range(n):
        share = dot(view.reach[i], x) / n
        for j in range(d):
            out[j] += share * view.reach[i, j]
    for i in range(0 if n else d):
        first = view.terms.shape[0] + i * d
        out[i] = dot(view.constants[first : first + d], x)


@kernel(VOID(VIEW, INT))
def remember(view: View, chosen: int) -> None:
    """What ``told`` will be when the chosen term is answered: cov loses g vv', v = cov x~."""
    d = view.cov.shape[0]
    v, effect, u = np.empty(d), np.empty(d), np.empty(d)
    times(view.cov, view.terms[chosen], v)
    spread_times(view, v, effect)
    times(view.cov, effect, u)
    gain = 1.0 / (1.0 / view.weights[chosen] + dot(view.terms[chosen], v))
    square = gain * dot(v, effect)
    for k in view.offered:
        share = gain * dot(view.terms[k], v)
        more = share * (square * share / gain - 2.0 * dot(view.terms[k], u))
        view.memory[k] = max(view.memory[k] + more, 0.0)


@strategy_kernel(cache=True)
def informative(view: View) -> int:
    """argmax chance x~'cov G cov x~ / (1 / weight + x~'cov x~), by roots, as radii are.

    Multiplied by the weight the divisor is 1 + weight x~'cov x~, at least 1: a term whose
    dividend is below the best score needs none.
    """
    allowed, scores = allowed_terms(view), told(view)
    for i in range(scores.shape[0]):  # the score is never more
        k = view.offered[i]
        scores[i] = np.sqrt(view.chances[k] * view.weights[k] * scores[i])
    scores = scores[allowed]
    best, first = 0.0, largest(scores)
    for step in range(scores.shape[0] + 1):
        i = first if step == 0 else step - 1
        if (step == 0 or i != first) and scores[i] >= threshold(best):
            k = view.offered[allowed[i]]
            scores[i] /= np.sqrt(1.0 + view.weights[k] * quadratic(view.cov, view.terms[k]))
            best = max(best, scores[i])
        elif i != first:
            scores[i] = -np.inf
    chosen = view.offered[allowed[first_best(scores)]]
    if view.memory.shape[0] and view.weights[chosen] > 0.0:
        remember(view, chosen)
    return chosen


class Informative(TermStrategy):
    """k = argmax chance_k ||X P x~_k||^2 / (1 / weight_k + x~_k'P x~_k).

    The variance of the arms' means that an answer takes away, summed over the arms X of the whole
    catalogue or, with ``over="pool"``, of the round, and weighed by the chance that there is an
    answer. On ConUCB's estimate the catalogue's arms are taken as the key-terms see them. Nothing
    is asked twice while others are left, nor what fewer than ``least`` arms have.
    """

    name = "informative"
    draws = "never"
    kernel = informative

    def __init__(self, *, over: Literal["catalog", "pool"] = "catalog", least: int = 2) -> None:
        if over not in ("catalog", "pool"):
            raise InvalidInput(f"over must be 'catalog' or 'pool', got {over!r}.")
        self.over = over
        self.least = whole("least", least, low=0)

    @property
    def needs_pool(self) -> bool:  # type: ignore[override]
        """Whether the round's arms decide."""
        return self.over == "pool"

    def prepare(self, catalog: Catalog) -> Floats:
        """Which terms are broad, then G."""
        spread = spread_of(catalog) if self.over == "catalog" else np.empty(0)
        return np.concatenate([breadth(catalog, self.least), spread.ravel()])
