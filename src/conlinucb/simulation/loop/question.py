"""The questions of one round: choose, hear the answer, learn."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numba import types

from conlinucb.agent.estimators.two_step import STATE, TwoStepState, learn_term
from conlinucb.agent.strategies.base import SIGNATURE, View
from conlinucb.numerics.compile import FLOAT, INDEX, INT, MATRIX, SEED, VECTOR, VOID, kernel
from conlinucb.numerics.linalg import PENDING, absorb, dot, full_matrix, times
from conlinucb.numerics.validation import Floats, Indices
from conlinucb.randomness import (
    ANSWER_NOISE,
    ARM_ANSWER_NOISE,
    OFFERED,
    REWARD_NOISE,
    derive,
    distinct,
    normal,
)
from conlinucb.simulation.loop.clock import nanoseconds
from conlinucb.simulation.loop.inputs import ALGORITHM, CHANCE, WORLD, Algorithm, Chance, World
from conlinucb.simulation.loop.pick import best_arm
from conlinucb.simulation.loop.workspace import ASKED, DESK, REPEATED, TERM_TIME, WRONG, Desk

STRATEGY = types.FunctionType(SIGNATURE)


@kernel(MATRIX(INT, FLOAT), inner=True)
def diagonal(d: int, value: float) -> Floats:
    """value I, (d, d)."""
    matrix = np.zeros((d, d))
    for i in range(d):
        matrix[i, i] = value
    return matrix


@kernel(STATE(ALGORITHM, INT), inner=True)
def new_mind(algorithm: Algorithm, d: int) -> TwoStepState:
    """What is believed of someone new. On one matrix both halves are the same arrays."""
    P, M = diagonal(d, 1.0 / algorithm.strength), diagonal(d, algorithm.strength)
    Y, prior, theta, pending = np.zeros(d), np.zeros(d), np.zeros(d), np.zeros((PENDING, d))
    targets, counts = np.zeros(PENDING), np.zeros(3, dtype=np.int64)
    term_P, term_M, term_Y, term_prior, term_theta = P, M, Y, prior, theta
    term_pending, term_targets, term_counts = pending, targets, counts
    if algorithm.two_step:
        term_P = diagonal(d, 1.0 / algorithm.term_strength)
        term_M = diagonal(d, algorithm.term_strength)
        term_Y, term_prior, term_theta = np.zeros(d), np.zeros(d), np.zeros(d)
        term_pending, term_targets = np.zeros((PENDING, d)), np.zeros(PENDING)
        term_counts = np.zeros(3, dtype=np.int64)
    return TwoStepState(
        P, M, Y, prior, theta, pending, targets, counts,
        term_P, term_M, term_Y, term_prior, term_theta, term_pending, term_targets, term_counts,
    )  # fmt: skip


@kernel(INT(INT, INDEX, INDEX), inner=True)
def trusts_bounds(lazy: int, counts: Indices, term_counts: Indices) -> int:
    """1 to be lazy. Not where a matrix is ill-conditioned: rounding may make a radius grow."""
    return int(lazy == 1 and counts[2] == 0 and term_counts[2] == 0)


@kernel(VOID(SEED, INDEX, DESK), inner=True)
def draw_offered(at: np.uint64, live: Indices, desk: Desk) -> None:
    """This round's offered terms, in ascending order."""
    offered, marks = desk.offered, desk.marks
    distinct(derive(at, OFFERED), live, marks, offered)
    for i in range(offered.shape[0]):
        marks[offered[i]] = 1
    place = 0
    for i in range(live.shape[0]):
        if marks[live[i]] == 1:
            offered[place] = live[i]
            marks[live[i]] = 0
            place += 1


@kernel(FLOAT(CHANCE, INT, INT, SEED), inner=True)
def answer_noise(chance: Chance, asks_arms: int, number: int, at: np.uint64) -> float:
    """Noise of the answer to the round's question ``number``, from 0; ``at`` is its seed."""
    position = 0 if chance.shared_noise else number
    if not asks_arms:
        return chance.term_noise * normal(derive(at, ANSWER_NOISE), position)
    stream = REWARD_NOISE if chance.shared_noise else ARM_ANSWER_NOISE
    return chance.noise * normal(derive(at, stream), position)


@kernel(MATRIX(ALGORITHM, MATRIX, INDEX, MATRIX), inner=True)
def pool_reach(algorithm: Algorithm, arms: Floats, pool: Indices, P: Floats) -> Floats:
    """The pool as the term belief meets it, (n, d); nothing for strategies that do not look."""
    reach = np.empty((pool.shape[0] if algorithm.needs_pool else 0, P.shape[0]))
    for i in range(reach.shape[0]):
        if algorithm.two_step:
            times(P, arms[pool[i]], reach[i])
        else:
            for j in range(P.shape[0]):
                reach[i, j] = arms[pool[i], j]
    return reach


@kernel(INT(WORLD, ALGORITHM, STRATEGY, SEED, INT, STATE, DESK, MATRIX), inner=True)
def choose_term(
    world: World,
    algorithm: Algorithm,
    choose: Callable[[View], int],
    seed: np.uint64,
    t: int,
    mind: TwoStepState,
    desk: Desk,
    reach: Floats,
) -> int:
    """The strategy's choice, or -1 where that was not offered (``tally[WRONG]`` keeps it)."""
    if not algorithm.lazy or mind.term_counts[2] == 1:
        for i in range(desk.term_bounds.shape[0]):
            desk.term_bounds[i] = np.inf
    view = View(
        world.terms,
        desk.offered,
        mind.term_theta,
        full_matrix(mind.term_P),
        algorithm.alphas[t],
        desk.pool[: reach.shape[0]],
        reach,
        world.arm_start,
        world.arm_terms,
        world.arm_weights,
        desk.term_bounds,
        algorithm.constants,
        seed,
        desk.tally[ASKED],
        t + 1,
    )
    k = choose(view)
    for i in range(desk.offered.shape[0]):
        if desk.offered[i] == k:
            return k
    desk.tally[WRONG] = k
    return -1


@kernel(INT(WORLD, CHANCE, ALGORITHM, STRATEGY, VECTOR, SEED, INT, STATE, DESK, INDEX), inner=True)
def ask_all(
    world: World,
    chance: Chance,
    algorithm: Algorithm,
    choose: Callable[[View], int],
    theta_star: Floats,
    seed: np.uint64,
    t: int,
    mind: TwoStepState,
    desk: Desk,
    asked: Indices,
) -> int:
    """Ask all questions of round t (from 0); 1 where a term was chosen though not offered."""
    at = derive(seed, t + 1)
    if chance.offered_size > 0:
        draw_offered(at, world.live_terms, desk)
    start = nanoseconds(desk.clock) if algorithm.timed else 0
    reach = pool_reach(algorithm, world.arms, desk.pool, mind.P)
    for number in range(algorithm.questions[t]):
        if algorithm.asks_arms:
            k = best_arm(
                mind.P, mind.theta, mind.term_P,
                algorithm.arm_widths[t], algorithm.term_widths[t], desk.ratio,
                world.arms, world.short_arms, desk.longest,
                desk.pool, desk.bounds, desk.scores, desk.true, desk.v, desk.short,
                trusts_bounds(algorithm.lazy, mind.counts, mind.term_counts),
            )  # fmt: skip
        else:
            k = choose_term(world, algorithm, choose, seed, t, mind, desk, reach)
            if k < 0:
                return 1
        if algorithm.timed:
            desk.tally[TERM_TIME] += nanoseconds(desk.clock) - start
        x = world.arms[k] if algorithm.asks_arms else world.terms[k]
        y = dot(x, theta_star) + answer_noise(chance, algorithm.asks_arms, number, at)
        if algorithm.two_step and not algorithm.asks_arms:
            learn_term(mind, algorithm.mix, x, y, desk.v)
        else:
            absorb(
                mind.P, mind.M, mind.Y, mind.prior, mind.theta,
                mind.pending, mind.targets, mind.counts, x, y, algorithm.mix, desk.v,
            )  # fmt: skip
        if asked.shape[0] > 0:
            asked[desk.tally[ASKED]] = k
        desk.tally[ASKED] += 1
        desk.tally[REPEATED] += desk.asked[k]
        desk.asked[k] = 1
        if algorithm.timed:
            start = nanoseconds(desk.clock)
    return 0
