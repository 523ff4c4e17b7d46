"""One turn: a taste is drawn, and the best of all key-terms and arms by it is what comes next."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from conlinucb.agent.estimators.ledger import enter
from conlinucb.agent.estimators.state import STATE, State
from conlinucb.agent.priors import Answers
from conlinucb.algorithms.conts.memory import ACCEPTED, ASKED, FIRST_TERM, TURNS, forget
from conlinucb.catalog.catalog import Catalog
from conlinucb.numerics.compile import (
    FLOAT,
    INDEX,
    INT,
    MARKS,
    MATRIX,
    SEED,
    VECTOR,
    VOID,
    kernel,
    tuple_type,
)
from conlinucb.numerics.roots import add_root_times, root_into, shrink_root
from conlinucb.numerics.ties import first_best, threshold
from conlinucb.numerics.validation import Floats, Indices
from conlinucb.randomness import Marks, normal
from conlinucb.simulation.loop.inputs import ANSWERS


class Things(NamedTuple):
    """Arms and key-terms, which are alike but for their names."""

    arms: Floats
    terms: Floats
    """(K, d) what answers observe, ..."""
    alike: Floats
    """(K, d) ... and the same directions, as long as arms are: what is compared with arms."""
    arm_start: Indices
    arm_terms: Indices
    """Arm a has arm_terms[arm_start[a]:arm_start[a + 1]]."""
    answers: Answers
    """What answers mean, (K,) each."""


class Rules(NamedTuple):
    """Numbers that make the algorithm."""

    width: Floats
    """(1,) standard deviations of a draw."""
    answer_weight: float
    accept: float
    """The least answer that accepts a key-term."""
    success: float
    """The least reward that accepts an arm, and so ends the conversation."""
    turns: int
    """A conversation is over after so many."""
    most: int
    """Questions in one round, at most."""


class Scratch(NamedTuple):
    """Arrays that turns write to."""

    taste: Floats
    """(d,) the draw."""
    near: Indices
    """(largest pool,) how many of the accepted key-terms an arm has, -1 for refused ones, ..."""
    top: Indices
    """(1,) ... and the most of them; or ``UNSEEN``: the pool is to be looked through."""
    scores: Floats
    """(largest pool,)."""
    of_terms: Floats
    """(K,)."""
    has: Marks
    """(K,) 1 for key-terms that some arm in question has and nobody was asked about."""
    v: Floats
    root: Floats
    """(d, d) the root R of P, as ``numerics.roots`` has it, ..."""
    known: Indices
    """(1,) ... if this says KNOWN, or that of P's diagonal, if NONE: else it is to be found."""


UNKNOWN, KNOWN, NONE = 0, 1, 2
UNSEEN = -2


THINGS = tuple_type(Things, MATRIX, MATRIX, MATRIX, INDEX, INDEX, ANSWERS)
RULES = tuple_type(Rules, VECTOR, FLOAT, FLOAT, FLOAT, INT, INT)
SCRATCH = tuple_type(Scratch, VECTOR, INDEX, INDEX, VECTOR, VECTOR, MARKS, VECTOR, MATRIX, INDEX)


def things_of(catalog: Catalog, answers: Answers) -> Things:
    """A key-term's features are a mean of its arms' and so never above the best of them; as a
    direction of an arm's length they can be."""
    lengths = np.linalg.norm(catalog._terms, axis=1, keepdims=True)
    usual = catalog._arm_norms[catalog._live_arms].mean()
    alike = catalog._terms * (usual / np.where(lengths > 0, lengths, np.inf))
    start, terms, _ = catalog._graph
    return Things(catalog._arms, catalog._terms, alike, start, terms, answers)


def new_scratch(things: Things, pool: int) -> Scratch:
    """For pools of at most so many arms."""
    terms, d = things.terms.shape
    return Scratch(
        np.empty(d),
        np.empty(pool, dtype=np.int64),
        np.full(1, UNSEEN),
        np.empty(pool),
        np.empty(terms),
        np.empty(terms, dtype=np.uint8),
        np.empty(d),
        np.empty((d, d)),
        np.zeros(1, dtype=np.int64),
    )


@kernel(VOID(RULES, STATE, SCRATCH, SEED))
def draw(rules: Rules, state: State, scratch: Scratch, at: np.uint64) -> None:
    """A taste as the belief has it, as ``belief_sample`` draws it, by the root that is known."""
    if scratch.known[0] == UNKNOWN:
        scratch.known[0] = KNOWN if root_into(state.matrices[0], scratch.root) else NONE
    for i in range(scratch.v.shape[0]):
        scratch.v[i] = rules.width[0] * normal(at, i)
        scratch.taste[i] = state.vectors[0, i]
    add_root_times(scratch.root, scratch.v, scratch.taste)


@kernel(VOID(STATE, SCRATCH, VECTOR, FLOAT, FLOAT))
def observe(state: State, scratch: Scratch, x: Floats, y: float, weight: float) -> None:
    """Learn an observation, and what it makes of the root, unless P was found anew from M.

    ``enter`` leaves in v what it took from P: P -= vv'.
    """
    enter(state, 0, x, y, weight, scratch.v)
    exact = state.counts[0] > 0 and state.counts[2] == 0
    kept = exact and scratch.known[0] == KNOWN and shrink_root(scratch.root, scratch.v)
    scratch.known[0] = KNOWN if kept else UNKNOWN


@kernel(VOID(THINGS, STATE, SCRATCH, INDEX))
def look(things: Things, state: State, scratch: Scratch, pool: Indices) -> None:
    """Which arms of the pool are in question, and which key-terms may be asked about for them.

    That stays until something is accepted or the conversation ends: only what was asked about is
    taken out.
    """
    top, near, has = -1, scratch.near, scratch.has
    refused = FIRST_TERM + things.terms.shape[0]
    for i in range(pool.shape[0]):
        a, near[i] = pool[i], 0
        for at in range(things.arm_start[a], things.arm_start[a + 1]):
            near[i] += state.counts[FIRST_TERM + things.arm_terms[at]] == ACCEPTED
        if state.counts[refused + a]:
            near[i] = -1
        top = max(top, near[i])
    scratch.top[0] = top
    has[:] = 0
    for i in range(pool.shape[0]):
        if near[i] == top:
            for at in range(things.arm_start[pool[i]], things.arm_start[pool[i] + 1]):
                k = things.arm_terms[at]
                has[k] = state.counts[FIRST_TERM + k] == 0


@kernel(FLOAT(MATRIX, INT, VECTOR), inner=True)
def worth(rows: Floats, i: int, taste: Floats) -> float:
    """rows[i]'taste; a view of the row would take as long as the rest of it."""
    total = 0.0
    for c in range(taste.shape[0]):
        total += rows[i, c] * taste[c]
    return total


@kernel(INT(THINGS, RULES, STATE, SCRATCH, INDEX, INDEX, SEED, INT))
def turn(
    things: Things,
    rules: Rules,
    state: State,
    scratch: Scratch,
    pool: Indices,
    offered: Indices,
    at: np.uint64,
    asked: int,
) -> int:
    """The key-term to ask about, or -1 - the place in the pool of the arm to recommend.

    ``asked`` is how many questions this round has had. Where both are as good, an arm wins. The
    pool is another than at the last turn only where ``scratch.top`` says ``UNSEEN``.
    """
    if forget(state, rules.turns) or scratch.top[0] == UNSEEN:
        look(things, state, scratch, pool)
    draw(rules, state, scratch, at)
    n = pool.shape[0]
    scores, near, has, top = scratch.scores[:n], scratch.near, scratch.has, scratch.top[0]
    taste = scratch.taste
    for i in range(n):
        scores[i] = worth(things.arms, pool[i], taste) if near[i] == top else -np.inf
    place = first_best(scores)
    if asked >= rules.most or offered.shape[0] == 0:
        return -1 - place
    of_terms = scratch.of_terms[: offered.shape[0]]
    for i in range(offered.shape[0]):
        k = offered[i]
        of_terms[i] = -np.inf
        if has[k] == 1:
            of_terms[i] = worth(things.alike, k, taste)
    best = first_best(of_terms)
    if of_terms[best] > -np.inf and scores[place] < threshold(of_terms[best]):
        return int(offered[best])
    return -1 - place


@kernel(VOID(THINGS, RULES, STATE, SCRATCH, INT, FLOAT, FLOAT))
def hear(
    things: Things,
    rules: Rules,
    state: State,
    scratch: Scratch,
    k: int,
    answer: float,
    weight: float,
) -> None:
    """Take in the answer about a key-term; NaN means skipped. It is not asked about again."""
    state.counts[TURNS] += 1
    state.counts[FIRST_TERM + k] = ASKED
    scratch.has[k] = 0
    if np.isnan(answer):
        return
    if answer >= rules.accept:
        state.counts[FIRST_TERM + k] = ACCEPTED
        scratch.top[0] = UNSEEN
    told = weight * rules.answer_weight * things.answers.weight[k]
    if told > 0.0:
        y = (answer - things.answers.offset[k]) / things.answers.slope[k]
        observe(state, scratch, things.terms[k], y, told)


@kernel(VOID(THINGS, RULES, STATE, SCRATCH, INT, FLOAT, FLOAT))
def learn(
    things: Things,
    rules: Rules,
    state: State,
    scratch: Scratch,
    a: int,
    reward: float,
    weight: float,
) -> None:
    """Take in an arm's reward: it ends the conversation, or the arm is not shown again in it."""
    observe(state, scratch, things.arms[a], reward, weight)
    if reward >= rules.success:
        forget(state, 0)
    else:
        state.counts[FIRST_TERM + things.terms.shape[0] + a] = 1
