"""How a newcomer is met in the logs: what is set aside, what a round brings, what counts as yes."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from conlinucb.datasets import Interactions, listening, ratings
from conlinucb.numerics.validation import Floats, Indices, whole

SPLITS = 5
FIXED_ON = 0
"""The split whose people settings are chosen on; its people are in no reported figure."""
ROUNDS, FIRST = 20, 5
"""Rounds a newcomer plays, and those that are told of by themselves."""
ASKING = 10
"""Questions are asked in the first rounds only."""
POOL = 10
OWN = 2
"""Of an implicit log's pool: items of the person's own; the others they never met."""
NEGATIVES = 4
"""Sampled for each item met, as many as in a pool of ``POOL`` with ``OWN``."""
FEWEST = 4
"""Items without which nobody is tested: two that answer, two that are recommended."""
LEAST_KNOWN = 2
"""Rated items with a key-term that someone needs to have an opinion of it."""


@dataclass(frozen=True, kw_only=True)
class Task:
    """One data set, as it is played."""

    name: str
    load: Callable[[], Interactions]
    least: int
    """Items that a tested person has at least."""
    yes: float
    """Answers from here on are a yes."""
    counted: bool
    """Whether it counts how many people gave an item a tag, or only that it has it."""
    tag_directions: int
    people_directions: int
    """Features: directions of the items' tags, and of who met them; 0 for none of these."""
    strategy: str
    """What asks where one strategy stands for all; better than others on the first split."""
    draws: int
    """How often each person is played, with other halves and pools; figures are their means."""
    measure: str
    """What the figures are, in words."""

    def data(self) -> Interactions:
        """The log, with the tags as they count here."""
        found = self.load()
        if self.counted:
            return found
        return replace(found, weights=sparse.csr_array((found.weights > 0).astype(np.float64)))


TASKS: dict[str, Task] = {
    each.name: each
    for each in (
        Task(
            name="listening",
            load=listening,
            least=20,
            yes=0.1,
            counted=True,
            tag_directions=40,
            people_directions=60,
            strategy="informative",
            draws=1,
            measure="recommended artists that the person listened to, in percent",
        ),
        Task(
            name="ratings",
            load=ratings,
            least=40,
            yes=0.7,
            counted=False,
            tag_directions=49,
            people_directions=15,
            strategy="informative",
            draws=3,
            measure="share of the way from a random to the best film of the pool, in percent",
        ),
    )
}


OWN_MEASURES = {
    True: "recommended items that the person met, in percent",
    False: "share of the way from a random to the best item of the pool, in percent",
}


def own_task(data: Interactions, least: int | None = None) -> Task:
    """The task that a log of one's own makes: played as listening or as ratings are.

    An answer is a yes from what all people say of all key-terms on average.
    """
    like = TASKS["listening" if data.implicit else "ratings"]
    return replace(
        like,
        name=data.name,
        load=lambda: data,
        least=like.least if least is None else whole("least", least, low=FEWEST),
        yes=_average_answer(data),
        measure=OWN_MEASURES[data.implicit],
    )


def _average_answer(data: Interactions) -> float:
    """The mean rating; of what people met, the share that has a key-term, on average."""
    if not data.implicit:
        return float(data.values.mean())
    return float((data.weights[data.items] > 0).sum() / (len(data) * len(data.term_ids)))


class Half(NamedTuple):
    """Some of a person's items, and how they liked them."""

    items: Indices
    values: Floats


class Person(NamedTuple):
    """Someone of the log, with what answers questions apart from what is recommended."""

    number: int
    draw: int
    asked: Half
    rewarded: Half


class Log:
    """A log by person, with what each would answer."""

    def __init__(self, data: Interactions, seed: int = 0) -> None:
        self.data, self.seed = data, seed
        order = np.argsort(data.people, kind="stable")
        self._items, self._values = data.items[order], data.values[order]
        counts = np.bincount(data.people)
        self._start = np.concatenate([[0], np.cumsum(counts)])
        self.sizes: Indices = counts
        folds = np.random.default_rng([seed, 0]).permutation(counts.size)
        self.split_of: Indices = folds % SPLITS
        self.drawn: dict[Any, Indices] = {}
        """Pools by person and round, once somebody met them."""
        self._has = sparse.csr_array((data.weights > 0).astype(np.float64))

    @property
    def checksum(self) -> str:
        """The same for the same events and tags."""
        data = self.data
        arrays = (data.people, data.items, data.values, data.weights.indices, data.weights.data)
        return hashlib.sha256(b"".join(each.tobytes() for each in arrays)).hexdigest()[:16]

    def all_of(self, person: int) -> Half:
        """Everything that a person met."""
        rows = slice(self._start[person], self._start[person + 1])
        return Half(self._items[rows], self._values[rows])

    def person(self, number: int, draw: int = 0) -> Person:
        """A person in two halves, the same for the same draw."""
        items, values = self.all_of(number)
        order = np.random.default_rng([self.seed, 1, number, draw]).permutation(items.size)
        first, second = order[: items.size // 2], order[items.size // 2 :]
        halves = (Half(items[each], values[each]) for each in (first, second))
        return Person(number, draw, *halves)

    def answers(self, half: Half) -> Floats:
        """What someone with these items says of each key-term, (K,); NaN for nothing.

        Of what they met: the share that has it. Of what they rated: the mean of those that have it.
        """
        has = self._has[half.items]
        count = np.asarray(has.sum(axis=0)).ravel()
        if self.data.implicit:
            return np.asarray(count / max(half.items.size, 1))
        sums = np.asarray(has.T @ half.values).ravel()
        known = count >= LEAST_KNOWN
        return np.where(known, sums / np.maximum(count, 1), np.nan)

    def logged(self, split: int, most: int | None = None) -> Indices:
        """The people that something is learned from where this split is tested."""
        others = np.flatnonzero(self.split_of != split)
        if most is None or most >= others.size:
            return others
        chosen = np.random.default_rng([self.seed, 2, split]).permutation(others)[:most]
        return np.sort(chosen)

    def tested(self, split: int, least: int) -> Indices:
        """The people of the split who have enough items, and have not met nearly all there are."""
        enough = self.sizes >= max(least, FEWEST)
        if self.data.implicit:
            enough &= self.sizes <= len(self.data.item_ids) - (POOL - OWN)
        return np.flatnonzero((self.split_of == split) & enough)


def as_yes_no(said: Floats, at: float) -> Floats:
    """1 from ``at`` on, 0 below, and nothing where nothing was said."""
    return np.where(np.isnan(said), np.nan, (said >= at).astype(float))
