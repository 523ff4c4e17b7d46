"""Which arm of the pool: exact, and lazy about all that cannot matter."""

from __future__ import annotations

from typing import Any

import numpy as np

from conlinucb.agent.estimators.kernels import SAMPLES, SCORES
from conlinucb.agent.estimators.state import STATE, State
from conlinucb.numerics.compile import (
    FLOAT,
    INDEX,
    INT,
    MARKS,
    MATRIX,
    SEED,
    SHORTS,
    SINGLES,
    VECTOR,
    kernel,
)
from conlinucb.numerics.linalg import dot
from conlinucb.numerics.ties import threshold
from conlinucb.numerics.validation import Floats, Indices, Singles
from conlinucb.randomness import SELECT, Marks, derive
from conlinucb.simulation.loop.inputs import ALGORITHM, WORLD, Algorithm, World
from conlinucb.simulation.loop.workspace import DOUBT, WORKSPACE, Workspace


@kernel(FLOAT(SINGLES, FLOAT, INDEX, VECTOR, SHORTS, VECTOR))
def rough_products(
    arms: Singles, longest: float, pool: Indices, theta: Floats, short: Singles, out: Floats
) -> float:
    """out[i] = x'theta of the pool in single precision, and how much that is off at most.

    Single precision is half the memory to read. ``arms`` are divided by the longest one's
    length, and so is theta by its own, so that numbers of any size fit. ``arms`` and ``short``,
    scratch for theta, are as wide as a multiple of 16, with zeros at the end. Four arms at a
    time, so that theta is read once for them.

    With unit vectors each of the d products and sums, and both inputs, are off by 2^-24 of 1 at
    most, so (d + 3) 2^-24 in any order of summing; twice that is safe.
    """
    length = np.sqrt(dot(theta, theta))
    scale = longest * length
    for j in range(theta.shape[0]):
        short[j] = theta[j] / length if length > 0.0 else 0.0
    n, width = pool.shape[0], np.uint64(short.shape[0])
    whole = n - n % 4
    for i in range(0, whole, 4):
        # Unsigned, so that Numba need not ask whether an index counts from the end.
        p0, p1 = np.uint64(pool[i]), np.uint64(pool[i + 1])
        p2, p3 = np.uint64(pool[i + 2]), np.uint64(pool[i + 3])
        s0 = s1 = s2 = s3 = np.float32(0.0)
        for j in range(width):
            s0 += arms[p0, j] * short[j]
            s1 += arms[p1, j] * short[j]
            s2 += arms[p2, j] * short[j]
            s3 += arms[p3, j] * short[j]
        out[i], out[i + 1], out[i + 2], out[i + 3] = s0 * scale, s1 * scale, s2 * scale, s3 * scale
    for i in range(whole, n):
        s0 = np.float32(0.0)
        for j in range(width):
            s0 += arms[pool[i], j] * short[j]
        out[i] = s0 * scale
    return float(2.0 * (theta.shape[0] + 3) * scale / 16777216.0)


@kernel(INT(VECTOR, INDEX), inner=True)
def most_promising(scores: Floats, places: Indices) -> int:
    """Positions of the four largest scores, the largest first, into ``places``; how many."""
    n, found = scores.shape[0], 0
    least = -np.inf
    for i in range(n):
        if found < 4 or scores[i] > least:
            j = min(found, 3)
            while j > 0 and scores[places[j - 1]] < scores[i]:
                places[j] = places[j - 1]
                j -= 1
            places[j] = i
            found = min(found + 1, 4)
            least = scores[places[found - 1]]
    return found


@kernel(
    INT(
        *(MATRIX, SINGLES, FLOAT, STATE, SCORES, VECTOR, VECTOR, FLOAT, INDEX),
        *(VECTOR, VECTOR, MARKS, INDEX, VECTOR, MATRIX, SHORTS, INT),
    ),
)
def best_arm(
    arms: Floats,
    short_arms: Singles,
    longest: float,
    state: State,
    score: Any,
    direction: Floats,
    width: Floats,
    bound: float,
    pool: Indices,
    bounds: Floats,
    scores: Floats,
    true: Marks,
    few: Indices,
    found: Floats,
    scratch: Floats,
    short: Singles,
    lazy: int,
) -> int:
    """The position in the pool that the tie rule picks; from ``scores`` on all is scratch.

    A score is x'direction plus exploration, which is at most ``bound`` times the radius. Every
    score starts as an upper bound: the product in single precision plus its rounding, and
    ``bounds`` (N,), radii of earlier rounds, which never grow. The four largest are made true,
    then, four at a time, what may still reach the best. ``few`` (8,) are positions and arms of
    those four, ``found`` (8,) their radii and exploration.
    """
    n, places, which = pool.shape[0], few[:4], few[4:]
    radii, extras = found[:4], found[4:]
    error = rough_products(short_arms, longest, pool, direction, short, scores[:n])
    for i in range(n):
        scores[i] += error
        if bound > 0.0:  # a bound may be infinite
            scores[i] += bound * bounds[pool[i]]
        true[i] = 0
    # The four most promising arms first: they mostly leave nothing to be done for the others.
    waiting = most_promising(scores[:n], places)
    top, best, i = places[0], -np.inf, 0
    while waiting > 0:
        for j in range(waiting):
            which[j] = pool[places[j]]
            true[places[j]] = 1
        if bound > 0.0:
            score(state, width, arms, which, waiting, radii, extras, scratch)
        for j in range(waiting):
            a = which[j]
            total = dot(arms[a], direction)
            if bound > 0.0:
                bounds[a] = radii[j]
                total += extras[j]
            scores[places[j]] = total
            best = max(best, total)
        enough, waiting = threshold(best), 0
        while i < n and waiting < 4:
            if true[i] == 0 and (scores[i] >= enough or not lazy):
                places[waiting] = i
                waiting += 1
            i += 1
    enough = threshold(best)
    for i in range(n):
        if true[i] == 1 and scores[i] >= enough:
            return i
    return top  # only where no score is a number


@kernel(INT(WORLD, ALGORITHM, SCORES, SAMPLES, STATE, WORKSPACE, SEED, INT, INDEX), inner=True)
def pick(
    world: World,
    algorithm: Algorithm,
    score: Any,
    sample: Any,
    state: State,
    work: Workspace,
    seed: np.uint64,
    t: int,
    pool: Indices,
) -> int:
    """The position of the arm to ask about in round t (from 0); ``play`` has the same inlined."""
    direction = state.vectors[0]
    if algorithm.samples:
        direction = work.direction
        sample(state, algorithm.spreads[t], derive(derive(seed, t + 1), SELECT), direction)
    return best_arm(
        world.arms, world.short_arms, world.longest, state, score, direction,
        algorithm.widths[t], algorithm.bound[t], pool, work.bounds, work.scores, work.true,
        work.few, work.found, work.scratch, work.short,
        int(algorithm.lazy == 1 and work.tally[DOUBT] == 0),
    )  # fmt: skip
