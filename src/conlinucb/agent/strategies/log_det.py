"""Ask what, with all that it spreads to, shrinks the volume of uncertainty most."""

from __future__ import annotations

import numpy as np

from conlinucb.agent.spreading import SPREADS, Spread
from conlinucb.agent.strategies.base import VIEW, TermStrategy, View, strategy_kernel
from conlinucb.catalog.catalog import Catalog
from conlinucb.errors import InvalidInput
from conlinucb.numerics.compile import FLOAT, INDEX, INT, MARKS, MATRIX, VECTOR, VOID, kernel
from conlinucb.numerics.linalg import add_squares, cholesky, dot, quadratics
from conlinucb.numerics.roots import transposed_root
from conlinucb.numerics.ties import largest, threshold
from conlinucb.numerics.validation import Floats, Indices
from conlinucb.randomness import Marks

SHARPER = 2
"""From so many groups' determinants sharper bounds may follow, ..."""
MANY = 3
"""... which pay where the groups that are left have so many times all terms."""
DENSE = 8
"""A graph is dense where this share of all pairs, 1 of so many, are edges."""
ROUNDING = 1e-8
"""By how much a slope may be off, relative to the longest way around."""


@kernel(INT(VIEW, INT, INDEX, VECTOR))
def group_of(view: View, k: int, members: Indices, weights: Floats) -> int:
    """The terms that an answer about term k teaches, and with which weights; how many."""
    K = view.terms.shape[0]
    first, last = int(view.constants[k]), int(view.constants[k + 1])
    edges = int(view.constants[K])
    members[0], weights[0] = k, view.weights[k]
    for i in range(first, last):
        members[1 + i - first] = int(view.constants[K + 1 + i])
        weights[1 + i - first] = view.weights[k] * view.constants[K + 1 + edges + i]
    return 1 + last - first


@kernel(VECTOR(VECTOR, VECTOR))
def sums_of(graph: Floats, each: Floats) -> Floats:
    """(K,) the sum over each term's group, by its edges' weights, of what terms (K,) have."""
    K = each.shape[0]
    edges, found = int(graph[K]), np.empty(K)
    whole = K + 1 + 2 * edges
    for k in range(K):
        if graph.shape[0] > whole:
            found[k] = dot(graph[whole + k * K : whole + (k + 1) * K], each)
            continue
        total = each[k]
        for at in range(K + 1 + int(graph[k]), K + 1 + int(graph[k + 1])):
            total += graph[at + edges] * each[int(graph[at])]
        found[k] = total
    return found


@kernel(FLOAT(FLOAT, INT))
def by_mean(trace: float, d: int) -> float:
    """The largest log det (I + G) of a G (d, d) of this trace."""
    return float(d * np.log1p(trace / d))


@kernel(FLOAT(INDEX, VECTOR, INT, VECTOR, INT))
def upper_bound(members: Indices, weights: Floats, n: int, bounds: Floats, d: int) -> float:
    """No less than the group's log det, by Hadamard's inequality, or by that of the means.

    det (I + G) is at most the product of its diagonal; of at most d eigenvalues beside 1 the
    product is at most their mean to the power of d.
    """
    product = trace = 0.0
    for i in range(n):
        square = weights[i] * bounds[members[i]] ** 2
        trace += square
        if n <= d:
            product += np.log1p(square)
    return min(product, by_mean(trace, d)) if n <= d else by_mean(trace, d)


@kernel(VOID(VIEW, MATRIX, INDEX, INT, MATRIX, MARKS))
def look_at(view: View, root: Floats, members: Indices, n: int, seen: Floats, known: Marks) -> None:
    """L'x of these terms into ``seen``, where they are not ``known``, and their radii."""
    for i in range(n):
        k = members[i]
        if known[k] == 0:
            known[k] = 1
            for j in range(root.shape[0]):
                seen[k, j] = dot(root[j, j:], view.terms[k, j:])
            view.bounds[k] = np.sqrt(dot(seen[k], seen[k]))


@kernel(MATRIX(INDEX, VECTOR, INT, MATRIX))
def weighted(members: Indices, weights: Floats, n: int, seen: Floats) -> Floats:
    """The group's rows of ``seen``, each times the root of its weight, (n, d)."""
    rows = np.empty((n, seen.shape[1]))
    for i in range(n):
        root = np.sqrt(weights[i])
        for j in range(seen.shape[1]):
            rows[i, j] = root * seen[members[i], j]
    return rows


@kernel(FLOAT(MATRIX))
def log_det_of(rows: Floats) -> float:
    """log det (I + sum yy') over the rows: n by n or d by d, the smaller."""
    n, d = rows.shape
    M = np.eye(min(n, d))
    if n <= d:
        for i in range(n):
            for j in range(i + 1):
                M[i, j] += dot(rows[i], rows[j])
    else:
        add_squares(M, rows, n)
    L = np.zeros_like(M)
    cholesky(M, L)
    total = 0.0
    for i in range(M.shape[0]):
        total += 2.0 * np.log(L[i, i])
    return total


@kernel(VECTOR(VIEW, MATRIX, MATRIX))
def slopes(view: View, root: Floats, rows: Floats) -> Floats:
    """(2, K) as one: by how much an answer about each term alone would raise log det, to first
    order, beside the group's rows y, x'Bx with B = L (I + sum yy')^-1 L'; and what rounding may
    make of it. Infinite where the group has no root."""
    K, d = view.terms.shape
    M, L, B = np.eye(d), np.zeros((d, d)), np.zeros((1, d, d))
    add_squares(M, rows, rows.shape[0])
    found = np.full(2 * K, np.inf)
    if not cholesky(M, L):
        return found
    half = root.copy()  # becomes L^-1 root, row by row
    for i in range(d):
        for j in range(i):
            for c in range(d):
                half[i, c] -= L[i, j] * half[j, c]
        for c in range(d):
            half[i, c] /= L[i, i]
    add_squares(B[0], half, d)
    quadratics(B, 0, view.terms, np.arange(K), K, found[:K])
    trace = 0.0
    for i in range(d):
        trace += B[0, i, i]
    for k in range(K):
        found[K + k] = ROUNDING * trace * dot(view.terms[k], view.terms[k])
    return found


@kernel(VOID(VIEW, MATRIX, MATRIX, INDEX, VECTOR, FLOAT, VECTOR))
def sharpen(
    view: View,
    root: Floats,
    rows: Floats,
    members: Indices,
    weights: Floats,
    value: float,
    bounds: Floats,
) -> None:
    """Lower the bounds (n,) of the offered terms' scores, knowing one group's log det and rows.

    log det is concave, so its tangent at one group lies above it at all others; they are much
    alike where terms have many neighbours, and then the tangent is close.
    """
    K = view.terms.shape[0]
    slope = slopes(view, root, rows)
    above = sums_of(view.constants, slope[:K] + slope[K:])
    start = value
    for i in range(rows.shape[0]):
        start -= weights[i] * (slope[members[i]] - slope[K + members[i]])
    for i in range(bounds.shape[0]):
        other = view.offered[i]
        bound = view.chances[other] * (start + view.weights[other] * above[other])
        if bound < bounds[i]:
            bounds[i] = bound


@kernel(INT(VIEW, VECTOR, FLOAT))
def members_left(view: View, bounds: Floats, enough: float) -> int:
    """How many members the groups have together whose bound is enough."""
    K, total = view.terms.shape[0], 0
    for i in range(bounds.shape[0]):
        if bounds[i] >= enough:
            k = view.offered[i]
            total += int(view.constants[k + 1] - view.constants[k]) + 1
    return total // K if K else 0


@strategy_kernel(cache=True)
def log_det(view: View) -> int:
    """argmax chance log det (I + sum w x~x~'P), over the term and its neighbours.

    A radius never grows, so groups whose bound by radii of earlier rounds is too low are not
    looked at, nor those whose bound by true radii is. Where many are left, the first one's
    determinant says more about theirs. Of what is left then the determinant is found.
    """
    n, d, K = view.offered.shape[0], view.terms.shape[1], view.terms.shape[0]
    members, weights = np.empty(K, dtype=np.int64), np.empty(K)
    seen, known = np.empty((K, d)), np.zeros(K, dtype=np.uint8)
    root, optimistic, true = transposed_root(view.cov), np.empty(n), np.full(n, -np.inf)
    traces = sums_of(view.constants, view.bounds**2)
    for i in range(n):
        k = view.offered[i]
        if view.constants[k + 1] - view.constants[k] < d:
            size = group_of(view, k, members, weights)
            bound = upper_bound(members, weights, size, view.bounds, d)
        else:
            bound = by_mean(view.weights[k] * traces[k], d)
        optimistic[i] = view.chances[k] * bound
    first, best, done = largest(optimistic), -np.inf, np.zeros(n, dtype=np.uint8)
    for step in range(n + SHARPER):
        i = step - SHARPER
        if step < SHARPER:  # what promises most, by what is known so far
            i = largest(np.where(done == 1, -np.inf, optimistic))
        if done[i] == 1 or optimistic[i] < threshold(best):
            continue
        k, done[i] = view.offered[i], 1
        size = group_of(view, k, members, weights)
        look_at(view, root, members, size, seen, known)
        bound = view.chances[k] * upper_bound(members, weights, size, view.bounds, d)
        if bound >= threshold(best):
            rows = weighted(members, weights, size, seen)
            value = log_det_of(rows)
            true[i] = view.chances[k] * value
            best = max(best, true[i])
            if step < SHARPER and members_left(view, optimistic, threshold(best)) >= MANY:
                sharpen(view, root, rows, members, weights, value, optimistic)
    enough = threshold(best)
    for i in range(n):
        if true[i] >= enough:
            return view.offered[i]
    return view.offered[first]  # only where no score is a number


class LogDet(TermStrategy):
    """k = argmax chance_k log det (I + w_k sum_j a_kj x~_j x~_j'P) over term k and its neighbours.

    By how much the logarithm of the volume of what is still possible shrinks, if the answer spreads
    along the catalogue's graph: a_kk = 1, and for a neighbour it is its edge's weight ("edges") or
    1 as well ("full"). Say the same ``spread`` as the estimator's.
    """

    name = "log-det"
    draws = "never"
    kernel = log_det

    def __init__(self, *, spread: Spread = "edges") -> None:
        if spread not in SPREADS:
            raise InvalidInput(f"spread must be 'full' or 'edges', got {spread!r}.")
        self.spread = spread

    def prepare(self, catalog: Catalog) -> Floats:
        """The graph by rows: where each begins, neighbours, weights; then, where it is dense, the
        matrix of weights with ones on the diagonal: reading all of it is faster than picking."""
        start, terms, weights = catalog.term_graph.rows
        shares = weights if self.spread == "edges" else np.ones_like(weights)
        K, rows = len(start) - 1, np.repeat(np.arange(len(start) - 1), np.diff(start))
        matrix = np.eye(K if DENSE * len(terms) >= K * K else 0)
        if matrix.size:
            matrix[rows, terms] = shares
        parts = start.astype(float), terms.astype(float), shares, matrix.ravel()
        return np.concatenate(parts)
