"""Who met which item and how much they liked it, with the key-terms of the items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse

from conlinucb.catalog.columns import Columns, read_columns
from conlinucb.catalog.table import both_described, options_of
from conlinucb.catalog.tags import TagRules, aligned, gathered
from conlinucb.errors import InvalidInput, nearest
from conlinucb.numerics.validation import LARGEST, Floats, Indices, number, whole

Id = str | int


@dataclass(frozen=True, eq=False, kw_only=True)
class Interactions:
    """Logged people: n events of who met which item, and what the items are about.

    Nothing of it is split or learned yet: that is for those who judge an algorithm on it.
    """

    name: str
    people: Indices
    """(n,): who, as a number from 0."""
    items: Indices
    """(n,): which item, as a number from 0."""
    values: Floats
    """(n,): how much they liked it, from 0 to 1; all 1 where it is only known that they met."""
    user_ids: tuple[Id, ...]
    """Who each number of ``people`` is."""
    item_ids: tuple[Id, ...]
    item_names: tuple[str, ...]
    term_ids: tuple[Id, ...]
    weights: sparse.csr_array
    """(items, key-terms): how often an item was given a key-term; an item may have none."""
    implicit: bool
    """Whether it is only known what people met, and not how they liked it."""

    def __post_init__(self) -> None:
        for array in (self.people, self.items, self.values):
            array.flags.writeable = False

    def __len__(self) -> int:
        """Number of events."""
        return len(self.people)

    def with_terms(self, weights: Any, term_ids: Sequence[Id]) -> Interactions:
        """The same people and items, with other key-terms."""
        made = sparse.csr_array(weights)
        return replace(self, weights=made, term_ids=tuple(term_ids))

    @property
    def counts(self) -> dict[str, int]:
        """How much there is of everything."""
        sizes = {
            "people": len(self.user_ids),
            "items": len(self.item_ids),
            "key-terms": len(self.term_ids),
        }
        return {**sizes, "events": len(self), "key-terms of items": int(self.weights.nnz)}

    def __repr__(self) -> str:
        told = ", ".join(f"{count:,} {what}" for what, count in self.counts.items())
        return f"Interactions({self.name!r}, {told})"


def interactions(
    table: Any,
    tags: Any = None,
    *,
    name: str = "own",
    implicit: bool = False,
    range: tuple[float, float] | None = None,
    min_people: int = 1,
    min_items: int = 1,
    person: str | int | None = None,
    item: str | int | None = None,
    value: str | int | None = None,
    tag: str | int | None = None,
    weight: str | int | None = None,
    tag_columns: Mapping[str, str | int | None] | None = None,
    **options: Any,
) -> Interactions:
    """Logged people from two tables: person, item and value; item, tag and perhaps weight.

    Items of fewer than ``min_people`` people are left out, then tags of fewer than ``min_items``
    of the items that are left; tags that differ only in case or white space are one. Values from
    ``range`` (by default the smallest and the largest) become 0 to 1, and of several values of one
    person for one item the mean counts. With ``implicit`` there are no values: a row says that
    they met, unless its value is 0. Tables are those that ``Catalog.from_tags`` reads, ``options``
    those of a ``Table``, for both; ``columns`` are those of the first, ``tag_columns`` of tags.

    >>> plays = {"person": ["ann", "ann", "bo"], "item": ["x", "y", "x"], "value": [1, 5, 4]}
    >>> logged = interactions(plays, {"item": ["x", "y"], "tag": ["Jazz", "jazz "]}, name="plays")
    >>> logged.values, logged.term_ids, logged.user_ids
    (array([0.  , 1.  , 0.75]), ('Jazz',), ('ann', 'bo'))
    """
    (reading,) = options_of(interactions, options)
    if tag_columns is not None:
        reading["tag_columns"] = tag_columns
    first, second = both_described(table, tags, reading)
    names = {"person": person, "item": item, "value": value}
    columns = read_columns(first, ("person", "item"), ("value",), names=names)
    (people, user_ids), (codes, ids) = columns.codes("person"), columns.codes("item")
    people, codes, values = (_met if implicit else _liked)(people, codes, columns)
    kept = _kept(codes, len(ids), whole("min_people", min_people, low=1))
    chosen = np.flatnonzero(kept[codes] >= 0)
    items = [ids[i] for i in np.flatnonzero(kept >= 0)]
    present, numbered = np.unique(people[chosen], return_inverse=True)
    found = gathered(second, {"item": item, "tag": tag, "weight": weight})
    tagged = aligned(found, items, TagRules(min_items=min_items))
    return Interactions(
        name=name,
        people=np.asarray(numbered, dtype=np.int64),
        items=kept[codes[chosen]],
        values=values[chosen] if implicit else _scaled(values, range)[chosen],
        user_ids=tuple(user_ids[i] for i in present),
        item_ids=tuple(items),
        item_names=tuple(map(str, items)),
        term_ids=tuple(tagged.tags),
        weights=tagged.weights,
        implicit=implicit,
    )


Events = tuple[Indices, Indices, Floats]


def _liked(people: Indices, items: Indices, columns: Columns) -> Events:
    if "value" not in columns:
        there = columns.names.there
        raise InvalidInput(
            f"{columns.names.where} has no column 'value'; it has {there}."
            f"{nearest('value', there)} Pass implicit=True if rows without a value say that a "
            f"person met an item."
        )
    return _once(people, items, columns.numbers("value", low=-LARGEST))


def _met(people: Indices, items: Indices, columns: Columns) -> Events:
    met = columns.numbers("value") > 0 if "value" in columns else np.ones(len(items), dtype=bool)
    if not met.any():
        name = columns.names.written("value")
        raise InvalidInput(f"Column {name!r} holds nothing but 0 in {len(items)} rows.")
    return _once(people[met], items[met], np.ones(int(met.sum())))


def _once(people: Indices, items: Indices, values: Floats) -> Events:
    """Each pair of person and item once, with the mean of its values, in order of appearance."""
    pairs = people * (int(items.max()) + 1) + items
    _, first, place = np.unique(pairs, return_index=True, return_inverse=True)
    means = np.bincount(place, values) / np.bincount(place)
    order = np.argsort(first)
    return people[first[order]], items[first[order]], means[order]


def _kept(items: Indices, count: int, least: int) -> Indices:
    """The new code of each item, -1 where it has fewer than ``least`` people."""
    met = np.bincount(items, minlength=count)
    if not (met >= least).any():
        raise InvalidInput(
            f"No item has {least} people or more: of {count} items the best known has "
            f"{int(met.max())}."
        )
    return np.where(met >= least, np.cumsum(met >= least) - 1, -1)


def _scaled(values: Floats, limits: tuple[float, float] | None) -> Floats:
    low, high = (values.min(), values.max()) if limits is None else _limits(limits)
    if not low < high:
        raise InvalidInput(
            f"Every value is {float(low)!r}: pass range=(lowest, highest), or implicit=True."
        )
    outside = (values < low) | (values > high)
    if outside.any():
        raise InvalidInput(
            f"Values must be from {float(low)!r} to {float(high)!r}, as range says, got "
            f"{float(values[outside][0])!r} ({int(outside.sum())} are outside)."
        )
    return np.asarray((values - low) / (high - low))


def _limits(given: Any) -> tuple[float, float]:
    try:
        low, high = given
    except (TypeError, ValueError):
        raise InvalidInput(f"range must be (lowest, highest), got {given!r}.") from None
    low, high = number("range[0]", low), number("range[1]", high)
    if not low < high:
        raise InvalidInput(f"range must be (lowest, highest), got {given!r}.")
    return low, high
