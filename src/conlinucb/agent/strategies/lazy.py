"""The largest mean + width ||x~||_P over terms, without computing most of the radii."""

from __future__ import annotations

import numpy as np

from conlinucb.numerics.compile import FLOAT, INDEX, INT, MATRIX, VECTOR, kernel
from conlinucb.numerics.linalg import quadratic
from conlinucb.numerics.ties import threshold
from conlinucb.numerics.validation import Floats, Indices


@kernel(INT(MATRIX, INDEX, MATRIX, VECTOR, FLOAT, VECTOR))
def widest(
    terms: Floats, offered: Indices, cov: Floats, means: Floats, width: float, bounds: Floats
) -> int:
    """The offered term with the largest means[i] + width ||x~||_cov, by the tie rule.

    ``bounds`` (K,) are radii of earlier rounds, or inf. A radius never grows, so a term whose
    optimistic score cannot reach the best true one need not be looked at. Starting from the
    most promising term, one pass then suffices. ``bounds`` are brought up to date on the way.
    """
    n = offered.shape[0]
    true = np.full(n, -np.inf)
    first = 0
    for i in range(n):
        first_score = means[first] + width * bounds[offered[first]]
        if means[i] + width * bounds[offered[i]] > first_score:
            first = i
    best = -np.inf
    for step in range(n + 1):
        i = first if step == 0 else step - 1
        k = offered[i]
        optimistic = means[i] + width * bounds[k]
        if (step == 0 or i != first) and (optimistic >= threshold(best) or np.isnan(optimistic)):
            bounds[k] = np.sqrt(quadratic(cov, terms[k]))
            true[i] = means[i] + width * bounds[k]
            best = max(best, true[i])
    enough = threshold(best)
    for i in range(n):
        if true[i] >= enough:
            return offered[i]
    return offered[first]  # only where no score is a number
