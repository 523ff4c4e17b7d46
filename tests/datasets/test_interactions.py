"""Logged people from two tables of one's own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import conlinucb as cl
from conlinucb.datasets import Interactions, interactions

PLAYS: dict[str, Any] = {
    "person": ["ann", "ann", "bo", "bo", "cy", "cy", "dee"],
    "item": ["x", "y", "x", "z", "x", "y", "z"],
    "value": [1.0, 5.0, 4.0, 2.0, 3.0, 1.0, 2.0],
}
TAGS: dict[str, Any] = {
    "item": ["x", "x", "y", "z", "x", "elsewhere"],
    "tag": ["Jazz", "calm", "jazz ", "calm", "JAZZ", "loud"],
    "weight": [2, 1, 3, 1, 4, 9],
}


def logged(**options: Any) -> Interactions:
    return interactions(PLAYS, TAGS, name="plays", **options)


def events(found: Interactions) -> list[tuple[int, Any, float]]:
    ids = [found.item_ids[i] for i in found.items]
    return list(zip(found.people.tolist(), ids, found.values.tolist(), strict=True))


def test_events_stay_in_order_and_values_become_0_to_1() -> None:
    found = logged()
    expected = zip([0, 0, 1, 1, 2, 2, 3], PLAYS["item"], PLAYS["value"], strict=True)
    assert events(found) == [(who, item, (value - 1) / 4) for who, item, value in expected]
    assert (found.name, found.implicit, len(found)) == ("plays", False, 7)
    assert found.item_names == ("x", "y", "z")


def test_tags_are_folded_and_counted_among_the_items() -> None:
    found = logged()
    assert found.term_ids == ("Jazz", "calm")
    assert found.weights.toarray().tolist() == [[6, 1], [3, 0], [0, 1]]


def test_rare_items_go_first_and_then_rare_tags() -> None:
    popular = logged(min_people=3)
    assert popular.item_ids == ("x",)
    assert popular.people.tolist() == [0, 1, 2]
    assert popular.items.tolist() == [0, 0, 0]
    assert popular.values.tolist() == [0.0, 0.75, 0.5]
    without_z = interactions({name: column[:3] for name, column in PLAYS.items()}, TAGS)
    assert without_z.term_ids == ("Jazz", "calm")
    narrow = interactions({name: column[:3] for name, column in PLAYS.items()}, TAGS, min_items=2)
    assert narrow.term_ids == ("Jazz",)
    assert narrow.weights.toarray().tolist() == [[6], [3]]


def test_people_left_without_an_event_leave_no_gap() -> None:
    found = interactions(PLAYS, TAGS, min_people=3)
    assert found.counts["people"] == 3
    other_order = {name: column[::-1] for name, column in PLAYS.items()}
    assert sorted(set(interactions(other_order, TAGS, min_people=3).people.tolist())) == [0, 1, 2]


def test_of_several_values_the_mean_counts() -> None:
    table = {"person": [1, 2, 1], "item": [7, 7, 7], "value": [0.0, 3.0, 2.0]}
    found = interactions(table, {"item": [7], "tag": ["a"]}, range=(0, 4))
    assert found.values.tolist() == [0.25, 0.75]
    assert found.item_ids == (7,)


def test_implicit_rows_say_that_they_met() -> None:
    table = {**PLAYS, "value": [3.0, 0.0, 2.0, 1.0, 9.0, 1.0, 0.0]}
    found = interactions(table, TAGS, implicit=True)
    assert events(found) == [(0, "x", 1), (1, "x", 1), (1, "z", 1), (2, "x", 1), (2, "y", 1)]
    bare = {name: column * 2 for name, column in PLAYS.items() if name != "value"}
    assert interactions(bare, TAGS, implicit=True).values.tolist() == [1.0] * 7


def test_columns_may_have_other_names() -> None:
    table = {"who": PLAYS["person"], "what": PLAYS["item"], "stars": PLAYS["value"]}
    tags = {"what": TAGS["item"], "word": TAGS["tag"], "n": TAGS["weight"]}
    names: dict[str, Any] = {
        "person": "who",
        "item": "what",
        "value": "stars",
        "tag": "word",
        "weight": "n",
    }
    found = interactions(table, tags, **names)
    assert events(found) == events(logged())
    assert (found.weights != logged().weights).nnz == 0


def test_it_cannot_be_changed_and_says_how_much_there_is() -> None:
    found = logged()
    with pytest.raises(ValueError, match="read-only"):
        found.values[0] = 2.0
    assert "4 people, 3 items, 2 key-terms, 7 events" in repr(found)


BAD: dict[str, tuple[Callable[[], Any], str]] = {
    "no value": (
        lambda: interactions({"person": [1], "item": [2]}, {"item": [2], "tag": ["a"]}),
        "implicit=True",
    ),
    "one value": (
        lambda: interactions({**PLAYS, "value": [3.0] * 7}, TAGS),
        r"Every value is 3\.0",
    ),
    "NaN": (lambda: interactions({**PLAYS, "value": [np.nan] * 7}, TAGS), "nan in row 0"),
    "outside": (lambda: logged(range=(0, 4)), r"from 0\.0 to 4\.0.*got 5\.0"),
    "range": (lambda: logged(range=(4, 0)), r"\(4, 0\)"),
    "range of one": (lambda: logged(range=(1,)), r"\(1,\)"),
    "nobody": (lambda: logged(min_people=9), "the best known has 3"),
    "no tag": (lambda: logged(min_items=9), "the most widespread has 2"),
    "0 people": (lambda: logged(min_people=0), "min_people"),
    "other items": (lambda: interactions(PLAYS, {"item": ["q"], "tag": ["a"]}), "items alike"),
    "negative plays": (
        lambda: interactions({**PLAYS, "value": [-1.0] * 7}, TAGS, implicit=True),
        r"-1\.0 in row 0",
    ),
    "only zeros": (
        lambda: interactions({**PLAYS, "value": [0.0] * 7}, TAGS, implicit=True),
        "nothing but 0",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_what_cannot_be_used_is_named(name: str) -> None:
    call, told = BAD[name]
    with pytest.raises(cl.InvalidInput, match=told):
        call()


def test_ratings_below_0_are_values_too() -> None:
    found = interactions({**PLAYS, "value": [-10, 10, 0, 0, 0, 0, 5]}, TAGS)
    assert found.values.tolist() == [0.0, 1.0, 0.5, 0.5, 0.5, 0.5, 0.75]
