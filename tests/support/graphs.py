"""What goes by the graph of key-terms once more, as plainly as possible: nothing is updated."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from conlinucb.randomness import QUESTIONS, derive, uniform

if TYPE_CHECKING:
    from support.reference import Moment

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]


def co_occurrence(weights: Floats, terms: Floats, hops: int = 1, g: float = 0.5) -> Floats:
    """A = (1 - g) S_T + g S_C, dense; ``weights`` (arms, K) of the arms that are there."""
    K = weights.shape[1]
    adjacent = np.zeros((K, K))
    for i in range(K):
        for j in range(K):
            adjacent[i, j] = i != j and any((weights[:, i] > 0) & (weights[:, j] > 0))
    H = sum((np.linalg.matrix_power(adjacent, h) for h in range(1, hops + 1)), np.zeros((K, K)))
    np.fill_diagonal(H, 0.0)
    degree = H.sum(axis=1)
    found = np.zeros((K, K))
    for i in range(K):
        for j in range(K):
            if H[i, j] > 0:
                lengths = np.linalg.norm(terms[i]) * np.linalg.norm(terms[j])
                cosine = terms[i] @ terms[j] / lengths if lengths > 0 else 0.0
                tanimoto = H[i, j] / (degree[i] + degree[j] - H[i, j])
                found[i, j] = max((1 - g) * tanimoto + g * cosine, 0.0)
    return found


def log_dets(M: Floats, terms: Floats, graph: Floats, which: Indices, full: bool) -> Floats:
    """log det (I + sum a x~x~' M^-1) over each term and its neighbours, all d by d."""
    found = np.empty(which.size)
    for at, k in enumerate(which):
        shares = np.where(graph[k] > 0, 1.0, 0.0) if full else graph[k].copy()
        shares[k] = 1.0
        more = (terms * shares[:, None]).T @ terms
        found[at] = np.linalg.slogdet(M + more)[1] - np.linalg.slogdet(M)[1]
    return found


def leverages(rows: Floats, weights: Floats) -> Floats:
    """x'V^+ x of every row, V = sum w xx'."""
    V = (rows * weights[:, None]).T @ rows
    return np.asarray(np.sum(rows.T * (np.linalg.pinv(V, rcond=1e-10) @ rows.T), axis=0))


def design(rows: Floats, gap: float = 0.01) -> Floats:
    """Frank and Wolfe's steps, every leverage and every V found anew for each of them."""
    inside = np.linalg.svd(rows, full_matrices=False)[0]
    rank = np.linalg.matrix_rank(rows)
    inside, basis, first = inside[:, :rank], np.eye(rank), [-1] * rank
    for column in range(rank):
        at = int(np.argmax(np.abs(np.linalg.solve(basis.T, inside.T)[column])))
        first[column], basis[column] = at, inside[at]
    w = np.zeros(len(rows))
    w[first] = 1 / rank
    while True:
        leverage = leverages(inside, w)
        if leverage.max() <= (1 + gap) * rank:
            return np.asarray(w / w.sum())
        near = leverage >= leverage.max() - 1e-9 * max(1.0, leverage.max())
        least = leverage[w > 0].min()
        far = (w > 0) & (leverage <= least + 1e-9 * max(1.0, least))
        toward = leverage.max() - rank >= rank - least
        at = int(np.flatnonzero(near if toward else far)[0])
        share = -np.inf if leverage[at] <= 1 else (leverage[at] / rank - 1) / (leverage[at] - 1)
        share = max(share, -w[at] / (1 - w[at]))
        w *= 1 - share
        w[at] += share
        w[w < 1e-12] = 0.0


def few_of(weights: Floats, n: int) -> Floats:
    """The n largest, the first of those within 1e-9, and 0 for all others."""
    left, found = weights.copy(), np.zeros_like(weights)
    for _ in range(n):
        at = int(np.flatnonzero(left >= left.max() - 1e-9)[0])
        found[at], left[at] = weights[at], -np.inf
    return found


def members(terms: Floats) -> Floats:
    """The share of each term in the design of 0.15 d log d of them."""
    d = terms.shape[1]
    return few_of(design(terms), min(max(int(np.ceil(0.15 * d * np.log(d))), 1), len(terms)))


def drawn(now: Moment) -> int | None:
    """Drawn from the members that are offered; None where there is none."""
    shares = now.design[now.offered]
    if not shares.any():
        return None
    at = uniform(derive(np.uint64(now.seed), QUESTIONS), now.asked)
    return int(np.searchsorted(np.cumsum(shares / shares.sum()), at, side="right"))


def taught(graph: Floats, k: int, value: float, full: bool) -> list[tuple[int, float, float]]:
    """What an answer about k teaches: key-term, value and weight, itself first."""
    found = [(k, value, 1.0)]
    for j in range(len(graph)):
        if graph[k, j] > 0:
            found.append((j, graph[k, j] * value, 1.0 if full else float(graph[k, j])))
    return found
