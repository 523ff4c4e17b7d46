"""The loop of HCB and pHCB: one user's rounds, outside the GIL."""

from __future__ import annotations

import numpy as np

from conlinucb.agent.estimators.state import STATE, State, copied
from conlinucb.algorithms.hierarchy.branches import BRANCHES, Branches
from conlinucb.algorithms.hierarchy.walk import (
    RULES,
    SCRATCH,
    Rules,
    Scratch,
    decide,
    learn,
    new_scratch,
)
from conlinucb.numerics.compile import INT, MATRIX, VOID, kernel
from conlinucb.numerics.validation import Floats
from conlinucb.people.compiled import ROUNDS, VOICE, Rounds, Voice, rewarded
from conlinucb.randomness import derive
from conlinucb.simulation.loop.clock import nanoseconds
from conlinucb.simulation.loop.inputs import OUTPUT, Output
from conlinucb.simulation.loop.play import log
from conlinucb.simulation.loop.workspace import (
    ARM_TIME,
    HITS,
    REGRET,
    REWARDED,
    ROW,
    WORKSPACE,
    Workspace,
    new_workspace,
)


@kernel(
    VOID(*(BRANCHES, MATRIX, RULES, ROUNDS, VOICE, STATE, SCRATCH, WORKSPACE, OUTPUT), INT, INT)
)
def play(
    branches: Branches,
    arms: Floats,
    rules: Rules,
    rounds: Rounds,
    voice: Voice,
    state: State,
    scratch: Scratch,
    work: Workspace,
    output: Output,
    first: int,
    timed: int,
) -> None:
    """Play a block of rounds, from ``first`` (from 0)."""
    tally, sums, clock = work.tally, work.sums, 0
    for b in range(rounds.best.shape[0]):
        t = first + b
        pool = rounds.pool[rounds.start[b] : rounds.start[b + 1]]
        if timed:
            clock = nanoseconds(work.clock)
        at = derive(voice.seed, t + 1)
        a = pool[decide(branches, arms, rules, state, scratch, pool, at)]
        if timed:
            tally[ARM_TIME] += nanoseconds(work.clock) - clock
        value = voice.worth[a]
        if np.isnan(value):
            sums[REGRET] += rounds.best[b]
        else:
            y = rewarded(voice.clicks, value, rounds.chance[b])
            sums[REGRET] += max(rounds.best[b] - value, 0.0)
            sums[REWARDED] += y
            tally[HITS] += y >= output.hit
            learn(branches, arms, rules, state, a, y, 1.0, scratch.v)
        if output.arms.shape[0] > 0:
            output.arms[t] = a
        row = tally[ROW]
        if row < output.logged.shape[0] and output.logged[row] == t + 1:
            log(output, state.vectors[0], voice, work)


class AlongTree:
    """One person's rounds, block after block."""

    def __init__(
        self,
        branches: Branches,
        arms: Floats,
        rules: Rules,
        start: State,
        output: Output,
        timed: bool,
    ) -> None:
        self.branches, self.arms, self.rules = branches, arms, rules
        self.state, self.scratch = copied(start), new_scratch(branches)
        nobody = np.empty(0)
        self.work = new_workspace(nobody, nobody, 0, 0, arms.shape[1], 0)
        self.output, self.timed = output, int(timed)

    def play(self, block: Rounds, voice: Voice, start: int) -> None:
        """Play a block of rounds."""
        play(
            self.branches, self.arms, self.rules, block, voice,
            self.state, self.scratch, self.work, self.output, start, self.timed,
        )  # fmt: skip
