"""The questions of one round: choose, hear the answer, learn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import types

from conlinucb.agent.estimators.kernels import ANSWER, LEARNS, REACHES, REWARD, SAMPLES, SCORES
from conlinucb.agent.estimators.state import STATE, State
from conlinucb.agent.strategies.base import SIGNATURE, View
from conlinucb.numerics.compile import FLOAT, INDEX, INT, MATRIX, VECTOR, VOID, kernel
from conlinucb.numerics.linalg import dot, full_matrix
from conlinucb.numerics.validation import Floats, Indices
from conlinucb.people.compiled import VOICE, Voice, answer_noise, changed, plain_answer
from conlinucb.simulation.loop.clock import nanoseconds
from conlinucb.simulation.loop.inputs import ALGORITHM, ARM, PAIR, TERM, WORLD, Algorithm, World
from conlinucb.simulation.loop.pick import pick
from conlinucb.simulation.loop.workspace import (
    ANSWERED,
    ASKED,
    DOUBT,
    REPEATED,
    TERM_TIME,
    WORKSPACE,
    WRONG,
    Workspace,
    heed,
)

SCALE = types.UniTuple(FLOAT, 3)
STRATEGY = types.FunctionType(SIGNATURE)
WRONGS = {1: "chose term {}, which was not offered", 2: "chose a pair of the same, {}"}
"""What a strategy can do wrong; the loop returns the number."""


@kernel(MATRIX(ALGORITHM, REACHES, STATE, MATRIX, INDEX), inner=True)
def pool_reach(
    algorithm: Algorithm, reach: Any, state: State, arms: Floats, pool: Indices
) -> Floats:
    """The pool as the term belief meets it, (n, d); nothing for strategies that do not look."""
    found = np.empty((pool.shape[0] if algorithm.needs_pool else 0, arms.shape[1]))
    for i in range(found.shape[0]):
        reach(state, arms[pool[i]], found[i])
    return found


@kernel(VECTOR(STATE, MATRIX, INDEX, INT), inner=True)
def pool_means(state: State, arms: Floats, pool: Indices, n: int) -> Floats:
    """x'theta of the first n arms of the pool."""
    found = np.empty(n)
    for i in range(n):
        found[i] = dot(arms[pool[i]], state.vectors[0])
    return found


@kernel(INT(INDEX, INT), inner=True)
def is_among(offered: Indices, term: int) -> int:
    """Whether the term was offered."""
    for i in range(offered.shape[0]):
        if offered[i] == term:
            return 1
    return 0


@kernel(
    INT(WORLD, ALGORITHM, STRATEGY, VOICE, INT, STATE, INDEX, INDEX, MATRIX, WORKSPACE), inner=True
)
def choose_term(
    world: World,
    algorithm: Algorithm,
    choose: Callable[[View], int],
    voice: Voice,
    t: int,
    state: State,
    offered: Indices,
    pool: Indices,
    reach: Floats,
    work: Workspace,
) -> int:
    """The strategy's choice; -1 where it was not offered, -2 for a pair of the same.

    ``tally[WRONG]`` keeps the term.
    """
    if not algorithm.lazy or work.tally[DOUBT]:
        for i in range(work.term_bounds.shape[0]):
            work.term_bounds[i] = np.inf
    view = View(
        world.terms,
        offered,
        state.vectors[algorithm.term_vector],
        full_matrix(state.matrices[algorithm.term_matrix]),
        algorithm.alphas[t],
        pool[: reach.shape[0]],
        reach,
        world.arm_start,
        world.arm_terms,
        world.arm_weights,
        work.term_bounds,
        algorithm.constants,
        voice.seed,
        work.tally[ASKED],
        t + 1,
        algorithm.weights,
        algorithm.answers.chance,
        work.times,
        pool_means(state, world.arms, pool, reach.shape[0]),
        algorithm.noise,
    )
    k = choose(view)
    terms = world.terms.shape[0]
    first, second = (k // terms, k % terms) if algorithm.kind == PAIR else (k, k)
    for each in (first, second):
        if not is_among(offered, each):
            work.tally[WRONG] = each
            return -1
    if algorithm.kind == PAIR and first == second:
        work.tally[WRONG] = first
        return -2
    return k


@kernel(VOID(ALGORITHM, WORKSPACE, INDEX, INT), inner=True)
def note(algorithm: Algorithm, work: Workspace, asked: Indices, k: int) -> None:
    """Remember what was asked, and whether it was asked before."""
    before = work.tally[ASKED]
    if asked.shape[0] > 0:
        asked[before] = k
    if algorithm.kind == PAIR:
        for i in range(before):
            if work.pairs[i] == k:
                work.tally[REPEATED] += 1
                break
        work.pairs[before] = k
        work.times[k // work.times.shape[0]] += 1
        work.times[k % work.times.shape[0]] += 1
    else:
        work.tally[REPEATED] += work.asked[k]
        work.asked[k] = 1
        if algorithm.kind == TERM:
            work.times[k] += 1
    work.tally[ASKED] += 1


@kernel(VOID(WORLD, ALGORITHM, INT, VECTOR), inner=True)
def probe_into(world: World, algorithm: Algorithm, k: int, out: Floats) -> None:
    """The direction that question k asks about."""
    terms = world.terms.shape[0]
    for i in range(out.shape[0]):
        if algorithm.kind == TERM:
            out[i] = world.terms[k, i]
        elif algorithm.kind == ARM:
            out[i] = world.arms[k, i]
        else:
            out[i] = world.terms[k // terms, i] - world.terms[k % terms, i]


@kernel(FLOAT(ALGORITHM, VOICE, INT, INT, INT, FLOAT), inner=True)
def answer_to(
    algorithm: Algorithm, voice: Voice, k: int, round: int, number: int, value: float
) -> float:
    """What the person says; ``value`` is the arm's, where the question is about one."""
    about_arm, pair = int(algorithm.kind == ARM), int(algorithm.kind == PAIR)
    terms, plain = voice.table.shape[0], value
    if pair:
        plain = plain_answer(voice, k // terms, k % terms)
    elif not about_arm:
        plain = plain_answer(voice, k, -1)
    noisy = plain + answer_noise(voice, about_arm, round, number)
    return changed(voice, pair, round, number, noisy)


@kernel(SCALE(ALGORITHM, INT), inner=True)
def scale_of(algorithm: Algorithm, k: int) -> tuple[float, float, float]:
    """Offset, slope and weight of the answers to question k; see ``conlinucb.agent.priors``."""
    offset, slope, weight, _ = algorithm.answers
    if algorithm.kind == ARM:
        return 0.0, 1.0, 1.0
    if algorithm.kind == TERM:
        return offset[k], slope[k], weight[k]
    first, second = k // offset.shape[0], k % offset.shape[0]
    both = 0.0
    if weight[first] > 0.0 and weight[second] > 0.0:
        both = 2.0 / (1.0 / weight[first] + 1.0 / weight[second])
    return offset[first] - offset[second], (slope[first] + slope[second]) / 2.0, both


@kernel(
    INT(
        *(WORLD, ALGORITHM, STRATEGY, LEARNS, SCORES, REACHES, SAMPLES, VOICE),
        *(STATE, WORKSPACE, INT, INDEX, INDEX, INDEX),
    ),
    inner=True,
)
def ask_all(
    world: World,
    algorithm: Algorithm,
    choose: Callable[[View], int],
    learn: Any,
    score: Any,
    reach: Any,
    sample: Any,
    voice: Voice,
    state: State,
    work: Workspace,
    t: int,
    pool: Indices,
    offered: Indices,
    asked: Indices,
) -> int:
    """Ask all questions of round t (from 0); what went wrong, by WRONGS, or 0."""
    if algorithm.kind == PAIR and offered.shape[0] < 2:
        return 0  # there is no pair
    start = nanoseconds(work.clock) if algorithm.timed else 0
    seen = pool_reach(algorithm, reach, state, world.arms, pool)
    probe, value = np.empty(world.arms.shape[1]), 0.0
    for number in range(algorithm.questions[t]):
        if algorithm.kind == ARM:
            place = pick(world, algorithm, score, sample, state, work, voice.seed, t, pool)
            k, value = pool[place], voice.worth[pool[place]]
        else:
            k = choose_term(world, algorithm, choose, voice, t, state, offered, pool, seen, work)
            if k < 0:
                return -k
        if algorithm.timed:
            work.tally[TERM_TIME] += nanoseconds(work.clock) - start
        probe_into(world, algorithm, k, probe)
        y = answer_to(algorithm, voice, k, t + 1, number, value)
        if not np.isnan(y):
            source = REWARD if algorithm.kind == ARM else ANSWER
            offset, slope, weight = scale_of(algorithm, k)
            y = (y - offset) / slope
            if weight > 0.0:
                heed(work, learn(state, algorithm.learning, source, probe, y, weight, work.v))
            work.tally[ANSWERED] += 1
        note(algorithm, work, asked, k)
        if algorithm.timed:
            start = nanoseconds(work.clock)
    return 0
