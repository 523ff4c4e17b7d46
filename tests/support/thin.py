"""Where a belief is thin, by eigenvalues of a matrix that is inverted in full."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import orth

Floats = NDArray[np.float64]


def variances(M: Floats, every: Floats) -> tuple[Floats, Floats, Floats]:
    """Eigenvalues and vectors of M^-1 within the span of the key-terms, and that span's basis."""
    basis = orth(every.T, rcond=1e-10)
    values, vectors = np.linalg.eigh(basis.T @ np.linalg.inv(M) @ basis)
    return values, vectors, basis


def is_thin(M: Floats, every: Floats, level: float) -> bool:
    """Whether some direction has less than ``level`` observations."""
    return bool(1 / variances(M, every)[0].max() < level * (1 - 1e-9))


def along_the_thinnest(M: Floats, every: Floats, terms: Floats) -> Floats:
    """How long the part of each term in the directions of the largest variance is."""
    values, vectors, basis = variances(M, every)
    widest = vectors[:, values > values.max() * (1 - 1e-6)]
    return np.asarray(np.linalg.norm(terms @ basis @ widest, axis=1))
