"""What an answer teaches of a key-term's neighbours: ``conlinucb.agent.spreading``, compiled."""

from __future__ import annotations

from typing import Any

from conlinucb.agent.estimators.kernels import ANSWER, LEARNS
from conlinucb.agent.estimators.state import STATE, State
from conlinucb.numerics.compile import FLOAT, INT, VOID, kernel
from conlinucb.simulation.loop.inputs import ALGORITHM, Algorithm
from conlinucb.simulation.loop.teach import take_in
from conlinucb.simulation.loop.workspace import WORKSPACE, Workspace


@kernel(VOID(ALGORITHM, LEARNS, STATE, WORKSPACE, INT, FLOAT, FLOAT), inner=True)
def spread(
    algorithm: Algorithm,
    learn: Any,
    state: State,
    work: Workspace,
    k: int,
    y: float,
    weight: float,
) -> None:
    """Learn of each neighbour of key-term k what an answer y of this weight says of it."""
    start, terms, shares, weights, expected, features = algorithm.spreading
    further = y - expected[k]
    for at in range(start[k], start[k + 1]):
        j = terms[at]
        value = expected[j] + shares[at] * further
        take_in(algorithm, learn, state, work, ANSWER, features[j], value, weight * weights[at])
