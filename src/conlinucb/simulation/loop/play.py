"""The loop: one user's rounds, for every estimator, every strategy and all people."""

from __future__ import annotations

from typing import Any

import numpy as np

from conlinucb.agent.estimators.kernels import REFUSED, REWARD
from conlinucb.agent.estimators.state import STATE, State
from conlinucb.agent.rewards.base import WANTED, Recommended
from conlinucb.numerics.compile import INDEX, INT, SEED, VECTOR, VOID, kernel
from conlinucb.numerics.validation import Floats, Indices
from conlinucb.people.compiled import ROUNDS, VOICE, Rounds, Voice, rewarded
from conlinucb.randomness import SELECT, derive
from conlinucb.simulation.loop.clock import nanoseconds
from conlinucb.simulation.loop.functions import (
    learn_at,
    probe_at,
    reach_at,
    sample_at,
    score_at,
    strategy_at,
    wants_at,
)
from conlinucb.simulation.loop.inputs import ALGORITHM, OUTPUT, WORLD, Algorithm, Output, World
from conlinucb.simulation.loop.pick import best_arm
from conlinucb.simulation.loop.question import OUT_OF_RANGE, ask_all
from conlinucb.simulation.loop.teach import tell
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
    UNASKED,
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
    row[9] = output.logged[tally[ROW]] - tally[UNASKED]
    tally[ROW] += 1


@kernel(INT(WORLD, ALGORITHM, WANTED, STATE, WORKSPACE, SEED, INT, INDEX, INT), inner=True)
def is_asked_for(
    world: World,
    algorithm: Algorithm,
    wants: Any,
    state: State,
    work: Workspace,
    seed: np.uint64,
    t: int,
    pool: Indices,
    a: int,
) -> int:
    """Whether the reward of arm ``a`` is asked for in round t (from 0), which is noted."""
    wanted = wants(Recommended(
        state, world.arms, pool, a, algorithm.reward_noise, seed, t + 1,
        algorithm.reward_constants, work.notes,
    ))  # fmt: skip
    work.notes[0] += wanted
    work.tally[UNASKED] += 1 - wanted
    return int(wanted)


@kernel(
    INT(
        *(WORLD, ROUNDS, VOICE, ALGORITHM, INDEX),
        *(STATE, WORKSPACE, OUTPUT, INT, INDEX),
    )
)
def play(
    world: World,
    rounds: Rounds,
    voice: Voice,
    algorithm: Algorithm,
    functions: Indices,
    state: State,
    work: Workspace,
    output: Output,
    first: int,
    progress: Indices,
) -> int:
    """Play a block of rounds, from ``first`` (from 0), or until something goes wrong: see WRONGS.

    ``functions`` are the addresses of the agent's, ``progress`` (2,) is the round under way and
    the term, for an error message.
    """
    choose, gate = strategy_at(functions[0]), strategy_at(functions[1])
    learn, score = learn_at(functions[2]), score_at(functions[3])
    reach, sample, probe = reach_at(functions[4]), sample_at(functions[5]), probe_at(functions[6])
    wants = wants_at(functions[7])
    # Taken out of their tuples once: the round below is what a run spends its time on.
    arms, short_arms, longest = world.arms, world.short_arms, world.longest
    bounds, scores, true, few, found = work.bounds, work.scores, work.true, work.few, work.found
    scratch, short, v, tally, sums = work.scratch, work.short, work.v, work.tally, work.sums
    starts, pools, worth, chance = rounds.start, rounds.pool, voice.worth, rounds.chance
    questions, widths, learning = algorithm.questions, algorithm.widths, algorithm.learning
    theta, clock, wanted = state.vectors[0], 0, 1
    for b in range(rounds.best.shape[0]):
        t = first + b
        progress[0] = t + 1
        start, end = starts[b], starts[b + 1]
        pool = pools[start:end]
        if questions[t] > 0:
            offered = rounds.offered[min(b, rounds.offered.shape[0] - 1)]
            wrong = ask_all(
                world, algorithm, choose, gate, learn, score, reach, sample, probe, voice, state,
                work, t, pool, offered, output.asked,
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
        if algorithm.choosy:
            wanted = is_asked_for(world, algorithm, wants, state, work, voice.seed, t, pool, a)
        value = worth[a]
        if np.isnan(value):
            sums[REGRET] += rounds.best[b]
        else:
            y = rewarded(voice.clicks, value, chance[b])
            # max, so that sums are not reordered: the best arm then adds 0, not some rounding.
            sums[REGRET] += max(rounds.best[b] - value, 0.0)
            sums[REWARDED] += y
            tally[HITS] += y >= output.hit
            if wanted:
                grown = learn(state, learning, REWARD, arms[a], y, 1.0, v)
                if grown or tally[DOUBT]:
                    if grown == REFUSED:
                        work.found[0] = y
                        return OUT_OF_RANGE
                    heed(work, grown)
                tell(work, 0, REWARD, arms[a], y, 1.0)
        if output.arms.shape[0] > 0:
            output.arms[t] = a
        row = tally[ROW]
        if row < output.logged.shape[0] and output.logged[row] == t + 1:
            log(output, theta, voice, work)
    return 0
