"""What the two strategies that look at a term's own arms share."""

from __future__ import annotations

import numpy as np

from conlinucb.numerics.compile import INDEX, INT, VECTOR, kernel
from conlinucb.numerics.ties import first_best
from conlinucb.numerics.validation import Floats, Indices


@kernel(INT(VECTOR, VECTOR, INDEX))
def best_mean(total: Floats, weight: Floats, offered: Indices) -> int:
    """The offered term with the largest total / weight; 0 stands for a term without weight."""
    scores = np.zeros(offered.shape[0])
    for i in range(scores.shape[0]):
        if weight[offered[i]] > 0.0:
            scores[i] = total[offered[i]] / weight[offered[i]]
    return offered[first_best(scores)]
