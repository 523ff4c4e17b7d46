"""The loop of ConTS: one user's rounds, outside the GIL."""

from __future__ import annotations

import numpy as np

from conlinucb.agent.estimators.state import STATE, State, copied
from conlinucb.algorithms.conts.memory import TURNS
from conlinucb.algorithms.conts.turn import (
    RULES,
    SCRATCH,
    THINGS,
    UNSEEN,
    Rules,
    Scratch,
    Things,
    hear,
    learn,
    new_scratch,
    turn,
)
from conlinucb.numerics.compile import INDEX, INT, VOID, kernel
from conlinucb.numerics.validation import Indices
from conlinucb.people.compiled import (
    ROUNDS,
    VOICE,
    Rounds,
    Voice,
    answer_noise,
    changed,
    plain_answer,
    rewarded,
)
from conlinucb.randomness import SELECT, derive
from conlinucb.simulation.loop.clock import nanoseconds
from conlinucb.simulation.loop.inputs import OUTPUT, Output
from conlinucb.simulation.loop.play import log
from conlinucb.simulation.loop.workspace import (
    ANSWERED,
    ARM_TIME,
    ASKED,
    HITS,
    REGRET,
    REPEATED,
    REWARDED,
    ROW,
    TERM_TIME,
    WORKSPACE,
    Workspace,
    new_workspace,
)


@kernel(VOID(WORKSPACE, INDEX, INT, INT), inner=True)
def note(work: Workspace, asked: Indices, k: int, answered: int) -> None:
    """Remember a question."""
    tally = work.tally
    if asked.shape[0] > 0:
        asked[tally[ASKED]] = k
    tally[ASKED] += 1
    tally[ANSWERED] += answered
    tally[REPEATED] += work.asked[k]
    work.asked[k] = 1


@kernel(
    INT(
        *(THINGS, RULES, VOICE, STATE, SCRATCH, WORKSPACE, OUTPUT),
        *(INT, INDEX, INDEX, INT),
    ),
    inner=True,
)
def converse(
    things: Things,
    rules: Rules,
    voice: Voice,
    state: State,
    scratch: Scratch,
    work: Workspace,
    output: Output,
    t: int,
    pool: Indices,
    offered: Indices,
    timed: int,
) -> int:
    """Ask as long as key-terms win, in round t (from 0); then the place of the arm that does."""
    at, number, clock = derive(derive(voice.seed, t + 1), SELECT), 0, 0
    scratch.top[0] = UNSEEN
    while True:
        if timed:
            clock = nanoseconds(work.clock)
        k = turn(things, rules, state, scratch, pool, offered, derive(at, number), number)
        if timed:
            work.tally[TERM_TIME if k >= 0 else ARM_TIME] += nanoseconds(work.clock) - clock
        if k < 0:
            state.counts[TURNS] += 1
            return -1 - k
        said = plain_answer(voice, k) + answer_noise(voice, 0, t + 1, number)
        answer = changed(voice, 0, t + 1, number, said)
        hear(things, rules, state, scratch, k, answer, 1.0)
        note(work, output.asked, k, int(not np.isnan(answer)))
        number += 1


@kernel(VOID(*(THINGS, RULES, ROUNDS, VOICE, STATE, SCRATCH, WORKSPACE, OUTPUT), INT, INT))
def play(
    things: Things,
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
    tally, sums = work.tally, work.sums
    for b in range(rounds.best.shape[0]):
        t = first + b
        pool = rounds.pool[rounds.start[b] : rounds.start[b + 1]]
        offered = rounds.offered[min(b, rounds.offered.shape[0] - 1)]
        a = pool[
            converse(things, rules, voice, state, scratch, work, output, t, pool, offered, timed)
        ]
        value = voice.worth[a]
        if np.isnan(value):
            sums[REGRET] += rounds.best[b]
        else:
            y = rewarded(voice.clicks, value, rounds.chance[b])
            sums[REGRET] += max(rounds.best[b] - value, 0.0)
            sums[REWARDED] += y
            tally[HITS] += y >= output.hit
            learn(things, rules, state, scratch, a, y, 1.0)
        if output.arms.shape[0] > 0:
            output.arms[t] = a
        row = tally[ROW]
        if row < output.logged.shape[0] and output.logged[row] == t + 1:
            log(output, state.vectors[0], voice, work)


class Conversations:
    """One person's rounds, block after block."""

    def __init__(
        self, things: Things, rules: Rules, start: State, output: Output, timed: bool
    ) -> None:
        self.things, self.rules, self.state = things, rules, copied(start)
        arms, terms, d = len(things.arms), len(things.terms), things.arms.shape[1]
        self.work = new_workspace(np.empty(arms), np.empty(terms), 0, 0, d, 0)
        self.scratch = new_scratch(things, 0)
        self.output, self.timed = output, int(timed)

    def play(self, block: Rounds, voice: Voice, start: int) -> None:
        """Play a block of rounds."""
        largest = int(np.diff(block.start).max())
        if self.scratch.scores.size < largest:
            self.scratch = new_scratch(self.things, largest)
        play(
            self.things, self.rules, block, voice, self.state, self.scratch, self.work,
            self.output, start, self.timed,
        )  # fmt: skip
