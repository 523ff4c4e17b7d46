"""The graph of key-terms: from arms, from one's own edges, kept, stored, refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

import conlinucb as cl
from support.graphs import co_occurrence
from support.reference import Floats
from support.worlds import films, refused, small_catalog

ROWS = [("calm", "tense", 0.3), ("tense", 3 - 1, 0.8)]
"""Films has the terms "calm", "tense" and 3: a number is an index."""
OWN = np.array([[0.0, 0.3, 0.0], [0.3, 0.0, 0.8], [0.0, 0.8, 0.0]])


def dense(catalog: cl.Catalog) -> Floats:
    return np.asarray(catalog.term_graph.weights.toarray())


@pytest.mark.parametrize("hops", [1, 2, 3])
@pytest.mark.parametrize("g", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_co_occurrence_is_the_formula(hops: int, g: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    weights = (rng.random((14, 9)) < 0.12) * rng.uniform(0.1, 2.0, (14, 9))
    weights[np.arange(9), np.arange(9)] += 1.0
    catalog = cl.Catalog(rng.normal(size=(14, 4)), weights).with_graph(hops=hops, g=g)
    wanted = co_occurrence(weights, catalog.terms, hops, g)
    assert wanted.any()
    assert (wanted == 0).any()
    np.testing.assert_allclose(dense(catalog), wanted, rtol=1e-12, atol=1e-15)
    assert (dense(catalog) == dense(catalog).T).all()
    assert dense(catalog).max() <= 1.0


def test_by_hand() -> None:
    """calm - 3 share Amélie, tense - 3 share 7; calm and tense share nothing."""
    catalog = films()
    cosine = [
        x @ y / np.linalg.norm(x) / np.linalg.norm(y)
        for x, y in ((catalog.terms[0], catalog.terms[2]), (catalog.terms[1], catalog.terms[2]))
    ]
    wanted = [0.5 / 2 + cosine[0] / 2, 0.5 / 2 + cosine[1] / 2]  # 1 / (1 + 2 - 1) and the cosine
    assert dense(catalog)[0, 1] == 0
    np.testing.assert_allclose(dense(catalog)[2, :2], wanted)
    assert catalog.term_graph.neighbours(2).tolist() == [0, 1]
    assert repr(catalog.term_graph) == "TermGraph(3 key-terms, 2 edges)"


def test_arms_in_opposite_directions_are_not_alike() -> None:
    catalog = cl.Catalog([[1.0], [-4.0], [1.0]], [[1, 1], [0, 1], [1, 0]], None, ["a", "b"])
    assert dense(catalog.with_graph(g=1.0)).max() == 0
    assert dense(catalog.with_graph(g=0.0)).max() == 1


def test_the_graph_follows_the_arms_unless_key_terms_are_kept() -> None:
    ruled, plain = films().with_graph(hops=1, g=0.0), films()
    for catalog in (ruled, plain):
        more = catalog.add_arms([[0.5, 0.5]], [[1.0, 1.0, 0.0]])
        assert dense(more)[0, 1] > 0
        assert dense(more.remove_arms([4]))[0, 1] == 0
        assert dense(more.remove_arms([4]).restore_arms([4]))[0, 1] > 0
    kept = ruled.add_arms([[0.5, 0.5]], [[1.0, 1.0, 0.0]], keep_terms=True)
    assert kept.term_graph.digest == ruled.term_graph.digest
    assert kept.remove_arms([0], keep_terms=True).term_graph.digest == ruled.term_graph.digest
    gone = plain.remove_arms([1])
    assert gone.live_terms.tolist() == [0, 2]
    assert gone.term_graph.neighbours(1).size == 0


@pytest.mark.parametrize(
    "change",
    [
        lambda c: c.add_arms([[0.5, 0.5]], [[1.0, 1.0, 0.0]]),
        lambda c: c.add_arms([[0.5, 0.5]], [[1.0, 1.0, 0.0]], keep_terms=True),
        lambda c: c.remove_arms([0]),
        lambda c: c.remove_arms([0]).restore_arms([0]),
        lambda c: c.with_popularity([1, 2, 3, 4]),
        lambda c: c.with_constant(),
        lambda c: c.remove_arms([0], keep_terms=True).with_constant(),
        lambda c: cl.Catalog.from_arrays(c.to_arrays()),
    ],
)
def test_own_edges_stay(change: Any) -> None:
    assert dense(change(films().with_graph(ROWS))).tolist() == OWN.tolist()


def test_other_key_terms_have_another_graph() -> None:
    catalog = films().with_graph(ROWS)
    beside = catalog.with_clusters(2, keep=True)
    assert dense(beside)[:3, :3].tolist() == OWN.tolist()
    assert not dense(beside)[3:].any()
    assert dense(catalog.with_clusters(2)).shape == (2, 2)
    assert not dense(catalog.with_clusters(2)).any()


@pytest.mark.parametrize(
    "edges",
    [
        ROWS,
        [*ROWS, ("tense", "calm", 0.3), (0, 2, 0.0), ("calm", "calm", 7.0)],
        tuple(ROWS),
        OWN,
        OWN + np.diag([1.0, np.nan, -3.0]),
        sparse.csr_array(OWN),
        sparse.coo_matrix(OWN),
        {"term": ["calm", "tense"], "other": ["tense", "loud"], "weight": [0.3, 0.8]},
    ],
    ids=lambda each: type(each).__name__,
)
def test_ways_to_say_edges(edges: Any) -> None:
    catalog = cl.Catalog(films().arms, films().weights, None, ["calm", "tense", "loud"])
    assert dense(catalog.with_graph(edges)).tolist() == OWN.tolist()


def test_without_a_weight_it_is_one() -> None:
    table = {"term": ["calm"], "other": ["tense"]}
    for edges in ([(0, 1)], [(1, 0)], table):
        assert dense(films().with_graph(edges)).tolist() == [[0, 1, 0], [1, 0, 0], [0, 0, 0]]
    assert films().with_graph([]).term_graph.neighbours(0).size == 0
    assert len(cl.Catalog([[1.0]]).term_graph.rows.terms) == 0


@pytest.mark.parametrize(
    ("edges", "received"),
    [
        ([("calm", "tense", -0.5)], "-0.5"),
        ([("calm", "tense", 1.5)], "1.5"),
        ([("calm", "tense", None)], "None"),
        ([("calm", "tense", np.nan)], "nan"),
        ([("calm", "tense", "a lot")], "'a lot'"),
        ([("calm", "tense", 0.5), ("tense", "calm", 0.6)], "0.5 and 0.6"),
        ([("calm", "loud", 0.5)], "'loud'"),
        ([(0, 3, 0.5)], "got 3"),
        ([(0, -1, 0.5)], "-1"),
        ([(0, 1.5, 0.5)], "1.5"),
        ([("calm",)], "('calm',)"),
        ([()], "()"),
        (["calm"], "'calm'"),
        ([4], "4"),
        ([(0, 1, 0.5, 0.5)], "0.5, 0.5"),
        (-OWN, "-0.3"),
        (2 * OWN, "1.6"),
        (np.where(OWN > 0, np.nan, 0.0), "nan"),
        (np.triu(OWN), "0.3"),
        (np.eye(2), "(2, 2)"),
        (OWN[0], "(3,)"),
        (np.array([["a"] * 3] * 3), "numbers"),
        ({"term": ["calm"], "other": ["tense"], "weight": [-1.0]}, "-1.0"),
        ({"term": ["calm"], "other": [None]}, "other"),
        ({"term": ["calm"]}, "'other'"),
        ({"term": ["calm"], "other": ["loud"]}, "'loud'"),
        ("nowhere.csv", "nowhere.csv"),
        (7, "int"),
    ],
)
def test_edges_that_are_none(edges: Any, received: str) -> None:
    refused(lambda: films().with_graph(edges), received)


@pytest.mark.parametrize(
    "options",
    [{"hops": 0}, {"hops": 1.5}, {"g": -0.1}, {"g": 1.1}, {"g": None, "hops": "2"}],
)
def test_rules_that_are_none(options: Any) -> None:
    refused(lambda: films().with_graph(**options), "must be", cl.InvalidInput)
    refused(lambda: films().with_graph(ROWS, hops=2), "hops=2", cl.InvalidInput)


def test_the_graph_is_part_of_what_a_catalogue_is(tmp_path: Path) -> None:
    graphs = [
        films(),
        films().with_graph(),
        films().with_graph(hops=2),
        films().with_graph(g=0.1),
        films().with_graph(ROWS),
        films().with_graph([("calm", "tense", 0.3), ("tense", 2, 0.7)]),
        films().with_graph().remove_arms([3], keep_terms=True),
    ]
    assert len({each.version for each in graphs}) == len(graphs)
    for i, catalog in enumerate(graphs):
        catalog.save(tmp_path / f"{i}.npz")
        twin = cl.Catalog.load(tmp_path / f"{i}.npz")
        assert twin.version == catalog.version
        assert twin.term_graph.digest == catalog.term_graph.digest
    assert films().version == cl.Catalog.from_arrays(films().to_arrays()).version
    assert "graph_rule" not in films().to_arrays()


@pytest.mark.parametrize(
    "wrong",
    [
        {"graph_rule": np.array([0.0, 0.5])},
        {"graph_rule": np.array([1.0])},
        {"graph_weights": np.array([0.3, 0.3, 0.8, 0.7])},
        {"graph_weights": np.array([0.3, 0.3, 0.8, -0.8])},
        {"graph_weights": np.array([0.3, np.nan, 0.8, 0.8])},
        {"graph_terms": np.array([1, 0, 7, 1])},
        {"graph_terms": np.array([0, 0, 2, 1])},
        {"graph_start": np.array([0, 1, 9, 4])},
    ],
)
def test_damaged_graphs_are_refused(wrong: Any) -> None:
    arrays = films().with_graph(ROWS).to_arrays()
    assert arrays["graph_terms"].tolist() == [1, 0, 2, 1]
    refused(lambda: cl.Catalog.from_arrays(arrays | wrong), "", cl.ConlinucbError)


def test_what_is_given_out_is_a_copy() -> None:
    catalog = films().with_graph(ROWS)
    catalog.term_graph.weights.data[:] = 9.0
    catalog.term_graph.neighbours(0)[:] = 9
    assert dense(catalog).tolist() == OWN.tolist()
    assert catalog.term_graph.neighbours(0).tolist() == [1]


@pytest.mark.filterwarnings("ignore::conlinucb.RankWarning")
def test_people_stay_with_a_catalogue_made_from_them() -> None:
    met = {"user": list("aabbcc"), "item": list("xyyzzx")}
    tags = {"item": list("xyzx"), "tag": list("stsu")}
    catalog = cl.Catalog.from_interactions(met, tags, d=3)
    assert catalog.with_graph(g=0.2).thetas is catalog.thetas
    assert catalog.thetas is not None


def test_a_larger_one_is_symmetric_and_the_formula() -> None:
    catalog = small_catalog(arms=60, terms=40, d=5)
    wanted = co_occurrence(catalog.weights.toarray(), catalog.terms, 2, 0.3)
    np.testing.assert_allclose(dense(catalog.with_graph(hops=2, g=0.3)), wanted, atol=1e-12)
