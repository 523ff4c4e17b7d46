"""The catalogue: features, ids, immutability, and every check at the door."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import sparse

import conlinucb as cl
from support.worlds import ARM_IDS, ARMS, TERM_IDS, WEIGHTS, films, means

# Features


@pytest.mark.parametrize(
    "form",
    [np.asarray, np.ndarray.tolist, sparse.csr_array, sparse.csc_array, sparse.coo_array,
     sparse.csr_matrix],
    ids=["array", "list", "csr", "csc", "coo", "csr_matrix"],
)  # fmt: skip
def test_terms_are_weighted_means_for_every_form_of_weights(form: Callable[..., Any]) -> None:
    catalog = cl.Catalog(ARMS, form(WEIGHTS))
    assert np.allclose(catalog.terms, means(ARMS, WEIGHTS), rtol=1e-14)
    assert np.array_equal(catalog.arms, ARMS)
    assert np.array_equal(catalog.weights.toarray(), WEIGHTS)


def test_terms_of_a_larger_catalogue() -> None:
    rng = np.random.default_rng(4)
    arms, weights = rng.normal(size=(60, 5)), rng.random((60, 20)) * (rng.random((60, 20)) < 0.3)
    weights[:20] += np.eye(20)
    assert np.allclose(cl.Catalog(arms, weights).terms, means(arms, weights), rtol=1e-12)


def test_equal_weights() -> None:
    membership = np.array([[1, 1], [1, 0], [0, 1]])
    arms = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    catalog = cl.Catalog(arms, membership / membership.sum(axis=1, keepdims=True))
    assert np.allclose(catalog.terms, [[1 / 3, 2 / 3], [1.0, 2 / 3]])


def test_the_scale_of_a_terms_weights_does_not_matter() -> None:
    scaled = cl.Catalog(ARMS, WEIGHTS * [1e-6, 1.0, 1e6])
    assert np.allclose(scaled.terms, films().terms, rtol=1e-14)


def test_an_arm_without_terms_can_be_recommended() -> None:
    agent = cl.conlinucb(films(), schedule=cl.Never())
    assert agent.recommend(agent.new_user(), pool=[3]).arms.tolist() == [3]
    without = cl.Catalog(ARMS[:3], WEIGHTS[:3])
    assert np.array_equal(without.terms, films().terms)


def test_a_stored_duplicate_adds_up_and_a_stored_zero_is_nothing() -> None:
    entries = ([0.25, 0.75, 1.0, 0.0], ([0, 0, 1, 1], [0, 0, 1, 0]))
    catalog = cl.Catalog(np.eye(2), sparse.coo_array(entries, shape=(2, 2)))
    assert np.array_equal(catalog.weights.toarray(), np.eye(2))
    assert catalog.version == cl.Catalog(np.eye(2), np.eye(2)).version


def test_graph_lists_each_arms_terms() -> None:
    start, terms, data = films()._graph
    dense = np.zeros((4, 3))
    for a in range(4):
        dense[a, terms[start[a] : start[a + 1]]] = data[start[a] : start[a + 1]]
    assert np.array_equal(dense, WEIGHTS)


def test_sizes_and_repr() -> None:
    catalog = films().remove_arms([1])
    assert (len(catalog), catalog.d) == (4, 2)
    assert catalog.live_arms.tolist() == [0, 2, 3]
    assert catalog.live_terms.tolist() == [0, 2]
    assert "3 arms, 2 key-terms, d=2" in repr(catalog)


# Ids


def test_ids_both_ways() -> None:
    catalog = films()
    assert catalog.arm_ids == tuple(ARM_IDS)
    assert catalog.term_ids == tuple(TERM_IDS)
    assert [catalog.arm_index(each) for each in ARM_IDS] == [0, 1, 2, 3]
    assert [catalog.term_index(each) for each in TERM_IDS] == [0, 1, 2]


def test_ids_are_indices_by_default() -> None:
    catalog = cl.Catalog(ARMS, WEIGHTS)
    assert catalog.arm_ids == (0, 1, 2, 3)
    assert catalog.term_ids == (0, 1, 2)
    assert catalog.arm_index(2) == 2


def test_numpy_integers_become_plain_ids() -> None:
    catalog = cl.Catalog(ARMS, WEIGHTS, arm_ids=np.arange(10, 14))  # type: ignore[arg-type]
    assert [type(each) for each in catalog.arm_ids] == [int] * 4
    assert catalog.arm_index(12) == 2


@pytest.mark.parametrize(
    ("wanted", "hint"), [("Amelie", "'Amélie'"), ("zzz", "'7'"), (None, "None"), ([7], "[7]")]
)
def test_unknown_id(wanted: Any, hint: str) -> None:
    with pytest.raises(cl.UnknownName) as caught:
        films().arm_index(wanted)
    assert hint in str(caught.value)
    assert repr(wanted) in str(caught.value)


def test_unknown_term() -> None:
    with pytest.raises(cl.UnknownName, match=r"'clam'.*'calm'"):
        films().term_index("clam")


# A catalogue never changes


def test_arms_and_terms_are_read_only() -> None:
    catalog = films()
    for features in (catalog.arms, catalog.terms):
        with pytest.raises(ValueError, match="read-only"):
            features[0, 0] = 9.0


def test_weights_are_a_copy() -> None:
    catalog = films()
    catalog.weights.data[:] = 9.0
    assert np.array_equal(catalog.weights.toarray(), WEIGHTS)


@pytest.mark.parametrize("form", [np.array, sparse.csr_array, sparse.csc_array])
def test_the_callers_arrays_are_not_shared(form: Callable[..., Any]) -> None:
    arms, weights, ids = ARMS.copy(), form(WEIGHTS), list(ARM_IDS)
    catalog = cl.Catalog(arms, weights, ids)
    arms[:] = 9.0
    weights[0, 0] = 9.0
    ids[0] = "other"
    assert np.array_equal(catalog.arms, ARMS)
    assert np.array_equal(catalog.weights.toarray(), WEIGHTS)
    assert catalog.arm_ids[0] == "Amélie"


def test_making_a_catalogue_leaves_the_callers_arrays_alone() -> None:
    weights = sparse.csr_array(([1.0, 0.0, 2.0], [1, 0, 1], [0, 2, 3]), shape=(2, 2))
    arms = np.asfortranarray(np.eye(2))
    with pytest.raises(cl.InvalidInput):
        cl.Catalog(arms, weights)
    assert weights.data.tolist() == [1.0, 0.0, 2.0]
    assert weights.indices.tolist() == [1, 0, 1]


# Checks


EYE = np.eye(2)
BAD: dict[str, tuple[dict[str, Any], str]] = {
    "arms nan": ({"arms": [[1.0, 0.0], [np.nan, 1.0]]}, "arms[1, 0] is nan"),
    "arms inf": ({"arms": [[1.0, 0.0], [0.0, -np.inf]]}, "-inf"),
    "arms too large": ({"arms": [[1.0, 0.0], [0.0, 1e200]]}, "1e+200"),
    "arms text": ({"arms": [["a", "b"], ["c", "d"]]}, "'a'"),
    "arms flat": ({"arms": [1.0, 0.0]}, "(2,)"),
    "arms deep": ({"arms": np.ones((2, 2, 2))}, "(2, 2, 2)"),
    "arms ragged": ({"arms": [[1.0], [1.0, 2.0]]}, "inhomogeneous"),
    "arms none": ({"arms": None}, "None"),
    "no arms": ({"arms": np.ones((0, 2)), "weights": np.ones((0, 2))}, "(0, 2)"),
    "no features": ({"arms": np.ones((2, 0))}, "(2, 0)"),
    "weights nan": ({"weights": [[1.0, np.nan], [0.0, 1.0]]}, "nan"),
    "weights inf": ({"weights": [[1.0, np.inf], [0.0, 1.0]]}, "inf"),
    "weights negative": ({"weights": [[1.0, 0.0], [-0.25, 1.0]]}, "-0.25"),
    "weights text": ({"weights": [["a", "b"], ["c", "d"]]}, "'a'"),
    "weights rows": ({"weights": np.ones((3, 2))}, "(3, 2)"),
    "weights flat": ({"weights": [1.0, 1.0]}, "(2,)"),
    "weights deep": ({"weights": np.ones((2, 2, 2))}, "3"),
    "weights a number": ({"weights": 5}, "weights"),
    "a term without weight": ({"weights": [[1.0, 0.0], [1.0, 0.0]]}, "Key-term 1 (column 1"),
    "arm ids twice": ({"arm_ids": ["a", "a"]}, "'a'"),
    "term ids twice": ({"term_ids": [4, 4]}, "4"),
    "ids too few": ({"arm_ids": ["a"]}, "2 ids, got 1"),
    "ids too many": ({"term_ids": ["a", "b", "c"]}, "2 ids, got 3"),
    "id a float": ({"arm_ids": ["a", 1.5]}, "1.5"),
    "id a bool": ({"arm_ids": ["a", True]}, "True"),
    "id none": ({"term_ids": ["a", None]}, "None"),
    "id a list": ({"term_ids": [["a"], ["b"]]}, "['a']"),
    "ids a number": ({"arm_ids": 5}, "5"),
}  # fmt: skip


@pytest.mark.parametrize("bad", sorted(BAD))
def test_bad_catalogues(bad: str) -> None:
    changed, received = BAD[bad]
    with pytest.raises(cl.InvalidInput) as caught:
        cl.Catalog(**{"arms": EYE, "weights": EYE, **changed})
    assert received in str(caught.value)


def test_a_named_term_without_weight_is_named() -> None:
    weights = WEIGHTS * [1.0, 0.0, 1.0]
    with pytest.raises(cl.InvalidInput, match="'tense'"):
        cl.Catalog(ARMS, weights, ARM_IDS, TERM_IDS)


@pytest.mark.parametrize(("n", "d", "rank"), [(5, 3, 2), (2, 3, 2), (9000, 4, 1)])
def test_rank_warning_names_the_rank(n: int, d: int, rank: int) -> None:
    rng = np.random.default_rng(0)
    arms = rng.normal(size=(n, rank)) @ rng.normal(size=(rank, d))
    with pytest.warns(cl.RankWarning, match=f"rank {rank}, below their dimension {d}") as caught:
        cl.Catalog(arms, np.ones((n, 1)))
    assert caught[0].filename == __file__


def test_late_arms_can_bring_the_full_rank() -> None:
    flat = np.zeros((9000, 3))
    flat[:, 0] = 1.0
    flat[-2:] = [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    assert len(cl.Catalog(flat, np.ones((9000, 1)))) == 9000
