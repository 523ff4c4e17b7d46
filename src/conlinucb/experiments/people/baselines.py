"""Recommenders that ask nothing: chance, most popular, item neighbours, matrix factorisation."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from scipy import sparse

from conlinucb.experiments.people.task import NEGATIVES, Log
from conlinucb.numerics.validation import Floats, Indices

SWEEPS = 15
"""Alternations of the factorisation."""
SHRINK = 5.0
"""Ratings of average size that an item's mean, or a person's, is pulled by."""


@dataclass
class Seen:
    """What one person's recommendations have brought so far."""

    arms: list[int] = field(default_factory=list)
    rewards: list[float] = field(default_factory=list)


class Baseline(Protocol):
    """Scores a pool by what was seen of a person."""

    def scores(self, seen: Seen, pool: Indices) -> Floats:
        """Higher is better."""
        ...


@dataclass(frozen=True, eq=False)
class Table:
    """Logged people as a table: what each item brings on average, and how people differ."""

    base: Floats
    """(N,) the expected reward of each item, for anybody."""
    counts: Floats
    """(N,) people who met it."""
    sums: Floats
    """(N,) of their rewards."""
    rests: sparse.csr_array
    """(people, N) rewards less base, sampled items that people never met among them."""
    met: sparse.csr_array
    """(people, N) 1 where they met."""
    implicit: bool
    """Whether a reward is only that they met."""


def table_of(log: Log, people: Indices) -> Table:
    """What the baselines learn from."""
    size = len(log.data.item_ids)
    halves = [log.all_of(int(each)) for each in people]
    rows = np.repeat(np.arange(len(halves)), [each.items.size for each in halves])
    items = np.concatenate([each.items for each in halves] or [np.empty(0, np.int64)])
    values = np.concatenate([each.values for each in halves] or [np.empty(0)])
    shape = (len(halves), size)
    met = sparse.csr_array((np.ones(items.size), (rows, items)), shape=shape)
    counts = np.bincount(items, minlength=size).astype(np.float64)
    sums = np.bincount(items, values, minlength=size).astype(np.float64)
    if log.data.implicit:
        base = _chance_of(counts)
        rows, items, values = _with_negatives(log, people, rows, items, size)
    else:
        overall = float(values.mean()) if values.size else 0.5
        base = (sums + SHRINK * overall) / (counts + SHRINK)
    rests = sparse.csr_array((values - base[items], (rows, items)), shape=shape)
    return Table(base, counts, sums, rests, met, log.data.implicit)


def _chance_of(counts: Floats) -> Floats:
    """How likely an item of a pool is the person's own, by how many people met it."""
    share = (counts + 1) / (counts + 1).sum()
    return np.asarray(share / (share + NEGATIVES / counts.size))


def _with_negatives(
    log: Log, people: Indices, rows: Indices, items: Indices, size: int
) -> tuple[Indices, Indices, Floats]:
    more_rows, more_items = [], []
    for row, number in enumerate(people):
        mine = items[rows == row]
        others = np.setdiff1d(np.arange(size), mine)
        drawn = np.random.default_rng([log.seed, 3, int(number)]).permutation(others)
        chosen = drawn[: NEGATIVES * mine.size]
        more_items.append(chosen)
        more_rows.append(np.full(chosen.size, row))
    values = np.concatenate([np.ones(items.size), np.zeros(sum(map(len, more_items)))])
    return (
        np.concatenate([rows, *more_rows]),
        np.concatenate([items, *more_items]),
        values,
    )


class Chance:
    """Any item of the pool: scores by a fixed shuffle."""

    def __init__(self, items: int, seed: int = 0) -> None:
        self._scores = np.random.default_rng([seed, 4]).random(items)

    def scores(self, seen: Seen, pool: Indices) -> Floats:
        """The same for everybody, which in pools drawn at random is chance."""
        return self._scores[pool]


class MostPopular:
    """What most people met, or rated best on average."""

    def __init__(self, table: Table) -> None:
        self._base = table.base

    def scores(self, seen: Seen, pool: Indices) -> Floats:
        """The same for everybody."""
        return self._base[pool]


class Neighbours:
    """Items near those that brought much, by who met both (or how alike their ratings are).

    base + sum of s (reward - base - person's mean) / (pull + sum of s), s the similarity, shrunk
    where few people met both.
    """

    def __init__(self, table: Table, shrink: float = 10.0, pull: float = 1.0) -> None:
        self._base, self._pull = table.base, pull
        rows = table.met if table.implicit else _centred(table.rests)
        both = np.asarray((table.met.T @ table.met).todense())
        products = np.asarray((rows.T @ rows).todense())
        lengths = np.sqrt(np.maximum(np.diag(products), 1e-12))
        found = products / np.outer(lengths, lengths) * both / (both + shrink)
        np.fill_diagonal(found, 0.0)
        self._similar: Floats = np.maximum(found, 0.0)

    def scores(self, seen: Seen, pool: Indices) -> Floats:
        """What everybody gets, moved by the neighbours that were seen."""
        if not seen.arms:
            return self._base[pool]
        rests = np.array(seen.rewards) - self._base[seen.arms]
        rests = rests - rests.sum() / (rests.size + SHRINK)
        near = self._similar[pool][:, seen.arms]
        return np.asarray(self._base[pool] + near @ rests / (self._pull + near.sum(axis=1)))


class Factorisation:
    """Items as vectors, by alternating least squares over the rests; newcomers folded in.

    A person is a vector and a constant of their own, a ridge regression on what was seen.
    """

    def __init__(self, table: Table, factors: int = 20, pull: float = 10.0) -> None:
        self._base = table.base
        size = table.base.size
        self._ridge = np.diag([*np.full(factors, pull), SHRINK])
        vectors = np.random.default_rng(0).normal(0.0, 0.1, (size, factors))
        by_person, by_item = table.rests.tocsr(), table.rests.T.tocsr()
        people = np.zeros((by_person.shape[0], factors + 1))
        item_ridge = pull / 250 * np.eye(factors)
        for _ in range(SWEEPS):
            rows = np.hstack([vectors, np.ones((size, 1))])
            for u in range(len(people)):
                items, rests = _row(by_person, u)
                people[u] = _solve(rows[items], rests, self._ridge)
            for i in range(size):
                who, rests = _row(by_item, i)
                if who.size:
                    mine = people[who]
                    vectors[i] = _solve(mine[:, :-1], rests - mine[:, -1], item_ridge)
        self._rows: Floats = np.hstack([vectors, np.ones((size, 1))])

    def scores(self, seen: Seen, pool: Indices) -> Floats:
        """What everybody gets, and what the person's vector adds."""
        if not seen.arms:
            return self._base[pool]
        rests = np.array(seen.rewards) - self._base[seen.arms]
        theta = _solve(self._rows[seen.arms], rests, self._ridge)
        return np.asarray(self._base[pool] + self._rows[pool] @ theta)


def _row(table: sparse.csr_array, row: int) -> tuple[Indices, Floats]:
    rows = slice(table.indptr[row], table.indptr[row + 1])
    return table.indices[rows], table.data[rows]


def _solve(rows: Floats, values: Floats, ridge: Floats) -> Floats:
    return np.asarray(np.linalg.solve(rows.T @ rows + ridge, rows.T @ values), dtype=np.float64)


def _centred(table: sparse.csr_array) -> sparse.csr_array:
    """Less each person's own mean, shrunk."""
    made = table.copy()
    for row in range(made.shape[0]):
        rows = slice(made.indptr[row], made.indptr[row + 1])
        mine = made.data[rows]
        made.data[rows] = mine - mine.sum() / (mine.size + SHRINK)
    return made
