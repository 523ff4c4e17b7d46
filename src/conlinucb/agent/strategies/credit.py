"""ConUCB's credit of a direction: how much of the pool's uncertainty its answer takes away."""

from __future__ import annotations

import numpy as np

from conlinucb.numerics.compile import INDEX, INT, MATRIX, kernel
from conlinucb.numerics.linalg import add_squares, quadratic, times
from conlinucb.numerics.ties import first_best, largest, threshold
from conlinucb.numerics.validation import Floats, Indices


@kernel(MATRIX(MATRIX, MATRIX))
def pool_seen(cov: Floats, reach: Floats) -> Floats:
    """G = (Z cov)'(Z cov), lower triangle, so that x'Gx = ||Z cov x||^2; Z the pool's reach."""
    effect = np.empty_like(reach)
    for i in range(reach.shape[0]):
        times(cov, reach[i], effect[i])
    G = np.zeros_like(cov)
    add_squares(G, effect, reach.shape[0])
    return G


@kernel(INT(MATRIX, INDEX, MATRIX, MATRIX))
def best_credit(rows: Floats, which: Indices, cov: Floats, reach: Floats) -> int:
    """The place in ``which`` of the row with the largest ||Z cov x||^2 / (1 + x'cov x).

    By G the pool's size matters once, not for each row. The divisor is at least 1, so a row whose
    x'Gx is below the best score needs none. The root is taken (same argmax) so that scores have
    the scale of a radius, for which the tie margin is meant.
    """
    G = pool_seen(cov, reach)
    scores = np.empty(which.shape[0])
    for i in range(scores.shape[0]):
        scores[i] = np.sqrt(quadratic(G, rows[which[i]]))
    best, first = 0.0, largest(scores)
    for step in range(scores.shape[0] + 1):
        i = first if step == 0 else step - 1
        if (step == 0 or i != first) and scores[i] >= threshold(best):
            scores[i] /= np.sqrt(1.0 + quadratic(cov, rows[which[i]]))
            best = max(best, scores[i])
        elif i != first:
            scores[i] = -np.inf
    return first_best(scores)
