"""The loop of ConDuel: one user's rounds, outside the GIL."""

from __future__ import annotations

from typing import Any

import numpy as np

from conlinucb.agent.estimators.kernels import REWARD
from conlinucb.agent.estimators.state import STATE, State
from conlinucb.algorithms.duel.choice import SCRATCH, Scratch, decide, new_scratch
from conlinucb.numerics.compile import INDEX, INT, kernel
from conlinucb.numerics.validation import Indices
from conlinucb.people.compiled import ROUNDS, VOICE, Rounds, Voice, duelled
from conlinucb.randomness import SELECT, derive
from conlinucb.simulation.four_verbs import Looped
from conlinucb.simulation.loop.clock import nanoseconds
from conlinucb.simulation.loop.functions import (
    learn_at,
    probe_at,
    reach_at,
    sample_at,
    score_at,
    strategy_at,
)
from conlinucb.simulation.loop.inputs import ALGORITHM, OUTPUT, WORLD, Algorithm, Output, World
from conlinucb.simulation.loop.play import log
from conlinucb.simulation.loop.question import ask_all
from conlinucb.simulation.loop.workspace import (
    ARM_TIME,
    DOUBT,
    HITS,
    REGRET,
    REWARDED,
    ROW,
    WORKSPACE,
    WRONG,
    Workspace,
    heed,
)


@kernel(
    INT(
        *(WORLD, ROUNDS, VOICE, ALGORITHM, INDEX, INT),
        *(STATE, SCRATCH, WORKSPACE, OUTPUT, INT, INDEX),
    )
)
def play(
    world: World,
    rounds: Rounds,
    voice: Voice,
    algorithm: Algorithm,
    functions: Indices,
    random: int,
    state: State,
    scratch: Scratch,
    work: Workspace,
    output: Output,
    first: int,
    progress: Indices,
) -> int:
    """Play a block of rounds, from ``first`` (from 0), or until something goes wrong: see WRONGS.

    Questions are those of every agent; ``progress`` as the loop of these has it.
    """
    choose, gate = strategy_at(functions[0]), strategy_at(functions[1])
    learn, score = learn_at(functions[2]), score_at(functions[3])
    reach, sample, probe = reach_at(functions[4]), sample_at(functions[5]), probe_at(functions[6])
    arms, tally, sums, x, clock = world.arms, work.tally, work.sums, scratch.x, 0
    for b in range(rounds.best.shape[0]):
        t = first + b
        progress[0] = t + 1
        pool = rounds.pool[rounds.start[b] : rounds.start[b + 1]]
        if algorithm.questions[t] > 0:
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
        at = derive(derive(voice.seed, t + 1), SELECT)
        code = decide(arms, state, pool, algorithm.widths[t, 0], random, at, scratch)
        if algorithm.timed:
            tally[ARM_TIME] += nanoseconds(work.clock) - clock
        a, c = pool[code // pool.shape[0]], pool[code % pool.shape[0]]
        one, other = voice.worth[a], voice.worth[c]
        value = (0.0 if np.isnan(one) else one) / 2.0 + (0.0 if np.isnan(other) else other) / 2.0
        sums[REGRET] += max(rounds.best[b] - value, 0.0)
        sums[REWARDED] += value
        tally[HITS] += value >= output.hit
        y = duelled(voice, arms, a, c, t + 1) if a != c else np.nan
        if not np.isnan(y):
            for i in range(x.shape[0]):
                x[i] = arms[a, i] - arms[c, i]
            grown = learn(state, algorithm.learning, REWARD, x, y, 1.0, work.v)
            if grown or tally[DOUBT]:
                heed(work, grown)
        if output.arms.shape[0] > 0:
            output.arms[t] = a
        row = tally[ROW]
        if row < output.logged.shape[0] and output.logged[row] == t + 1:
            log(output, state.vectors[0], voice, work)
    return 0


class Duels(Looped):
    """One person's duels, block after block; ``random`` is 1 where the first arm is drawn."""

    def __init__(self, *given: Any, random: int) -> None:
        super().__init__(*given)
        self.random = random

    def _played(self, block: Rounds, voice: Voice, start: int) -> int:
        n, d = self.work.scores.size, self.world.arms.shape[1]
        return play(
            self.world, block, voice, self.ready.algorithm, self.ready.functions, self.random,
            self.state, new_scratch(n, d), self.work, self.output, start, self.progress,
        )  # fmt: skip
