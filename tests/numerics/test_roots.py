"""Roots of a matrix, found anew and taken along, against NumPy's factorisation."""

from __future__ import annotations

import numpy as np
import pytest

from conlinucb.numerics.roots import add_root_times, root_into, shrink_root, transposed_root
from conlinucb.numerics.validation import Floats


@pytest.mark.parametrize("d", [1, 2, 3, 4, 7, 50])
def test_a_root_that_shrinks_along_is_that_of_the_matrix(d: int) -> None:
    rng = np.random.default_rng(d)
    start = np.linalg.inv(np.cov(rng.normal(size=(d, 3 * d + 2))).reshape(d, d) + 0.1 * np.eye(d))
    P: Floats = np.asarray((start + start.T) / 2, dtype=np.float64)
    R = transposed_root(P)
    for _ in range(300):
        x = rng.normal(size=d)
        v = P @ x / np.sqrt(1.0 + x @ P @ x)
        P -= np.outer(v, v)
        assert shrink_root(R, v)
    wanted = np.linalg.cholesky(P)
    np.testing.assert_allclose(R.T, wanted, atol=1e-10 * np.abs(wanted).max())
    z, found = rng.normal(size=d), np.ones(d)
    add_root_times(R, z, found)
    np.testing.assert_allclose(found, 1.0 + wanted @ z, atol=1e-9)


def test_without_a_root_it_is_that_of_the_diagonal() -> None:
    R = np.empty((2, 2))
    assert not root_into(np.array([[4.0, 0.0], [9.0, 1.0]]), R)
    np.testing.assert_array_equal(R, np.diag([2.0, 1.0]))
    assert not shrink_root(np.eye(2), np.array([0.0, 1.5]))
