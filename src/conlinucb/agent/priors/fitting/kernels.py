"""What one person's feedback says of their taste, compiled; sums over a chunk of people.

Everything is in whitened coordinates: theta = mean + L h with LL' = covariance, so that a person
is h ~ N(0, I) beforehand and the rows of ``table`` are features times L.
"""

from __future__ import annotations

import numpy as np

from conlinucb.numerics.compile import kernel
from conlinucb.numerics.linalg import add_squares, cholesky, dot, solve_cholesky
from conlinucb.numerics.validation import Floats, Indices
from conlinucb.randomness import Marks

PEOPLE, LIKELIHOOD, RESIDUAL, EVENTS, CLIPPED, TALLIES = 0, 1, 2, 3, 4, 5
"""Places in the tally of a chunk, and how many there are."""
LOG_2_PI = 1.8378770664093453


@kernel("f8(f8)", inner=True)
def allowed(events: float) -> float:
    """Largest sum of squared residuals of a person, in units of the noise.

    Far more than chance or a yes among many noes would make of it: who is beyond did not answer
    like a person, and must not make everybody seem noisy.
    """
    return events + 8.0 * np.sqrt(2.0 * events) + 20.0


@kernel(
    "i8(f8[:,::1], f8[::1], i8[::1], f8[::1], f8[::1], f8[::1], f8[::1], f8, f8, f8, i8, i8,"
    " f8[:,::1], f8[::1])",
    inner=True,
)
def scaled_rows(
    table: Floats,
    level: Floats,
    rows: Indices,
    values: Floats,
    weights: Floats,
    deltas: Floats,
    popularity: Floats,
    popularity_level: float,
    noise: float,
    temper: float,
    first: int,
    last: int,
    Z: Floats,
    t: Floats,
) -> int:
    """Fill Z and t with features and residuals over their noise's deviation; how many there are."""
    n = 0
    for e in range(first, last):
        if weights[e] <= 0.0:
            continue
        root = np.sqrt(temper * weights[e] / noise)
        delta = deltas[e] if deltas.shape[0] else 0.0
        t[n] = root * (values[e] - level[rows[e]] - delta * popularity_level)
        for j in range(table.shape[1]):
            Z[n, j] = root * (table[rows[e], j] + delta * popularity[j])
        n += 1
    return n


@kernel("f8(f8[:,::1], f8[::1], i8, f8[:,::1], f8[:,::1], f8[:,::1], f8[::1])", inner=True)
def believe(
    Z: Floats, t: Floats, n: int, square: Floats, root: Floats, V: Floats, h: Floats
) -> float:
    """The posterior after n events: mean into h, and V, from which the covariance follows.

    With n < d it is I - V'V, from the n x n form, else V'V. Returns the log of the determinant.
    """
    d = Z.shape[1]
    if n < d:
        return _believe_few(Z, t, n, square, root, V, h)
    square[:d, :d] = 0.0
    add_squares(square, Z, n)
    for i in range(d):
        square[i, i] += 1.0
        h[i] = 0.0
    cholesky(square, root)
    for e in range(n):
        for j in range(d):
            h[j] += t[e] * Z[e, j]
    solve_cholesky(root, h)
    V[:d] = 0.0
    total = 0.0
    for i in range(d):
        V[i, i] = 1.0
        for k in range(i):
            factor = root[i, k]
            for j in range(k + 1):
                V[i, j] -= factor * V[k, j]
        for j in range(i + 1):
            V[i, j] /= root[i, i]
        total += 2.0 * np.log(root[i, i])
    return total


@kernel("f8(f8[:,::1], f8[::1], i8, f8[:,::1], f8[:,::1], f8[:,::1], f8[::1])", inner=True)
def _believe_few(
    Z: Floats, t: Floats, n: int, square: Floats, root: Floats, V: Floats, h: Floats
) -> float:
    """V = R^-1 Z and h = V'R^-1 t with RR' = I + ZZ', n x n."""
    d = Z.shape[1]
    total = 0.0
    h[:] = 0.0
    for i in range(n):
        for j in range(i + 1):
            entry = dot(Z[i], Z[j]) - dot(root[i, :j], root[j, :j])
            if i == j:
                root[i, i] = np.sqrt(entry + 1.0)
            else:
                root[i, j] = entry / root[j, j]
        right = t[i]
        V[i] = Z[i]
        for k in range(i):
            factor = root[i, k]
            right -= factor * square[0, k]
            for j in range(d):
                V[i, j] -= factor * V[k, j]
        square[0, i] = right / root[i, i]
        for j in range(d):
            V[i, j] /= root[i, i]
            h[j] += square[0, i] * V[i, j]
        total += 2.0 * np.log(root[i, i])
    return total


@kernel("f8(f8[:,::1], f8[::1], i8, f8[::1])", inner=True)
def squared_residuals(Z: Floats, t: Floats, n: int, h: Floats) -> float:
    """|t - Zh|^2 over the first n rows."""
    total = 0.0
    for e in range(n):
        residual = t[e] - dot(Z[e], h)
        total += residual * residual
    return total


@kernel("f8(f8, f8, f8, f8)", inner=True)
def shown_share(length: float, squares: float, farthest: float, misfit: float) -> float:
    """How much of a person's mean counts: it is no longer than the root of ``farthest``.

    What they said has ``squares + length`` as its own squared Mahalanobis length. Who is beyond
    ``misfit`` there has no taste that the features could tell, and pulls the less for it.
    """
    share = 1.0
    if length > farthest:
        share = np.sqrt(farthest / length)
    if squares + length > misfit:
        share = min(share, np.sqrt(misfit / (squares + length)))
    return share


@kernel("f8(f8[::1], i8, i8, f8)", inner=True)
def log_noises(weights: Floats, first: int, last: int, noise: float) -> float:
    """Sum of log(2 pi noise / weight) over the events that have a weight."""
    total = 0.0
    for e in range(first, last):
        if weights[e] > 0.0:
            total += LOG_2_PI + np.log(noise / weights[e])
    return total


@kernel("i8(i8[::1], i8)", inner=True)
def most_events(starts: Indices, least: int) -> int:
    """How many rows the person with the most has, and at least so many."""
    most = least
    for u in range(starts.shape[0] - 1):
        most = max(most, starts[u + 1] - starts[u])
    return most


@kernel("void(f8[:,::1], f8[:,::1])", inner=True)
def take_off(C: Floats, minus: Floats) -> None:
    """C - minus in place, in the lower triangle."""
    for i in range(C.shape[0]):
        for j in range(i + 1):
            C[i, j] -= minus[i, j]


@kernel(
    "void(f8[:,::1], f8[::1], i8[::1], i8[::1], f8[::1], f8[::1], f8[::1], f8[::1], f8[::1], f8,"
    " f8, f8, f8[:,::1], f8[:,::1], f8[::1], f8[::1])"
)
def sum_people(
    table: Floats,
    level: Floats,
    starts: Indices,
    rows: Indices,
    values: Floats,
    weights: Floats,
    tempers: Floats,
    deltas: Floats,
    popularity: Floats,
    popularity_level: float,
    noise: float,
    limit: float,
    C: Floats,
    H: Floats,
    total: Floats,
    tally: Floats,
) -> None:
    """Add each person's covariance to C, hh' to H (lower triangles), h to ``total``, and tallies.

    Each person's weights are multiplied with theirs of ``tempers``, and who has 0 there does not
    count. Means longer than the root of ``limit`` are cut to it.
    """
    d = table.shape[1]
    most = most_events(starts, d)
    Z, t = np.empty((most, d)), np.empty(most)
    square, root, V = np.empty((d, d)), np.empty((d, d)), np.empty((d, d))
    h, shown = np.empty(d), np.empty((1, d))
    minus = np.zeros((d, d))
    for u in range(starts.shape[0] - 1):
        first, last = starts[u], starts[u + 1]
        temper = tempers[u]
        if temper == 0.0:
            continue
        n = scaled_rows(
            table, level, rows, values, weights, deltas, popularity, popularity_level,
            noise, temper, first, last, Z, t,
        )  # fmt: skip
        determinant = believe(Z, t, n, square, root, V, h)
        trace = 0.0
        size = min(n, d)
        for i in range(size):
            trace += dot(V[i], V[i])
        if n < d:
            add_squares(minus, V, n)
            for i in range(d):
                C[i, i] += 1.0
            trace = d - trace
        else:
            add_squares(C, V, d)
        length = dot(h, h)
        squares = squared_residuals(Z, t, n, h)
        logs = log_noises(weights, first, last, noise)
        tally[PEOPLE] += 1.0
        tally[LIKELIHOOD] -= 0.5 * (temper * logs + determinant + squares + length)
        tally[RESIDUAL] += noise * min(squares + d - trace, allowed(temper * n))
        tally[EVENTS] += temper * n
        cut = shown_share(length, squares, limit, allowed(temper * n))
        tally[CLIPPED] += cut < 1.0
        for i in range(d):
            shown[0, i] = cut * h[i]
            total[i] += shown[0, i]
        add_squares(H, shown, 1)
    take_off(C, minus)


@kernel(
    "void(f8[:,::1], f8[::1], i8[::1], i8[::1], f8[::1], f8[::1], f8[::1], f8[::1], f8[::1], f8,"
    " f8, u1[::1], f8[::1], f8[::1])"
)
def predict_people(
    table: Floats,
    level: Floats,
    starts: Indices,
    rows: Indices,
    values: Floats,
    weights: Floats,
    tempers: Floats,
    deltas: Floats,
    popularity: Floats,
    popularity_level: float,
    noise: float,
    wanted: Marks,
    means: Floats,
    variances: Floats,
) -> None:
    """Mean and variance of x'theta of the ``wanted`` rows after those that have a weight."""
    d = table.shape[1]
    most = most_events(starts, d)
    Z, t = np.empty((most, d)), np.empty(most)
    square, root, V = np.empty((d, d)), np.empty((d, d)), np.empty((d, d))
    h, z = np.empty(d), np.empty(d)
    for u in range(starts.shape[0] - 1):
        first, last = starts[u], starts[u + 1]
        temper = tempers[u]
        n = scaled_rows(
            table, level, rows, values, weights, deltas, popularity, popularity_level,
            noise, temper, first, last, Z, t,
        )  # fmt: skip
        believe(Z, t, n, square, root, V, h)
        for e in range(first, last):
            if wanted[e] == 0:
                continue
            delta = deltas[e] if deltas.shape[0] else 0.0
            for j in range(d):
                z[j] = table[rows[e], j] + delta * popularity[j]
            inner = 0.0
            for i in range(min(n, d)):
                part = dot(V[i], z)
                inner += part * part
            means[e] = level[rows[e]] + delta * popularity_level + dot(z, h)
            variances[e] = max(dot(z, z) - inner, 0.0) if n < d else inner
