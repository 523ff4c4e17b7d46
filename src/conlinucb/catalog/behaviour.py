"""Features from who met what: items are alike that the same people meet."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from conlinucb.catalog.columns import Given, read_columns
from conlinucb.errors import InvalidInput
from conlinucb.numerics.svd import NOISE, singular_vectors, unit_rows, with_constant, without_noise
from conlinucb.numerics.validation import Floats


class Met(NamedTuple):
    """Who met what: people by items, sums of values or how often."""

    matrix: sparse.csr_array
    people: list[Any]
    items: list[Any]


def read_met(table: Any, names: Given | None = None) -> Met:
    """From a table with columns user, item and perhaps value."""
    columns = read_columns(table, ("user", "item"), ("value",), names=names)
    (user_codes, users), (item_codes, items) = columns.codes("user"), columns.codes("item")
    values = columns.numbers("value") if "value" in columns else np.ones(len(item_codes))
    if not values.any():
        name = columns.names.written("value")
        raise InvalidInput(f"Column {name!r} holds nothing but 0 in {len(values)} rows.")
    shape = (len(users), len(items))
    met = sparse.coo_array((values, (user_codes, item_codes)), shape=shape).tocsr()
    return Met(met, users, items)


def paper_features(met: sparse.csr_array, d: int) -> tuple[Floats, Floats]:
    """People (people, d) and items (items, d) as in the paper's experiments.

    Singular vectors of length 1 with a 1 appended, over sqrt 2: products are (cos + 1) / 2.
    """
    people, _, items = singular_vectors(met, min(d - 1, *met.shape))
    return with_constant(without_noise(people)), with_constant(without_noise(items))


def beside_tags(people: Floats, met: sparse.csr_array, topics: Floats) -> Floats:
    """People's directions beside the mean direction of the tags they met, over 2.

    Arms have both, of length 1 each, so that a product is the mean of two cosines.
    """
    return np.asarray(np.hstack([people, unit_rows(np.asarray(met @ topics))]) / 2.0)


def people_features(met: sparse.csr_array, d: int) -> Floats:
    """Unit rows (items, d): singular vectors of people by items, the first one left out.

    Each entry is over the root of the person's sum times the item's, so that neither who met
    much nor what everybody met decides; the first direction is then popularity itself. Fewer than
    d where there are fewer people or items; zeros for an item that nobody met.
    """
    return people_and_features(met, d)[1]


def people_and_features(met: sparse.csr_array, d: int) -> tuple[Floats, Floats]:
    """The same for people (people, d), by what they met, beside the items'.

    A person's is the direction of their row in those features: U S, of length 1.
    """
    if min(met.shape) < 2:
        raise InvalidInput(
            f"Features from people need at least 2 people and 2 items, got {met.shape[0]} people "
            f"and {met.shape[1]} items."
        )
    rows, columns = (np.asarray(met.sum(axis=axis)).ravel() for axis in (1, 0))
    scaled = sparse.diags_array(_over_root(rows)) @ met @ sparse.diags_array(_over_root(columns))
    people, values, items = singular_vectors(sparse.csr_array(scaled), min(d + 1, *met.shape))
    real = np.flatnonzero(values[1:] > NOISE) + 1  # the others are arbitrary
    if not real.size:
        raise InvalidInput("Everybody met the same items: nothing is left beside popularity.")
    tastes = unit_rows(without_noise(people[:, real] * values[real]))
    return tastes, unit_rows(without_noise(items[:, real]))


def _over_root(sums: Floats) -> Floats:
    return np.asarray(1.0 / np.sqrt(np.where(sums > 0, sums, np.inf)))
