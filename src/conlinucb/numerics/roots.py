"""Roots of a matrix, kept as R = L' with LL' = P: rows are what the vector units read at once."""

from __future__ import annotations

import numpy as np

from conlinucb.numerics.compile import FLOAT, INT, MATRIX, VECTOR, VOID, kernel
from conlinucb.numerics.linalg import cholesky
from conlinucb.numerics.validation import Floats


@kernel("b1(f8[:,::1], f8[:,::1])")
def root_into(P: Floats, R: Floats) -> bool:
    """R (d, d) upper with R'R = P, from P's lower triangle.

    False where P has no root by rounding; then R is that of its diagonal.
    """
    L = np.zeros_like(P)
    whole = cholesky(P, L)
    for i in range(P.shape[0]):
        for j in range(P.shape[0]):
            R[i, j] = L[j, i] if whole else 0.0
        if not whole:
            R[i, i] = np.sqrt(max(P[i, i], 0.0))
    return bool(whole)


@kernel(MATRIX(MATRIX))
def transposed_root(P: Floats) -> Floats:
    """L' with LL' = P; where P has no root by rounding, that of its diagonal."""
    R = np.empty_like(P)
    root_into(P, R)
    return R


@kernel(FLOAT(MATRIX, INT, FLOAT), inner=True)
def _turned(R: Floats, k: int, v: float) -> float:
    """R[k, k] after v was taken from it; 0 where nothing is left."""
    left = (R[k, k] - v) * (R[k, k] + v)
    return float(np.sqrt(left)) if left > 0.0 else 0.0


@kernel("b1(f8[:,::1], f8[::1])")
def shrink_root(R: Floats, v: Floats) -> bool:
    """R := the root of R'R - vv', in d^2 steps instead of d^3; ``v`` is scratch.

    False, and R is of no use any more, where that is not positive. Two rows at a time.
    """
    d = v.shape[0]
    for k in range(0, d, 2):
        now = _turned(R, k, v[k])
        if not now > 0.0:
            return False
        inverse = 1.0 / R[k, k]
        s0, c0, over0 = v[k] * inverse, now * inverse, R[k, k] / now
        R[k, k] = now
        if k + 1 == d:
            return True
        n = k + 1
        R[k, n] = (R[k, n] - s0 * v[n]) * over0
        v[n] = c0 * v[n] - s0 * R[k, n]
        now = _turned(R, n, v[n])
        if not now > 0.0:
            return False
        inverse = 1.0 / R[n, n]
        s1, c1, over1 = v[n] * inverse, now * inverse, R[n, n] / now
        R[n, n] = now
        for j in range(k + 2, d):
            top = (R[k, j] - s0 * v[j]) * over0
            rest = c0 * v[j] - s0 * top
            low = (R[n, j] - s1 * rest) * over1
            R[k, j], R[n, j], v[j] = top, low, c1 * rest - s1 * low
    return True


@kernel(VOID(MATRIX, VECTOR, VECTOR))
def add_root_times(R: Floats, z: Floats, out: Floats) -> None:
    """out += R'z = L z; four rows at a time, of which what is left of the diagonal is zeros."""
    d = z.shape[0]
    for i in range(0, d - d % 4, 4):
        z0, z1, z2, z3 = z[i], z[i + 1], z[i + 2], z[i + 3]
        for j in range(i, d):
            out[j] += R[i, j] * z0 + R[i + 1, j] * z1 + R[i + 2, j] * z2 + R[i + 3, j] * z3
    for i in range(d - d % 4, d):
        for j in range(i, d):
            out[j] += R[i, j] * z[i]
