"""Key-terms made from features: groups, names, trees, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.cluster import DBSCAN, AgglomerativeClustering, KMeans
from sklearn.metrics import adjusted_rand_score

import conlinucb as cl
from conlinucb.numerics import groups
from support.reference import Floats, Indices

pytestmark = pytest.mark.filterwarnings("ignore::conlinucb.RankWarning")


def blobs(n: int, each: int, d: int = 5, spread: float = 0.1, seed: int = 0) -> Floats:
    rng = np.random.default_rng(seed)
    return np.repeat(rng.normal(size=(n, d)), each, axis=0) + spread * rng.normal(
        size=(n * each, d)
    )


def labels_of(catalog: cl.Catalog) -> Indices:
    return np.asarray(catalog.weights.toarray().argmax(axis=1))


def lloyd(rows: Floats, n: int) -> NDArray[np.int64]:
    """k-means once more, row by row: farthest-first start, the first of equally near centres."""
    chosen = [int(np.argmax(((rows - rows.mean(axis=0)) ** 2).sum(axis=1)))]
    while len(chosen) < n:
        apart = np.min([((rows - rows[c]) ** 2).sum(axis=1) for c in chosen], axis=0)
        chosen.append(int(np.argmax(apart)))
    centres, labels = rows[chosen].copy(), np.full(len(rows), -1)
    for _ in range(300):
        found = np.array([np.argmin(((centres - x) ** 2).sum(axis=1)) for x in rows])
        if (found == labels).all():
            break
        labels = found
        for k in range(n):
            centres[k] = rows[labels == k].mean(axis=0)
    return labels


@pytest.mark.parametrize("n", [1, 3, 7, 20])
def test_kmeans_is_lloyds_from_a_farthest_first_start(n: int) -> None:
    rows = np.random.default_rng(n).normal(size=(150, 4))
    catalog = cl.Catalog(rows).with_clusters(n)
    assert adjusted_rand_score(labels_of(catalog), lloyd(rows, n)) == 1.0


@pytest.mark.parametrize("n", [2, 5, 11])
def test_agglomerative_is_scikit_learns_ward(n: int) -> None:
    rows = np.random.default_rng(n).normal(size=(200, 4))
    catalog = cl.Catalog(rows).with_clusters(n, method="agglomerative")
    wanted = AgglomerativeClustering(n_clusters=n, linkage="ward").fit_predict(rows)
    assert adjusted_rand_score(labels_of(catalog), wanted) == 1.0


@pytest.mark.parametrize("method", ["kmeans", "agglomerative"])
@pytest.mark.parametrize("scale", [1e-200, 1e-9, 1.0, 1e9])
def test_blobs_are_found_whatever_their_size(method: str, scale: float) -> None:
    rows = blobs(6, 20) * scale
    catalog = cl.Catalog(rows).with_clusters(6, method=method)
    assert adjusted_rand_score(labels_of(catalog), np.repeat(np.arange(6), 20)) == 1.0
    members = [rows[labels_of(catalog) == k] for k in range(6)]
    np.testing.assert_allclose(catalog.terms, [each.mean(axis=0) for each in members])
    less = cl.Catalog(rows).remove_arms([3, 77]).with_clusters(6, method=method)
    assert adjusted_rand_score(labels_of(less), np.repeat(np.arange(6), 20)) == 1.0


def test_several_sizes_are_partitions_side_by_side() -> None:
    rows = blobs(4, 10)
    catalog, once = cl.Catalog(rows).with_clusters([1, 4]), cl.Catalog(rows).with_clusters(4)
    assert catalog.weights.toarray()[:, 0].all()
    assert (catalog.weights[:, 1:] != once.weights).nnz == 0


def test_an_empty_group_takes_the_farthest_row() -> None:
    rows = groups.scaled(np.array([[0.0], [0.1], [0.2], [10.0]]))
    labels = groups.kmeans(rows, np.array([0, 0, 3]))
    assert np.bincount(labels, minlength=3).min() == 1


def test_no_group_is_ever_empty() -> None:
    for seed in range(40):
        rng = np.random.default_rng(seed)
        rows = groups.scaled(rng.integers(0, 3, size=(30, 2)).astype(float))
        start = groups.farthest_first(rows, int(rng.integers(1, 30)))
        labels = groups.kmeans(rows, start)
        assert (np.bincount(labels, minlength=start.size) > 0).all()


@pytest.mark.parametrize("method", ["kmeans", "agglomerative"])
def test_identical_arms_are_one_group(method: str) -> None:
    same = cl.Catalog(np.ones((5, 2))).with_clusters(3, method=method)
    assert same.terms.tolist() == [[1.0, 1.0]]
    twins = cl.Catalog(np.repeat(np.eye(3), 2, axis=0)).with_clusters(6, method=method)
    assert twins.weights.toarray().tolist() == np.repeat(np.eye(3), 2, axis=0).tolist()


BAD: dict[str, tuple[dict[str, Any], str]] = {
    "more than arms": ({"n": 5}, "at most the number of arms, 4, got 5"),
    "none": ({"n": 0}, "at least 1, got 0"),
    "nothing": ({"n": []}, "got none"),
    "not a number": ({"n": np.nan}, "got nan"),
    "one of them none": ({"n": [2, 0]}, "at least 1, got 0"),
    "ragged": ({"n": [[1], [2, 3]]}, r"got \[1\]"),
    "a method in an array": ({"n": 2, "method": np.array(["kmeans"])}, "No method is called"),
    "a number for names": ({"n": 2, "names": 5}, "2 names, got 5"),
    "one name": ({"n": 2, "names": "ab"}, "2 names, got 'ab'"),
    "text": ({"n": "three"}, "got 'three'"),
    "misspelt": ({"n": 2, "method": "kmean"}, "Did you mean 'kmeans'"),
    "few names": ({"n": 2, "names": ["a"]}, "2 names"),
    "a name twice": ({"n": 2, "names": ["a", "a"]}, "'a' stands there twice"),
    "both": ({"n": 2, "method": KMeans(2)}, "finds its number itself"),
    "only noise": ({"method": DBSCAN(eps=1e-9)}, "found no cluster"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_clusters_are_refused(case: str) -> None:
    options, told = BAD[case]
    with pytest.raises((cl.InvalidInput, cl.UnknownName), match=told):
        cl.Catalog(np.eye(4)).with_clusters(**options)


def test_features_that_are_not_numbers_are_refused() -> None:
    with pytest.raises(cl.InvalidInput, match="finite"):
        cl.Catalog([[1.0, np.nan]])


def test_a_clusterer_of_scikit_learn_may_leave_arms_out() -> None:
    rows = np.vstack([blobs(2, 10, spread=0.01), [[50.0] * 5]])
    catalog = cl.Catalog(rows).with_clusters(method=DBSCAN(eps=0.5))
    assert catalog.weights.toarray().sum(axis=1).tolist() == [1.0] * 20 + [0.0]


def test_what_is_appended_does_not_decide() -> None:
    rows = blobs(3, 8)
    plain = cl.Catalog(rows)
    popular = plain.with_popularity(np.arange(24) ** 3).with_constant()
    assert (
        labels_of(popular.with_clusters(3)).tolist() == labels_of(plain.with_clusters(3)).tolist()
    )
    assert popular.with_clusters(3).constant == popular.constant


def test_removed_arms_are_where_they_are_nearest() -> None:
    rows = blobs(3, 8)
    less = cl.Catalog(rows).remove_arms([0, 9])
    again = less.with_clusters(3).restore_arms([0, 9])
    assert adjusted_rand_score(labels_of(again), np.repeat(np.arange(3), 8)) == 1.0


@pytest.mark.parametrize("method", ["kmeans", "agglomerative"])
def test_a_tree_stays_one_where_arms_are_removed(method: str) -> None:
    for seed in range(10):
        rng = np.random.default_rng(seed)
        bare = cl.Catalog(rng.normal(size=(60, 3))).remove_arms(rng.choice(60, 25, replace=False))
        catalog = bare.with_tree([3, 9, 20], method=method)
        assert (catalog.tree.node >= 0).all()
        assert catalog.live_terms.size == len(catalog.term_ids)


def test_kmeans_ends_where_scikit_learns_does() -> None:
    rows = groups.scaled(np.random.default_rng(8).normal(size=(300, 6)))
    for n in (2, 9, 40):
        start = groups.farthest_first(rows, n)
        theirs = KMeans(n, init=rows[start], n_init=1, max_iter=300, tol=0.0).fit_predict(rows)
        assert groups.kmeans(rows, start).tolist() == theirs.tolist()


TAGS = {
    "item": [
        "Heat",
        "Heat",
        "Ronin",
        "Ronin",
        "Alien",
        "Alien",
        "Solaris",
        "Solaris",
        "Heat",
        "Alien",
    ],
    "tag": ["crime", "heist", "crime", "heist", "space", "dread", "space", "slow", "film", "film"],
}


def test_names_come_from_tags() -> None:
    catalog = cl.Catalog.from_tags(TAGS).with_clusters(2)
    assert catalog.term_ids == ("crime, heist", "space, dread")
    kept = cl.Catalog.from_tags(TAGS).with_clusters(2, keep=True)
    assert kept.term_ids[:6] == cl.Catalog.from_tags(TAGS).term_ids
    assert kept.term_ids[6:] == ("crime, heist", "space, dread")


def test_names_come_from_titles_or_numbers_where_there_are_no_tags() -> None:
    rows = [[1.0, 0.0], [0.9, 0.0], [0.0, 1.0], [0.0, 0.9]]
    items = ["Star Wars", "The Star Wars Holiday", "Jazz at Night", "Night Jazz"]
    assert cl.Catalog(rows, None, items).with_clusters(2).term_ids == ("star, wars", "jazz, night")
    assert cl.Catalog(rows).with_clusters(2).term_ids == ("group 1", "group 2")


def test_names_are_all_different() -> None:
    rng = np.random.default_rng(0)
    weights = (rng.random((300, 4)) < 0.5).astype(float)
    catalog = cl.Catalog(rng.normal(size=(300, 6)), weights, term_ids=list("abcd"))
    made = catalog.with_clusters(120, keep=True)
    assert len(set(made.term_ids)) == 124


def test_a_made_catalogue_can_be_kept(tmp_path: Path) -> None:
    catalog = cl.Catalog(blobs(4, 6)).with_tree([2, 4])
    catalog.save(tmp_path / "made.npz")
    again = cl.Catalog.load(tmp_path / "made.npz")
    assert again.version == catalog.version
    assert again.tree.parent.tolist() == catalog.tree.parent.tolist()


def test_without_key_terms_nothing_can_be_asked_but_all_else_works() -> None:
    bare = cl.Catalog(np.eye(3))
    assert bare.terms.shape == (0, 3)
    agent = cl.linucb(bare)
    assert agent.recommend(agent.new_user()).arms.tolist() == [0]
    with pytest.raises(cl.InvalidInput, match="without key-terms"):
        cl.conlinucb(bare)


@pytest.mark.more
def test_ten_thousand_arms() -> None:
    rows = blobs(20, 500, d=50)
    for method in ("kmeans", "agglomerative"):
        catalog = cl.Catalog(rows).with_clusters(20, method=method)
        assert adjusted_rand_score(labels_of(catalog), np.repeat(np.arange(20), 500)) == 1.0


@pytest.mark.parametrize("method", ["kmeans", "agglomerative"])
def test_a_tree_is_nested_and_its_nodes_are_means(method: str) -> None:
    rows = blobs(12, 10)
    catalog = cl.Catalog(rows).with_tree([3, 12, 40], method=method)
    tree = catalog.tree
    for k in range(tree.parent.size):
        members = tree.members(k)
        np.testing.assert_allclose(catalog.terms[k], rows[members].mean(axis=0))
        below = tree.children(k)
        if below.size:
            together = np.sort(np.concatenate([tree.members(each) for each in below]))
            assert below.size >= 2
            assert together.tolist() == members.tolist()
        if tree.parent[k] >= 0:
            assert set(members) < set(tree.members(tree.parent[k]))
            assert tree.depth[k] == tree.depth[tree.parent[k]] + 1
    assert np.sort(np.concatenate([tree.members(k) for k in tree.roots])).tolist() == list(
        range(120)
    )
    for arm in range(120):
        assert [k for k in range(tree.parent.size) if arm in tree.members(k)] == sorted(
            tree.path(arm)
        )


def test_trees_of_odd_sizes() -> None:
    one = cl.Catalog(blobs(2, 3)).with_tree([1]).tree
    assert (one.parent.tolist(), one.leaves.tolist()) == ([-1], [0])
    same = cl.Catalog(np.ones((6, 2))).with_tree([1, 3, 5]).tree
    assert same.members(0).tolist() == list(range(6))
    assert same.parent.size == 1
    assert cl.Catalog([[1.0]]).with_tree().tree.leaves.tolist() == [0]


LEVELS = [[], [0], [3, 3], [4, 2], [2, 99], [1.5], [np.nan], [[1], [2, 3]], "ab"]


@pytest.mark.parametrize("levels", LEVELS)
def test_bad_levels_are_refused(levels: list[Any]) -> None:
    with pytest.raises(cl.InvalidInput, match="levels"):
        cl.Catalog(np.eye(5)).with_tree(levels)


@pytest.mark.parametrize("place", [-1, 6, 1.5, None])
def test_nodes_and_arms_that_are_not_there_are_refused(place: Any) -> None:
    tree = cl.Catalog(np.eye(6)).with_tree([2, 5]).tree
    assert tree.parent.size == 6
    for look in (tree.children, tree.members, tree.path):
        with pytest.raises(cl.InvalidInput, match=f"{place}"):
            look(place)


def test_key_terms_that_overlap_are_no_tree() -> None:
    with pytest.raises(cl.InvalidInput, match="'a' and 'b' share some"):
        _ = cl.Catalog(np.eye(3), [[1, 0], [1, 1], [0, 1]], term_ids=["a", "b"]).tree
    with pytest.raises(cl.InvalidInput, match="without key-terms"):
        _ = cl.Catalog(np.eye(3)).tree


def test_from_embeddings_alone_to_a_conversation() -> None:
    rows = blobs(5, 20)
    catalog = cl.Catalog.from_embeddings(rows, [f"song {i}" for i in range(100)]).with_clusters(5)
    agent = cl.conlinucb(catalog, schedule=cl.Every(1))
    user = agent.new_user()
    for _ in range(5):
        question = agent.ask(user)
        assert question is not None
        agent.hear(user, question, float(question.index == 2))
        agent.recommend(user)
    assert labels_of(catalog)[agent.recommend(user).arms[0]] == 2


def test_every_strategy_runs_on_the_nodes_of_a_tree() -> None:
    catalog = cl.Catalog(blobs(8, 10)).with_tree([2, 8])
    people = cl.LinearUsers(np.random.default_rng(1).normal(size=(3, 5)), pool_size=10)
    agents = {name: cl.conlinucb(catalog, strategy=name) for name in ("max-radius", "ucb", "BS")}
    results = cl.simulate(agents, people, rounds=60, progress=False)
    assert (results.final_regret("ucb") >= 0).all()
