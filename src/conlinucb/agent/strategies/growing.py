"""Questions about ever finer groups: of partitions side by side, one is asked about at a time."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from conlinucb.agent import schedule as schedules
from conlinucb.agent.strategies.base import VIEW, TermStrategy, View, strategy_kernel
from conlinucb.agent.strategies.max_radius import MaxRadius, max_radius
from conlinucb.agent.strategies.optimal_greedy import OptimalGreedy, optimal_greedy
from conlinucb.catalog.catalog import Catalog
from conlinucb.errors import InvalidInput, UnknownName, nearest
from conlinucb.numerics.compile import kernel
from conlinucb.numerics.validation import Floats, Indices, positive, whole

ROUNDING = 1e-9
"""By how much a number of groups may fall short of a whole one."""


@kernel(VIEW(VIEW), inner=True)
def narrowed(view: View) -> View:
    """The view with only the present partition offered; with all where none of it is on offer.

    ``constants`` are how many partitions there are, where each begins and the last ends, and the
    first round of each.
    """
    many, now = int(view.constants[0]), 0
    for i in range(1, many):
        if view.round >= view.constants[2 + many + i]:
            now = i
    low, high = view.constants[1 + now], view.constants[2 + now]
    first = last = 0
    for i in range(view.offered.shape[0]):
        first += view.offered[i] < low
        last += view.offered[i] < high
    offered = view.offered[first:last] if last > first else view.offered[0:]
    return View(
        view.terms, offered, view.theta, view.cov, view.alpha, view.pool, view.reach,
        view.arm_start, view.arm_terms, view.arm_weights, view.bounds, view.constants[:0],
        view.seed, view.asked, view.round, view.weights, view.chances, view.times, view.means,
        view.noise, view.pairs, view.memory,
    )  # fmt: skip


@strategy_kernel(cache=True)
def growing_greedy(view: View) -> int:
    """ConUCB's question among the present groups."""
    return optimal_greedy(narrowed(view))


@strategy_kernel(cache=True)
def growing_radius(view: View) -> int:
    """The widest of the present groups."""
    return max_radius(narrowed(view))


KERNELS: dict[str, Any] = {OptimalGreedy.name: growing_greedy, MaxRadius.name: growing_radius}


class Growing(TermStrategy):
    """Questions about n(t) groups of arms, min(floor(N log2(1 + delta t / rounds)) + 1, N) of them,
    t the rounds played before; chosen among them ``by`` "optimal-greedy" or "max-radius".

    The groups are key-terms of a catalogue that has partitions side by side: ``catalogue`` makes
    it, with one for each n(t) that a schedule comes to, or ``with_clusters([1, 5, 25])``. Of these
    the finest with at most n(t) groups is asked about. ``most`` is a limit to n(t): at N, each
    group is a single arm.

    >>> catalog = Catalog([[0.0], [1.0], [8.0], [9.0]]).with_clusters([1, 2, 4])
    >>> growing = Growing(delta=1.0, rounds=100)
    >>> [growing.groups(t, arms=4) for t in (1, 20, 60, 100)]
    [1, 2, 3, 4]
    >>> growing.prepare(catalog)
    array([ 3.,  0.,  1.,  3.,  7.,  0., 20., 70.])
    """

    name = "growing"
    draws = "never"

    def __init__(
        self,
        *,
        delta: float = 1.0,
        rounds: int = 1000,
        most: int = 100,
        by: str = OptimalGreedy.name,
    ) -> None:
        self.delta, self.rounds = positive("delta", delta), whole("rounds", rounds, low=1)
        self.most = whole("most", most, low=1)
        if not isinstance(by, str) or by not in KERNELS:
            raise UnknownName(f"Growing does not choose by {by!r}.{nearest(by, KERNELS)}")
        self.by = by

    @property
    def kernel(self) -> Any:
        """For the compiled loop."""
        return KERNELS[self.by]

    @property
    def needs_pool(self) -> bool:  # type: ignore[override]
        """Whether the way to choose looks at the pool."""
        return self.by == OptimalGreedy.name

    def groups(self, t: int, arms: int) -> int:
        """How many groups there are in round t, from 1."""
        grown = arms * math.log2(1.0 + self.delta * (t - 1) / self.rounds)
        return min(math.floor(grown + ROUNDING) + 1, arms, self.most)

    def catalogue(self, catalog: Catalog, schedule: Callable[[int], float]) -> Catalog:
        """The same arms, with k-means into each number of groups that is ever asked about."""
        asked = [
            t
            for t in range(1, self.rounds + 1)
            if schedules.questions(schedules.checked(schedule), t)
        ]
        arms = catalog.live_arms.size
        sizes = sorted({self.groups(t, arms) for t in asked} or {self.groups(self.rounds, arms)})
        made = catalog.with_clusters(sizes)
        different = sorted(set(np.diff(partitions_of(made)).tolist()))  # fewer where arms are alike
        return made if different == sizes else catalog.with_clusters(different)

    def prepare(self, catalog: Catalog) -> Floats:
        """Where partitions begin, and in which rounds: see ``narrowed``."""
        starts = partitions_of(catalog)
        sizes, arms = np.diff(starts), catalog.live_arms.size
        begin = [0.0] + [self._first_round(int(size), arms) for size in sizes[1:]]
        return np.concatenate([[sizes.size], starts, begin]).astype(np.float64)

    def _first_round(self, size: int, arms: int) -> float:
        """The first round with at least so many groups."""
        if size > min(arms, self.most):
            return math.inf
        t = 1 + math.floor(self.rounds / self.delta * (2.0 ** ((size - 1) / arms) - 1.0))
        t = max(1, t - 1)
        while self.groups(t, arms) < size:
            t += 1
        return float(t)


def partitions_of(catalog: Catalog) -> Indices:
    """Where each partition's key-terms begin, and where the last ends; refused where it is none.

    >>> partitions_of(Catalog([[0.0], [1.0], [8.0]]).with_clusters([1, 2]))
    array([0, 1, 3])
    """
    columns = catalog.weights.tocsc()
    starts, seen = [0], np.zeros(len(catalog), dtype=bool)
    for k in range(columns.shape[1]):
        members = columns.indices[columns.indptr[k] : columns.indptr[k + 1]]
        if seen[members].any():
            break
        seen[members] = True
        if seen.all():
            starts.append(k + 1)
            seen[:] = False
    shrinks = (np.diff(starts, n=2) < 0).any()
    if starts[-1] != columns.shape[1] or shrinks:
        raise InvalidInput(
            "Growing asks about partitions side by side, from few groups to many, each arm in one "
            f"group of each; {catalog!r} has other key-terms. See Growing.catalogue, or "
            "with_clusters([1, 5, 25])."
        )
    return np.array(starts)
