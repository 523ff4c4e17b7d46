"""What was learned in a visit, row by row, for others to learn it, too."""

from __future__ import annotations

from typing import Any

from conlinucb.agent.estimators.kernels import LEARNS, REFUSED
from conlinucb.agent.estimators.state import STATE, State
from conlinucb.numerics.compile import FLOAT, INDEX, INT, MATRIX, VECTOR, VOID, kernel
from conlinucb.numerics.validation import Floats, Indices
from conlinucb.simulation.loop.functions import learn_at
from conlinucb.simulation.loop.inputs import ALGORITHM, Algorithm
from conlinucb.simulation.loop.workspace import DOUBT, TOLD, WORKSPACE, Workspace, heed

ABOUT = 4
"""A row is whether it was an answer, its source, value and weight, then the direction."""


@kernel(VOID(WORKSPACE, INT, INT, VECTOR, FLOAT, FLOAT), inner=True)
def tell(work: Workspace, answer: int, source: int, x: Floats, y: float, weight: float) -> None:
    """Write down what was learned, where somebody wants to know; all of it is counted."""
    n = work.tally[TOLD]
    if n < work.told.shape[0]:
        row = work.told[n]
        row[0], row[1], row[2], row[3] = answer, source, y, weight
        for i in range(x.shape[0]):
            row[ABOUT + i] = x[i]
    work.tally[TOLD] = n + 1


@kernel(VOID(ALGORITHM, LEARNS, STATE, WORKSPACE, INT, VECTOR, FLOAT, FLOAT), inner=True)
def take_in(
    algorithm: Algorithm,
    learn: Any,
    state: State,
    work: Workspace,
    source: int,
    x: Floats,
    y: float,
    weight: float,
) -> None:
    """Learn from an answer, on the scale of the estimate; once one is REFUSED, that stays noted."""
    grown = learn(state, algorithm.learning, source, x, y, weight, work.v)
    if grown == REFUSED:
        work.found[0] = y
    if work.tally[DOUBT] != REFUSED:
        heed(work, grown)
    tell(work, 1, source, x, y, weight)


@kernel(INT(INDEX, VECTOR, MATRIX, INT, INT, STATE, VECTOR))
def relearn(
    functions: Indices,
    learning: Floats,
    told: Floats,
    n: int,
    answers: int,
    state: State,
    v: Floats,
) -> int:
    """Teach another state the first n rows, or with ``answers`` those of them that are answers.

    1 where radii may have grown.
    """
    learn, grown = learn_at(functions[2]), 0
    for i in range(n):
        row = told[i]
        if row[0] == 1.0 or not answers:
            x = row[ABOUT:]
            grown = learn(state, learning, int(row[1]), x, row[2], row[3], v)
    return grown
