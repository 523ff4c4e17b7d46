"""The loop of Hier-LinUCB: one user's rounds, outside the GIL."""

from __future__ import annotations

import numpy as np

from conlinucb.agent.estimators.kernels import REWARD
from conlinucb.agent.estimators.state import STATE, State
from conlinucb.algorithms.conts.loop import note
from conlinucb.algorithms.hier_linucb.counting import FIRST_TERM
from conlinucb.algorithms.hier_linucb.switch import SHARE, asked_instead, belongs
from conlinucb.numerics.compile import FLOAT, INDEX, INT, VOID, kernel
from conlinucb.numerics.validation import Indices
from conlinucb.people.compiled import ROUNDS, VOICE, Rounds, Voice, rewarded
from conlinucb.simulation.loop.clock import nanoseconds
from conlinucb.simulation.loop.functions import learn_at, sample_at, score_at
from conlinucb.simulation.loop.inputs import ALGORITHM, OUTPUT, WORLD, Algorithm, Output, World
from conlinucb.simulation.loop.pick import pick
from conlinucb.simulation.loop.play import log
from conlinucb.simulation.loop.workspace import (
    ARM_TIME,
    DOUBT,
    HITS,
    REGRET,
    REWARDED,
    ROW,
    TERM_TIME,
    WORKSPACE,
    Workspace,
    heed,
)
from conlinucb.simulation.prepared import Prepared


@kernel(FLOAT(WORLD, VOICE, INDEX, INT), inner=True)
def best_value(world: World, voice: Voice, pool: Indices, k: int) -> float:
    """What the key-term's best arm of the pool is worth; NaN where nothing is known of that one."""
    best = found = -np.inf
    for i in range(pool.shape[0]):
        if belongs(world, pool[i], k):
            worth = voice.worth[pool[i]]
            known = 0.0 if np.isnan(worth) else worth
            if known > best:
                best, found = known, worth
    return found


@kernel(
    VOID(
        *(WORLD, ALGORITHM, INDEX, FLOAT, ROUNDS, VOICE, STATE, WORKSPACE, OUTPUT),
        INT,
    )
)
def play(
    world: World,
    algorithm: Algorithm,
    functions: Indices,
    kappa: float,
    rounds: Rounds,
    voice: Voice,
    state: State,
    work: Workspace,
    output: Output,
    first: int,
) -> None:
    """Play a block of rounds, from ``first`` (from 0)."""
    learn, score = learn_at(functions[2]), score_at(functions[3])
    sample = sample_at(functions[5])
    tally, sums, counts, clock = work.tally, work.sums, state.counts, 0
    for b in range(rounds.best.shape[0]):
        t = first + b
        pool = rounds.pool[rounds.start[b] : rounds.start[b + 1]]
        offered = rounds.offered[min(b, rounds.offered.shape[0] - 1)]
        if algorithm.timed:
            clock = nanoseconds(work.clock)
        place = pick(world, algorithm, score, sample, state, work, voice.seed, t, pool)
        a = pool[place]
        k = asked_instead(world, kappa, counts, offered, a, work.scores[place], t + 1)
        if algorithm.timed:
            tally[TERM_TIME if k >= 0 else ARM_TIME] += nanoseconds(work.clock) - clock
        value, share = voice.worth[a], 1.0
        if k >= 0:
            value, share = best_value(world, voice, pool, k), SHARE
            note(work, output.asked, k, int(not np.isnan(value)))
            counts[FIRST_TERM + k] += 1
        else:
            counts[FIRST_TERM + world.terms.shape[0] + a] += 1
        if np.isnan(value):
            sums[REGRET] += rounds.best[b]
        else:
            y = rewarded(voice.clicks, value, rounds.chance[b])
            sums[REGRET] += rounds.best[b] - share * value
            sums[REWARDED] += share * y
            tally[HITS] += share * y >= output.hit
            grown = learn(state, algorithm.learning, REWARD, world.arms[a], y, 1.0, work.v)
            if grown or tally[DOUBT]:
                heed(work, grown)
        if output.arms.shape[0] > 0:
            output.arms[t] = a
        row = tally[ROW]
        if row < output.logged.shape[0] and output.logged[row] == t + 1:
            log(output, state.vectors[0], voice, work)


class AskOrRecommend:
    """One person's rounds, block after block."""

    def __init__(self, world: World, ready: Prepared, kappa: float, output: Output) -> None:
        self.world, self.ready, self.kappa, self.output = world, ready, kappa, output
        self.state = ready.newcomer()
        self.work = ready.workspace(world, 0)

    def play(self, block: Rounds, voice: Voice, start: int) -> None:
        """Play a block of rounds."""
        largest = int(np.diff(block.start).max())
        if self.work.scores.size < largest:  # pools may grow from block to block
            fresh = self.ready.workspace(self.world, largest)
            self.work = self.work._replace(scores=fresh.scores, true=fresh.true)
        play(
            self.world, self.ready.algorithm, self.ready.functions, self.kappa, block, voice,
            self.state, self.work, self.output, start,
        )  # fmt: skip
