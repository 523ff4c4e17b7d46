"""The loop: one user's rounds, for every estimator, every strategy and all people."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from conlinucb.agent.estimators.kernels import LEARNS, REACHES, REWARD, SAMPLES, SCORES
from conlinucb.agent.estimators.state import STATE, State
from conlinucb.agent.strategies.base import View
from conlinucb.numerics.compile import INDEX, INT, VECTOR, VOID, kernel
from conlinucb.numerics.validation import Floats, Indices
from conlinucb.people.compiled import ROUNDS, VOICE, Rounds, Voice, rewarded
from conlinucb.randomness import SELECT, derive
from conlinucb.simulation.loop.clock import nanoseconds
from conlinucb.simulation.loop.inputs import ALGORITHM, OUTPUT, WORLD, Algorithm, Output, World
from conlinucb.simulation.loop.pick import best_arm
from conlinucb.simulation.loop.question import STRATEGY, ask_all
from conlinucb.simulation.loop.workspace import (
    ANSWERED,
    ARM_TIME,
    ASKED,
    DOUBT,
    HITS,
    REGRET,
    REPEATED,
    REWARDED,
    ROW,
    TERM_TIME,
    WORKSPACE,
    WRONG,
    Workspace,
    heed,
)


@kernel(VOID(OUTPUT, VECTOR, VOICE, WORKSPACE), inner=True)
def log(output: Output, theta: Floats, voice: Voice, work: Workspace) -> None:
    """Write a row of metrics."""
    error = 0.0
    for i in range(voice.theta.shape[0]):
        error += (theta[i] - voice.theta[i]) ** 2
    tally, row = work.tally, output.metrics[work.tally[ROW]]
    row[0] = work.sums[REGRET]
    row[1] = np.sqrt(error) if voice.has_theta else np.nan
    row[2] = tally[ASKED]
    row[3] = tally[REPEATED]
    row[4] = tally[ARM_TIME] * 1e-9
    row[5] = tally[TERM_TIME] * 1e-9
    row[6] = work.sums[REWARDED]
    row[7] = tally[ANSWERED]
    row[8] = tally[HITS]
    tally[ROW] += 1


@kernel(
    INT(
        *(WORLD, ROUNDS, VOICE, ALGORITHM, STRATEGY, LEARNS, SCORES, REACHES, SAMPLES),
        *(STATE, WORKSPACE, OUTPUT, INT, INDEX),
    )
)
def play(
    world: World,
    rounds: Rounds,
    voice: Voice,
    algorithm: Algorithm,
    choose: Callable[[View], int],
    learn: Any,
    score: Any,
    reach: Any,
    sample: Any,
    state: State,
    work: Workspace,
    output: Output,
    first: int,
    progress: Indices,
) -> int:
    """Play a block of rounds, from ``first`` (from 0), or until a strategy goes wrong: see WRONGS.

    ``progress`` (2,) is the round under way and the term, for an error message.
    """
    # Taken out of their tuples once: the round below is what a run spends its time on.
    arms, short_arms, longest = world.arms, world.short_arms, world.longest
    bounds, scores, true, few, found = work.bounds, work.scores, work.true, work.few, work.found
    scratch, short, v, tally, sums = work.scratch, work.short, work.v, work.tally, work.sums
    starts, pools, worth, chance = rounds.start, rounds.pool, voice.worth, rounds.chance
    questions, widths, learning = algorithm.questions, algorithm.widths, algorithm.learning
    theta, clock = state.vectors[0], 0
    for b in range(rounds.best.shape[0]):
        t = first + b
        progress[0] = t + 1
        start, end = starts[b], starts[b + 1]
        pool = pools[start:end]
        if questions[t] > 0:
            offered = rounds.offered[min(b, rounds.offered.shape[0] - 1)]
            wrong = ask_all(
                world, algorithm, choose, learn, score, reach, sample, voice, state, work, t,
                pool, offered, output.asked,
            )  # fmt: skip
            if wrong:
                progress[1] = tally[WRONG]
                return wrong
        if algorithm.timed:
            clock = nanoseconds(work.clock)
        direction = theta
        if algorithm.samples:
            direction = work.direction
            at = derive(derive(voice.seed, t + 1), SELECT)
            sample(state, algorithm.spreads[t], at, direction)
        lazy = int(algorithm.lazy == 1 and tally[DOUBT] == 0)
        place = best_arm(
            arms, short_arms, longest, state, score, direction, widths[t], algorithm.bound[t],
            pool, bounds, scores, true, few, found, scratch, short, lazy,
        )  # fmt: skip
        if algorithm.timed:
            tally[ARM_TIME] += nanoseconds(work.clock) - clock
        a = pool[place]
        value = worth[a]
        if np.isnan(value):
            sums[REGRET] += rounds.best[b]
        else:
            y = rewarded(voice.clicks, value, chance[b])
            # max, so that sums are not reordered: the best arm then adds 0, not some rounding.
            sums[REGRET] += max(rounds.best[b] - value, 0.0)
            sums[REWARDED] += y
            tally[HITS] += y >= output.hit
            grown = learn(state, learning, REWARD, arms[a], y, 1.0, v)
            if grown or tally[DOUBT]:
                heed(work, grown)
        if output.arms.shape[0] > 0:
            output.arms[t] = a
        row = tally[ROW]
        if row < output.logged.shape[0] and output.logged[row] == t + 1:
            log(output, theta, voice, work)
    return 0
