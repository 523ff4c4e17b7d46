"""The few numeric primitives everything else is made of.

P always stands for the inverse of a symmetric positive definite matrix M. An update keeps
P exactly symmetric: it subtracts u_i u_j with one rounding, the same for (i, j) and (j, i).
"""

from __future__ import annotations

import numpy as np

from conlinucb._compile import FLOAT, MATRIX, VECTOR, kernel
from conlinucb.validation import Floats, Indices

REFRESH_EVERY = 1000
"""Updates after which P and theta are computed anew from M."""
REFRESH_ABOVE = 1000.0
"""An update that shrinks x'Px by more than this factor cancels digits of P: refresh at once."""


@kernel(FLOAT(VECTOR, VECTOR))
def dot(x: Floats, y: Floats) -> float:
    """x'y for two vectors of length d."""
    total = 0.0
    for i in range(x.shape[0]):
        total += x[i] * y[i]
    return total


@kernel("void(f8[:,::1], f8[::1], f8[::1])")
def times(P: Floats, x: Floats, out: Floats) -> None:
    """out = P x; P (d, d), x and out (d,)."""
    for i in range(P.shape[0]):
        out[i] = dot(P[i], x)


@kernel(FLOAT(MATRIX, VECTOR))
def quadratic(P: Floats, x: Floats) -> float:
    """x'Px, the squared radius ||x||_P^2; never negative."""
    total = 0.0
    for i in range(P.shape[0]):
        total += x[i] * dot(P[i], x)
    return max(total, 0.0)


@kernel("b1(f8[:,::1], f8[:,::1])")
def cholesky(M: Floats, L: Floats) -> bool:
    """L (d, d) lower with LL' = M, from M's lower triangle; False when M is not positive."""
    d = M.shape[0]
    for i in range(d):
        for j in range(i + 1):
            rest = M[i, j] - dot(L[i, :j], L[j, :j])
            if i == j:
                if not rest > 0.0:
                    return False
                L[i, i] = np.sqrt(rest)
            else:
                L[i, j] = rest / L[j, j]
    return True


@kernel("void(f8[:,::1], f8[:,::1])")
def inverse_from_cholesky(L: Floats, P: Floats) -> None:
    """P = (LL')^-1. The rows of ``columns`` are the columns of L^-1, so P = columns columns'."""
    d = L.shape[0]
    columns = np.zeros((d, d))
    for j in range(d):
        columns[j, j] = 1.0 / L[j, j]
        for i in range(j + 1, d):
            columns[j, i] = -dot(L[i, j:i], columns[j, j:i]) / L[i, i]
    for i in range(d):
        for j in range(i + 1):
            P[i, j] = dot(columns[i, i:], columns[j, i:])
            P[j, i] = P[i, j]


@kernel("void(f8[:,::1], f8[::1])")
def solve_cholesky(L: Floats, x: Floats) -> None:
    """x := (LL')^-1 x, in place."""
    d = L.shape[0]
    for i in range(d):
        x[i] = (x[i] - dot(L[i, :i], x[:i])) / L[i, i]
    for i in range(d - 1, -1, -1):
        x[i] /= L[i, i]
        for j in range(i):
            x[j] -= L[i, j] * x[i]


@kernel("b1(f8[:,::1], f8[:,::1], f8[::1], f8[::1], f8[::1])")
def refresh(P: Floats, M: Floats, Y: Floats, prior: Floats, theta: Floats) -> bool:
    """P = M^-1 and theta = M^-1 (Y + prior) from scratch.

    False, and nothing changed, where M is too ill-conditioned for float64 to factorise.
    """
    L = np.zeros_like(M)
    if not cholesky(M, L):
        return False
    inverse_from_cholesky(L, P)
    for i in range(theta.shape[0]):
        theta[i] = Y[i] + prior[i]
    solve_cholesky(L, theta)
    return True


@kernel("void(f8[:,::1], f8[:,::1], f8[::1], f8[::1], f8[::1], i8[::1], f8[::1], f8, f8, f8[::1])")
def absorb(
    P: Floats,
    M: Floats,
    Y: Floats,
    prior: Floats,
    theta: Floats,
    age: Indices,
    x: Floats,
    y: float,
    weight: float,
    v: Floats,
) -> None:
    """One weighted observation y of x'theta, in place (the paper's Eq. 6; ``v`` is scratch).

    M += w xx', Y += w y x, and so v = Px, g = w / (1 + w x'v), theta += g v (y - x'theta),
    P -= g vv'. ``age`` counts the updates since P was last computed from M.
    """
    d = x.shape[0]
    times(P, x, v)
    growth = weight * dot(x, v)
    gain = weight / (1.0 + growth)
    step = gain * (y - dot(x, theta))
    root_gain, root_weight = np.sqrt(gain), np.sqrt(weight)
    for i in range(d):
        theta[i] += step * v[i]
        Y[i] += weight * y * x[i]
        v[i] *= root_gain
    for i in range(d):
        for j in range(d):
            P[i, j] -= v[i] * v[j]
        scaled = root_weight * x[i]
        for j in range(d):
            M[i, j] += scaled * (root_weight * x[j])
    age[0] += 1
    stale = age[0] >= REFRESH_EVERY or not growth < REFRESH_ABOVE
    if stale and refresh(P, M, Y, prior, theta):
        age[0] = 0
