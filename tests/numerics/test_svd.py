"""Singular vectors: dense and sparse agree, signs are fixed, repeated runs agree in all bits."""

from __future__ import annotations

from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import sparse

import conlinucb as cl
from conlinucb.numerics import svd as factors
from conlinucb.numerics.svd import singular_vectors, unit_rows, without_noise
from support.worlds import refused

SHAPES = [(80, 30), (30, 80), (50, 50)]


def _counts(shape: tuple[int, int], seed: int = 0) -> sparse.csr_array:
    rng = np.random.default_rng(seed)
    return sparse.csr_array(rng.random(shape) * (rng.random(shape) < 0.3))


def _categories(sizes: list[int]) -> sparse.csr_array:
    """Each item has one tag: as many equal singular values as there are tags of one size."""
    return sparse.csr_array(sparse.block_diag([np.ones((n, 1)) for n in sizes]))


@pytest.fixture
def lanczos(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(factors, "DENSE_ENTRIES", 10)


def _projector(v: NDArray[Any]) -> Any:
    return v @ v.T


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("k", [1, 7, 20])
def test_dense_and_sparse_agree(
    shape: tuple[int, int], k: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    matrix = _counts(shape)
    dense = singular_vectors(matrix, k)
    monkeypatch.setattr(factors, "DENSE_ENTRIES", 10)
    lanczos = Mock(wraps=factors._lanczos)
    monkeypatch.setattr(factors, "_lanczos", lanczos)
    for one, other in zip(dense, singular_vectors(matrix, k), strict=True):
        assert np.abs(one - other).max() < 1e-9
    lanczos.assert_called_once()


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("entries", [10, 10**9], ids=["sparse", "dense"])
def test_they_are_singular_vectors(
    shape: tuple[int, int], entries: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(factors, "DENSE_ENTRIES", entries)
    matrix, k = _counts(shape), 6
    u, s, v = singular_vectors(matrix, k)
    assert (u.shape, s.shape, v.shape) == ((shape[0], k), (k,), (shape[1], k))
    assert np.allclose(matrix @ v, u * s, atol=1e-10)
    assert np.allclose(matrix.T @ u, v * s, atol=1e-10)
    assert np.allclose(u.T @ u, np.eye(k), atol=1e-10)
    assert np.allclose(v.T @ v, np.eye(k), atol=1e-10)
    assert np.allclose(s, np.linalg.svd(matrix.toarray(), compute_uv=False)[:k], atol=1e-10)


@pytest.mark.parametrize("entries", [10, 10**9], ids=["sparse", "dense"])
def test_signs_and_repeats(entries: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(factors, "DENSE_ENTRIES", entries)
    for seed in range(5):
        matrix = _counts((60, 40), seed)
        first, second = singular_vectors(matrix, 8), singular_vectors(matrix, 8)
        assert all(np.array_equal(one, other) for one, other in zip(first, second, strict=True))
        v = first[2]
        assert (v[np.abs(v).argmax(axis=0), np.arange(8)] > 0).all()


@pytest.mark.parametrize("form", [sparse.csr_array, sparse.csc_array, np.asarray, sparse.coo_array])
def test_every_form_of_matrix(form: Any) -> None:
    matrix = _counts((20, 10)).toarray()
    for one, other in zip(singular_vectors(form(matrix), 3), singular_vectors(matrix, 3),
                          strict=True):  # fmt: skip
        assert np.array_equal(one, other)


def test_whole_numbers_as_entries() -> None:
    assert singular_vectors(np.array([[3, 0], [0, 4]]), 2)[1].tolist() == [4.0, 3.0]


def test_all_of_them() -> None:
    matrix = _counts((12, 5))
    u, s, v = singular_vectors(matrix, 5)
    assert np.allclose(u * s @ v.T, matrix.toarray(), atol=1e-12)


@pytest.mark.usefixtures("lanczos")
@pytest.mark.parametrize("k", [11, 12])
def test_nearly_all_of_a_large_matrix(k: int) -> None:
    matrix = _counts((40, 12))
    wanted = np.linalg.svd(matrix.toarray(), compute_uv=False)
    assert np.allclose(singular_vectors(matrix, k)[1], wanted[:k], atol=1e-12)


@pytest.mark.usefixtures("lanczos")
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("sizes", [[10] * 30, [7] * 20 + [5] * 20, [50] * 4 + [1] * 40], ids=len)
@pytest.mark.parametrize("k", [3, 12, 30])
def test_many_equal_singular_values(sizes: list[int], k: int, turned: bool) -> None:
    if k >= len(sizes):
        k = len(sizes) - 2
    matrix = _categories(sizes)
    matrix = matrix.T.tocsr() if turned else matrix
    u, s, v = singular_vectors(matrix, k)
    assert np.allclose(s, np.sqrt(sorted(sizes, reverse=True)[:k]), atol=1e-9)
    assert np.allclose(matrix @ v, u * s, atol=1e-8)
    assert np.allclose(v.T @ v, np.eye(k), atol=1e-9)
    again = singular_vectors(matrix, k)
    assert all(np.array_equal(*pair) for pair in zip((u, s, v), again, strict=True))


def test_blocks_find_what_the_dense_decomposition_finds() -> None:
    for shape in [(80, 30), (50, 50)]:
        matrix = _counts(shape)
        u, s, v = (each[..., :5] for each in factors._by_blocks(matrix, 5))
        wanted = singular_vectors(matrix, 5)
        assert np.allclose(s, wanted[1], rtol=1e-12)
        assert np.allclose(_projector(v), _projector(wanted[2]), atol=1e-5)
        assert np.allclose(u * s, matrix @ v, atol=1e-8)


@pytest.mark.usefixtures("lanczos")
def test_more_vectors_than_rank() -> None:
    rng = np.random.default_rng(0)
    matrix = sparse.csr_array(rng.random((60, 3)) @ rng.random((3, 40)))
    _, s, v = singular_vectors(matrix, 10)
    assert np.abs(s[3:]).max() < 1e-9
    assert np.allclose(v.T @ v, np.eye(10), atol=1e-9)


@pytest.mark.parametrize("entries", [10, 10**9], ids=["sparse", "dense"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_too_many(shape: tuple[int, int], entries: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(factors, "DENSE_ENTRIES", entries)
    most = min(shape)
    received = f"A {shape[0]} x {shape[1]} matrix has {most} singular vectors, not {most + 1}."
    refused(lambda: singular_vectors(_counts(shape), most + 1), received, cl.InvalidInput)


@pytest.mark.parametrize("k", [0, -1, 1.5, "2", None])
def test_k_that_is_no_count(k: Any) -> None:
    refused(lambda: singular_vectors(_counts((5, 4)), k), repr(k), cl.InvalidInput)


def test_unit_rows() -> None:
    rows = unit_rows(np.array([[3.0, 4.0], [0.0, 0.0], [0.0, -1e-9]]))
    assert np.allclose(rows, [[0.6, 0.8], [0.0, 0.0], [0.0, -1.0]], rtol=1e-15)


def test_rounding_error_is_no_direction() -> None:
    rows = np.array([[1e-16, 2e-16], [1e-3, 0.0]])
    assert without_noise(rows).tolist() == [[0.0, 0.0], [1e-3, 0.0]]
    assert without_noise(rows, np.array([1e-15, 1e9])).tolist() == [[1e-16, 2e-16], [0.0, 0.0]]
    assert np.array_equal(without_noise(rows[1:]), rows[1:])
