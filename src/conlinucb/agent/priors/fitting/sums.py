"""One pass over people: what an EM step needs of them, summed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import islice
from typing import NamedTuple, TypeVar

import numpy as np

from conlinucb.agent.priors.fitting import kernels
from conlinucb.agent.priors.fitting.events import Events
from conlinucb.numerics.validation import Floats

Result = TypeVar("Result")

WAITING = 16
"""Chunks a thread is given at a time: what is summed later lies in memory."""


class Belief(NamedTuple):
    """N(mean, covariance) over people, the noise of a reward, and the target's three scales."""

    mean: Floats
    covariance: Floats
    noise: float
    scales: Floats


class Meaning(NamedTuple):
    """How a row of feedback is taken: (value - offset) / slope observes x'theta, with a weight."""

    features: Floats
    """(arms + terms, d)."""
    offset: Floats
    slope: Floats
    weight: Floats
    """(arms + terms,): 0 where rows of this kind are not to be learned from."""
    popularity: int
    """The column that ``Events.deltas`` are of."""


class Limits(NamedTuple):
    """How much one person may count."""

    cap: float
    """Events' worth of weight."""
    length: float
    """Largest squared Mahalanobis length of a person's mean."""


class Sums(NamedTuple):
    """Over people, in whitened coordinates: covariances, squares and means, and tallies."""

    covariance: Floats
    squares: Floats
    means: Floats
    tally: Floats

    @property
    def people(self) -> float:
        """How many people had anything to say."""
        return float(self.tally[kernels.PEOPLE])

    @property
    def likelihood(self) -> float:
        """Log of the density of everything they said."""
        return float(self.tally[kernels.LIKELIHOOD])

    @property
    def events(self) -> float:
        """How much they said, each person's at most the cap."""
        return float(self.tally[kernels.EVENTS])

    def plus(self, other: Sums) -> Sums:
        """Both together."""
        return Sums(*(a + b for a, b in zip(self, other, strict=True)))


def no_sums(d: int) -> Sums:
    """Of nobody."""
    return Sums(np.zeros((d, d)), np.zeros((d, d)), np.zeros(d), np.zeros(kernels.TALLIES))


class Whitened(NamedTuple):
    """A belief and the features seen from it, as kernels take them."""

    table: Floats
    level: Floats
    popularity: Floats
    popularity_level: float
    noise: float


def whitened(belief: Belief, meaning: Meaning) -> Whitened:
    """Features times the root of the covariance, and what each is expected to be."""
    root = np.linalg.cholesky(belief.covariance)
    return Whitened(
        np.ascontiguousarray(meaning.features @ root),
        meaning.features @ belief.mean,
        root[meaning.popularity].copy(),
        float(belief.mean[meaning.popularity]),
        belief.noise,
    )


def taken(events: Events, meaning: Meaning) -> Events:
    """Values and weights as observations of x'theta; what nobody said has no weight."""
    said = ~np.isnan(events.values)
    values = (events.values - meaning.offset[events.rows]) / meaning.slope[events.rows]
    weights = events.weights * meaning.weight[events.rows] * said
    return events.with_values(np.where(said, values, 0.0), weights)


def tempers(events: Events, used: Floats, cap: float) -> Floats:
    """(people,): what each person's weights are multiplied with, so that none exceeds the cap.

    It counts weights as given, of the events that are ``used``: how precise answers are is no
    matter of how much a person said.
    """
    counted = np.where(used > 0.0, events.weights, 0.0)
    found = np.bincount(events.owners, counted, minlength=events.people)
    return np.where(found > 0.0, np.minimum(1.0, cap / np.maximum(found, 1e-300)), 0.0)


def in_chunks(work: Callable[[Events], Result], events: Events, threads: int) -> Iterator[Result]:
    """What ``work`` makes of each chunk of people, in their order; on threads."""
    chunks = events.chunks()
    with ThreadPoolExecutor(threads) as pool:
        while some := list(islice(chunks, WAITING * threads)):
            yield from pool.map(work, some)


def sum_events(
    belief: Belief, meaning: Meaning, limits: Limits, threads: int, events: Events
) -> Sums:
    """Over all people of these events; the same on any number of threads."""
    work = partial(_sum_chunk, whitened(belief, meaning), meaning, limits)
    return total(in_chunks(work, events, threads), belief.mean.size)


def total(parts: Iterable[Sums], d: int) -> Sums:
    """All together, added in this order."""
    found = no_sums(d)
    for each in parts:
        found = found.plus(each)
    return found


def _sum_chunk(view: Whitened, meaning: Meaning, limits: Limits, events: Events) -> Sums:
    said = taken(events, meaning)
    C, H, means, tally = no_sums(view.popularity.size)
    kernels.sum_people(
        view.table, view.level, said.starts, said.rows, said.values, said.weights,
        tempers(events, said.weights, limits.cap), said.deltas,
        view.popularity, view.popularity_level, view.noise, limits.length, C, H, means, tally,
    )  # fmt: skip
    return Sums(_both_triangles(C), _both_triangles(H), means, tally)


def _both_triangles(lower: Floats) -> Floats:
    return np.asarray(np.tril(lower) + np.tril(lower, -1).T)
