"""Which tags become key-terms, what is reported as left out, and the features they give."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from benchmarks.reading_tables import tag_table

import conlinucb as cl
from conlinucb.catalog.from_tables import MOST_TOPICS
from conlinucb.catalog.tags import Tagged, TagRules, content_basis, content_features, read_tags
from support.worlds import refused


def _read(pairs: list[tuple[Any, ...]], **rules: Any) -> Tagged:
    columns = zip(*pairs, strict=True)
    table = dict(zip(("item", "tag", "weight"), map(list, columns), strict=False))
    return read_tags(table, TagRules(**rules))


def _weights(tagged: Tagged) -> dict[tuple[Any, Any], float]:
    coo = tagged.weights.tocoo()
    return {
        (tagged.items[a], tagged.tags[k]): w
        for a, k, w in zip(*coo.coords, coo.data.tolist(), strict=True)
    }


def _random(rows: int = 300, seed: int = 0) -> list[tuple[int, str, float]]:
    rng = np.random.default_rng(seed)
    tags = [f"t{k}" for k in rng.zipf(1.6, rows) % 25]
    items, weights = rng.integers(0, 30, rows).tolist(), rng.integers(0, 4, rows).tolist()
    return list(zip(items, tags, map(float, weights), strict=True))


# Folding


def test_case_and_white_space_fold_to_the_first_spelling() -> None:
    pairs = [(1, "Hip  Hop "), (2, "hip hop"), (3, "HIP\tHOP"), (4, "hiphop"), (5, "Straße"),
             (6, "STRASSE")]  # fmt: skip
    tagged = _read(pairs)
    assert tagged.tags == ["Hip Hop", "hiphop", "Straße"]
    assert tagged.report["tags as written"] == 6
    assert tagged.report["tags that differed only in case or white space"] == 3
    assert (tagged.weights.sum(axis=0) == [3, 1, 2]).all()


def test_without_folding_tags_stay_as_written() -> None:
    tagged = _read([(1, "Jazz"), (2, "jazz "), (3, "jazz")], fold=False)
    assert tagged.tags == ["Jazz", "jazz ", "jazz"]
    assert "tags that differed only in case or white space" not in tagged.report


def test_numbers_as_tags_are_not_folded() -> None:
    assert _read([(1, 1990), (2, 2000), (3, 1990)]).tags == [1990, 2000]


# Repeats and weights


def test_a_tag_given_twice_is_given_once() -> None:
    tagged = _read([("a", "x"), ("a", "X"), ("a", "x"), ("b", "x")])
    assert _weights(tagged) == {("a", "x"): 1.0, ("b", "x"): 1.0}
    assert tagged.report["repeated rows"] == 2


def test_weights_of_repeated_rows_add_up() -> None:
    tagged = _read([("a", "x", 0.5), ("a", "X", 2.0), ("b", "x", 1.0)])
    assert _weights(tagged) == {("a", "x"): 2.5, ("b", "x"): 1.0}
    assert tagged.report["repeated rows"] == 1


def test_a_weight_of_zero_is_no_tag() -> None:
    tagged = _read([("a", "x", 1.0), ("a", "y", 0.0), ("b", "x", 0.0), ("b", "x", 0.0)])
    assert _weights(tagged) == {("a", "x"): 1.0}
    wanted = {"weights of 0": 2, "repeated rows": 1, "tags without an item left": 1,
              "items without a tag left": 1, "arms": 1, "key-terms": 1}  # fmt: skip
    assert wanted.items() <= tagged.report.items()


# Limits

SPREAD = [("a", "all"), ("b", "all"), ("c", "all"), ("a", "two"), ("b", "two"), ("c", "one"),
          ("d", "rare")]  # fmt: skip


def test_rare_tags_are_left_out() -> None:
    tagged = _read(SPREAD, min_items=2)
    assert (tagged.items, tagged.tags) == (["a", "b", "c"], ["all", "two"])
    assert tagged.report["tags of fewer than 2 items"] == 2
    assert tagged.report["items without a tag left"] == 1


def test_common_tags_are_left_out() -> None:
    tagged = _read(SPREAD, max_items=2)
    assert tagged.tags == ["two", "one", "rare"]
    assert tagged.report["tags of more than 2 items"] == 1
    assert tagged.report["tags of fewer than 1 items"] == 0


def test_a_repeated_row_does_not_make_a_tag_common() -> None:
    assert _read([("a", "x"), ("a", "x"), ("b", "y"), ("c", "y")], min_items=2).tags == ["y"]


def test_the_heaviest_tags_of_an_item_stay() -> None:
    tagged = _read([("a", "x", 1.0), ("a", "y", 3.0), ("a", "z", 2.0), ("b", "x", 9.0)], max_tags=2)
    assert _weights(tagged) == {("a", "y"): 3.0, ("a", "z"): 2.0, ("b", "x"): 9.0}
    assert tagged.report["tags beyond 2 of an item"] == 1


def test_of_equal_weights_the_most_widespread_tags_stay() -> None:
    pairs = [("a", "x"), ("a", "y"), ("a", "z"), ("b", "z"), ("c", "z"), ("b", "y")]
    tagged = _read(pairs, max_tags=1)
    assert _weights(tagged) == {("a", "z"): 1.0, ("b", "z"): 1.0, ("c", "z"): 1.0}
    assert tagged.report["tags without an item left"] == 2


def test_of_equal_tags_the_first_stays() -> None:
    tagged = _read([("a", "y"), ("a", "x"), ("b", "x"), ("b", "y")], max_tags=1)
    assert _weights(tagged) == {("a", "y"): 1.0, ("b", "y"): 1.0}


def _by_hand(pairs: list[tuple[int, str, float]], low: int, high: int, most: int) -> Any:
    """The rules, one pair at a time."""
    sums: dict[tuple[int, str], float] = {}
    for item, tag, weight in pairs:
        sums[item, tag] = sums.get((item, tag), 0.0) + weight
    place = {tag: i for i, tag in enumerate(dict.fromkeys(tag for _, tag, _ in pairs))}
    sums = {pair: weight for pair, weight in sums.items() if weight > 0}
    spread = {tag: sum(pair[1] == tag for pair in sums) for tag in place}
    sums = {pair: w for pair, w in sums.items() if low <= spread[pair[1]] <= high}
    while True:
        kept: dict[tuple[int, str], float] = {}
        for item in {pair[0] for pair in sums}:
            own = sorted((-w, -spread[t], place[t], t) for (i, t), w in sums.items() if i == item)
            kept |= {(item, t): -w for w, _, _, t in own[:most]}
        left = Counter(tag for _, tag in kept)
        if min(left.values()) >= low:
            return kept
        sums = {pair: w for pair, w in sums.items() if not 0 < left[pair[1]] < low}


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("low", [2, 4])
def test_all_rules_at_once(seed: int, low: int) -> None:
    pairs = _random(seed=seed)
    tagged = _read(pairs, min_items=low, max_items=20, max_tags=3)
    assert _weights(tagged) == _by_hand(pairs, low, 20, 3)
    assert np.bincount(tagged.weights.indices).min() >= low


def test_few_items_are_counted_again_after_an_item_lost_its_place() -> None:
    """Of a's two tags one stays, so y is left with b alone; then b falls back on x."""
    pairs = [("a", "x", 2.0), ("a", "y", 1.0), ("b", "y", 2.0), ("b", "x", 1.0), ("c", "x", 1.0)]
    assert _read(pairs, max_tags=1).tags == ["x", "y"]
    tagged = _read(pairs, max_tags=1, min_items=2)
    assert _weights(tagged) == {("a", "x"): 2.0, ("b", "x"): 1.0, ("c", "x"): 1.0}
    assert tagged.report["tags of fewer than 2 items"] == 1


@pytest.mark.parametrize("seed", range(6))
def test_the_report_accounts_for_every_tag_item_and_row(seed: int) -> None:
    pairs = [(a, t.upper() if i % 3 else t, w) for i, (a, t, w) in enumerate(_random(seed=seed))]
    report = _read(pairs, min_items=3, max_items=15, max_tags=2).report
    assert report["rows"] == len(pairs)
    assert report["items"] == len({a for a, _, _ in pairs})
    gone = (
        "tags that differed only in case or white space",
        "tags of fewer than 3 items",
        "tags of more than 15 items",
        "tags without an item left",
    )
    assert report["tags as written"] == report["key-terms"] + sum(report[each] for each in gone)
    assert report["items"] == report["arms"] + report["items without a tag left"]


@pytest.mark.parametrize(
    ("rules", "received"),
    [
        ({"min_items": 9}, "No tag is left of 4: 4 have fewer than 9 items"),
        ({"min_items": 2, "max_items": 1}, "2 have fewer than 2 items, 2 more than 1"),
        ({"min_items": 0}, "min_items must be a whole number of at least 1, got 0"),
        ({"max_items": 0}, "max_items must be a whole number of at least 1, got 0"),
        ({"max_tags": 1.5}, "max_tags must be a whole number of at least 1, got 1.5"),
        ({"max_tags": "3"}, "max_tags must be a whole number, got '3'"),
        ({"min_items": None}, "min_items must be a whole number, got None"),
    ],
)
def test_rules_that_cannot_be_kept(rules: dict[str, Any], received: str) -> None:
    refused(lambda: _read(SPREAD, **rules), received, cl.InvalidInput)


def test_an_unknown_rule() -> None:
    with pytest.raises(TypeError, match="min_item"):
        _read(SPREAD, min_item=2)


# Features


def _direct(weights: Any, d: int) -> Any:
    dense = weights.toarray()
    v = np.linalg.svd(dense)[2][:d].T
    rows = dense @ v
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


@pytest.mark.parametrize("d", [1, 3, 8])
def test_features_are_a_direct_projection_up_to_sign(d: int) -> None:
    tagged = _read(_random())
    weights = tagged.weights
    arms, wanted = content_features(weights, content_basis(weights, d)), _direct(weights, d)
    signs = np.sign((arms * wanted).sum(axis=0))
    assert np.allclose(arms, wanted * signs, atol=1e-9)
    assert np.allclose(np.linalg.norm(arms, axis=1), 1.0, atol=1e-12)


def test_d_beyond_the_number_of_tags() -> None:
    pairs = [("a", "x", 1.0), ("b", "x", 1.0), ("b", "y", 2.0), ("c", "y", 1.0), ("c", "z", 1.0)]
    table = dict(zip(("item", "tag", "weight"), map(list, zip(*pairs, strict=True)), strict=True))
    catalog = cl.Catalog.from_tags(table, d=50)
    assert catalog.d == 3
    assert np.allclose(catalog.arms @ catalog.arms.T, _direct(catalog.weights, 3)
                       @ _direct(catalog.weights, 3).T, atol=1e-12)  # fmt: skip


def test_an_item_outside_the_directions_has_no_features() -> None:
    """Its rounding error must not become a direction of length 1."""
    table = {"item": ["a", "b", "c", "a", "b", "lone"], "tag": [*"xxx", *"yy", "q"]}
    catalog = cl.Catalog.from_tags(table, d=1)
    assert catalog.arms[catalog.arm_index("lone")].tolist() == [0.0]
    assert catalog.report["arms without features"] == 1
    assert np.allclose(np.linalg.norm(catalog.arms[:3], axis=1), 1.0)


def test_items_with_equal_tags_have_equal_features() -> None:
    weights = _read([("a", "x"), ("b", "x"), ("a", "y"), ("b", "y"), ("c", "y")]).weights
    arms = content_features(weights, content_basis(weights, 2))
    assert np.allclose(arms[0], arms[1], atol=1e-12)


@pytest.mark.parametrize("features", [None, "svd", "topics"])
@pytest.mark.parametrize("d", [0, -1, 2.5, "5"])
def test_d_that_is_no_count(d: Any, features: Any) -> None:
    table = {"item": ["a"], "tag": ["x"]}
    refused(lambda: cl.Catalog.from_tags(table, d=d, features=features), repr(d))


# Topics


def many(tags: int) -> dict[str, Any]:
    """Each item has the tag of its number and the first."""
    items = [*range(tags), *range(tags)]
    return {
        "item": items,
        "tag": [*range(tags), *[0] * tags],
        "weight": [2.0] * tags + [1.0] * tags,
    }


@pytest.mark.parametrize("options", [{}, {"features": "topics"}, {"features": "topics", "d": 7}])
def test_topics_are_the_tags_themselves(options: dict[str, Any]) -> None:
    catalog = cl.Catalog.from_tags(many(7), **options)
    weights = catalog.weights.toarray()
    assert np.allclose(catalog.arms, weights / np.linalg.norm(weights, axis=1, keepdims=True))
    assert catalog.d == 7
    assert catalog.basis is not None
    assert np.array_equal(catalog.basis, np.eye(7))


@pytest.mark.parametrize("tags", [MOST_TOPICS, MOST_TOPICS + 1])
def test_beyond_a_few_hundred_tags_features_are_directions(tags: int) -> None:
    catalog = cl.Catalog.from_tags(many(tags))
    assert catalog.d == (tags if tags == MOST_TOPICS else 50)
    assert cl.Catalog.from_tags(many(tags), features="topics").d == tags
    assert cl.Catalog.from_tags(many(tags), d=20).d == 20


def test_directions_where_d_or_the_name_says_so() -> None:
    directions = cl.Catalog.from_tags(many(7), d=3)
    assert directions.version == cl.Catalog.from_tags(many(7), d=3, features="svd").version
    all_of_them = cl.Catalog.from_tags(many(7), features="svd")
    assert all_of_them.version == cl.Catalog.from_tags(many(7), d=50).version


def test_tags_that_always_come_together_are_topics_without_a_warning() -> None:
    table = {"item": ["a", "a", "b", "c", "c"], "tag": ["x", "y", "z", "x", "y"]}
    catalog = cl.Catalog.from_tags(table)
    assert catalog.d == 3
    with pytest.warns(cl.RankWarning):
        cl.Catalog.from_tags(table, d=3)


def test_items_that_join_have_topics_too(tmp_path: Path) -> None:
    catalog = cl.Catalog.from_tags(many(7))
    catalog.save(tmp_path / "c.npz")
    larger = cl.Catalog.load(tmp_path / "c.npz").add_tagged({"new": {3: 3.0, 5: 4.0}})
    assert larger.arms[-1].tolist() == [0.0, 0.0, 0.0, 0.6, 0.0, 0.8, 0.0]


def test_topics_have_as_many_features_as_there_are() -> None:
    refused(lambda: cl.Catalog.from_tags(many(7), features="topics", d=6), "7 features")
    odd: Any = "topic"
    refused(lambda: cl.Catalog.from_tags(many(7), features=odd), "'topics'", cl.UnknownName)


@pytest.mark.filterwarnings("ignore::conlinucb.RankWarning")
def test_one_tag_for_each_item_in_a_large_table() -> None:
    """All singular values are equal, which ends Lanczos early."""
    table = {"item": np.arange(6000), "tag": np.arange(6000) % 1000}
    catalog = cl.Catalog.from_tags(table, d=20)
    assert (len(catalog), catalog.d) == (6000, 20)
    assert catalog.version == cl.Catalog.from_tags(table, d=20).version


def test_a_hundred_thousand_items() -> None:
    table = tag_table(100_000, 20, 2000)
    catalog = cl.Catalog.from_tags(table, d=50, max_items=60_000, max_tags=15)
    assert (len(catalog), catalog.d) == (100_000, 50)
    assert catalog.report["rows"] == 2_000_000
    assert catalog.report["arms without features"] == 0
    assert len(catalog.term_ids) == 2000 - catalog.report["tags of more than 60000 items"] < 2000
    assert np.abs(np.linalg.norm(catalog.arms, axis=1) - 1.0).max() < 1e-12
    assert np.diff(catalog.weights.indptr).max() == 15
