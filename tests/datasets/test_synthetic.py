"""The synthetic data: sizes, graphs, and what a seed decides."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import conlinucb as cl
from conlinucb.datasets import synthetic
from conlinucb.datasets.dataset import Dataset

SMALL: dict[str, Any] = {"arms": 60, "terms": 15, "users": 4, "d": 6}
FIRST_ARM = (0.22952863393183795, 0.02148775060587436)
FIRST_THETA = (-0.8990056520623978, 0.05184748699479793)


def thetas(data: Dataset) -> NDArray[np.float64]:
    assert data.thetas is not None
    return data.thetas


def test_the_papers_sizes() -> None:
    data = synthetic()
    assert data.catalog.arms.shape == (5000, 50)
    assert data.catalog.terms.shape == (500, 50)
    assert thetas(data).shape == (200, 50)
    assert np.allclose(np.linalg.norm(data.catalog.arms, axis=1), 1.0)
    assert np.allclose(np.linalg.norm(thetas(data), axis=1), 1.0)


def test_a_sparse_graph_leaves_many_arms_without_terms() -> None:
    weights = synthetic().catalog.weights
    of_term = np.bincount(weights.indices)
    assert (of_term.min(), of_term.max()) == (1, 10)
    assert np.mean(np.diff(weights.indptr) == 0) == pytest.approx(0.577, abs=0.02)


def test_a_dense_graph_gives_every_arm_terms() -> None:
    weights = synthetic(graph="dense").catalog.weights
    of_arm = np.diff(weights.indptr)
    assert of_arm.min() >= 1
    assert 10 < of_arm.max() < 20
    assert np.bincount(weights.indices).mean() == pytest.approx(60, abs=2)
    assert np.allclose(weights.sum(axis=1), 1.0)


def test_tastes_that_are_not_normalized_have_length_sqrt_d() -> None:
    lengths = np.linalg.norm(thetas(synthetic(normalized=False)), axis=1)
    assert lengths.mean() == pytest.approx(np.sqrt(50), abs=0.2)


def test_a_seed_decides_everything_and_sizes_leave_other_parts_alone() -> None:
    one, same, other = synthetic(**SMALL), synthetic(**SMALL), synthetic(**SMALL, seed=1)
    assert one.catalog.version == same.catalog.version != other.catalog.version
    assert np.array_equal(thetas(one), thetas(same))
    more = synthetic(**{**SMALL, "users": 9})
    assert more.catalog.version == one.catalog.version
    assert np.array_equal(thetas(more)[:4], thetas(one))


def test_a_known_value() -> None:
    data = synthetic(**SMALL, seed=3)
    assert data.catalog.arms[0, :2] == pytest.approx(FIRST_ARM)
    assert thetas(data)[0, :2] == pytest.approx(FIRST_THETA)


@pytest.mark.parametrize("size", SMALL)
@pytest.mark.parametrize("value", [0, -1, 1.5, "3"])
def test_bad_sizes(size: str, value: Any) -> None:
    with pytest.raises(cl.InvalidInput, match=size):
        synthetic(**{**SMALL, size: value})


def test_bad_graph() -> None:
    with pytest.raises(cl.UnknownName, match="dense"):
        synthetic(graph="dence")  # type: ignore[arg-type]


def test_ready_to_simulate() -> None:
    data = synthetic(**SMALL)
    people = cl.LinearUsers(thetas(data), pool_size=10)
    results = cl.simulate({"LinUCB": cl.linucb(data.catalog)}, people, rounds=20)
    assert results.final_regret("LinUCB").shape == (1, 4)
