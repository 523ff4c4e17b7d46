"""Barycentric spanners (Awerbuch and Kleinberg): few vectors that all others combine from."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from conlinucb.errors import InvalidInput, RankWarning
from conlinucb.numerics.validation import Floats, Indices, matrix, number
from conlinucb.theory import lambda_B

TOLERANCE = 1e-8
"""A coefficient may exceed C by this factor; each swap then enlarges the volume by as much."""


@dataclass(frozen=True)
class Spanner:
    """A spanner of a set of vectors, and how good it is.

    Every vector is a combination of ``vectors[indices]`` with coefficients in [-C, C].
    """

    indices: Indices
    C: float
    """The largest coefficient in magnitude: what was achieved, not what was asked for."""
    rank: int
    """Dimension of the vectors' span. Below d, directions outside the span are never explored."""
    lambda_B: float
    """Least eigenvalue of the mean of xx' over the spanner; 0 when the rank is below d."""


def barycentric_spanner(vectors: ArrayLike, C: float = 1.0) -> Spanner:
    """A C-approximate barycentric spanner of the rows of ``vectors`` (n, d); C = 1 is exact.

    >>> found = barycentric_spanner([[1.0, 0.0], [0.9, 0.1], [0.0, 1.0]])
    >>> found.indices, found.C, found.rank
    (array([0, 2]), 1.0, 2)
    """
    rows = matrix("vectors", vectors)
    number("C", C, low=1.0)
    inside, rank = coordinates_in_span(rows)
    if rank == 0:
        raise InvalidInput(f"vectors of shape {rows.shape} hold no vector other than zero.")
    if rank < rows.shape[1]:
        warnings.warn(
            f"The vectors have rank {rank}, below their dimension {rows.shape[1]}: the spanner "
            f"holds {rank} of them and guarantees nothing outside their span.",
            RankWarning,
            stacklevel=2,
        )
    chosen = _exchange(inside, first_basis(inside), C)
    achieved = float(np.abs(_coefficients(inside, chosen)).max())
    return Spanner(chosen, achieved, rank, lambda_B(rows[chosen]) if rank == rows.shape[1] else 0.0)


def coordinates_in_span(rows: Floats) -> tuple[Floats, int]:
    """The rows in an orthonormal basis of their span, (n, rank).

    Coefficients do not change when all vectors go through one invertible map, so the basis
    is scaled too: volumes of 1e-43 never appear.
    """
    u, s, _ = np.linalg.svd(rows, full_matrices=False)
    keep = s > s.max(initial=0.0) * max(rows.shape) * np.finfo(float).eps
    return u[:, keep], int(keep.sum())


def _coefficients(rows: Floats, chosen: Indices) -> Floats:
    """Coefficients (n, rank) of every row over the chosen ones."""
    return np.linalg.solve(rows[chosen].T, rows.T).T.astype(np.float64)


def first_basis(rows: Floats) -> Indices:
    """From the identity, put into each column in turn the row with the largest coefficient."""
    coefficients = rows.copy()
    chosen = np.empty(rows.shape[1], dtype=np.int64)
    for column in range(rows.shape[1]):
        chosen[column] = np.argmax(np.abs(coefficients[:, column]))
        _swap(coefficients, int(chosen[column]), column)
    return chosen


def _exchange(rows: Floats, chosen: Indices, C: float) -> Indices:
    """Swap the largest coefficient in until none exceeds C."""
    coefficients = _coefficients(rows, chosen)
    exact = True
    while True:
        at, column = divmod(int(np.argmax(np.abs(coefficients))), rows.shape[1])
        if abs(coefficients[at, column]) <= C * (1 + TOLERANCE):
            if exact:
                return chosen
            # The running coefficients carry rounding: be sure on fresh ones.
            coefficients, exact = _coefficients(rows, chosen), True
        else:
            chosen[column] = at
            _swap(coefficients, at, column)
            exact = False


def _swap(coefficients: Floats, at: int, column: int) -> None:
    """Coefficients after row ``at`` takes the place of basis vector ``column``: one pivot."""
    pivot_row = coefficients[at].copy()
    pivot_row[column] -= 1.0
    coefficients -= np.outer(coefficients[:, column] / (pivot_row[column] + 1.0), pivot_row)
