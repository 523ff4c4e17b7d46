"""Which two arms: one that no other beats for certain, and the farthest of these from it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from conlinucb.agent.estimators.state import STATE, State
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
from conlinucb.numerics.linalg import dot, quadratics, times_of
from conlinucb.numerics.ties import first_best, threshold
from conlinucb.numerics.validation import Floats, Indices
from conlinucb.randomness import Marks, distinct

UNKNOWN, STANDS, BEATEN = 0, 1, 2
"""What is known of an arm: nothing yet, that no other beats it for certain, or that one does."""


class Scratch(NamedTuple):
    """Arrays that every decision writes to, for pools of at most n arms."""

    means: Floats
    """(n,) x'theta of the pool, ..."""
    squares: Floats
    """(n,) ... and ||x||_P^2."""
    gaps: Floats
    """(n,) ||x - y||_P of the pool and the first arm y, ..."""
    others: Floats
    """(n,) ... and of an arm that is looked at."""
    known: Indices
    order: Indices
    marks: Marks
    v: Floats
    """(d,)."""
    x: Floats


SCRATCH = tuple_type(
    Scratch, *(VECTOR, VECTOR, VECTOR, VECTOR, INDEX, INDEX, MARKS, VECTOR, VECTOR)
)


def new_scratch(n: int, d: int) -> Scratch:
    """For pools of n arms."""
    return Scratch(
        np.empty(n),
        np.empty(n),
        np.empty(n),
        np.empty(n),
        np.empty(n, dtype=np.int64),
        np.empty(n, dtype=np.int64),
        np.zeros(n, dtype=np.uint8),
        np.empty(d),
        np.empty(d),
    )


@kernel(VOID(MATRIX, STATE, INDEX, INT, SCRATCH, VECTOR), inner=True)
def look_from(
    arms: Floats, state: State, pool: Indices, i: int, scratch: Scratch, out: Floats
) -> None:
    """||x - y||_P of every arm x of the pool and its arm i, y: of squares and one product Py."""
    squares, v = scratch.squares, scratch.v
    times_of(state.matrices, 0, arms[pool[i]], v)
    for j in range(pool.shape[0]):
        square = squares[i] + squares[j] - 2.0 * dot(arms[pool[j]], v)
        out[j] = np.sqrt(max(square, 0.0)) if j != i else 0.0


@kernel(INT(MATRIX, STATE, INDEX, FLOAT, INT, SCRATCH), inner=True)
def stands(
    arms: Floats, state: State, pool: Indices, width: float, i: int, scratch: Scratch
) -> int:
    """Whether no arm of the pool beats its arm i by more than the width of their difference."""
    means, known = scratch.means, scratch.known
    if known[i] == UNKNOWN:
        known[i] = STANDS
        look_from(arms, state, pool, i, scratch, scratch.others)
        for j in range(pool.shape[0]):
            if means[j] - means[i] > width * scratch.others[j]:
                known[i] = BEATEN
                break
    return int(known[i] == STANDS)


@kernel(VOID(MATRIX, STATE, INDEX, FLOAT, SCRATCH), inner=True)
def look_at(arms: Floats, state: State, pool: Indices, width: float, scratch: Scratch) -> None:
    """Means and squares of the pool, and whom the arm of the largest mean beats for certain."""
    n, means, known = pool.shape[0], scratch.means, scratch.known
    for i in range(n):
        means[i], known[i] = dot(arms[pool[i]], state.vectors[0]), UNKNOWN
    quadratics(state.matrices, 0, arms, pool, n, scratch.squares)
    top = first_best(means[:n])
    look_from(arms, state, pool, top, scratch, scratch.others)
    for i in range(n):
        if means[top] - means[i] > width * scratch.others[i]:
            known[i] = BEATEN


@kernel(VOID(MATRIX, STATE, INDEX, FLOAT, SCRATCH))
def look_at_all(arms: Floats, state: State, pool: Indices, width: float, scratch: Scratch) -> None:
    """Which arms of the pool stand, into ``known``."""
    look_at(arms, state, pool, width, scratch)
    for i in range(pool.shape[0]):
        stands(arms, state, pool, width, i, scratch)


@kernel(INT(MATRIX, STATE, INDEX, FLOAT, INT, SCRATCH), inner=True)
def farthest(
    arms: Floats, state: State, pool: Indices, width: float, first: int, scratch: Scratch
) -> int:
    """Of the arms that stand the one farthest from ``first``; ``first`` itself where none does."""
    n, gaps, known = pool.shape[0], scratch.gaps, scratch.known
    look_from(arms, state, pool, first, scratch, gaps)
    top = -1
    while True:
        top = -1
        for j in range(n):
            if j != first and known[j] != BEATEN and (top < 0 or gaps[j] > gaps[top]):
                top = j
        if top < 0 or stands(arms, state, pool, width, top, scratch):
            break
    if top < 0:
        return first
    enough = threshold(gaps[top])
    for j in range(top):
        if j != first and gaps[j] >= enough and stands(arms, state, pool, width, j, scratch):
            return j
    return top


@kernel(INT(MATRIX, STATE, INDEX, FLOAT, INT, SEED, SCRATCH))
def decide(
    arms: Floats,
    state: State,
    pool: Indices,
    width: float,
    random: int,
    seed: np.uint64,
    scratch: Scratch,
) -> int:
    """The positions of both arms in the pool, as first * n + second.

    The first is drawn among the arms that stand, as the first of them in a random order of all, or
    it has the largest mean. Whoever beats the beaten for certain beats whom they beat (radii are
    lengths), but nothing here rests on that.
    """
    n = pool.shape[0]
    look_at(arms, state, pool, width, scratch)
    first = first_best(scratch.means[:n])
    if random:
        order = scratch.order[:n]
        for i in range(n):
            order[i] = i
        distinct(seed, order.copy(), scratch.marks[:n], order)
        for i in order:
            if stands(arms, state, pool, width, i, scratch):
                first = i
                break
    return int(first * n + farthest(arms, state, pool, width, first, scratch))
