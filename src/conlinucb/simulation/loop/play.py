"""The loop: one user's rounds, for every estimator and every strategy."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from conlinucb.agent.strategies.base import View
from conlinucb.numerics.compile import FLOAT, INDEX, INT, MATRIX, SEED, VECTOR, VOID, kernel
from conlinucb.numerics.linalg import absorb, dot
from conlinucb.numerics.validation import Floats, Indices
from conlinucb.randomness import POOL, REWARD_NOISE, derive, distinct, normal
from conlinucb.simulation.loop.clock import nanoseconds
from conlinucb.simulation.loop.inputs import (
    ALGORITHM,
    CHANCE,
    OUTPUT,
    WORLD,
    Algorithm,
    Chance,
    Output,
    World,
)
from conlinucb.simulation.loop.pick import best_arm
from conlinucb.simulation.loop.question import STRATEGY, ask_all, new_mind, trusts_bounds
from conlinucb.simulation.loop.workspace import (
    ARM_TIME,
    ASKED,
    DESK,
    REPEATED,
    TERM_TIME,
    WRONG,
    Desk,
    new_desk,
)


@kernel(FLOAT(MATRIX, INDEX, VECTOR, VECTOR), inner=True)
def best_reward(arms: Floats, pool: Indices, theta: Floats, known: Floats) -> float:
    """The largest x'theta* in the pool; ``known`` (N,) keeps what was computed, NaN elsewhere."""
    best = -np.inf
    for i in range(pool.shape[0]):
        a = pool[i]
        if np.isnan(known[a]):
            known[a] = dot(arms[a], theta)
        best = max(best, known[a])
    return best


@kernel(VOID(OUTPUT, INT, FLOAT, VECTOR, VECTOR, DESK), inner=True)
def log(
    output: Output, row: int, regret: float, theta: Floats, theta_star: Floats, desk: Desk
) -> None:
    """Write a row of metrics."""
    error = 0.0
    for i in range(theta.shape[0]):
        error += (theta[i] - theta_star[i]) ** 2
    output.metrics[row, 0] = regret
    output.metrics[row, 1] = np.sqrt(error)
    output.metrics[row, 2] = desk.tally[ASKED]
    output.metrics[row, 3] = desk.tally[REPEATED]
    output.metrics[row, 4] = desk.tally[ARM_TIME] * 1e-9
    output.metrics[row, 5] = desk.tally[TERM_TIME] * 1e-9


@kernel(INT(WORLD, CHANCE, ALGORITHM, STRATEGY, VECTOR, SEED, OUTPUT, INDEX))
def play(
    world: World,
    chance: Chance,
    algorithm: Algorithm,
    choose: Callable[[View], int],
    theta_star: Floats,
    seed: np.uint64,
    output: Output,
    progress: Indices,
) -> int:
    """Play all rounds; 1 where the strategy chose a term that was not offered.

    ``progress`` (2,) is the round under way and that term, for an error message.
    """
    mind = new_mind(algorithm, theta_star.shape[0])
    desk = new_desk(world, chance, algorithm)
    # Taken out of their tuples once: the round below is what a run spends its time on.
    P, M, Y, prior, theta = mind.P, mind.M, mind.Y, mind.prior, mind.theta
    pending, targets, counts, term_P = mind.pending, mind.targets, mind.counts, mind.term_P
    arms, live, pool, bounds, v = world.arms, world.live_arms, desk.pool, desk.bounds, desk.v
    short_arms, short, term_counts = world.short_arms, desk.short, mind.term_counts
    scores, true, known, marks = desk.scores, desk.true, desk.known, desk.marks
    regret, row, start = 0.0, 0, 0
    for t in range(algorithm.questions.shape[0]):
        progress[0] = t + 1
        at = derive(seed, t + 1)
        distinct(derive(at, POOL), live, marks, pool)
        if algorithm.questions[t] > 0:
            wrong = ask_all(
                world, chance, algorithm, choose, theta_star, seed, t, mind, desk, output.asked
            )
            if wrong:
                progress[1] = desk.tally[WRONG]
                return 1
        if algorithm.timed:
            start = nanoseconds(desk.clock)
        a = best_arm(
            P, theta, term_P, algorithm.arm_widths[t], algorithm.term_widths[t], desk.ratio,
            arms, short_arms, desk.longest, pool, bounds, scores, true, v, short,
            trusts_bounds(algorithm.lazy, counts, term_counts),
        )  # fmt: skip
        if algorithm.timed:
            desk.tally[ARM_TIME] += nanoseconds(desk.clock) - start
        regret += best_reward(arms, pool, theta_star, known) - known[a]
        y = known[a] + chance.noise * normal(derive(at, REWARD_NOISE), 0)
        x = arms[a]
        absorb(P, M, Y, prior, theta, pending, targets, counts, x, y, algorithm.mix, v)
        if output.arms.shape[0] > 0:
            output.arms[t] = a
        if row < output.logged.shape[0] and output.logged[row] == t + 1:
            log(output, row, regret, theta, theta_star, desk)
            row += 1
    return 0
