"""A question about a group: choose one after the other, hear what is picked, learn of each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from conlinucb.agent.estimators.kernels import ANSWER, LEARNS
from conlinucb.agent.estimators.state import STATE, State
from conlinucb.agent.strategies.base import VIEW, View
from conlinucb.agent.strategies.group import as_if_answered, lessons_into
from conlinucb.numerics.compile import FLOAT, INDEX, INT, VECTOR, VOID, kernel
from conlinucb.numerics.validation import Floats, Indices
from conlinucb.people.compiled import VOICE, Voice
from conlinucb.people.picking import opinion_noise, pick_into
from conlinucb.simulation.loop.functions import STRATEGY
from conlinucb.simulation.loop.inputs import ALGORITHM, WORLD, Algorithm, World
from conlinucb.simulation.loop.teach import take_in
from conlinucb.simulation.loop.workspace import (
    ANSWERED,
    ASKED,
    REPEATED,
    WORKSPACE,
    WRONG,
    Workspace,
)


@kernel(VIEW(VIEW, INDEX, VECTOR, INT, VECTOR), inner=True)
def among(view: View, left: Indices, bounds: Floats, asked: int, memory: Floats) -> View:
    """The view with what is left of the offered, and bounds and memory that may be written to."""
    return View(
        view.terms, left, view.theta, view.cov, view.alpha, view.pool, view.reach, view.arm_start,
        view.arm_terms, view.arm_weights, bounds, view.constants, view.seed, asked, view.round,
        view.weights, view.chances, view.times, view.means, view.noise, view.pairs, memory,
    )  # fmt: skip


@kernel(INT(ALGORITHM, STRATEGY, VIEW, WORKSPACE), inner=True)
def choose_group(
    algorithm: Algorithm, choose: Callable[[View], int], view: View, work: Workspace
) -> int:
    """The strategy's choices, each as if those before it had been answered, into ``work.group``.

    How many, or -2 where one was not offered: ``tally[WRONG]`` keeps it. Changes ``view.cov``.
    """
    n, size = view.offered.shape[0], algorithm.group
    left, bounds = view.offered.copy(), view.bounds
    memory = np.zeros(2 * view.terms.shape[0])
    for i in range(min(size, n)):
        if i == 1:  # what is found from here on holds only if the first is answered
            bounds = view.bounds.copy()
        k = choose(among(view, left[: n - i], bounds, view.asked * size + i, memory))
        place = 0
        while place < n - i and left[place] != k:
            place += 1
        if place == n - i:
            work.tally[WRONG] = k
            return -2
        for j in range(place, n - i - 1):
            left[j] = left[j + 1]
        work.group[i] = k
        as_if_answered(view.cov, view.terms[k], view.weights[k])
    return min(size, n)


@kernel(VOID(ALGORITHM, WORKSPACE, INDEX, INT), inner=True)
def note_group(algorithm: Algorithm, work: Workspace, asked: Indices, n: int) -> None:
    """Remember what was asked, and whether all of it was asked before, in this order."""
    size, before, again = algorithm.group, work.tally[ASKED], False
    start = before * size
    for i in range(size):
        k = work.group[i] if i < n else -1
        work.pairs[start + i] = k
        if asked.shape[0] > 0:
            asked[start + i] = k
        if i < n:
            work.times[k] += 1
    for earlier in range(before):
        same = 0
        while same < size and work.pairs[earlier * size + same] == work.pairs[start + same]:
            same += 1
        again = again or same == size
    work.tally[REPEATED] += again
    work.tally[ASKED] += 1


@kernel(VOID(WORLD, ALGORITHM, LEARNS, STATE, WORKSPACE, INT, INT, FLOAT, FLOAT), inner=True)
def teach(
    world: World,
    algorithm: Algorithm,
    learn: Any,
    state: State,
    work: Workspace,
    first: int,
    second: int,
    value: float,
    weight: float,
) -> None:
    """Learn an answer about a key-term or, where there is a second, how much more it is liked."""
    offset, slope, precision, _ = algorithm.answers
    x, zero, scale, own = world.terms[first], offset[first], slope[first], precision[first]
    if second >= 0:
        x = world.terms[first] - world.terms[second]
        zero, scale = zero - offset[second], (scale + slope[second]) / 2.0
        both = own > 0.0 and precision[second] > 0.0
        own = 2.0 / (1.0 / own + 1.0 / precision[second]) if both else 0.0
        zero, scale = zero + scale * algorithm.pairs.offset, scale * algorithm.pairs.slope
    if own > 0.0:
        y = (value - zero) / scale
        take_in(algorithm, learn, state, work, ANSWER, x, y, own * weight)


@kernel(VOID(WORLD, ALGORITHM, LEARNS, VOICE, STATE, WORKSPACE, INT, INT, INT, INDEX), inner=True)
def hear_group(
    world: World,
    algorithm: Algorithm,
    learn: Any,
    voice: Voice,
    state: State,
    work: Workspace,
    round: int,
    number: int,
    n: int,
    asked: Indices,
) -> None:
    """Hear what is picked of the n of the round's question ``number``, learn from it, note it."""
    chosen = work.group
    opinions, picked, rows = np.empty(n), np.empty(n, dtype=np.uint8), np.empty((n, 4))
    for i in range(n):
        opinions[i] = voice.table[chosen[i]] + opinion_noise(voice, round, number, i)
    answered, no, yes = pick_into(voice, algorithm.best, round, number, opinions, picked)
    if answered:
        found = lessons_into(algorithm.teaching, algorithm.best, picked, no, yes, rows)
        for i in range(found):
            first, second = chosen[int(rows[i, 0])], int(rows[i, 1])
            if second >= 0:
                second = chosen[second]
            teach(world, algorithm, learn, state, work, first, second, rows[i, 2], rows[i, 3])
        work.tally[ANSWERED] += 1
    note_group(algorithm, work, asked, n)
