"""Catalogues that grow and keep their key-terms, and new items by their tags alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import conlinucb as cl
from conlinucb.datasets import demo
from support.worlds import (
    ARMS,
    RECIPES,
    films,
    means,
    played,
    refused,
    settle,
    shown,
    small_catalog,
)

NEW_ARMS, NEW_WEIGHTS = [[2.0, 2.0], [0.0, 3.0]], [[0.0, 0.0, 1.0], [0.0, 4.0, 0.0]]


def larger(catalog: cl.Catalog, *, keep_terms: bool) -> cl.Catalog:
    return catalog.add_arms(NEW_ARMS, NEW_WEIGHTS, ["new", 99], keep_terms=keep_terms)


GROWTH: dict[str, Callable[[cl.Catalog, bool], cl.Catalog]] = {
    "more": lambda old, keep: larger(old, keep_terms=keep),
    "fewer": lambda old, keep: old.remove_arms([0], keep_terms=keep),
    "a term's last arms": lambda old, keep: old.remove_arms([1], keep_terms=keep),
    "both": lambda old, keep: larger(old, keep_terms=keep).remove_arms([2, 5], keep_terms=keep),
}


@pytest.mark.parametrize("change", GROWTH)
def test_terms_stay_what_they_were(change: str) -> None:
    kept, anew = GROWTH[change](films(), True), GROWTH[change](films(), False)
    assert kept.terms.tobytes() == films().terms.tobytes()
    assert not np.array_equal(anew.terms, films().terms)
    assert np.array_equal(kept.arms, anew.arms)
    assert kept.arm_ids == anew.arm_ids
    assert np.array_equal(kept.weights.toarray(), anew.weights.toarray())
    assert np.array_equal(kept.live_arms, anew.live_arms)
    assert np.array_equal(kept.live_terms, anew.live_terms)


def test_terms_stay_over_many_changes() -> None:
    first = small_catalog()
    rng, now = np.random.default_rng(1), first
    for _ in range(30):
        now = now.add_arms(rng.normal(size=(3, 3)), rng.random((3, 6)), keep_terms=True)
        now = now.remove_arms(rng.permutation(len(now))[:1], keep_terms=True)
    assert now.terms.tobytes() == first.terms.tobytes()
    assert len(now) == 12 + 90


def test_terms_that_were_kept_can_become_means_again() -> None:
    kept = larger(films(), keep_terms=True)
    assert kept.remove_arms([]).version == larger(films(), keep_terms=False).version
    assert np.allclose(kept.remove_arms([]).terms, means(kept.arms, kept.weights.toarray()))


def test_a_term_that_comes_back_is_still_the_same() -> None:
    gone = films().remove_arms([1], keep_terms=True)
    back = gone.add_arms([[5.0, 5.0]], [[0.0, 1.0, 0.0]], ["back"], keep_terms=True)
    assert gone.live_terms.tolist() == [0, 2]
    assert back.live_terms.tolist() == [0, 1, 2]
    assert back.terms.tobytes() == films().terms.tobytes()


@pytest.mark.parametrize("recipe", sorted(RECIPES))
def test_what_is_believed_of_terms_does_not_change_with_the_arms(recipe: str) -> None:
    agent = RECIPES[recipe](films())
    user = played(agent)
    before = agent.estimates(user)
    grown = agent.on(GROWTH["both"](films(), True))
    after = grown.estimates(user)
    assert np.array_equal(before.means, after.means)
    assert np.array_equal(before.radii, after.radii)
    settle(grown, user)
    assert sorted(grown.recommend(user, k=9).arms.tolist()) == [0, 1, 3, 4]


# Files and versions


def stored(catalog: cl.Catalog, folder: Path) -> list[cl.Catalog]:
    """The catalogue by way of arrays, and by way of a file."""
    catalog.save(folder / "stored.npz")
    return [cl.Catalog.from_arrays(catalog.to_arrays()), cl.Catalog.load(folder / "stored.npz")]


@pytest.mark.parametrize("change", GROWTH)
def test_kept_terms_are_stored(tmp_path: Path, change: str) -> None:
    kept = GROWTH[change](films(), True)
    for again in stored(kept, tmp_path):
        assert again.version == kept.version
        assert again.terms.tobytes() == kept.terms.tobytes()
        assert np.array_equal(again.live_terms, kept.live_terms)
        assert again.remove_arms([]).version == kept.remove_arms([]).version
        grown = again.add_arms([[1.0, 1.0]], [[1.0, 0.0, 0.0]], ["n"], keep_terms=True)
        assert grown.terms.tobytes() == films().terms.tobytes()


def test_arrays_hold_what_cannot_be_computed_and_nothing_more() -> None:
    plain = {"format", "arms", "live", "weights_start", "weights_terms", "weights_data", "arm_ids",
             "term_ids"}  # fmt: skip
    assert films().to_arrays().keys() == plain
    assert larger(films(), keep_terms=False).to_arrays().keys() == plain
    assert larger(films(), keep_terms=True).to_arrays().keys() == plain | {"terms"}
    assert tagged().to_arrays().keys() == plain | {"basis"}
    both = tagged().remove_arms([0], keep_terms=True)
    assert both.to_arrays().keys() == plain | {"terms", "basis"}


def test_terms_and_basis_are_a_part_of_the_version() -> None:
    kept, anew = larger(films(), keep_terms=True), larger(films(), keep_terms=False)
    nudged = kept.to_arrays()
    nudged["terms"] = np.nextafter(nudged["terms"], 9.0)
    of_tags = tagged().to_arrays()
    without = {name: each for name, each in of_tags.items() if name != "basis"}
    turned = of_tags | {"basis": -of_tags["basis"]}
    versions = [kept.version, anew.version, tagged().version] + [
        cl.Catalog.from_arrays(each).version for each in (nudged, without, turned)
    ]
    assert len(set(versions)) == len(versions)


def test_equal_changes_give_equal_versions() -> None:
    one = larger(films(), keep_terms=True).remove_arms([2, 5], keep_terms=True)
    other = larger(films(), keep_terms=True).remove_arms([5], keep_terms=True)
    assert one.version == other.remove_arms([2], keep_terms=True).version


DAMAGE: dict[str, Any] = {
    "too few rows": np.ones((2, 2)),
    "too many columns": np.ones((3, 3)),
    "turned": np.ones((2, 3)),
    "flat": np.ones(6),
    "nothing": np.empty((0, 2)),
    "nan": np.full((3, 2), np.nan),
    "infinite": np.full((3, 2), np.inf),
    "text": np.full((3, 2), "one"),
    "complex": np.full((3, 2), 1j),
    "one number": np.array(1.0),
}


@pytest.mark.parametrize("name", ["terms", "basis"])
@pytest.mark.parametrize("damage", DAMAGE)
def test_damaged_terms_and_bases(tmp_path: Path, damage: str, name: str) -> None:
    arrays = {**films().to_arrays(), name: DAMAGE[damage]}
    np.savez(tmp_path / "damaged.npz", allow_pickle=False, **arrays)
    refused(lambda: cl.Catalog.from_arrays(arrays), name, cl.InvalidInput)
    refused(lambda: cl.Catalog.load(tmp_path / "damaged.npz"), name, cl.IncompatibleState)
    refused(lambda: cl.Catalog.load(tmp_path / "damaged.npz"), "damaged.npz")


@pytest.mark.parametrize("name", sorted(films().to_arrays()))
def test_arrays_that_lack_one(name: str) -> None:
    arrays = films().to_arrays()
    del arrays[name]
    refused(lambda: cl.Catalog.from_arrays(arrays), name, cl.IncompatibleState)


def overwrite(arrays: Mapping[str, NDArray[Any]]) -> None:
    for array in arrays.values():
        with suppress(ValueError):  # an array that cannot be written to is as good
            array[...] = 0


def assert_films(catalog: cl.Catalog) -> None:
    assert np.array_equal(catalog.arms, ARMS)
    assert np.array_equal(catalog.terms, films().terms)
    assert catalog.live_arms.tolist() == [0, 1, 2, 3]
    assert catalog.version == films().version


def test_arrays_overwritten_later_do_not_change_what_was_made_of_them() -> None:
    arrays = {name: each.copy() for name, each in films().to_arrays().items()}
    catalog = cl.Catalog.from_arrays(arrays)
    overwrite(arrays)
    assert_films(catalog)


def test_overwritten_arrays_do_not_change_the_catalogue_they_came_from() -> None:
    catalog = films()
    overwrite(catalog.to_arrays())
    assert_films(catalog)


# Items by their tags


def tag_rows(items: int = 40, seed: int = 0) -> dict[str, list[Any]]:
    rng = np.random.default_rng(seed)
    rows = [
        (f"i{i}", f"tag {k}", float(rng.integers(1, 5)))
        for i in range(items)
        for k in sorted(set(rng.zipf(1.4, 6) % 15))
    ]
    return dict(zip(("item", "tag", "weight"), map(list, zip(*rows, strict=True)), strict=True))


def tagged(d: int = 6, **rules: Any) -> cl.Catalog:
    return cl.Catalog.from_tags(tag_rows(), d=d, **rules)


def tags_of(catalog: cl.Catalog, arm: int) -> dict[Any, float]:
    row = catalog.weights.toarray()[arm]
    return {catalog.term_ids[k]: float(row[k]) for k in np.flatnonzero(row)[::-1]}


@pytest.mark.parametrize("rules", [{}, {"max_tags": 2}, {"min_items": 3}], ids=shown)
@pytest.mark.parametrize("d", [1, 4, 50])
def test_an_item_gets_the_features_that_its_tags_had(d: int, rules: dict[str, int]) -> None:
    old = tagged(d, **rules)
    n = len(old)
    new = old.add_tagged({f"new {arm}": tags_of(old, arm) for arm in range(n)})
    np.testing.assert_allclose(new.arms[n:], old.arms, rtol=0, atol=1e-14)
    assert np.array_equal(new.weights.toarray()[n:], old.weights.toarray())
    assert new.arm_ids == (*old.arm_ids, *(f"new {arm}" for arm in range(n)))
    alone = old.add_tagged({"alone": tags_of(old, 3)})
    np.testing.assert_allclose(alone.arms[n], old.arms[3], rtol=0, atol=1e-14)


def test_the_demo_films_can_be_added_to() -> None:
    catalog = demo().catalog
    tags = {f"again {arm}": tags_of(catalog, arm) for arm in range(0, len(catalog), 9)}
    again = catalog.add_tagged(tags).arms[len(catalog) :]
    np.testing.assert_allclose(again, catalog.arms[::9], rtol=0, atol=1e-14)


@pytest.mark.parametrize("keep_terms", [True, False])
def test_key_terms_of_a_catalogue_with_new_items(keep_terms: bool) -> None:
    old = tagged()
    new = old.add_tagged({"new": {"tag 1": 2.0, "tag 3": 1.0}}, keep_terms=keep_terms)
    if keep_terms:
        assert new.terms.tobytes() == old.terms.tobytes()
    else:
        assert np.allclose(new.terms, means(new.arms, new.weights.toarray()))
        assert not np.array_equal(new.terms, old.terms)
    assert len(old) == len(new) - 1 == 40


def test_a_basis_goes_with_its_catalogue(tmp_path: Path) -> None:
    old = tagged()
    basis = old.basis
    assert basis is not None
    assert np.allclose(basis.T @ basis, np.eye(6))
    changed = old.add_tagged({"new": {"tag 1": 1.0}}).remove_arms([0])
    for each in (changed, *stored(changed, tmp_path)):
        assert each.basis is not None
        assert each.basis.tobytes() == basis.tobytes()
        assert each.version == changed.version
        later = each.add_tagged({"later": tags_of(old, 0)})
        np.testing.assert_allclose(later.arms[-1], old.arms[0], rtol=0, atol=1e-14)


def test_an_item_without_tags_has_no_features() -> None:
    new = tagged().add_tagged({"bare": {}, "nothing of it": {"tag 1": 0.0}})
    assert not new.arms[-2:].any()
    assert not new.weights.toarray()[-2:].any()


def test_no_items_change_nothing() -> None:
    assert tagged().add_tagged({}).version == tagged().version


NOT_OF_TAGS: dict[str, Callable[[], cl.Catalog]] = {
    "features": films,
    "embeddings": lambda: cl.Catalog.from_embeddings(
        np.random.default_rng(0).normal(size=(40, 3)), [f"i{i}" for i in range(40)], tag_rows()
    ),
    "interactions": lambda: cl.Catalog.from_interactions(
        {"user": [0, 0, 1, 1, 2], "item": ["i0", "i1", "i1", "i2", "i2"]}, tag_rows(), d=3
    ),
}


@pytest.mark.parametrize("source", NOT_OF_TAGS)
def test_a_catalogue_that_is_not_made_of_tags(tmp_path: Path, source: str) -> None:
    catalog = NOT_OF_TAGS[source]()
    for each in (catalog, *stored(catalog, tmp_path)):
        assert each.basis is None
        tags = {each.term_ids[0]: 1.0}
        refused(lambda each=each, tags=tags: each.add_tagged({"n": tags}), "add_arms")  # type: ignore[misc]


@pytest.mark.parametrize(
    ("tag", "hint"),
    [("Tag 1", "'tag 1'"), ("tag1", "'tag 1'"), ("tga 3", "'tag 3'"), ("zzz", "'tag 2'"),
     (1, "'tag 1'"), (None, "None"), (("tag 1",), "'tag 1'")],
)  # fmt: skip
def test_unknown_tags(tag: Any, hint: str) -> None:
    catalog = tagged()
    for received in (repr(tag), hint, "'new'"):
        refused(lambda: catalog.add_tagged({"new": {tag: 1.0}}), received, cl.UnknownName)


@pytest.mark.parametrize("weight", [-1.0, np.nan, np.inf, -0.5, 1e101, "1", None, [1.0]], ids=shown)
def test_bad_weights(weight: Any) -> None:
    catalog = tagged()
    given = {"fine": {"tag 1": 1.0}, "bad": {"tag 2": 1.0, "tag 3": weight}}
    refused(lambda: catalog.add_tagged(given), shown(weight), cl.InvalidInput)
    refused(lambda: catalog.add_tagged(given), "tag 3")


@pytest.mark.parametrize("item", ["i7", 1.5, None, True], ids=shown)
def test_bad_items(item: Any) -> None:
    refused(lambda: tagged().add_tagged({item: {"tag 1": 1.0}}), repr(item), cl.InvalidInput)


@pytest.mark.parametrize(
    "items", [None, 3, "new", ["new"], {"new": ["tag 1"]}, {"new": "tag 1"}, {"new": None}],
    ids=shown,
)  # fmt: skip
def test_no_table_of_tags(items: Any) -> None:
    named = repr(items["new"] if isinstance(items, dict) else items)
    refused(lambda: tagged().add_tagged(items), named, cl.InvalidInput)
