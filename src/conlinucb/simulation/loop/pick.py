"""Which arm of the pool: exact, and lazy about all that cannot matter."""

from __future__ import annotations

import numpy as np

from conlinucb.numerics.compile import (
    FLOAT,
    INDEX,
    INT,
    MARKS,
    MATRIX,
    SHORTS,
    SINGLES,
    VECTOR,
    kernel,
)
from conlinucb.numerics.linalg import dot, quadratic, times
from conlinucb.numerics.ties import threshold
from conlinucb.numerics.validation import Floats, Indices, Singles
from conlinucb.randomness import Marks


@kernel(FLOAT(SINGLES, FLOAT, INDEX, VECTOR, SHORTS, VECTOR))
def rough_means(
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


@kernel(FLOAT(MATRIX, VECTOR, MATRIX, FLOAT, FLOAT, VECTOR, VECTOR, INT, VECTOR))
def true_score(
    P: Floats,
    theta: Floats,
    term_P: Floats,
    arm_width: float,
    term_width: float,
    x: Floats,
    bounds: Floats,
    arm: int,
    v: Floats,
) -> float:
    """x'theta + arm_width ||x||_P + term_width sqrt(x'P P~ P x); the bound becomes the radius."""
    if term_width == 0.0:
        bounds[arm] = np.sqrt(quadratic(P, x))
        return float(dot(x, theta) + arm_width * bounds[arm])
    times(P, x, v)
    bounds[arm] = np.sqrt(max(dot(x, v), 0.0))
    second = np.sqrt(quadratic(term_P, v))
    return float(dot(x, theta) + arm_width * bounds[arm] + term_width * second)


@kernel(
    INT(
        *(MATRIX, VECTOR, MATRIX, FLOAT, FLOAT, FLOAT, MATRIX, SINGLES, FLOAT),
        *(INDEX, VECTOR, VECTOR, MARKS, VECTOR, SHORTS, INT),
    )
)
def best_arm(
    P: Floats,
    theta: Floats,
    term_P: Floats,
    arm_width: float,
    term_width: float,
    ratio: float,
    arms: Floats,
    short_arms: Singles,
    longest: float,
    pool: Indices,
    bounds: Floats,
    scores: Floats,
    true: Marks,
    v: Floats,
    short: Singles,
    lazy: int,
) -> int:
    """The arm that the tie rule picks from the pool; scores, true, v and short are scratch.

    Every score starts as an upper bound: the mean in single precision plus its rounding, and
    ``bounds`` (N,), radii of earlier rounds, which never grow. The second radius is at most
    ``ratio`` times the first. The largest score is made true until it is true already.
    """
    error = rough_means(short_arms, longest, pool, theta, short, scores)
    reach = arm_width + term_width * ratio
    top, best, second = 0, -np.inf, -np.inf
    for i in range(pool.shape[0]):
        score = scores[i] + reach * bounds[pool[i]] + error
        scores[i] = score
        true[i] = 0
        if score > best:
            top, best, second = i, score, best
        elif score > second:
            second = score
    best = -np.inf
    for step in range(pool.shape[0] + 1):
        # The most promising arm first: it mostly leaves nothing to be done for the others.
        i = top if step == 0 else step - 1
        if true[i] == 0 and (scores[i] >= threshold(best) or not lazy):
            a = pool[i]
            scores[i] = true_score(P, theta, term_P, arm_width, term_width, arms[a], bounds, a, v)
            true[i] = 1
            best = max(best, scores[i])
        if lazy and step == 0 and second < threshold(best):
            return pool[top]  # type: ignore[no-any-return]
    enough = threshold(best)
    for i in range(pool.shape[0]):
        if true[i] == 1 and scores[i] >= enough:
            return pool[i]  # type: ignore[no-any-return]
    return pool[top]  # type: ignore[no-any-return]  # only where no score is a number
