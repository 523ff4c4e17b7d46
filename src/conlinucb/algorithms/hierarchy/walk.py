"""Which arm, and what its reward teaches: one kernel each, by hand and in the loop."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from conlinucb.agent.estimators.ledger import MATRICES, VECTORS, enter
from conlinucb.agent.estimators.state import STATE, State
from conlinucb.algorithms.hierarchy.branches import BRANCHES, Branches
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
from conlinucb.numerics.linalg import dot, quadratics
from conlinucb.numerics.ties import first_best
from conlinucb.numerics.validation import Floats, Indices
from conlinucb.randomness import BRANCHES as STREAM
from conlinucb.randomness import Marks, derive, distinct

ITEMS, NODES = 0, 1
"""Ledgers of a state: of the arms, then of the nodes; HCB has one for each depth."""


class Rules(NamedTuple):
    """What decides beside the state."""

    alpha: float
    most: int
    """Arms, or open nodes, that are looked at in one round."""
    width: int
    """Children that are looked at in one step."""
    progressive: int
    """Whether the field opens node by node: pHCB."""
    visits: float
    feedback: float
    """A node of depth g, the root's 1, opens from visits log(g) visits of mean feedback log(g)."""


class Scratch(NamedTuple):
    """Arrays that every decision writes to."""

    present: Indices
    """(V,) 1 for nodes that have an arm in the pool; zeros before and after."""
    which: Indices
    """(max(V, N),) what is looked at ..."""
    drawn: Indices
    scores: Floats
    marks: Marks
    v: Floats


RULES = tuple_type(Rules, FLOAT, INT, INT, INT, FLOAT, FLOAT)
SCRATCH = tuple_type(Scratch, INDEX, INDEX, INDEX, VECTOR, MARKS, VECTOR)


def new_scratch(branches: Branches) -> Scratch:
    """For pools of any size."""
    nodes, d = branches.features.shape
    most = max(nodes, branches.path_start.size - 1)
    return Scratch(
        np.zeros(nodes, dtype=np.int64),
        np.zeros(most, dtype=np.int64),
        np.zeros(most, dtype=np.int64),
        np.zeros(most),
        np.zeros(most, dtype=np.uint8),
        np.zeros(d),
    )


@kernel(INT(SEED, INT, INT, SCRATCH), inner=True)
def some_of(seed: np.uint64, n: int, most: int, scratch: Scratch) -> int:
    """Where ``which`` has more than ``most``, that many of its n are drawn, in their order."""
    if n <= most:
        return n
    drawn = scratch.drawn[:most]
    distinct(seed, scratch.which[:n], scratch.marks, drawn)
    drawn.sort()
    for i in range(most):
        scratch.which[i] = drawn[i]
    return most


@kernel(VOID(STATE, INT, FLOAT, MATRIX, INT, SCRATCH), inner=True)
def score_by(
    state: State, ledger: int, alpha: float, rows: Floats, n: int, scratch: Scratch
) -> None:
    """scores = x'theta + alpha ||x||_P of the first n rows of ``which``, by one ledger."""
    theta, which, scores = state.vectors[ledger * VECTORS], scratch.which, scratch.scores
    quadratics(state.matrices, ledger * MATRICES, rows, which, n, scores)
    for i in range(n):
        scores[i] = dot(rows[which[i]], theta) + alpha * np.sqrt(scores[i])


@kernel(INT(BRANCHES, RULES, STATE, SCRATCH, SEED), inner=True)
def narrowest(
    branches: Branches, rules: Rules, state: State, scratch: Scratch, at: np.uint64
) -> int:
    """HCB: from the root to the child of the largest index, down to a leaf."""
    node, step = int(branches.depth.shape[0]), 0
    while branches.child_start[node] < branches.child_start[node + 1]:
        n = 0
        for i in range(branches.child_start[node], branches.child_start[node + 1]):
            child = branches.children[i]
            if scratch.present[child]:
                scratch.which[n] = child
                n += 1
        n = some_of(derive(at, 1 + step), n, rules.width, scratch)
        score_by(state, NODES + step, rules.alpha, branches.features, n, scratch)
        node = int(scratch.which[first_best(scratch.scores[:n])])
        step += 1
    return node


@kernel(INT(BRANCHES, STATE, INT), inner=True)
def open_above(branches: Branches, state: State, arm: int) -> int:
    """The one open node that an arm is in."""
    first = state.counts.shape[0] - branches.depth.shape[0]
    for i in range(branches.path_start[arm], branches.path_start[arm + 1]):
        if state.counts[first + branches.path[i]]:
            return int(branches.path[i])
    return -1  # no state that was ever checked


@kernel(INT(BRANCHES, RULES, STATE, SCRATCH, INDEX, SEED), inner=True)
def most_open(
    branches: Branches,
    rules: Rules,
    state: State,
    scratch: Scratch,
    pool: Indices,
    at: np.uint64,
) -> int:
    """pHCB: of the open nodes that of the largest index times depth, the root's being 1."""
    n = 0
    for arm in pool:
        node = open_above(branches, state, arm)
        if scratch.present[node] == 1:
            scratch.present[node] = 2
            scratch.which[n] = node
            n += 1
    scratch.which[:n].sort()
    n = some_of(derive(at, 1), n, rules.most, scratch)
    score_by(state, NODES, rules.alpha, branches.features, n, scratch)
    for i in range(n):
        scratch.scores[i] *= branches.depth[scratch.which[i]] + 1
    return int(scratch.which[first_best(scratch.scores[:n])])


@kernel(INT(BRANCHES, MATRIX, RULES, STATE, SCRATCH, INDEX, SEED))
def decide(
    branches: Branches,
    arms: Floats,
    rules: Rules,
    state: State,
    scratch: Scratch,
    pool: Indices,
    seed: np.uint64,
) -> int:
    """The position in the pool of the arm to recommend, in the round of this seed.

    A node first, of those that have an arm in the pool, then the best of its arms.
    """
    at = derive(seed, STREAM)
    start, path, present, which = branches.path_start, branches.path, scratch.present, scratch.which
    for arm in pool:
        for i in range(start[arm], start[arm + 1]):
            present[path[i]] = 1
    if rules.progressive:
        node = most_open(branches, rules, state, scratch, pool, at)
    else:
        node = narrowest(branches, rules, state, scratch, at)
    for arm in pool:
        for i in range(start[arm], start[arm + 1]):
            present[path[i]] = 0
    n, level = 0, branches.depth[node] - 1
    for i in range(pool.shape[0]):
        place = start[pool[i]] + level
        if place < start[pool[i] + 1] and path[place] == node:
            which[n] = i
            n += 1
    n = some_of(derive(at, 0), n, rules.most, scratch)
    places = scratch.drawn
    for i in range(n):
        places[i] = which[i]
        which[i] = pool[which[i]]
    score_by(state, ITEMS, rules.alpha, arms, n, scratch)
    return int(places[first_best(scratch.scores[:n])])


@kernel(VOID(BRANCHES, RULES, STATE, INT, FLOAT), inner=True)
def count(branches: Branches, rules: Rules, state: State, arm: int, reward: float) -> None:
    """A visit of every node that the arm is in; the open one opens into its children if it may."""
    nodes = branches.depth.shape[0]
    opened = state.counts.shape[0] - nodes
    visits, sums = opened - nodes, state.numbers.shape[0] - nodes
    for i in range(branches.path_start[arm], branches.path_start[arm + 1]):
        state.counts[visits + branches.path[i]] += 1
        state.numbers[sums + branches.path[i]] += reward
    node = open_above(branches, state, arm)
    first, last = branches.child_start[node], branches.child_start[node + 1]
    wanted, times = np.log(branches.depth[node] + 1.0), state.counts[visits + node]
    if first == last or times < rules.visits * wanted:
        return
    if state.numbers[sums + node] / times >= rules.feedback * wanted:
        state.counts[opened + node] = 0
        for i in range(first, last):
            state.counts[opened + branches.children[i]] = 1


@kernel(VOID(BRANCHES, MATRIX, RULES, STATE, INT, FLOAT, FLOAT, VECTOR))
def learn(
    branches: Branches,
    arms: Floats,
    rules: Rules,
    state: State,
    arm: int,
    reward: float,
    weight: float,
    v: Floats,
) -> None:
    """The arm's reward, for the arm and for the nodes that it was found through."""
    enter(state, ITEMS, arms[arm], reward, weight, v)
    if rules.progressive:
        node = open_above(branches, state, arm)
        enter(state, NODES, branches.features[node], reward, weight, v)
        count(branches, rules, state, arm, reward)
        return
    first = branches.path_start[arm]
    for i in range(branches.path_start[arm + 1] - first):
        enter(state, NODES + i, branches.features[branches.path[first + i]], reward, weight, v)
