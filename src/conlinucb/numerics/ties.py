"""The one tie rule: scores within 1e-9 of the best tie, and the first of them wins.

"First" is pool order for arms and the lowest index for terms (offered terms are sorted).
Above a magnitude of 1 the margin is relative, since 1e-9 would then be below rounding.
Why a rule at all: unit arms tie in round 1 up to 1e-16, so rounding would otherwise decide
whole trajectories.
"""

from __future__ import annotations

import heapq

import numpy as np

from conlinucb.numerics.compile import FLOAT, INT, VECTOR, kernel
from conlinucb.numerics.validation import Floats, Indices

TIE = 1e-9


@kernel(FLOAT(FLOAT))
def threshold(best: float) -> float:
    """The lowest score that still ties with ``best``."""
    return best - TIE * max(1.0, abs(best))


@kernel(INT(VECTOR))
def largest(scores: Floats) -> int:
    """Position of the largest score."""
    top = 0
    for i in range(1, scores.shape[0]):
        if scores[i] > scores[top]:
            top = i
    return top


@kernel(INT(VECTOR))
def first_best(scores: Floats) -> int:
    """Position of the first score that ties with the largest one.

    >>> int(first_best(np.array([0.1, 0.7, 0.7 + 1e-12])))
    1
    """
    top = largest(scores)
    enough = threshold(scores[top])
    for i in range(top):
        if scores[i] >= enough:
            return i
    return top


def ranking(scores: Floats, k: int) -> Indices:
    """Positions of the k best, best first: ``first_best`` of those left, k times over.

    >>> ranking(np.array([0.1, 0.7, 0.7 + 1e-12, 0.9]), 3)
    array([3, 1, 2])
    """
    k = min(k, scores.size)
    if k == 1:
        return np.array([first_best(scores)])
    order = np.argsort(-scores, kind="stable")
    picked = np.zeros(scores.size, dtype=bool)
    tied: list[int] = []
    result = np.empty(k, dtype=np.int64)
    top = end = 0
    for rank in range(k):
        while picked[order[top]]:
            top += 1
        enough = threshold(scores[order[top]])
        while end < scores.size and scores[order[end]] >= enough:
            heapq.heappush(tied, int(order[end]))
            end += 1
        result[rank] = heapq.heappop(tied)
        picked[result[rank]] = True
    return result
