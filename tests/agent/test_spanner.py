"""Barycentric spanners against brute force, at odd scales, and at the size of real catalogues."""

from __future__ import annotations

import warnings
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import conlinucb as cl

Floats = NDArray[np.float64]


def coefficients(rows: Floats, chosen: Any) -> Floats:
    """Coefficients (n, rank) over the chosen rows, with all rows scaled to norm 1 for safety."""
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    norms[norms == 0] = 1.0
    unit = rows / norms
    found = np.linalg.lstsq(unit[chosen].T, unit.T, rcond=None)[0].T
    assert np.allclose(found @ unit[chosen], unit, atol=1e-8)
    return np.asarray(found * norms / norms[chosen].T)


def quiet_spanner(rows: Floats, C: float = 1.0) -> cl.Spanner:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cl.RankWarning)
        return cl.barycentric_spanner(rows, C=C)


EXACT: dict[str, tuple[Any, set[int]]] = {
    "identity": (np.eye(3), {0, 1, 2}),
    "a shorter one": ([[1.0, 0.0], [0.9, 0.1], [0.0, 1.0]], {0, 2}),
    "longest on each axis": ([[1.0, 0.0], [2.0, 0.0], [0.0, 1.0], [0.0, -0.5]], {1, 2}),
    "one dimension": ([[0.3], [-2.0], [1.9]], {1}),
    "zero rows": ([[0.0, 0.0], [1.0, 1.0], [0.0, 0.0], [1.0, -1.0]], {1, 3}),
    "negative": ([[-3.0, 0.0], [1.0, 0.0], [0.0, 1.0]], {0, 2}),
    "an inner point": ([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0], [0.2, 0.3]], {0, 1, 2}),
}


@pytest.mark.parametrize("case", sorted(EXACT))
def test_small_cases(case: str) -> None:
    rows, possible = EXACT[case]
    found = cl.barycentric_spanner(rows)
    assert set(found.indices.tolist()) <= possible
    assert found.indices.size == found.rank == np.shape(rows)[1]
    assert abs(found.C - 1.0) < 1e-7


def test_the_result_is_plain_and_the_input_untouched() -> None:
    rows = np.random.default_rng(0).normal(size=(9, 3))
    before = rows.copy()
    found = cl.barycentric_spanner(rows)
    assert np.array_equal(rows, before)
    assert found.indices.dtype == np.int64
    assert (type(found.C), type(found.rank), type(found.lambda_B)) == (float, int, float)
    assert np.array_equal(found.indices, cl.barycentric_spanner(rows).indices)


def volumes(rows: Floats) -> dict[tuple[int, ...], float]:
    d = rows.shape[1]
    subsets = combinations(range(len(rows)), d)
    return {subset: abs(float(np.linalg.det(rows[list(subset)]))) for subset in subsets}


@pytest.mark.parametrize("seed", range(12))
def test_against_every_subset(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(5, 10)), int(rng.integers(2, 5))
    rows = rng.normal(size=(n, d))
    every = volumes(rows)
    largest = max(every, key=lambda subset: every[subset])
    assert np.abs(coefficients(rows, list(largest))).max() <= 1 + 1e-9
    found = cl.barycentric_spanner(rows)
    assert np.abs(coefficients(rows, found.indices)).max() <= 1 + 1e-7
    assert abs(found.C - np.abs(coefficients(rows, found.indices)).max()) < 1e-9
    # Coefficients within 1 bound every determinant by Hadamard's inequality.
    assert every[largest] <= d ** (d / 2) * every[tuple(sorted(found.indices.tolist()))]


@pytest.mark.parametrize("seed", range(6))
def test_no_single_swap_enlarges_an_exact_spanner(seed: int) -> None:
    rows = np.random.default_rng(seed).normal(size=(10, 3))
    found = cl.barycentric_spanner(rows).indices
    volume = abs(np.linalg.det(rows[found]))
    for column in range(3):
        for row in range(10):
            swapped = found.copy()
            swapped[column] = row
            assert abs(np.linalg.det(rows[swapped])) <= volume * (1 + 1e-7)


@pytest.mark.parametrize("C", [1.0, 1.5, 2.0, 5.0])
def test_C_is_what_was_achieved(C: float) -> None:
    rows = np.random.default_rng(1).normal(size=(300, 8))
    found = cl.barycentric_spanner(rows, C=C)
    assert 1.0 <= found.C <= C * (1 + 1e-7)
    assert abs(found.C - np.abs(coefficients(rows, found.indices)).max()) < 1e-9


@pytest.mark.parametrize("scale", [1e-80, 1e-6, 1e6, 1e80])
def test_one_scale_for_all_changes_no_choice(scale: float) -> None:
    rows = np.random.default_rng(2).normal(size=(40, 5))
    plain, scaled = cl.barycentric_spanner(rows), cl.barycentric_spanner(rows * scale)
    assert np.array_equal(plain.indices, scaled.indices)
    assert scaled.lambda_B == pytest.approx(plain.lambda_B * scale**2, rel=1e-9)


@pytest.mark.parametrize("seed", range(8))
def test_rows_from_a_millionth_to_a_million(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(30, 4)) * 10.0 ** rng.uniform(-6, 6, size=(30, 1))
    found = cl.barycentric_spanner(rows)
    assert found.rank == 4
    assert np.abs(coefficients(rows, found.indices)).max() <= 1 + 1e-6


@pytest.mark.parametrize("seed", range(4))
def test_columns_from_a_thousandth_to_a_thousand(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(30, 4))
    stretched = cl.barycentric_spanner(rows * [1e-3, 1.0, 1.0, 1e3])
    assert np.abs(coefficients(rows, stretched.indices)).max() <= 1 + 1e-7


@pytest.mark.parametrize("rank", [1, 2, 4])
def test_rank_deficient_sets(rank: int) -> None:
    rng = np.random.default_rng(rank)
    rows = rng.normal(size=(25, rank)) @ rng.normal(size=(rank, 5))
    with pytest.warns(cl.RankWarning, match=f"rank {rank}, below their dimension 5") as caught:
        found = cl.barycentric_spanner(rows)
    assert f"holds {rank} of them" in str(caught[0].message)
    assert caught[0].filename == __file__
    assert (found.rank, found.indices.size, found.lambda_B) == (rank, rank, 0.0)
    assert np.abs(coefficients(rows, found.indices)).max() <= 1 + 1e-7


def test_fewer_rows_than_dimensions() -> None:
    found = quiet_spanner(np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 2.0]]))
    assert (sorted(found.indices.tolist()), found.rank, found.lambda_B) == ([0, 1], 2, 0.0)


def test_duplicates_are_not_chosen_twice() -> None:
    rows = np.repeat(np.random.default_rng(3).normal(size=(6, 3)), 5, axis=0)
    found = cl.barycentric_spanner(rows)
    assert len({int(i) // 5 for i in found.indices}) == 3
    assert np.abs(coefficients(rows, found.indices)).max() <= 1 + 1e-7


@pytest.mark.parametrize("seed", range(5))
def test_lambda_B_is_the_least_eigenvalue_of_the_mean(seed: int) -> None:
    rows = np.random.default_rng(seed).normal(size=(50, 6))
    found = cl.barycentric_spanner(rows)
    mean = sum(np.outer(x, x) for x in rows[found.indices]) / 6
    assert found.lambda_B == pytest.approx(np.linalg.eigvalsh(mean).min(), rel=1e-9)
    assert found.lambda_B == cl.theory.lambda_B(rows[found.indices])


def test_two_thousand_terms_in_fifty_dimensions() -> None:
    rng = np.random.default_rng(7)
    rows = rng.normal(size=(2000, 50))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    found = cl.barycentric_spanner(rows)
    assert (found.rank, len(set(found.indices.tolist()))) == (50, 50)
    assert np.abs(np.linalg.solve(rows[found.indices].T, rows.T)).max() <= 1 + 1e-7
    assert 0 < found.lambda_B < 1 / 50


BAD: dict[str, tuple[Any, str]] = {
    "zero": (np.zeros((3, 2)), "(3, 2)"),
    "no rows": (np.zeros((0, 2)), "(0, 2)"),
    "no columns": (np.zeros((2, 0)), "(2, 0)"),
    "flat": ([1.0, 2.0], "(2,)"),
    "nan": ([[1.0, np.nan]], "nan"),
    "inf": ([[1.0, np.inf]], "inf"),
    "text": ("terms", "'terms'"),
    "none": (None, "None"),
}


@pytest.mark.parametrize("bad", sorted(BAD))
def test_bad_vectors(bad: str) -> None:
    vectors, received = BAD[bad]
    with pytest.raises(cl.InvalidInput) as caught:
        cl.barycentric_spanner(vectors)
    assert received in str(caught.value)


@pytest.mark.parametrize("C", [0.0, 0.999, -1.0, np.nan, np.inf])
def test_bad_C(C: float) -> None:
    with pytest.raises(cl.InvalidInput, match=f"C must be .* got {C!r}"):
        cl.barycentric_spanner(np.eye(2), C=C)
