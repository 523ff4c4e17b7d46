"""Groups: several key-terms in one question, and what picking some of them teaches."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from conlinucb.numerics.compile import FLOAT, INT, MARKS, MATRIX, VECTOR, VOID, kernel, tuple_type
from conlinucb.numerics.linalg import times
from conlinucb.numerics.validation import Floats
from conlinucb.randomness import Marks


class Teaching(NamedTuple):
    """What picking from a group teaches."""

    differences: int = 1
    """Of the best: 1 for the winner against each other one, 0 for the winner by itself."""
    unpicked: float = 0.5
    """Weight of what was not picked against what was: silence says less than a no."""


TEACHING = tuple_type(Teaching, INT, FLOAT)


@kernel(VOID(MATRIX, VECTOR, FLOAT))
def as_if_answered(cov: Floats, x: Floats, weight: float) -> None:
    """cov after an answer about x of this weight: it does not depend on what the answer is."""
    v = np.empty(x.shape[0])
    times(cov, x, v)
    growth = 0.0
    for i in range(x.shape[0]):
        growth += x[i] * v[i]
    gain = weight / (1.0 + weight * growth)
    for i in range(x.shape[0]):
        for j in range(x.shape[0]):
            cov[i, j] -= gain * v[i] * v[j]


@kernel(INT(TEACHING, INT, MARKS, FLOAT, FLOAT, MATRIX))
def lessons_into(
    teaching: Teaching, best: int, picked: Marks, no: float, yes: float, out: Floats
) -> int:
    """What was picked of n as answers to plain questions: rows of ``out`` (n, 4), and how many.

    A row is a position, another one or -1, the answer and its weight: about the one, or how much
    more it is liked than the other. Any: yes to what was picked, no to the rest. Best: yes to the
    winner, or the whole range more than each other one, together of the weight of one answer.
    Nothing picked is a no to each.
    """
    n, found, winner = picked.shape[0], 0, -1
    for i in range(n):
        if picked[i]:
            winner = i
    for i in range(n):
        first, second, value, weight = float(i), -1.0, no, teaching.unpicked
        if best and winner >= 0 and teaching.differences:
            first, second, value, weight = float(winner), float(i), yes - no, 1.0 / (n - 1)
            if i == winner:
                weight = 0.0
        elif picked[i]:
            value, weight = yes, 1.0
        elif best and winner >= 0:
            weight = 0.0
        if weight > 0.0:
            out[found, 0], out[found, 1], out[found, 2], out[found, 3] = (
                first,
                second,
                value,
                weight,
            )
            found += 1
    return found
