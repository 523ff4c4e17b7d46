"""Pairs once more, as plainly as possible: what is learned of them, and which one is asked about.

Every pair is listed, every product with an inverse is a ``numpy.linalg.solve``, and nothing is
shared with the package.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import conlinucb as cl
from conlinucb.agent.strategies.base import TermStrategy
from support.reference import (
    Floats,
    Indices,
    Moment,
    Reference,
    first_of_the_best,
    questions_by,
    radii,
    solve,
)

WORDS = {"first": (1.0, 0.0), "second": (0.0, 1.0), "both": (1.0, 1.0), "neither": (0.0, 0.0)}


def taught(update: str, first: Floats, second: Floats, said: Any) -> list[tuple[Floats, float]]:
    """Rows and values that an answer about a pair is learned as."""
    if said is None:
        return []
    if update == "difference" and isinstance(said, float):
        return [(first - second, said)]
    if isinstance(said, float):
        if said == 0:
            return []
        said = "first" if said > 0 else "second"
    one, other = WORDS[said] if isinstance(said, str) else said
    if update == "difference":
        return [(first - second, one - other)]
    if update == "both" or one == other:
        return [(first, one), (second, other)]
    return [(first, one)] if one > other else [(second, other)]


@cl.strategy_kernel
def in_turn(view: cl.View) -> int:
    """Some pair of the offered, another each time."""
    n = view.offered.shape[0]
    first = (3 * view.asked + view.asked // n) % n
    second = (first + 1 + view.asked % (n - 1)) % n
    return int(view.offered[first] * view.terms.shape[0] + view.offered[second])


class InTurn(TermStrategy):
    """Pairs in no sensible order, in both directions."""

    name, kind = "in-turn", "pair"
    kernel = staticmethod(in_turn)


# Which pair, by listing all


def every_pair(n: int) -> list[tuple[int, int]]:
    """All i < j, the lowest first."""
    return [(i, j) for i in range(n) for j in range(i + 1, n)]


def best_of_pairs(scores: Floats, pairs: list[tuple[int, int]]) -> tuple[int, int]:
    return pairs[first_of_the_best(scores)]


def information(M: Floats, arms: Floats, rows: Floats) -> Floats:
    """||arms M^-1 x||^2 / (1 + x'M^-1 x) for each row x, its root."""
    after = solve(M, rows.T)
    effect = np.sum((arms @ after) ** 2, axis=0)
    return np.asarray(np.sqrt(effect / (1 + np.sum(rows.T * after, axis=0))))


def differences(terms: Floats, pairs: list[tuple[int, int]]) -> Floats:
    return np.array([terms[i] - terms[j] for i, j in pairs])


def related(now: Moment) -> list[int]:
    """Places of the terms that an arm of the pool has; all where these are fewer than two."""
    some = np.flatnonzero((now.weights > 0).any(axis=0)).tolist()
    return some if len(some) > 1 else list(range(len(now.terms)))


def by_greed(now: Moment) -> tuple[int, int]:
    some, reach = related(now), now.estimate.reach(now.pool_rows)
    M = now.estimate.term_M
    first = some[first_of_the_best(information(M, reach, now.terms[some]))]
    others = [each for each in some if each != first]
    M = M + np.outer(now.terms[first], now.terms[first])
    return first, others[first_of_the_best(information(M, reach, now.terms[others]))]


def by_difference(now: Moment) -> tuple[int, int]:
    some, reach = related(now), now.estimate.reach(now.pool_rows)
    pairs = [(some[i], some[j]) for i, j in every_pair(len(some))]
    rows = differences(now.terms, pairs)
    return best_of_pairs(information(now.estimate.term_M, reach, rows), pairs)


def by_one_and_the_other(now: Moment) -> tuple[int, int]:
    some, reach = related(now), now.estimate.reach(now.pool_rows)
    M = now.estimate.term_M
    first = some[first_of_the_best(information(M, reach, now.terms[some]))]
    others = [each for each in some if each != first]
    rows = now.terms[others] - now.terms[first]
    return first, others[first_of_the_best(information(M, reach, rows))]


def by_pair_radius(now: Moment) -> tuple[int, int]:
    pairs = every_pair(len(now.terms))
    return best_of_pairs(radii(now.estimate.term_M, differences(now.terms, pairs)), pairs)


CHOICES: dict[str, Callable[[Moment], tuple[int, int]]] = {
    "relative-greedy": by_greed,
    "relative-difference": by_difference,
    "one and the other": by_one_and_the_other,
    "max-radius-pairs": by_pair_radius,
}


@dataclass
class PairReference(Reference):
    """One user of an algorithm that asks about pairs."""

    update: str = "difference"
    before: list[tuple[int, int]] = field(default_factory=list)

    def by_pair_information(self, now: Moment, offered: Indices) -> tuple[int, int]:
        pairs = every_pair(len(now.terms))
        scores = information(now.estimate.term_M, now.arms, differences(now.terms, pairs))
        scores /= np.sqrt(len(now.arms))
        narrow = np.count_nonzero(self.weights, axis=0)[offered] < 2
        asked = [tuple(sorted(each)) for each in self.before]
        reluctance = np.array([
            2 * asked.count((int(offered[i]), int(offered[j]))) + int(narrow[i] or narrow[j])
            for i, j in pairs
        ])  # fmt: skip
        scores[reluctance > reluctance.min()] = -np.inf
        return best_of_pairs(scores, pairs)

    def ask_pair(self, pool: Indices, offered: Indices) -> tuple[int, int]:
        offered, self.asked = np.sort(offered), self.asked + 1
        now = Moment(
            estimate=self.estimate,
            terms=self.terms[offered],
            members=[],
            pool_rows=self.arms[pool],
            weights=self.weights[np.ix_(pool, offered)],
            t=self.t,
            questions=questions_by(self.b, self.t),
            seed=self.seed,
            asked=self.asked - 1,
            arms=self.arms,
            reluctance=np.zeros(offered.size, dtype=np.int64),
            offered=offered,
            every=self.terms,
            graph=np.empty((0, 0)),
            design=np.empty(0),
        )
        if self.strategy == "informative-pairs":
            places = self.by_pair_information(now, offered)
        else:
            places = CHOICES[str(self.strategy)](now)
        found = int(offered[places[0]]), int(offered[places[1]])
        self.before.append(found)
        return found

    def hear_pair(self, pair: tuple[int, int], said: Any) -> None:
        for x, y in taught(self.update, self.terms[pair[0]], self.terms[pair[1]], said):
            self.estimate.learn_term(x, y)
