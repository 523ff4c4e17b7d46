"""What a pair's answer teaches: ``conlinucb.agent.relative``, compiled."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types

from conlinucb.agent.estimators.kernels import ANSWER, LEARNS
from conlinucb.agent.estimators.state import STATE, State
from conlinucb.agent.relative import PAIR_UPDATES
from conlinucb.numerics.compile import FLOAT, INT, VOID, kernel
from conlinucb.people.compiled import BOTH, FIRST, SECOND, VOICE, Voice
from conlinucb.simulation.loop.inputs import ALGORITHM, WORLD, Algorithm, World
from conlinucb.simulation.loop.teach import take_in
from conlinucb.simulation.loop.workspace import WORKSPACE, Workspace

DIFFERENCE, WINNER = PAIR_UPDATES.index("difference"), PAIR_UPDATES.index("winner")
TWO = types.UniTuple(FLOAT, 2)


@kernel(TWO(VOICE, FLOAT), inner=True)
def worth_of_each(voice: Voice, said: float) -> tuple[float, float]:
    """What an answer says of the first and the second; NaN where a difference of 0 says nothing."""
    word = said
    if voice.compared.shape[0] == 0:
        if said == 0.0:
            return np.nan, np.nan
        word = FIRST if said > 0.0 else SECOND
    first = 1.0 if word in (FIRST, BOTH) else 0.0
    second = 1.0 if word in (SECOND, BOTH) else 0.0
    return first, second


@kernel(FLOAT(ALGORITHM, VOICE, FLOAT), inner=True)
def difference_of(algorithm: Algorithm, voice: Voice, said: float) -> float:
    """How much more the first is liked, by an answer in numbers or in a word."""
    if voice.compared.shape[0] == 0:
        return said
    first, second = worth_of_each(voice, said)
    return (algorithm.pairs.high - algorithm.pairs.low) * (first - second)


@kernel(VOID(WORLD, ALGORITHM, LEARNS, STATE, WORKSPACE, INT, FLOAT), inner=True)
def teach_term(
    world: World,
    algorithm: Algorithm,
    learn: Any,
    state: State,
    work: Workspace,
    k: int,
    value: float,
) -> None:
    """Learn what is said of one key-term, on its scale."""
    offset, slope, weight, _ = algorithm.answers
    if weight[k] > 0.0:
        low, high = algorithm.pairs.low, algorithm.pairs.high
        y = (low + (high - low) * value - offset[k]) / slope[k]
        take_in(algorithm, learn, state, work, ANSWER, world.terms[k], y, weight[k])


@kernel(VOID(WORLD, ALGORITHM, LEARNS, VOICE, STATE, WORKSPACE, INT, FLOAT), inner=True)
def teach_each(
    world: World,
    algorithm: Algorithm,
    learn: Any,
    voice: Voice,
    state: State,
    work: Workspace,
    k: int,
    said: float,
) -> None:
    """Learn of the winner or of both key-terms of pair k what was said."""
    terms = world.terms.shape[0]
    first, second = worth_of_each(voice, said)
    every = algorithm.pair_update != WINNER
    if first >= second or (every and first < second):
        teach_term(world, algorithm, learn, state, work, k // terms, first)
    if second >= first or (every and second < first):
        teach_term(world, algorithm, learn, state, work, k % terms, second)
