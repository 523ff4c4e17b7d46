"""The questions of one round: choose, hear the answer, learn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import types

from conlinucb.agent.estimators.kernels import (
    ANSWER,
    LEARNS,
    REACHES,
    REFUSED,
    REWARD,
    SAMPLES,
    SCORES,
)
from conlinucb.agent.estimators.state import STATE, State
from conlinucb.agent.gates import GO, STOP
from conlinucb.agent.strategies.base import VIEW, View
from conlinucb.numerics.compile import FLOAT, INDEX, INT, MATRIX, VECTOR, VOID, kernel
from conlinucb.numerics.linalg import dot, full_matrix
from conlinucb.numerics.validation import Floats, Indices
from conlinucb.people.compiled import (
    VOICE,
    Voice,
    answer_noise,
    changed,
    pair_answer,
    plain_answer,
)
from conlinucb.simulation.loop.clock import nanoseconds
from conlinucb.simulation.loop.functions import PROBES, STRATEGY
from conlinucb.simulation.loop.group import choose_group, hear_group
from conlinucb.simulation.loop.inputs import (
    ALGORITHM,
    ARM,
    GROUP,
    PAIR,
    TERM,
    WORLD,
    Algorithm,
    World,
)
from conlinucb.simulation.loop.pick import pick
from conlinucb.simulation.loop.relative import DIFFERENCE, difference_of, teach_each
from conlinucb.simulation.loop.spread import spread
from conlinucb.simulation.loop.teach import take_in
from conlinucb.simulation.loop.workspace import (
    ANSWERED,
    ASKED,
    DOUBT,
    REPEATED,
    TERM_TIME,
    WORKSPACE,
    WRONG,
    Workspace,
)

THREE = types.UniTuple(FLOAT, 3)
WRONGS = {
    2: "chose term {}, which was not offered",
    3: "chose a pair of the same, {}",
    4: "asks about pairs or groups, but its gate named term {}",
}
"""What a strategy can do wrong; the loop returns the number."""
OUT_OF_RANGE = 5
"""What the loop returns where feedback was refused; ``Workspace.found`` begins with the value."""


@kernel(MATRIX(ALGORITHM, REACHES, STATE, MATRIX, INDEX), inner=True)
def pool_reach(
    algorithm: Algorithm, reach: Any, state: State, arms: Floats, pool: Indices
) -> Floats:
    """The pool as the term belief meets it, (n, d); nothing where nobody looks at it."""
    looked_at = algorithm.needs_pool or algorithm.gate_needs_pool
    found = np.empty((pool.shape[0] if looked_at else 0, arms.shape[1]))
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
    VIEW(
        *(WORLD, ALGORITHM, VOICE, INT, STATE, MATRIX, INDEX, INDEX, MATRIX, INT, VECTOR),
        WORKSPACE,
    ),
    inner=True,
)
def view_of(
    world: World,
    algorithm: Algorithm,
    voice: Voice,
    t: int,
    state: State,
    cov: Floats,
    offered: Indices,
    pool: Indices,
    reach: Floats,
    needs_pool: int,
    constants: Floats,
    work: Workspace,
) -> View:
    """What a strategy, or a gate, is shown; the round's arms only where it needs them."""
    seen = reach if needs_pool else reach[:0]
    return View(
        world.terms,
        offered,
        state.vectors[algorithm.term_vector],
        cov,
        algorithm.alphas[t],
        pool[: seen.shape[0]],
        seen,
        world.arm_start,
        world.arm_terms,
        world.arm_weights,
        work.term_bounds,
        constants,
        voice.seed,
        work.tally[ASKED],
        t + 1,
        algorithm.weights,
        algorithm.answers.chance,
        work.times,
        pool_means(state, world.arms, pool, seen.shape[0]),
        algorithm.noise,
        work.pairs[: work.tally[ASKED] if algorithm.kind == PAIR else 0],
        constants[:0],
    )


@kernel(
    INT(
        *(WORLD, ALGORITHM, STRATEGY, STRATEGY, VOICE, INT, STATE, INDEX, INDEX, MATRIX),
        WORKSPACE,
    ),
    inner=True,
)
def choose_term(
    world: World,
    algorithm: Algorithm,
    choose: Callable[[View], int],
    gate: Callable[[View], int],
    voice: Voice,
    t: int,
    state: State,
    offered: Indices,
    pool: Indices,
    reach: Floats,
    work: Workspace,
) -> int:
    """What the gate lets through, or the strategy's choice; STOP where the round has no more.

    Of a group how many, in ``work.group``. What is below STOP is one of WRONGS, and
    ``tally[WRONG]`` keeps the term.
    """
    if not algorithm.lazy or work.tally[DOUBT]:
        for i in range(work.term_bounds.shape[0]):
            work.term_bounds[i] = np.inf
    cov, k = full_matrix(state.matrices[algorithm.term_matrix]), GO
    if algorithm.gated:
        k = gate(view_of(
            world, algorithm, voice, t, state, cov, offered, pool, reach,
            algorithm.gate_needs_pool, algorithm.gate_constants, work,
        ))  # fmt: skip
        if k == STOP:
            return STOP
        if k >= 0 and algorithm.kind != TERM:
            work.tally[WRONG] = k
            return -4
    if k == GO:
        view = view_of(
            world, algorithm, voice, t, state, cov, offered, pool, reach, algorithm.needs_pool,
            algorithm.constants, work,
        )  # fmt: skip
        if algorithm.kind == GROUP:
            return choose_group(algorithm, choose, view, work)
        k = choose(view)
    terms = world.terms.shape[0]
    first, second = (k // terms, k % terms) if algorithm.kind == PAIR else (k, k)
    for each in (first, second):
        if not is_among(offered, each):
            work.tally[WRONG] = each
            return -2
    if algorithm.kind == PAIR and first == second:
        work.tally[WRONG] = first
        return -3
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
    if algorithm.kind == PAIR:
        terms = voice.table.shape[0]
        return pair_answer(voice, k // terms, k % terms, round, number)
    about_arm = int(algorithm.kind == ARM)
    plain = value if about_arm else plain_answer(voice, k)
    noisy = plain + answer_noise(voice, about_arm, round, number)
    return changed(voice, 0, round, number, noisy)


@kernel(THREE(ALGORITHM, INT), inner=True)
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
    scale, pairs = (slope[first] + slope[second]) / 2.0, algorithm.pairs
    return offset[first] - offset[second] + scale * pairs.offset, scale * pairs.slope, both


@kernel(
    INT(
        *(WORLD, ALGORITHM, STRATEGY, STRATEGY, LEARNS, SCORES, REACHES, SAMPLES, PROBES),
        *(VOICE, STATE, WORKSPACE, INT, INDEX, INDEX, INDEX),
    ),
    inner=True,
)
def ask_all(
    world: World,
    algorithm: Algorithm,
    choose: Callable[[View], int],
    gate: Callable[[View], int],
    learn: Any,
    score: Any,
    reach: Any,
    sample: Any,
    taken_for: Any,
    voice: Voice,
    state: State,
    work: Workspace,
    t: int,
    pool: Indices,
    offered: Indices,
    asked: Indices,
) -> int:
    """Ask all questions of round t (from 0); what went wrong, by WRONGS, or 0."""
    if (algorithm.kind == PAIR or algorithm.kind == GROUP) and offered.shape[0] < 2:
        return 0  # there is no pair, and no group
    start = nanoseconds(work.clock) if algorithm.timed else 0
    seen = pool_reach(algorithm, reach, state, world.arms, pool)
    probe, value = np.empty(world.arms.shape[1]), 0.0
    for number in range(algorithm.questions[t]):
        if algorithm.kind == ARM:
            place = pick(world, algorithm, score, sample, state, work, voice.seed, t, pool)
            k, value = pool[place], voice.worth[pool[place]]
        else:
            k = choose_term(
                world, algorithm, choose, gate, voice, t, state, offered, pool, seen, work
            )
            if k < STOP:
                return -k
        if algorithm.timed:
            work.tally[TERM_TIME] += nanoseconds(work.clock) - start
        if k == STOP:
            break
        if algorithm.kind == GROUP:
            hear_group(world, algorithm, learn, voice, state, work, t + 1, number, k, asked)
            if work.tally[DOUBT] == REFUSED:
                return OUT_OF_RANGE
            if algorithm.timed:
                start = nanoseconds(work.clock)
            continue
        probe_into(world, algorithm, k, probe)
        if algorithm.own_probe:
            before = work.tally[ASKED]
            taken_for(world.terms, k, voice.seed, before, algorithm.constants, probe)
        y = answer_to(algorithm, voice, k, t + 1, number, value)
        if not np.isnan(y):
            if algorithm.kind == PAIR and algorithm.pair_update != DIFFERENCE:
                teach_each(world, algorithm, learn, voice, state, work, k, y)
            else:
                source = REWARD if algorithm.kind == ARM else ANSWER
                offset, slope, weight = scale_of(algorithm, k)
                if algorithm.kind == PAIR:
                    y = difference_of(algorithm, voice, y)
                y = (y - offset) / slope
                if weight > 0.0:
                    take_in(algorithm, learn, state, work, source, probe, y, weight)
                    if algorithm.kind == TERM and algorithm.spreading.start.shape[0] > 0:
                        spread(algorithm, learn, state, work, k, y, weight)
            if work.tally[DOUBT] == REFUSED:
                return OUT_OF_RANGE
            work.tally[ANSWERED] += 1
        note(algorithm, work, asked, k)
        if algorithm.timed:
            start = nanoseconds(work.clock)
    return 0
