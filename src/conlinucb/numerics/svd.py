"""Features from a matrix: its largest singular vectors, with signs that do not depend on chance."""

from __future__ import annotations

import inspect
import warnings
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import ArpackError, LinearOperator, eigsh

from conlinucb.errors import InvalidInput, RankWarning
from conlinucb.numerics.validation import Floats, whole

DENSE_ENTRIES = 250_000
"""Up to this many entries the dense decomposition costs nothing worth saving."""


EXTRA, MOST_BLOCKS = 20, 200
"""Subspace iteration: directions carried beside those wanted, and most rounds."""
NOISE = 1e-10
"""What is left of a row is rounding error where it is this much shorter than the row."""


def singular_vectors(matrix: Any, k: int) -> tuple[Floats, Floats, Floats]:
    """U (n, k), s (k,) largest first, and V (m, k) of ``matrix`` (n, m), dense or sparse.

    A singular vector's sign is free; here the largest entry of each column of V is positive, so
    that repeated runs agree.
    """
    whole("k", k, low=1)
    n, m = matrix.shape
    if k > min(n, m):
        raise InvalidInput(f"A {n} x {m} matrix has {min(n, m)} singular vectors, not {k}.")
    if n * m <= DENSE_ENTRIES or k >= min(n, m) - 1:
        dense = matrix.toarray() if sparse.issparse(matrix) else np.asarray(matrix)
        u, s, vt = np.linalg.svd(dense.astype(np.float64, copy=False), full_matrices=False)
        u, s, v = u[:, :k], s[:k], vt[:k].T
    else:
        u, s, v = _largest(sparse.csr_array(matrix, dtype=np.float64), k)
    signs = np.sign(v[np.argmax(np.abs(v), axis=0), np.arange(k)])
    signs[signs == 0] = 1.0
    return np.asarray(u * signs), np.asarray(s), np.asarray(v * signs)


def _largest(matrix: sparse.csr_array, k: int) -> tuple[Floats, Floats, Floats]:
    """By Lanczos on the smaller side, from a fixed start."""
    if matrix.shape[0] < matrix.shape[1]:
        v, s, u = _largest(matrix.T.tocsr(), k)
        return u, s, v
    try:
        u, s, v = _within(matrix, np.linalg.qr(_lanczos(matrix, k))[0])
    except ArpackError:  # many equal singular values, as where each item has one tag
        u, s, v = _by_blocks(matrix, k)
    return u[:, :k], s[:k], v[:, :k]


def _lanczos(matrix: sparse.csr_array, k: int) -> Any:
    m = matrix.shape[1]
    gram = LinearOperator((m, m), matvec=lambda x: matrix.T @ (matrix @ x), dtype=np.float64)
    start = np.random.default_rng(0).standard_normal(m)
    # Equal singular values end a run early; it goes on from chance, seeded where SciPy lets us.
    seed = {"rng": 0} if "rng" in inspect.signature(eigsh).parameters else {}
    return eigsh(gram, k=k, v0=start, **seed)[1]


def _by_blocks(matrix: sparse.csr_array, k: int) -> tuple[Floats, Floats, Floats]:
    """By subspace iteration: slower, but equal singular values do not stop it."""
    m = matrix.shape[1]
    start = np.random.default_rng(0).standard_normal((m, min(m, k + EXTRA)))
    u, s, v = _within(matrix, np.linalg.qr(start)[0])
    for _ in range(MOST_BLOCKS):
        before = s
        u, s, v = _within(matrix, np.linalg.qr(matrix.T @ u)[0])
        if np.abs(s - before)[:k].max() <= 1e-15 * s[0]:
            break
    return u, s, v


def _within(matrix: sparse.csr_array, basis: Floats) -> tuple[Floats, Floats, Floats]:
    """Singular vectors of the matrix within the span of an orthonormal basis of its rows."""
    u, s, vt = np.linalg.svd(matrix @ basis, full_matrices=False)
    return u, s, basis @ vt.T


def without_noise(rows: Floats, lengths: Any = 1.0) -> Floats:
    """The rows, with zeros for those that are rounding error beside the lengths they come from.

    Of unit length, such a row would be a direction that nothing in the data points to.
    """
    noise = np.linalg.norm(rows, axis=1) <= NOISE * np.asarray(lengths)
    return np.asarray(np.where(noise[:, None], 0.0, rows)) if noise.any() else rows


def with_constant(rows: Floats) -> Floats:
    """Rows of length 1 with a 1 appended, over sqrt 2: products are (cos + 1) / 2."""
    return np.asarray(np.hstack([unit_rows(rows), np.ones((len(rows), 1))]) / np.sqrt(2.0))


def unit_rows(rows: Floats) -> Floats:
    """Rows of length 1; a row of zeros stays as it is."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.where(lengths > 0, lengths, 1.0))


def warn_of_rank(arms: Floats, block: int = 8192) -> None:
    """Warn when the arms span fewer than d dimensions.

    The R factor of blocks stacked on one another has the singular values of the whole
    matrix, so a million arms need no second copy.
    """
    r = np.zeros((0, arms.shape[1]))
    for start in range(0, arms.shape[0], block):
        r = np.asarray(np.linalg.qr(np.vstack([r, arms[start : start + block]]), mode="r"))
    rank = int(np.linalg.matrix_rank(r))
    if rank < arms.shape[1]:
        warnings.warn(
            f"The arms' features have rank {rank}, below their dimension {arms.shape[1]}: "
            f"taste outside that span cannot be learned, and changes no score.",
            RankWarning,
            stacklevel=3,
        )
