"""Working space of one user's rounds."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from conlinucb.numerics.compile import FLOAT, INDEX, MARKS, SHORTS, VECTOR, kernel, tuple_type
from conlinucb.numerics.validation import Floats, Indices, Singles
from conlinucb.randomness import Marks
from conlinucb.simulation.loop.inputs import ALGORITHM, CHANCE, WORLD, Algorithm, Chance, World

ASKED, REPEATED, ARM_TIME, TERM_TIME, WRONG = 0, 1, 2, 3, 4
"""Places in ``Desk.tally``; times in nanoseconds; WRONG is a term chosen though not offered."""


class Desk(NamedTuple):
    """Arrays that the rounds write to again and again."""

    pool: Indices
    offered: Indices
    bounds: Floats
    """(N,) upper bounds of the arms' radii."""
    term_bounds: Floats
    """(K,) the same for the terms."""
    known: Floats
    """(N,) true expected rewards, NaN where not computed yet."""
    marks: Marks
    """(max(N, K),) scratch of ``distinct``, all zero between calls."""
    asked: Marks
    """(max(N, K),) 1 where this was asked about before."""
    scores: Floats
    true: Marks
    v: Floats
    short: Singles
    tally: Indices
    clock: Indices
    longest: float
    """Length of the longest arm."""
    ratio: float
    """The second radius is at most this times the first; 0 on one matrix."""


DESK = tuple_type(
    Desk,
    *(INDEX, INDEX, VECTOR, VECTOR, VECTOR, MARKS, MARKS),
    *(VECTOR, MARKS, VECTOR, SHORTS, INDEX, INDEX, FLOAT, FLOAT),
)


@kernel(DESK(WORLD, CHANCE, ALGORITHM), inner=True)
def new_desk(world: World, chance: Chance, algorithm: Algorithm) -> Desk:
    """An empty desk. Before anything is learned ||x||_P is ||x|| / sqrt(strength)."""
    arms, terms, pool = world.arms.shape[0], world.terms.shape[0], chance.pool_size
    root = np.sqrt(1.0 / algorithm.strength)
    ratio = root * np.sqrt(1.0 / algorithm.term_strength) if algorithm.two_step else 0.0
    bounds, longest = np.empty(arms), 0.0
    for i in range(arms):
        bounds[i] = world.norms[i] * root
        longest = max(longest, world.norms[i])
    offered = world.live_terms
    if chance.offered_size > 0:
        offered = np.empty(chance.offered_size, dtype=np.int64)
    return Desk(
        np.empty(pool, dtype=np.int64),
        offered,
        bounds,
        np.full(terms, np.inf),
        np.full(arms, np.nan),
        np.zeros(max(arms, terms), dtype=np.uint8),
        np.zeros(max(arms, terms), dtype=np.uint8),
        np.empty(pool),
        np.empty(pool, dtype=np.uint8),
        np.empty(world.arms.shape[1]),
        np.zeros(world.short_arms.shape[1], dtype=np.float32),
        np.zeros(5, dtype=np.int64),
        np.zeros(2, dtype=np.int64),
        longest,
        ratio,
    )
