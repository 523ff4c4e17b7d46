"""The few numeric primitives everything else is made of.

P always stands for the inverse of a symmetric positive definite matrix M. Of both only the lower
triangle is kept up to date, which halves the work; ``full_matrix`` gives all of P to those who
want to see it.
"""

from __future__ import annotations

import numpy as np

from conlinucb.numerics.compile import FLOAT, INDEX, INT, MATRIX, STACK, VECTOR, VOID, kernel
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


@kernel(VOID(MATRIX, VECTOR, VECTOR))
def row_products(rows: Floats, x: Floats, out: Floats) -> None:
    """out[i] = rows[i]'x; each by itself, so that it does not depend on the rows beside it."""
    for i in range(rows.shape[0]):
        out[i] = dot(rows[i], x)


def products(rows: Floats, x: Floats) -> Floats:
    """rows x, (n,) from (n, d) and (d,)."""
    out = np.empty(len(rows))
    row_products(np.ascontiguousarray(rows), x, out)
    return out


@kernel(VOID(STACK, INT, VECTOR, VECTOR))
def times_of(stack: Floats, m: int, x: Floats, out: Floats) -> None:
    """out = P x from the lower triangle of P = stack[m]; x and out (d,).

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
            p0, p1 = stack[m, i, j], stack[m, i + 1, j]
            p2, p3 = stack[m, i + 2, j], stack[m, i + 3, j]
            s0 += p0 * x[j]
            s1 += p1 * x[j]
            s2 += p2 * x[j]
            s3 += p3 * x[j]
            out[j] += x0 * p0 + x1 * p1 + x2 * p2 + x3 * p3
        p10, p20, p21 = stack[m, i + 1, i], stack[m, i + 2, i], stack[m, i + 2, i + 1]
        p30, p31, p32 = stack[m, i + 3, i], stack[m, i + 3, i + 1], stack[m, i + 3, i + 2]
        out[i] += s0 + stack[m, i, i] * x0 + p10 * x1 + p20 * x2 + p30 * x3
        out[i + 1] += s1 + p10 * x0 + stack[m, i + 1, i + 1] * x1 + p21 * x2 + p31 * x3
        out[i + 2] += s2 + p20 * x0 + p21 * x1 + stack[m, i + 2, i + 2] * x2 + p32 * x3
        out[i + 3] += s3 + p30 * x0 + p31 * x1 + p32 * x2 + stack[m, i + 3, i + 3] * x3
    for i in range(blocked, d):
        xi, total = x[i], stack[m, i, i] * x[i]
        for j in range(i):
            total += stack[m, i, j] * x[j]
            out[j] += xi * stack[m, i, j]
        out[i] += total


@kernel(VOID(MATRIX, VECTOR, VECTOR))
def times(P: Floats, x: Floats, out: Floats) -> None:
    """out = P x from P's lower triangle; P (d, d), x and out (d,)."""
    times_of(P.reshape((1, P.shape[0], P.shape[1])), 0, x, out)


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


@kernel(VOID(STACK, INT, MATRIX, INDEX, INT, VECTOR))
def quadratics(stack: Floats, m: int, rows: Floats, which: Indices, n: int, out: Floats) -> None:
    """out[i] = x'Px, never negative, for x = rows[which[i]] of the first n, P = stack[m].

    Four rows at a time, so that P is read once for them; where fewer are left, one of them stands
    for the others, so that no result depends on the rows beside it. No views: they cost more than
    one thinks where this is called often.
    """
    d, last = stack.shape[1], n - 1
    for start in range(0, n, 4):
        a, b = which[start], which[min(start + 1, last)]
        c, e = which[min(start + 2, last)], which[min(start + 3, last)]
        qa = qb = qc = qe = 0.0
        for i in range(0, d - d % 4, 4):
            a0, a1, a2, a3 = rows[a, i], rows[a, i + 1], rows[a, i + 2], rows[a, i + 3]
            b0, b1, b2, b3 = rows[b, i], rows[b, i + 1], rows[b, i + 2], rows[b, i + 3]
            c0, c1, c2, c3 = rows[c, i], rows[c, i + 1], rows[c, i + 2], rows[c, i + 3]
            e0, e1, e2, e3 = rows[e, i], rows[e, i + 1], rows[e, i + 2], rows[e, i + 3]
            sa = sb = sc = se = 0.0
            for j in range(i):
                p0, p1 = stack[m, i, j], stack[m, i + 1, j]
                p2, p3 = stack[m, i + 2, j], stack[m, i + 3, j]
                sa += (a0 * p0 + a1 * p1 + a2 * p2 + a3 * p3) * rows[a, j]
                sb += (b0 * p0 + b1 * p1 + b2 * p2 + b3 * p3) * rows[b, j]
                sc += (c0 * p0 + c1 * p1 + c2 * p2 + c3 * p3) * rows[c, j]
                se += (e0 * p0 + e1 * p1 + e2 * p2 + e3 * p3) * rows[e, j]
            qa += 2.0 * sa + _corner(stack, m, i, a0, a1, a2, a3)
            qb += 2.0 * sb + _corner(stack, m, i, b0, b1, b2, b3)
            qc += 2.0 * sc + _corner(stack, m, i, c0, c1, c2, c3)
            qe += 2.0 * se + _corner(stack, m, i, e0, e1, e2, e3)
        for i in range(d - d % 4, d):
            sa = sb = sc = se = 0.0
            for j in range(i):
                sa += stack[m, i, j] * rows[a, j]
                sb += stack[m, i, j] * rows[b, j]
                sc += stack[m, i, j] * rows[c, j]
                se += stack[m, i, j] * rows[e, j]
            qa += rows[a, i] * (2.0 * sa + stack[m, i, i] * rows[a, i])
            qb += rows[b, i] * (2.0 * sb + stack[m, i, i] * rows[b, i])
            qc += rows[c, i] * (2.0 * sc + stack[m, i, i] * rows[c, i])
            qe += rows[e, i] * (2.0 * se + stack[m, i, i] * rows[e, i])
        out[start] = max(qa, 0.0)
        if start + 1 < n:
            out[start + 1] = max(qb, 0.0)
        if start + 2 < n:
            out[start + 2] = max(qc, 0.0)
        if start + 3 < n:
            out[start + 3] = max(qe, 0.0)


@kernel(FLOAT(STACK, INT, INT, FLOAT, FLOAT, FLOAT, FLOAT), inner=True)
def _corner(stack: Floats, m: int, i: int, x0: float, x1: float, x2: float, x3: float) -> float:
    """x'Px of the block of four rows and columns on the diagonal, from i on."""
    p10, p20, p21 = stack[m, i + 1, i], stack[m, i + 2, i], stack[m, i + 2, i + 1]
    p30, p31, p32 = stack[m, i + 3, i], stack[m, i + 3, i + 1], stack[m, i + 3, i + 2]
    left = x1 * p10 * x0 + x2 * (p20 * x0 + p21 * x1) + x3 * (p30 * x0 + p31 * x1 + p32 * x2)
    square = stack[m, i, i] * x0 * x0 + stack[m, i + 1, i + 1] * x1 * x1
    square += stack[m, i + 2, i + 2] * x2 * x2 + stack[m, i + 3, i + 3] * x3 * x3
    return 2.0 * left + square


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

    The rows are summed by themselves first, so that rounding does not grow with M; four rows of
    the sum and four observations at a time, along what the vector units read at once.
    """
    d = M.shape[0]
    total = np.zeros((d, d))
    fours, blocked = n - n % 4, d - d % 4
    for i in range(0, blocked, 4):
        for r in range(0, fours, 4):
            a0, a1, a2, a3 = rows[r, i], rows[r, i + 1], rows[r, i + 2], rows[r, i + 3]
            s, u, w = r + 1, r + 2, r + 3
            b0, b1, b2, b3 = rows[s, i], rows[s, i + 1], rows[s, i + 2], rows[s, i + 3]
            c0, c1, c2, c3 = rows[u, i], rows[u, i + 1], rows[u, i + 2], rows[u, i + 3]
            e0, e1, e2, e3 = rows[w, i], rows[w, i + 1], rows[w, i + 2], rows[w, i + 3]
            for j in range(i + 4):
                x0, x1, x2, x3 = rows[r, j], rows[r + 1, j], rows[r + 2, j], rows[r + 3, j]
                total[i, j] += a0 * x0 + b0 * x1 + c0 * x2 + e0 * x3
                total[i + 1, j] += a1 * x0 + b1 * x1 + c1 * x2 + e1 * x3
                total[i + 2, j] += a2 * x0 + b2 * x1 + c2 * x2 + e2 * x3
                total[i + 3, j] += a3 * x0 + b3 * x1 + c3 * x2 + e3 * x3
    for i in range(d):
        for r in range(fours if i < blocked else 0, n):
            x = rows[r, i]
            for j in range(i + 1):
                total[i, j] += x * rows[r, j]
        for j in range(i + 1):
            M[i, j] += total[i, j]


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
