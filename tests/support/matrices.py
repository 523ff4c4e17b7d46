"""Random matrices, and how they are compared with what kernels keep of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def positive_definite(rng: np.random.Generator, d: int) -> Floats:
    rows = rng.normal(size=(2 * d, d))
    return 0.3 * np.eye(d) + rows.T @ rows / d


def close(found: object, expected: object) -> None:
    np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-12)  # type: ignore[call-overload]


def lower(P: Floats) -> Floats:
    """P's lower triangle, which is all that counts; what stands above it must not be read."""
    return np.where(np.tri(len(P), dtype=bool), P, np.nan)


def symmetric(P: Floats) -> Floats:
    """The matrix that a lower triangle stands for."""
    return np.asarray(np.tril(P) + np.tril(P, -1).T)
