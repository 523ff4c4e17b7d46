"""Items a person never took, drawn to stand for those they would not like."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from conlinucb.agent.priors.fitting.events import Events
from conlinucb.catalog.catalog import Catalog
from conlinucb.numerics.compile import INDEX, INT, MARKS, SEED, kernel
from conlinucb.numerics.validation import Floats, Indices, seed_of
from conlinucb.randomness import Marks, derive, uniform_index

NEGATIVES = 11
"""Stream of the arms drawn as unseen, from the seed and the person."""


def with_negatives(events: Events, catalog: Catalog, each: int, low: float, seed: int) -> Events:
    """Among each person's events, ``each`` unseen arms of value ``low`` for every reward above it.

    They lie evenly among the person's own, so that each half of the events has its share. Which
    ones depends on the seed and the person's id only. Where too few are unseen, all are.
    """
    live, marks = catalog.live_arms.copy(), np.zeros(len(catalog), dtype=np.uint8)
    out = np.empty(live.size, dtype=np.int64)
    stream = derive(seed_of(seed), NEGATIVES)
    drawn = []
    for u in range(events.people):
        own = slice(int(events.starts[u]), int(events.starts[u + 1]))
        rewards = events.rows[own] < len(catalog)
        liked = int((rewards & (events.values[own] > low)).sum())
        key = derive(stream, int(events.keys[u] >> np.uint64(1)))
        n = unseen(key, live, events.rows[own][rewards], each * liked, marks, out)
        drawn.append(out[:n].copy())
    return _with(events, drawn, low)


@kernel(INT(SEED, INDEX, INDEX, INT, MARKS, INDEX))
def unseen(
    seed: np.uint64, live: Indices, taken: Indices, wanted: int, marks: Marks, out: Indices
) -> int:
    """Fill ``out`` with up to ``wanted`` live arms that are not ``taken``; how many there are.

    ``marks`` (one for each arm) is scratch, all zero before and after.
    """
    for arm in taken:
        marks[arm] = 1
    free = 0
    for arm in live:
        if marks[arm] == 0:
            out[free] = arm
            free += 1
    wanted = min(wanted, free)
    for i in range(wanted):
        at = i + uniform_index(seed, i, free - i)
        out[i], out[at] = out[at], out[i]
    for arm in taken:
        marks[arm] = 0
    return wanted


def _with(events: Events, drawn: list[Indices], low: float) -> Events:
    """Each person's events, theirs of ``drawn`` spread among them."""
    own = np.diff(events.starts)
    more = np.array([each.size for each in drawn], dtype=np.int64)
    rows = np.concatenate([*drawn, np.empty(0, dtype=np.int64)])
    people = np.concatenate([events.owners, np.repeat(np.arange(events.people), more)])
    order = np.lexsort((np.concatenate([_places(own), _places(more)]), people))
    starts = events.starts + np.concatenate([[0], np.cumsum(more)])

    def behind(own: Floats, value: float) -> Floats:
        return np.concatenate([own, np.full(rows.size, value)])[order]

    return replace(
        events,
        starts=starts,
        rows=np.concatenate([events.rows, rows])[order],
        values=behind(events.values, low),
        weights=behind(events.weights, 1.0),
        deltas=behind(events.deltas, 0.0) if events.deltas.size else events.deltas,
    )


def _places(sizes: Indices) -> Floats:
    """Where each of a person's n events lies between 0 and 1."""
    first = np.repeat(np.cumsum(sizes) - sizes, sizes)
    return np.asarray((np.arange(first.size) - first + 0.5) / np.repeat(sizes, sizes))
