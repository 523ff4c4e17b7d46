"""Optimal designs: how often to observe which vector, so that none stays uncertain."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from conlinucb.agent.spanner import coordinates_in_span, first_basis
from conlinucb.errors import InvalidInput
from conlinucb.numerics.ties import first_best
from conlinucb.numerics.validation import Floats, matrix, number

GAP = 0.01
ANEW = 64
"""Steps after which the inverse is computed anew."""
MOST = 100_000
"""Steps, at most: the gap falls geometrically, so this is never reached but by mistake."""


@dataclass(frozen=True, eq=False)
class Design:
    """Shares of observations over a set of vectors, and how good they are."""

    weights: Floats
    """(n,) the share of each vector; they add up to 1, most are 0."""
    rank: int
    """Dimension of the vectors' span: no design has a largest leverage below it."""
    gap: float
    """The largest leverage x'V^-1 x, V = sum w xx', is (1 + gap) times the rank."""


def optimal_design(vectors: ArrayLike, *, gap: float = GAP) -> Design:
    """A design over the rows of ``vectors`` (n, d) whose largest leverage is nearly the least.

    By Kiefer and Wolfowitz's theorem the design that maximises log det V (D-optimal) is the one
    that minimises the largest leverage (G-optimal), which is then the rank. Found by Frank and
    Wolfe's steps, toward the row of the largest leverage or away from the chosen one of the
    smallest, whichever is farther off, each as long as increases log det V most; from the rows
    that ``barycentric_spanner`` starts with, alike.

    >>> found = optimal_design([[1.0, 0.0], [0.0, 2.0], [0.5, 0.5]])
    >>> found.weights, found.rank, round(found.gap, 9)
    (array([0.5, 0.5, 0. ]), 2, 0.0)
    """
    rows = matrix("vectors", vectors)
    wanted = number("gap", gap, low=1e-6, high=1e6)
    inside, rank = coordinates_in_span(rows)
    if rank == 0:
        raise InvalidInput(f"vectors of shape {rows.shape} hold no vector other than zero.")
    weights = np.zeros(len(rows))
    weights[first_basis(inside)] = 1.0 / rank
    for step in range(MOST):
        if step % ANEW == 0:
            inverse, leverages = _anew(inside, weights)
        top, low = _ends(leverages, weights)
        if leverages[top] <= (1 + wanted) * rank:
            inverse, leverages = _anew(inside, weights)  # steps round: be sure
            if leverages.max() <= (1 + wanted) * rank:
                break
            top, low = _ends(leverages, weights)
        at = top if leverages[top] + leverages[low] >= 2 * rank else low
        share = _share(leverages[at], rank, weights[at])
        _step(inside, weights, inverse, leverages, at, share)
    return Design(weights / weights.sum(), rank, max(float(leverages.max()) / rank - 1, 0.0))


def _anew(rows: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """V^-1 and all leverages."""
    inverse = np.asarray(np.linalg.inv((rows * weights[:, None]).T @ rows))
    return inverse, np.asarray(np.einsum("nd,nd->n", rows @ inverse, rows))


def _ends(leverages: Floats, weights: Floats) -> tuple[int, int]:
    """The row of the largest leverage, and of those with a share that of the smallest."""
    chosen = np.flatnonzero(weights > 0)
    return int(first_best(leverages)), int(chosen[first_best(-leverages[chosen])])


def _share(leverage: float, rank: int, weight: float) -> float:
    """What share to give to a row, and to take from all; negative to take the row's own away.

    (leverage / rank - 1) / (leverage - 1) is where log det V has its maximum along the way.
    """
    least = -weight / (1 - weight) if weight < 1 else -np.inf
    if leverage <= 1.0:  # along this way log det V only grows
        return float(least)
    return float(max((leverage / rank - 1) / (leverage - 1), least))


def _step(
    rows: Floats, weights: Floats, inverse: Floats, leverages: Floats, at: int, share: float
) -> None:
    """Everything after V = (1 - share) V + share xx', in place."""
    v = inverse @ rows[at]
    shrink = share / (1 - share + share * leverages[at])
    leverages -= shrink * (rows @ v) ** 2
    inverse -= shrink * np.outer(v, v)
    leverages /= 1 - share
    inverse /= 1 - share
    weights *= 1 - share
    weights[at] += share
    if weights[at] < 1e-12:
        weights[at] = 0.0
