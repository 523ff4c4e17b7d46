"""Groups of rows that are near each other: k-means and Ward's tree, without chance.

Rows are centred and scaled to at most 1 first, so that the tie rule means the same for features of
any size: of centres that are equally near, the first one takes a row.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from conlinucb.numerics.ties import TIE
from conlinucb.numerics.validation import Floats, Indices

ITERATIONS = 300
CHUNK = 1 << 22
"""Distances computed at once, some 30 megabytes."""


def scaled(rows: Floats, among: Indices | None = None) -> Floats:
    """Rows about their mean, the longest of length 1; zeros where all are the same.

    Mean and length are those of the rows ``among`` (default: of all).
    """
    some = rows if among is None else rows[among]
    size = float(np.abs(some).max())  # squares of very small numbers would be 0
    if size == 0.0:
        return np.zeros_like(rows)
    mean = (some / size).mean(axis=0)
    apart = some / size - mean
    longest = float(np.sqrt(np.einsum("nd,nd->n", apart, apart).max()))
    return (rows / size - mean) / longest if longest > 1e-12 else np.zeros_like(rows)


def farthest_first(rows: Floats, n: int) -> Indices:
    """n rows, each as far as can be from those before it; the first is farthest from the mean.

    Fewer where fewer differ, by more than some 3e-5 of the longest. ``rows`` are ``scaled``, and of
    the beginnings of one long list every one is itself such a list.

    >>> farthest_first(scaled(np.array([[0.0], [1.0], [9.0], [10.0], [10.0]])), 9)
    array([0, 3, 1, 2])
    """
    squares = np.einsum("nd,nd->n", rows, rows)
    chosen = [_first_largest(squares)]
    apart = _squared(rows, squares, chosen[0])
    while len(chosen) < n and apart.max() > TIE:
        chosen.append(_first_largest(apart))
        np.minimum(apart, _squared(rows, squares, chosen[-1]), out=apart)
    return np.array(chosen)


def _squared(rows: Floats, squares: Floats, i: int) -> Floats:
    return np.asarray(np.maximum(squares + squares[i] - 2.0 * (rows @ rows[i]), 0.0))


def _first_largest(values: Floats) -> int:
    return int(np.argmax(values >= values.max() - TIE))


def kmeans(rows: Floats, start: Indices, iterations: int = ITERATIONS) -> Indices:
    """The group of each row, from 0, none of them empty; Lloyd's steps from the rows ``start``.

    A group that loses all its rows takes the one that is farthest from the centre of its own.

    >>> rows = scaled(np.array([[0.0], [1.0], [9.0], [10.0]]))
    >>> kmeans(rows, farthest_first(rows, 2))
    array([0, 0, 1, 1])
    """
    centres, labels = rows[start], np.full(len(rows), -1)
    for _ in range(iterations):
        found, apart = nearest_centres(rows, centres)
        _fill(found, apart, len(start))
        if np.array_equal(found, labels):
            break
        labels = found
        centres = means_of(rows, labels, len(start))
    return labels


def nearest_centres(rows: Floats, centres: Floats) -> tuple[Indices, Floats]:
    """For each row the nearest centre, the first of those that tie, and its squared distance."""
    labels, apart = np.empty(len(rows), dtype=np.int64), np.empty(len(rows))
    lengths = np.einsum("nd,nd->n", centres, centres)
    step = max(1, CHUNK // len(centres))
    for at in range(0, len(rows), step):
        some = rows[at : at + step]
        found = lengths - 2.0 * (some @ centres.T)
        least = found.min(axis=1)
        labels[at : at + step] = np.argmax(found <= least[:, None] + TIE, axis=1)
        apart[at : at + step] = least + np.einsum("nd,nd->n", some, some)
    return labels, np.maximum(apart, 0.0)


def _fill(labels: Indices, apart: Floats, n: int) -> None:
    counts = np.bincount(labels, minlength=n)
    for empty in np.flatnonzero(counts == 0):
        alone = counts[labels] == 1
        row = _first_largest(np.where(alone, -1.0, apart))
        counts[labels[row]] -= 1
        labels[row], counts[empty], apart[row] = empty, 1, 0.0


def means_of(rows: Floats, labels: Indices, n: int) -> Floats:
    """(n, d) the mean of each group; none of them is empty."""
    counts = np.bincount(labels, minlength=n)
    by_group = rows[np.argsort(labels, kind="stable")]
    totals = np.add.reduceat(by_group, np.cumsum(counts) - counts)
    return np.asarray(totals / counts[:, None])


def ward(rows: Floats) -> Floats:
    """Ward's merges of ``scaled`` rows, as SciPy writes them: see ``cut``."""
    from scipy.cluster.hierarchy import linkage

    if len(rows) == 1:
        return np.empty((0, 4))
    return np.asarray(linkage(rows, method="ward"))


def cut(merges: Any, n: int) -> Indices:
    """The group of each row where n are left; numbered by their first rows.

    >>> cut(ward(scaled(np.array([[0.0], [9.0], [1.0], [10.0]]))), 2)
    array([0, 1, 0, 1])
    """
    size = len(merges) + 1
    parent = np.arange(2 * size - 1)
    for i, (one, other) in enumerate(merges[: size - n, :2].astype(np.int64)):
        parent[[one, other]] = size + i
    top = np.arange(size)
    while (top != parent[top]).any():
        top = parent[top]
    return numbered(top)


def numbered(labels: Indices) -> Indices:
    """The same groups, numbered from 0 in the order of their first rows."""
    _, first, back = np.unique(labels, return_index=True, return_inverse=True)
    rank = np.empty(first.size, dtype=np.int64)
    rank[np.argsort(first, kind="stable")] = np.arange(first.size)
    return rank[back.ravel()]
