"""Catalogues from interactions and from embeddings, and agents that run on them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import conlinucb as cl
from support.worlds import RECIPES, played, refused


def _trade(rows: int = 200, users: int = 25, items: int = 15, seed: int = 0) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    return {
        "user": rng.integers(0, users, rows).tolist(),
        "item": [f"i{a}" for a in [*range(items), *rng.integers(0, items, rows - items)]],
        "value": rng.integers(1, 6, rows).tolist(),
    }


TAGS = {
    "item": ["i0", "i1", "i1", "i2", "i3", "i4", "elsewhere", "elsewhere"],
    "tag": ["calm", "calm", "loud", "loud", "odd", "Calm", "far", "odd"],
}


def _met(trade: dict[str, Any], values: bool) -> Any:
    users, items = list(dict.fromkeys(trade["user"])), list(dict.fromkeys(trade["item"]))
    met = np.zeros((len(users), len(items)))
    for user, item, value in zip(trade["user"], trade["item"], trade["value"], strict=True):
        met[users.index(user), items.index(item)] += value if values else 1.0
    return met


@pytest.mark.parametrize("values", [True, False])
@pytest.mark.parametrize("d", [3, 6])
def test_features_are_made_as_by_the_authors(values: bool, d: int) -> None:
    trade = _trade()
    table = trade if values else {"user": trade["user"], "item": trade["item"]}
    catalog = cl.Catalog.from_interactions(table, TAGS, d=d)
    v = np.linalg.svd(_met(trade, values))[2][: d - 1].T
    wanted = v / np.linalg.norm(v, axis=1, keepdims=True) / np.sqrt(2.0)
    signs = np.sign((catalog.arms[:, :-1] * wanted).sum(axis=0))
    assert np.allclose(catalog.arms[:, :-1], wanted * signs, atol=1e-9)
    assert np.allclose(catalog.arms[:, -1], np.sqrt(0.5), rtol=1e-15)
    assert np.allclose(np.linalg.norm(catalog.arms, axis=1), 1.0, atol=1e-12)


def test_tags_go_to_the_items_they_name() -> None:
    catalog = cl.Catalog.from_interactions(_trade(), TAGS, d=5)
    assert catalog.arm_ids == tuple(f"i{a}" for a in range(15))
    assert catalog.term_ids == ("calm", "loud", "odd")
    wanted = np.zeros((15, 3))
    wanted[[0, 1, 4], 0] = wanted[[1, 2], 1] = wanted[3, 2] = 1.0
    assert np.array_equal(catalog.weights.toarray(), wanted)


def test_the_report_of_two_tables() -> None:
    wanted = {
        "rows": 8, "items": 6, "tags as written": 5, "repeated rows": 0,
        "tags that differed only in case or white space": 1, "items without a tag": 10,
        "tagged items not among the arms": 1, "tags of no arm": 1, "arms": 15, "key-terms": 3,
    }  # fmt: skip
    for catalog in (
        cl.Catalog.from_interactions(_trade(), TAGS, d=5),
        cl.Catalog.from_embeddings(np.eye(15), [f"i{a}" for a in range(15)], TAGS),
    ):
        assert wanted.items() <= catalog.report.items()


def test_the_rules_hold_for_every_constructor() -> None:
    rules: dict[str, Any] = {"min_items": 2, "fold": False}
    by_trade = cl.Catalog.from_interactions(_trade(), TAGS, d=5, **rules)
    own = cl.Catalog.from_embeddings(np.eye(15), [f"i{a}" for a in range(15)], TAGS, **rules)
    assert by_trade.term_ids == own.term_ids == ("calm", "loud")  # one arm is odd, one elsewhere
    assert own.weights.toarray()[4].tolist() == [0.0, 0.0]
    assert own.report["tags of fewer than 2 items"] == 2


def test_embeddings_are_kept_as_they_are() -> None:
    rows = np.random.default_rng(0).normal(size=(5, 3))
    catalog = cl.Catalog.from_embeddings(rows, [f"i{a}" for a in range(5)], TAGS)
    assert np.array_equal(catalog.arms, rows)
    rows[:] = 0.0
    assert catalog.arms.any()


def test_other_names_of_columns() -> None:
    trade, words = _trade(), {"film": TAGS["item"], "genre": TAGS["tag"]}
    table = {"who": trade["user"], "film": trade["item"], "stars": trade["value"]}
    catalog = cl.Catalog.from_interactions(
        table, words, d=4, user="who", item="film", value="stars", tag="genre"
    )
    assert catalog.version == cl.Catalog.from_interactions(trade, TAGS, d=4).version


def test_d_beyond_the_number_of_users() -> None:
    table = {"user": [1, 1, 2, 2, 2], "item": ["i0", "i1", "i2", "i3", "i0"]}
    assert cl.Catalog.from_interactions(table, TAGS, d=50).d == 3


def test_an_item_only_met_with_zero_has_the_constant_alone() -> None:
    table = _trade()
    table = {
        "user": [*table["user"], 1],
        "item": [*table["item"], "new"],
        "value": [*table["value"], 0],
    }
    catalog = cl.Catalog.from_interactions(table, TAGS, d=4)
    new = catalog.arms[catalog.arm_index("new")].tolist()
    assert new == [0.0, 0.0, 0.0, pytest.approx(np.sqrt(0.5))]


def _catalogues() -> dict[str, Callable[[], cl.Catalog]]:
    return {
        "tags": lambda: cl.Catalog.from_tags(TAGS, d=3),
        "interactions": lambda: cl.Catalog.from_interactions(_trade(), TAGS, d=4),
        "embeddings": lambda: cl.Catalog.from_embeddings(
            np.eye(5), [f"i{a}" for a in range(5)], TAGS
        ),
    }


@pytest.mark.parametrize("recipe", RECIPES)
@pytest.mark.parametrize("source", _catalogues())
def test_agents_run_on_the_result(source: str, recipe: str) -> None:
    catalog = _catalogues()[source]()
    agent = RECIPES[recipe](catalog)
    user = played(agent, rounds=5)
    assert agent.recommend(user).arms[0] in catalog.live_arms


@pytest.mark.parametrize("source", _catalogues())
def test_a_catalogue_from_tables_survives_a_file(source: str, tmp_path: Any) -> None:
    catalog = _catalogues()[source]()
    catalog.save(tmp_path / "c.npz")
    assert cl.Catalog.load(tmp_path / "c.npz").version == catalog.version


# What is refused


@pytest.mark.parametrize(
    ("tags", "shown"),
    [
        ({"item": [0, 1, 2], "tag": ["x", "y", "x"]}, "the tagged items [0, 1, 2]"),
        ({"item": ["I0"], "tag": ["x"]}, "the tagged items ['I0']"),
    ],
)
def test_two_tables_that_name_items_differently(tags: Any, shown: str) -> None:
    alike = "do both tables name the items alike? The arms are called ['i0', 'i1', 'i2'] and so on"
    for received in (alike, shown):
        refused(lambda: cl.Catalog.from_interactions(_trade(), tags, d=3), received)
        refused(lambda: cl.Catalog.from_embeddings(np.eye(3), ["i0", "i1", "i2"], tags), received)


BAD_TRADE: dict[str, tuple[dict[str, Any], str]] = {
    "no users": ({"item": ["i0"], "users": [1]}, "no column 'user'; it has ['item', 'users']"),
    "no rows": ({"item": [], "user": []}, "no rows"),
    "an empty user": ({"item": ["i0", "i1"], "user": [1, None]}, "'user' is empty in 1 rows"),
    "a negative value": ({"item": ["i0"], "user": [1], "value": [-1]}, "holds -1.0 in row 0"),
    "text as value": ({"item": ["i0"], "user": [1], "value": ["good"]}, "'good' in row 0"),
    "only 0": ({"item": ["i0"] * 3, "user": [1, 2, 3], "value": [0] * 3}, "nothing but 0 in 3"),
}


@pytest.mark.parametrize("case", BAD_TRADE)
def test_bad_interactions(case: str) -> None:
    table, received = BAD_TRADE[case]
    refused(lambda: cl.Catalog.from_interactions(table, TAGS, d=2), received, cl.InvalidInput)


@pytest.mark.parametrize("d", [1, 0, 2.5, None])
def test_d_without_room_for_the_constant(d: Any) -> None:
    refused(lambda: cl.Catalog.from_interactions(_trade(), TAGS, d=d), repr(d), cl.InvalidInput)


@pytest.mark.parametrize(
    ("rows", "items", "received"),
    [
        (np.eye(2), ["i0", "i1", "i2"], "items must hold 2 ids, got 3"),
        (np.eye(2), ["i0"], "items must hold 2 ids, got 1"),
        (np.eye(2), [], "items must hold 2 ids, got 0"),
        (np.eye(2), ["i0", "i0"], "'i0' stands there twice"),
        (np.eye(2), "i0", "got 'i0'"),
        (np.eye(2), 2, "got 2"),
        (np.eye(2), None, "got None"),
        (np.eye(2), [["i0"], ["i1"]], "got ['i0']"),
        (np.eye(2), ["i0", None], "got None"),
        (np.eye(2), ["i0", 0.5], "got 0.5"),
        ([[1.0, np.nan], [0.0, 1.0]], ["i0", "i1"], "embeddings[0, 1] is nan"),
        ([["a"], ["b"]], ["i0", "i1"], "embeddings must be a matrix of numbers"),
        ([1.0, 2.0], ["i0", "i1"], "embeddings must have two dimensions, got shape (2,)"),
    ],
)
def test_bad_embeddings(rows: Any, items: Any, received: str) -> None:
    refused(lambda: cl.Catalog.from_embeddings(rows, items, TAGS), received, cl.InvalidInput)


def test_it_is_a_part_of_the_catalogue() -> None:
    from conlinucb.catalog.from_tables import FromTables

    with pytest.raises(TypeError, match="part of Catalog"):
        FromTables(np.eye(2), np.eye(2))
