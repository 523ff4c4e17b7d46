"""Working space of one user's rounds under one agent."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from conlinucb.agent.question import LARGEST_GROUP
from conlinucb.numerics.compile import (
    INDEX,
    INT,
    MARKS,
    MATRIX,
    SHORTS,
    VECTOR,
    VOID,
    kernel,
    tuple_type,
)
from conlinucb.numerics.validation import Floats, Indices, Singles
from conlinucb.randomness import Marks

ASKED, REPEATED, ARM_TIME, TERM_TIME, WRONG, ANSWERED, DOUBT, ROW, HITS, TOLD, UNASKED = range(11)
"""Places in ``Workspace.tally``; times in nanoseconds; WRONG is a term chosen though not offered,
DOUBT whether radii may have grown, ROW the next row of metrics, HITS the rewards large enough,
TOLD the rows of ``told``, UNASKED the rewards not asked for."""
REGRET, REWARDED = 0, 1
"""Places in ``Workspace.sums``."""


class Workspace(NamedTuple):
    """Arrays that the rounds write to again and again; they go on from block to block."""

    bounds: Floats
    """(N,) upper bounds of the arms' radii."""
    term_bounds: Floats
    """(K,) the same for the terms."""
    asked: Marks
    """(max(N, K),) 1 where this was asked about before."""
    times: Indices
    """(K,) how often each key-term was asked about."""
    pairs: Indices
    """(questions,) the pairs asked about before, where questions are pairs; or groups, each one's
    key-terms one after the other."""
    group: Indices
    """(LARGEST_GROUP,) the key-terms of the present question, where it is about a group."""
    scores: Floats
    """(largest pool,)."""
    true: Marks
    few: Indices
    """(8,) positions and arms of four that are looked at together, ..."""
    found: Floats
    """(8,) ... their radii and exploration, and scratch for each."""
    scratch: Floats
    v: Floats
    direction: Floats
    short: Singles
    tally: Indices
    sums: Floats
    clock: Indices
    told: Floats
    """(m, ABOUT + d) what was learned, for others to learn it, too; no rows where nobody is to."""
    notes: Floats
    """What a way of asking for rewards wrote down."""


WORKSPACE = tuple_type(
    Workspace,
    *(VECTOR, VECTOR, MARKS, INDEX, INDEX, INDEX, VECTOR, MARKS, INDEX, VECTOR, MATRIX),
    *(VECTOR, VECTOR, SHORTS, INDEX, VECTOR, INDEX, MATRIX, VECTOR),
)


@kernel(VOID(WORKSPACE, INT), inner=True)
def heed(work: Workspace, grown: int) -> None:
    """Note whether radii may have grown, or feedback was REFUSED. While they may, all are computed;
    afterwards nothing is left of what was known of those that were not looked at meanwhile."""
    if work.tally[DOUBT] and not grown:
        for i in range(work.bounds.shape[0]):
            work.bounds[i] = np.inf
        for i in range(work.term_bounds.shape[0]):
            work.term_bounds[i] = np.inf
    work.tally[DOUBT] = grown


def new_workspace(
    bounds: Floats,
    term_bounds: Floats,
    pool: int,
    questions: int,
    d: int,
    short: int,
    notes: int = 0,
) -> Workspace:
    """Nothing asked, nothing known but first radii of arms and terms."""
    return Workspace(
        bounds.copy(),
        term_bounds.copy(),
        np.zeros(max(bounds.size, term_bounds.size), dtype=np.uint8),
        np.zeros(term_bounds.size, dtype=np.int64),
        np.empty(questions, dtype=np.int64),
        np.empty(LARGEST_GROUP, dtype=np.int64),
        np.empty(pool),
        np.empty(pool, dtype=np.uint8),
        np.empty(8, dtype=np.int64),
        np.empty(8),
        np.empty((4, d)),
        np.empty(d),
        np.empty(d),
        np.zeros(short, dtype=np.float32),
        np.zeros(11, dtype=np.int64),
        np.zeros(2),
        np.zeros(2, dtype=np.int64),
        np.empty((0, d)),
        np.zeros(notes),
    )
