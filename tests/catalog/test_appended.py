"""A constant and popularity among the features, and what becomes of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import conlinucb as cl
from conlinucb.numerics.validation import Floats
from support.worlds import refused

ARMS = np.array([[1.0, 0.0], [0.0, 1.0], [0.6, 0.8], [0.8, 0.6]])
WEIGHTS = np.array([[1.0, 0.0, 2.0], [0.0, 3.0, 1.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]])
IDS = ["a", "b", "c", "d"]
COUNTS = np.array([0.0, 3.0, 50.0, 3.0])
MEANS = np.array([0.0, 0.9, 0.4, 0.2])


def films() -> cl.Catalog:
    return cl.Catalog(ARMS, WEIGHTS, IDS, ["x", "y", "z"])


def standardised(values: Floats) -> Floats:
    return np.asarray((values - values.mean()) / values.std())


def shrunk(means: Floats, counts: Floats, pull: float) -> Floats:
    """The average arm has the mean of all arms' shrunk means: solved by repetition."""
    average = 0.0
    for _ in range(2_000):
        average = float(((means * counts + pull * average) / (counts + pull)).mean())
    return np.asarray((means * counts + pull * average) / (counts + pull))


MADE: dict[str, Callable[[], cl.Catalog]] = {
    "constant": lambda: films().with_constant(),
    "counts": lambda: films().with_popularity(COUNTS),
    "means": lambda: films().with_popularity(MEANS, counts=COUNTS),
    "constant, counts": lambda: films().with_constant().with_popularity(COUNTS),
    "means, constant": lambda: films().with_popularity(MEANS, counts=COUNTS).with_constant(),
}


def test_a_constant_is_1_for_arms_and_terms() -> None:
    catalog = films().with_constant()
    assert (catalog.constant, catalog.d, catalog.popularity) == (2, 3, None)
    assert catalog.arms.tolist() == [[*row, 1.0] for row in ARMS.tolist()]
    assert np.allclose(catalog.terms[:, 2], 1.0)
    assert np.array_equal(catalog.terms[:, :2], films().terms)
    assert films().constant is None


def test_popularity_of_counts_is_their_standardised_logarithm() -> None:
    catalog = films().with_popularity(COUNTS)
    assert catalog.popularity is not None
    assert catalog.popularity.column == 2
    assert catalog.popularity.counts.tolist() == COUNTS.tolist()
    assert catalog.popularity.sums is None
    feature = standardised(np.log(1 + COUNTS))
    assert np.allclose(catalog.arms[:, 2], feature)
    assert np.allclose(catalog.terms[:, 2], WEIGHTS.T @ feature / WEIGHTS.sum(axis=0))


@pytest.mark.parametrize("pull", [0.5, 5.0, 40.0])
def test_popularity_of_ratings_is_their_standardised_shrunk_mean(pull: float) -> None:
    catalog = films().with_popularity(MEANS, counts=COUNTS, pull=pull)
    popularity = catalog.popularity
    assert popularity is not None
    assert popularity.sums is not None
    assert np.allclose(popularity.sums, MEANS * COUNTS)
    assert np.allclose(catalog.arms[:, 2], standardised(shrunk(MEANS, COUNTS, pull)))
    assert abs(popularity.newcomer) < 1e-12
    assert abs(catalog.arms[0, 2]) < 1e-12  # no ratings, so average


def test_removed_arms_do_not_count_in_the_standard() -> None:
    catalog = films().remove_arms([2]).with_popularity(COUNTS)
    left = np.log(1 + COUNTS)[[0, 1, 3]]
    assert np.allclose(catalog.arms[[0, 1, 3], 2], standardised(left))
    assert np.isclose(catalog.arms[2, 2], (np.log(51) - left.mean()) / left.std())


@pytest.mark.parametrize("table", [dict, pd.Series])
def test_popularity_by_id_in_any_order(table: Any) -> None:
    by_id = table({"d": 3.0, "c": 50.0, "b": 3.0})
    assert films().with_popularity(by_id).version == films().with_popularity(COUNTS).version
    means = table({"c": 0.4, "d": 0.2, "b": 0.9})
    found = films().with_popularity(means, counts=by_id)
    assert found.version == films().with_popularity(MEANS, counts=COUNTS).version


@pytest.mark.parametrize("counts", [[3, 3, 3, 3], [0, 0, 0, 0]])
def test_arms_that_are_all_alike_have_popularity_0(counts: list[int]) -> None:
    assert not films().with_popularity(counts).arms[:, 2].any()
    if any(counts):
        alike = films().with_popularity([0.3] * 4, counts=counts)
        assert np.abs(alike.arms[:, 2]).max() < 1e-12


# Without a person


def test_without_one_persons_count() -> None:
    popularity = films().with_popularity(COUNTS).popularity
    assert popularity is not None
    logs = np.log(1 + COUNTS)
    for arm, value, left in ((2, 1.0, 49.0), (1, 3.0, 0.0), (1, 0.0, 3.0), (0, 1.0, 0.0)):
        expected = (np.log(1 + left) - logs.mean()) / logs.std()
        assert popularity.without(arm, value) == pytest.approx(expected)
    assert popularity.without([], []).shape == (0,)
    many = popularity.without([2, 1, 2], 1.0)
    assert many.tolist() == [popularity.without(arm, 1.0) for arm in (2, 1, 2)]


def test_without_one_persons_rating() -> None:
    popularity = films().with_popularity(MEANS, counts=COUNTS).popularity
    assert popularity is not None
    level = shrunk(MEANS, COUNTS, 5.0)
    average = level.mean()
    left = (0.9 * 3 - 1.0 + 5 * average) / (2 + 5)
    assert popularity.without(1, 1.0) == pytest.approx((left - average) / level.std())
    both = popularity.without(np.array([1, 2]), np.array([1.0, 0.0]))
    assert both[0] == popularity.without(1, 1.0)
    assert both[1] == popularity.without(2, 0.0)
    assert popularity.without(0, 0.7) == pytest.approx(0.0)


def test_without_the_last_rating_an_arm_is_average() -> None:
    popularity = films().with_popularity(MEANS, counts=[0, 1, 50, 3]).popularity
    assert popularity is not None
    assert popularity.without(1, 0.9) == pytest.approx(0.0)


@pytest.mark.parametrize(
    ("arm", "value", "told"),
    [
        (4, 1.0, "index 4"),
        (-1, 1.0, "index -1"),
        (0, np.nan, "nan"),
        (0, -1.0, r"-1\.0"),
        ([0, 1], [1.0], r"\(1,\)"),
        (0, "x", "numbers"),
    ],
)
def test_what_cannot_be_left_out(arm: Any, value: Any, told: str) -> None:
    popularity = films().with_popularity(COUNTS).popularity
    assert popularity is not None
    with pytest.raises(cl.InvalidInput, match=told):
        popularity.without(arm, value)


# What a catalogue does


@pytest.mark.parametrize("name", MADE)
def test_it_is_stored_and_read_again(name: str, tmp_path: Path) -> None:
    catalog = MADE[name]().remove_arms([1], keep_terms=True)
    catalog.save(tmp_path / "c.npz")
    for again in (cl.Catalog.load(tmp_path / "c.npz"), cl.Catalog.from_arrays(catalog.to_arrays())):
        assert again.version == catalog.version
        assert again.constant == catalog.constant
        assert (again.popularity is None) == (catalog.popularity is None)
        if again.popularity is not None and catalog.popularity is not None:
            assert again.popularity.without(2, 1.0) == catalog.popularity.without(2, 1.0)
            assert again.popularity.column == catalog.popularity.column


def test_each_has_a_version_of_its_own_and_a_plain_one_stays_what_it_was() -> None:
    made = {make().version for make in MADE.values()}
    ones = cl.Catalog(np.hstack([ARMS, np.ones((4, 1))]), WEIGHTS, IDS, ["x", "y", "z"])
    assert len(made | {films().version, ones.version}) == len(MADE) + 2
    assert not any(name.startswith(("constant", "popularity")) for name in films().to_arrays())
    again = films().with_popularity(MEANS, counts=2 * COUNTS, pull=10.0)
    first = films().with_popularity(MEANS, counts=COUNTS, pull=5.0)
    assert np.allclose(again.arms, first.arms)
    assert again.version != first.version


@pytest.mark.parametrize("name", MADE)
@pytest.mark.parametrize("keep_terms", [True, False])
def test_arms_come_and_go(name: str, keep_terms: bool) -> None:
    old = MADE[name]()
    new = old.remove_arms([0], keep_terms=keep_terms)
    new = new.add_arms([[0.5, 0.5]], [[1.0, 0.0, 1.0]], ["new"], keep_terms=keep_terms)
    new = new.restore_arms([0], keep_terms=keep_terms)
    assert np.array_equal(new.arms[:4], old.arms)
    assert new.arms[4, :2].tolist() == [0.5, 0.5]
    assert new.constant == old.constant
    if new.constant is not None:
        assert new.arms[4, new.constant] == 1.0
        assert np.allclose(new.terms[:, new.constant], 1.0)
    if new.popularity is not None and old.popularity is not None:
        assert new.arms[4, new.popularity.column] == new.popularity.newcomer
        assert new.popularity.counts.tolist() == [*COUNTS, 0.0]
        assert np.allclose(new.popularity.features, new.arms[:, new.popularity.column])
        # an arm of count 0 was there before
        assert np.isclose(new.popularity.newcomer, old.arms[0, old.popularity.column])
    assert np.array_equal(new.terms, old.terms) == keep_terms


@pytest.mark.parametrize("name", MADE)
def test_new_arms_may_bring_the_right_columns_and_no_others(name: str) -> None:
    old = MADE[name]()
    own = old.add_arms([[0.5, 0.5]], [[1.0, 0.0, 1.0]], ["new"])
    row = own.arms[4].copy()
    assert old.add_arms([row], [[1.0, 0.0, 1.0]], ["new"]).version == own.version
    row[-1] += 0.5
    refused(lambda: old.add_arms([row], [[1.0, 0.0, 1.0]], ["new"]), "own features")
    wide = np.ones((1, old.d + 1))
    refused(lambda: old.add_arms(wide, [[1.0, 0.0, 1.0]], ["new"]), f"{old.d} columns")


def tagged() -> cl.Catalog:
    rows = {"item": ["a", "a", "b", "c", "c"], "tag": ["x", "y", "y", "z", "x"]}
    return cl.Catalog.from_tags(rows, d=3)


def test_tagged_items_join_with_a_constant_and_popularity(tmp_path: Path) -> None:
    old = tagged().with_popularity([0, 5, 9]).with_constant()
    old.save(tmp_path / "c.npz")
    for each in (old, cl.Catalog.load(tmp_path / "c.npz")):
        new = each.add_tagged({"n": {"x": 1.0, "y": 1.0}}, keep_terms=True)
        assert np.allclose(new.arms[3], old.arms[0])  # the same tags, and nobody met it either
        assert new.arms[3, -1] == 1.0
        assert new.popularity is not None
        assert new.popularity.counts.tolist() == [0, 5, 9, 0]
    rated = tagged().with_constant().with_popularity([0.1, 0.5, 0.9], counts=[3, 3, 3])
    assert abs(rated.add_tagged({"n": {"x": 1.0}}).arms[3, -1]) < 1e-12


def test_kept_key_terms_are_kept_and_extended() -> None:
    kept = films().remove_arms([2], keep_terms=True)
    with_both = kept.with_constant().with_popularity(COUNTS)
    assert np.array_equal(with_both.terms[:, :2], films().terms)
    assert np.allclose(with_both.terms[:, 2], 1.0)
    live = WEIGHTS * (np.arange(4) != 2)[:, None]
    assert np.allclose(with_both.terms[:, 3], live.T @ with_both.arms[:, 3] / live.sum(axis=0))


BAD: dict[str, tuple[Callable[[], Any], str]] = {
    "a constant twice": (lambda: films().with_constant().with_constant(), "constant already"),
    "popularity twice": (
        lambda: films().with_popularity(COUNTS).with_constant().with_popularity(COUNTS),
        "popularity already, feature 2",
    ),
    "NaN": (lambda: films().with_popularity([1, np.nan, 3, 4]), r"values\[1\] is nan"),
    "infinite": (lambda: films().with_popularity([1, np.inf, 3, 4]), "inf"),
    "negative": (lambda: films().with_popularity([1, 2, -3, 4]), r"-3\.0 for arm 'c'"),
    "negative counts": (
        lambda: films().with_popularity(MEANS, counts=[1, 2, -3, 4]),
        r"counts must not be negative, got -3\.0",
    ),
    "NaN among means": (
        lambda: films().with_popularity([1, 2, np.nan, 3], counts=COUNTS),
        r"values\[2\] is nan",
    ),
    "too few": (lambda: films().with_popularity([1, 2, 3]), r"4 arms.*\(3,\)"),
    "too few counts": (lambda: films().with_popularity(MEANS, counts=[1.0]), r"counts.*\(1,\)"),
    "a matrix": (lambda: films().with_popularity(np.ones((4, 1))), r"\(4, 1\)"),
    "text": (lambda: films().with_popularity(["many"] * 4), "must be numbers"),
    "an unknown id": (lambda: films().with_popularity({"e": 1}), "'e'"),
    "no ratings": (lambda: films().with_popularity(MEANS, counts=[0] * 4), "all 0"),
    "counted, but no mean": (
        lambda: films().with_popularity({"b": 0.9}, counts={"b": 3, "c": 1}),
        "counts has 'c'",
    ),
    "no pull": (lambda: films().with_popularity(MEANS, counts=COUNTS, pull=0.0), "pull"),
}


@pytest.mark.parametrize("name", BAD)
def test_what_cannot_be_appended_is_named(name: str) -> None:
    call, told = BAD[name]
    with pytest.raises(cl.InvalidInput, match=told):
        call()


DAMAGE: dict[str, Any] = {
    "constant": np.array(0),
    "popularity_column": np.array(9),
    "popularity_counts": np.array([1.0, 2.0]),
    "popularity_scale": np.array([0.0, 1.0, 5.0]),
    "popularity_sums": np.array([1.0, 2.0, 3.0, np.nan]),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_damaged_arrays_are_refused(name: str) -> None:
    arrays = MADE["means, constant"]().to_arrays()
    assert name in arrays
    refused(
        lambda: cl.Catalog.from_arrays({**arrays, name: DAMAGE[name]}),
        name.partition("_")[0],
        cl.IncompatibleState,
    )
