"""Features from other people's feedback, alone and beside tags."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import conlinucb as cl
from conlinucb.numerics.validation import Floats
from support.reproductions import real
from support.worlds import refused

USERS, ITEMS = 25, 15


def trade(values: bool = True) -> dict[str, Any]:
    rng = np.random.default_rng(0)
    items = [*range(ITEMS), *rng.integers(0, ITEMS, 150)]
    users = rng.integers(0, USERS, len(items))
    table = {"user": users.tolist(), "item": [f"i{a}" for a in items]}
    return {**table, "value": rng.integers(1, 6, len(items)).tolist()} if values else table


TAGS = {
    "item": ["i0", "i0", "i1", "i2", "new", "i3", "i4", "new"],
    "tag": ["calm", "loud", "loud", "calm", "calm", "odd", "odd", "odd"],
    "weight": [1.0, 2.0, 1.0, 1.0, 3.0, 2.0, 1.0, 4.0],
}


def unit(rows: Floats) -> Floats:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.where(lengths > 0, lengths, 1.0))


def direct(table: dict[str, Any], d: int) -> Floats:
    """The features, from a dense matrix filled by a loop."""
    users, items = (list(dict.fromkeys(table[name])) for name in ("user", "item"))
    met = np.zeros((len(users), len(items)))
    values = table.get("value", [1.0] * len(table["user"]))
    for user, item, value in zip(table["user"], table["item"], values, strict=True):
        met[users.index(user), items.index(item)] += value
    scaled = met / np.sqrt(met.sum(axis=1)[:, None] * met.sum(axis=0)[None, :])
    return unit(np.linalg.svd(scaled)[2][1 : d + 1].T)


def same_but_for_signs(found: Floats, wanted: Floats) -> bool:
    signs = np.sign((found * wanted).sum(axis=0))
    return bool(np.allclose(found, wanted * signs, atol=1e-8))


@pytest.mark.parametrize("values", [True, False])
@pytest.mark.parametrize("d", [1, 4, 9])
def test_people_are_singular_vectors_without_the_first(values: bool, d: int) -> None:
    table = trade(values)
    catalog = cl.Catalog.from_interactions(table, TAGS, features="people", d=d)
    assert catalog.d == d
    assert same_but_for_signs(np.asarray(catalog.arms), direct(table, d))
    assert catalog.arm_ids == tuple(f"i{a}" for a in range(ITEMS))
    assert catalog.basis is None
    assert catalog.constant is None


def test_the_direction_left_out_is_popularity() -> None:
    table = trade()
    users = list(dict.fromkeys(table["user"]))
    met = np.zeros((len(users), ITEMS))
    for user, item, value in zip(table["user"], table["item"], table["value"], strict=True):
        met[users.index(user), int(item[1:])] += value
    catalog = cl.Catalog.from_interactions(table, TAGS, features="people", d=50)
    assert catalog.d == ITEMS - 1
    scaled = met / np.sqrt(met.sum(axis=1)[:, None] * met.sum(axis=0)[None, :])
    first = np.linalg.svd(scaled)[2][0]
    assert np.allclose(np.abs(first), np.sqrt(met.sum(axis=0) / met.sum()))


def test_people_and_tags_side_by_side() -> None:
    table = trade()
    catalog = cl.Catalog.from_interactions(table, TAGS, features="people+tags", d=4, tag_d=2)
    assert catalog.arm_ids == (*(f"i{a}" for a in range(ITEMS)), "new")
    assert same_but_for_signs(np.asarray(catalog.arms[:ITEMS, :4]), direct(table, 4))
    assert not catalog.arms[ITEMS, :4].any()  # nobody met it
    weights = catalog.weights.toarray()
    basis = np.linalg.svd(unit(weights))[2][:2].T
    assert same_but_for_signs(np.asarray(catalog.arms[:, 4:]), unit(weights @ basis))
    tagged = weights.any(axis=1)
    assert np.allclose(np.linalg.norm(catalog.arms[tagged, 4:], axis=1), 1.0)
    assert not catalog.arms[~tagged, 4:].any()
    assert catalog.report["arms nobody met"] == 1


def test_new_items_join_by_their_tags(tmp_path: Path) -> None:
    old = cl.Catalog.from_interactions(trade(), TAGS, features="people+tags", d=4, tag_d=2)
    old.with_constant().save(tmp_path / "c.npz")
    for each in (old.with_constant(), cl.Catalog.load(tmp_path / "c.npz")):
        new = each.add_tagged({"later": {"calm": 3.0, "odd": 4.0}})
        assert np.allclose(new.arms[-1], new.arms[ITEMS])  # the tags of "new", and unmet alike


def test_few_people_give_few_directions() -> None:
    few = {"user": [1, 1, 2, 2, 3, 3], "item": ["i0", "i1", "i1", "i2", "i2", "i3"]}
    assert cl.Catalog.from_interactions(few, TAGS, features="people", d=50).d == 2


def test_an_item_met_with_0_alone_has_no_features() -> None:
    table = trade()
    table = {
        name: [*column, new]
        for (name, column), new in zip(table.items(), (1, "i99", 0), strict=True)
    }
    catalog = cl.Catalog.from_interactions(table, TAGS, features="people", d=50)
    assert not catalog.arms[catalog.arm_index("i99")].any()
    assert catalog.d == ITEMS - 1


def test_what_cannot_be_made_is_named() -> None:
    def make(table: Any = None, tags: Any = TAGS, **options: Any) -> Any:
        options = {"features": "people+tags"} | options
        return lambda: cl.Catalog.from_interactions(table or trade(), tags, **options)

    one = {"user": [1, 1], "item": ["i0", "i1"]}
    refused(make(one), "1 people and 2 items", cl.InvalidInput)
    alike = {"user": [1, 1, 2, 2], "item": ["i0", "i1", "i0", "i1"]}
    refused(make(alike), "Everybody met the same items", cl.InvalidInput)
    refused(make(tags={"item": ["other"], "tag": ["x"]}), "name the items alike", cl.InvalidInput)
    refused(make(features="persons"), "'people'", cl.UnknownName)
    refused(make(tag_d=0), "tag_d", cl.InvalidInput)
    refused(make(d=0), "d must be", cl.InvalidInput)


@real
def test_real_listening_gives_features_of_full_rank() -> None:
    logged = cl.datasets.listening()
    met = {"user": logged.people, "item": logged.items}
    items, terms = logged.weights.nonzero()
    tags = {"item": items, "tag": terms, "weight": logged.weights.data}
    catalog = cl.Catalog.from_interactions(met, tags, features="people+tags", d=60, tag_d=40)
    assert (len(catalog), len(catalog.term_ids), catalog.d) == (1530, 537, 100)
    assert np.allclose(np.linalg.norm(catalog.arms[:, :60], axis=1), 1.0)
    assert np.linalg.matrix_rank(catalog.arms) == 100
