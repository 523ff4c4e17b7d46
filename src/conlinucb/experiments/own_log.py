"""Logged people of one's own comparison as tables: what is recommended to them, what they say."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from conlinucb.catalog.catalog import Catalog
from conlinucb.datasets import Interactions
from conlinucb.numerics.validation import Floats, Indices

LEAST_KNOWN = 2
"""Rated items with a key-term that half of a person needs to have an opinion of it."""


def tags_of(met: Interactions) -> dict[str, Any]:
    """A log's own table of items and tags."""
    entries = met.weights.tocoo()
    items, tags = entries.coords
    return {
        "item": [met.item_ids[each] for each in items],
        "tag": [met.term_ids[each] for each in tags],
        "weight": entries.data,
    }


def said_and_shown(
    met: Interactions, catalog: Catalog, users: int | None, halved_by: int | None
) -> dict[str, Any]:
    """Tables of the first ``users`` people who met an arm; with a seed in two halves.

    One half answers and is in no pool, the other brings rewards. Of what people only met an answer
    is the share that has the key-term: the mean of their rewards would be 1 for all of them.
    """
    table = _table(met, catalog)
    if halved_by is None:
        shown = table[:users]
        return {"rewards": shown, "answers": _shares(shown, catalog) if met.implicit else None}
    table = table[np.flatnonzero(np.diff(table.indptr) > 1)][:users]
    first = _first_half(table, halved_by)
    said, shown = _only(table, first), _only(table, ~first)
    answers = _shares(said, catalog) if met.implicit else _means(said, catalog)
    return {"rewards": shown, "answers": answers, "withheld": said}


def _table(met: Interactions, catalog: Catalog) -> Any:
    """People by arms, of everybody who met one of them; items without a tag are no arms."""
    arm_of = {name: i for i, name in enumerate(catalog.arm_ids)}
    arms = np.array([arm_of.get(name, -1) for name in met.item_ids])[met.items]
    known = arms >= 0
    shape = int(met.people.max()) + 1, len(catalog)
    table = sparse.csr_array((met.values[known], (met.people[known], arms[known])), shape=shape)
    return table[np.flatnonzero(np.diff(table.indptr))]


def _first_half(table: Any, seed: int) -> Any:
    """Which entries of the table are in their person's first half."""
    first = np.zeros(table.nnz, dtype=bool)
    for person, (start, end) in enumerate(zip(table.indptr[:-1], table.indptr[1:], strict=True)):
        order: Indices = np.random.default_rng([seed, person]).permutation(end - start)
        first[start + order[: (end - start) // 2]] = True
    return first


def _only(table: Any, kept: Any) -> Any:
    people = np.repeat(np.arange(table.shape[0]), np.diff(table.indptr))[kept]
    return sparse.csr_array((table.data[kept], (people, table.indices[kept])), shape=table.shape)


def _shares(table: Any, catalog: Catalog) -> Floats:
    """Of each person's arms, the share that has the key-term."""
    counts = (_ones(table) @ _ones(catalog.weights)).toarray()
    return np.asarray(counts / np.maximum(np.diff(table.indptr), 1)[:, None])


def _means(table: Any, catalog: Catalog) -> Floats:
    """The mean value of a person's arms that have the key-term; NaN of fewer than two."""
    has = _ones(catalog.weights)
    counts, sums = (_ones(table) @ has).toarray(), (table @ has).toarray()
    return np.where(counts >= LEAST_KNOWN, sums / np.maximum(counts, 1), np.nan)


def _ones(table: Any) -> Any:
    made = sparse.csr_array(table).astype(np.float64)
    made.data = np.ones(made.nnz)
    return made
