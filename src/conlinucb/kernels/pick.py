"""Which arm of the pool: exact, and lazy about the radii that cannot matter."""

from __future__ import annotations

import numpy as np

from conlinucb._compile import FLOAT, INDEX, INT, MARKS, MATRIX, VECTOR, VOID, kernel
from conlinucb.linalg import dot, quadratic, times
from conlinucb.randomness import Marks
from conlinucb.ties import largest, threshold
from conlinucb.validation import Floats, Indices


@kernel(VOID(MATRIX, INDEX, VECTOR, VECTOR))
def pool_means(arms: Floats, pool: Indices, theta: Floats, out: Floats) -> None:
    """out[i] = x_pool[i]'theta; four arms at a time, so that theta is read once for them."""
    n, d = pool.shape[0], theta.shape[0]
    whole = n - n % 4
    for i in range(0, whole, 4):
        x0, x1, x2, x3 = arms[pool[i]], arms[pool[i + 1]], arms[pool[i + 2]], arms[pool[i + 3]]
        s0 = s1 = s2 = s3 = 0.0
        for j in range(d):
            s0 += x0[j] * theta[j]
            s1 += x1[j] * theta[j]
            s2 += x2[j] * theta[j]
            s3 += x3[j] * theta[j]
        out[i], out[i + 1], out[i + 2], out[i + 3] = s0, s1, s2, s3
    for i in range(whole, n):
        out[i] = dot(arms[pool[i]], theta)


@kernel(FLOAT(MATRIX, MATRIX, FLOAT, FLOAT, VECTOR, VECTOR, INT, VECTOR))
def exploration(
    P: Floats,
    term_P: Floats,
    arm_width: float,
    term_width: float,
    x: Floats,
    bounds: Floats,
    arm: int,
    v: Floats,
) -> float:
    """arm_width ||x||_P + term_width sqrt(x'P P~ P x); the arm's bound becomes its radius."""
    if term_width == 0.0:
        bounds[arm] = np.sqrt(quadratic(P, x))
        return arm_width * bounds[arm]  # type: ignore[no-any-return]
    times(P, x, v)
    bounds[arm] = np.sqrt(max(dot(x, v), 0.0))
    return float(arm_width * bounds[arm] + term_width * np.sqrt(quadratic(term_P, v)))


@kernel(
    INT(
        *(MATRIX, VECTOR, MATRIX, FLOAT, FLOAT, FLOAT),
        *(MATRIX, INDEX, VECTOR, VECTOR, MARKS, VECTOR, INT),
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
    pool: Indices,
    bounds: Floats,
    scores: Floats,
    true: Marks,
    v: Floats,
    lazy: int,
) -> int:
    """The arm that the tie rule picks from the pool; scores, true (n,) and v (d,) are scratch.

    ``bounds`` (N,) are upper bounds of ||x||_P from earlier rounds; radii never grow, so they
    still hold. The second radius is at most ``ratio`` times the first. The largest optimistic
    score is made true until the largest one is true already.
    """
    pool_means(arms, pool, theta, scores)
    reach = arm_width + term_width * ratio
    for i in range(pool.shape[0]):
        scores[i] += reach * bounds[pool[i]]
        true[i] = 0
    if not lazy:
        for i in range(pool.shape[0]):
            a = pool[i]
            scores[i] -= reach * bounds[a]
            scores[i] += exploration(P, term_P, arm_width, term_width, arms[a], bounds, a, v)
            true[i] = 1
    top = largest(scores)
    while true[top] == 0:
        a = pool[top]
        scores[top] -= reach * bounds[a]
        scores[top] += exploration(P, term_P, arm_width, term_width, arms[a], bounds, a, v)
        true[top] = 1
        top = largest(scores)
    enough = threshold(scores[top])
    for i in range(top):
        if scores[i] >= enough:
            a = pool[i]
            if true[i] == 0:
                scores[i] -= reach * bounds[a]
                scores[i] += exploration(P, term_P, arm_width, term_width, arms[a], bounds, a, v)
                true[i] = 1
            if scores[i] >= enough:
                return a  # type: ignore[no-any-return]
    return pool[top]  # type: ignore[no-any-return]
