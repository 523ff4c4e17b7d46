"""The few numeric primitives everything else is made of.

P always stands for the inverse of a symmetric positive definite matrix M. Of both only the lower
triangle is kept up to date, which halves the work; ``full_matrix`` gives all of P to those who
want to see it.
"""

from __future__ import annotations

import numpy as np

from conlinucb.numerics.compile import FLOAT, MATRIX, VECTOR, kernel
from conlinucb.numerics.validation import Floats, Indices

REFRESH_EVERY = 1000
"""Updates after which P and theta are computed anew from M."""
REFRESH_ABOVE = 100.0
"""An update that shrinks x'Px by more than this factor cancels digits of P: refresh at once."""
ILL_CONDITIONED = 1e6
"""Where M's condition is beyond this, P is refreshed at every update."""
PENDING = 32
"""Observations that M takes in together: a sum of short sums is more exact, and faster."""


@kernel(FLOAT(VECTOR, VECTOR))
def dot(x: Floats, y: Floats) -> float:
    """x'y for two vectors of length d."""
    total = 0.0
    for i in range(x.shape[0]):
        total += x[i] * y[i]
    return total


@kernel("void(f8[:,::1], f8[::1], f8[::1])")
def times(P: Floats, x: Floats, out: Floats) -> None:
    """out = P x from P's lower triangle; P (d, d), x and out (d,).

    Four rows at a time; each entry left of the diagonal block serves its row and its column.
    """
    d = x.shape[0]
    blocked = d - d % 4
    for i in range(d):
        out[i] = 0.0
    for i in range(0, blocked, 4):
        x0, x1, x2, x3 = x[i], x[i + 1], x[i + 2], x[i + 3]
        s0 = s1 = s2 = s3 = 0.0
        for j in range(i):
            p0, p1, p2, p3 = P[i, j], P[i + 1, j], P[i + 2, j], P[i + 3, j]
            s0 += p0 * x[j]
            s1 += p1 * x[j]
            s2 += p2 * x[j]
            s3 += p3 * x[j]
            out[j] += x0 * p0 + x1 * p1 + x2 * p2 + x3 * p3
        p10, p20, p21 = P[i + 1, i], P[i + 2, i], P[i + 2, i + 1]
        p30, p31, p32 = P[i + 3, i], P[i + 3, i + 1], P[i + 3, i + 2]
        out[i] += s0 + P[i, i] * x0 + p10 * x1 + p20 * x2 + p30 * x3
        out[i + 1] += s1 + p10 * x0 + P[i + 1, i + 1] * x1 + p21 * x2 + p31 * x3
        out[i + 2] += s2 + p20 * x0 + p21 * x1 + P[i + 2, i + 2] * x2 + p32 * x3
        out[i + 3] += s3 + p30 * x0 + p31 * x1 + p32 * x2 + P[i + 3, i + 3] * x3
    for i in range(blocked, d):
        xi, total = x[i], P[i, i] * x[i]
        for j in range(i):
            total += P[i, j] * x[j]
            out[j] += xi * P[i, j]
        out[i] += total


@kernel(FLOAT(MATRIX, VECTOR))
def quadratic(P: Floats, x: Floats) -> float:
    """x'Px, the squared radius ||x||_P^2, from P's lower triangle; never negative.

    Four rows at a time: what stands left of the diagonal counts twice.
    """
    d = x.shape[0]
    blocked = d - d % 4
    total = 0.0
    for i in range(0, blocked, 4):
        x0, x1, x2, x3 = x[i], x[i + 1], x[i + 2], x[i + 3]
        left = 0.0
        for j in range(i):
            left += (x0 * P[i, j] + x1 * P[i + 1, j] + x2 * P[i + 2, j] + x3 * P[i + 3, j]) * x[j]
        left += x1 * P[i + 1, i] * x0 + x2 * (P[i + 2, i] * x0 + P[i + 2, i + 1] * x1)
        left += x3 * (P[i + 3, i] * x0 + P[i + 3, i + 1] * x1 + P[i + 3, i + 2] * x2)
        square = P[i, i] * x0 * x0 + P[i + 1, i + 1] * x1 * x1
        square += P[i + 2, i + 2] * x2 * x2 + P[i + 3, i + 3] * x3 * x3
        total += 2.0 * left + square
    for i in range(blocked, d):
        total += x[i] * (2.0 * dot(P[i, :i], x[:i]) + P[i, i] * x[i])
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
    """P = (LL')^-1, lower triangle. The rows of ``columns`` are the columns of L^-1."""
    d = L.shape[0]
    columns = np.zeros((d, d))
    for j in range(d):
        columns[j, j] = 1.0 / L[j, j]
        for i in range(j + 1, d):
            columns[j, i] = -dot(L[i, j:i], columns[j, j:i]) / L[i, i]
    for i in range(d):
        for j in range(i + 1):
            P[i, j] = dot(columns[i, i:], columns[j, i:])


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


@kernel(MATRIX(MATRIX))
def full_matrix(P: Floats) -> Floats:
    """A copy of P with both triangles, for those who do not know of the lower one."""
    full = np.empty_like(P)
    for i in range(P.shape[0]):
        for j in range(i + 1):
            full[i, j] = P[i, j]
            full[j, i] = P[i, j]
    return full


@kernel("void(f8[:,::1], f8[:,::1], i8)")
def add_squares(M: Floats, rows: Floats, n: int) -> None:
    """M += sum xx' over the first n rows, lower triangle.

    The rows are summed by themselves first, so that rounding does not grow with M; and as
    columns, four sums at a time, which is what the vector units like.
    """
    d = M.shape[0]
    columns = np.empty((d, n))
    for r in range(n):
        for i in range(d):
            columns[i, r] = rows[r, i]
    for i in range(d):
        blocked = (i + 1) // 4 * 4
        for j in range(0, blocked, 4):
            s0 = s1 = s2 = s3 = 0.0
            for r in range(n):
                s0 += columns[i, r] * columns[j, r]
                s1 += columns[i, r] * columns[j + 1, r]
                s2 += columns[i, r] * columns[j + 2, r]
                s3 += columns[i, r] * columns[j + 3, r]
            M[i, j] += s0
            M[i, j + 1] += s1
            M[i, j + 2] += s2
            M[i, j + 3] += s3
        for j in range(blocked, i + 1):
            M[i, j] += dot(columns[i], columns[j])


@kernel("b1(f8[:,::1], f8[:,::1])")
def ill_conditioned(P: Floats, M: Floats) -> bool:
    """Whether the largest diagonal entries of M and its inverse P show a large condition."""
    p = m = 0.0
    for i in range(P.shape[0]):
        p, m = max(p, P[i, i]), max(m, M[i, i])
    return not p * m < ILL_CONDITIONED


@kernel("void(f8[:,::1], f8[::1], f8[:,::1], f8[::1], i8)")
def settle(M: Floats, Y: Floats, pending: Floats, targets: Floats, n: int) -> None:
    """Enter the first n pending observations: M += sum xx', Y += sum y x."""
    total = np.zeros(M.shape[0])
    for r in range(n):
        for i in range(M.shape[0]):
            total[i] += targets[r] * pending[r, i]
    for i in range(M.shape[0]):
        Y[i] += total[i]
    add_squares(M, pending, n)


@kernel(
    "void(f8[:,::1], f8[:,::1], f8[::1], f8[::1], f8[::1], f8[:,::1], f8[::1], i8[::1],"
    " f8[::1], f8, f8, f8[::1])"
)
def absorb(
    P: Floats,
    M: Floats,
    Y: Floats,
    prior: Floats,
    theta: Floats,
    pending: Floats,
    targets: Floats,
    counts: Indices,
    x: Floats,
    y: float,
    weight: float,
    v: Floats,
) -> None:
    """One weighted observation y of x'theta, in place (the paper's Eq. 6; ``v`` is scratch).

    M += w xx', Y += w y x, and so v = Px, g = w / (1 + w x'v), theta += g v (y - x'theta),
    P -= g vv'. ``counts`` holds the updates since P was last computed from M, how many of them
    are pending, and 1 where M is ill-conditioned.
    """
    d = x.shape[0]
    times(P, x, v)
    growth = weight * dot(x, v)
    gain = weight / (1.0 + growth)
    step = gain * (y - dot(x, theta))
    root_gain, root_weight = np.sqrt(gain), np.sqrt(weight)
    waiting = pending[counts[1]]
    for i in range(d):
        theta[i] += step * v[i]
        waiting[i] = root_weight * x[i]
        v[i] *= root_gain
    for i in range(d):
        shrink = v[i]
        for j in range(i + 1):
            P[i, j] -= shrink * v[j]
    targets[counts[1]] = root_weight * y
    counts[0] += 1
    counts[1] += 1
    if counts[1] == PENDING:
        settle(M, Y, pending, targets, PENDING)
        counts[1] = 0
        counts[2] = ill_conditioned(P, M)
    if counts[0] >= REFRESH_EVERY or counts[2] == 1 or not growth < REFRESH_ABOVE:
        # M itself waits for all of a block: it would lose digits by many small additions.
        now, moment = M.copy(), Y.copy()
        settle(now, moment, pending, targets, counts[1])
        counts[2] = ill_conditioned(P, now)
        if refresh(P, now, moment, prior, theta):
            counts[0] = 0
