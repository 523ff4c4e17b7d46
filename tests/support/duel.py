"""ConDuel once more, as plainly as possible: all pairs of arms, every matrix solved anew."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from conlinucb.randomness import QUESTIONS, SELECT, derive, distinct, uniform_index
from support.logistic import Steps
from support.reference import (
    Floats,
    Indices,
    first_of_the_best,
    questions_by,
    radii,
    spanner,
)


class Duelist:
    """One user. The draws are definitions: a random order of the pool, two members by position."""

    def __init__(
        self,
        arms: Floats,
        weights: Floats,
        *,
        strategy: str,
        first: str,
        beta: float,
        alpha: float,
        b: Callable[[int], float],
        seed: int,
    ) -> None:
        d = arms.shape[1]
        self.arms, self.alpha, self.first, self.strategy = arms, alpha, first, strategy
        self.terms = (weights / weights.sum(axis=0)).T @ arms
        self.steps = Steps(beta * np.eye(d), np.zeros(d))
        self.b, self.seed, self.t, self.asked = b, np.uint64(seed), 1, 0
        self.members = spanner(self.terms) if strategy == "spanner" else []

    def questions_due(self) -> int:
        return questions_by(self.b, self.t) - questions_by(self.b, self.t - 1)

    def ask(self, offered: Indices) -> tuple[int, int]:
        self.asked += 1
        if self.strategy == "spanner":
            return self._two_members()
        rows = self.terms[np.sort(offered)]
        one = first_of_the_best(radii(self.steps.M, rows))
        gaps = radii(self.steps.M, rows - rows[one])
        gaps[one] = -1.0
        return int(np.sort(offered)[one]), int(np.sort(offered)[first_of_the_best(gaps)])

    def _two_members(self) -> tuple[int, int]:
        stream, at = derive(self.seed, QUESTIONS), 2 * (self.asked - 1)
        left = list(self.members)
        one = left.pop(uniform_index(stream, at, len(left)))
        return one, left[uniform_index(stream, at + 1, len(left))]

    def hear(self, pair: tuple[int, int], y: float) -> None:
        self.steps.learn_term(self.terms[pair[0]] - self.terms[pair[1]], y)

    def candidates(self, pool: Indices) -> list[int]:
        """Positions of the arms whom no other leads by more than alpha deviations."""
        found = []
        for i, arm in enumerate(pool):
            away = self.arms[pool] - self.arms[arm]
            leads = away @ self.steps.theta
            if (leads <= self.alpha * radii(self.steps.M, away)).all():
                found.append(i)
        return found

    def recommend(self, pool: Indices) -> tuple[int, int]:
        standing = self.candidates(pool)
        one = first_of_the_best(self.arms[pool] @ self.steps.theta)
        if self.first == "random":
            order = np.empty(pool.size, dtype=np.int64)
            at = derive(derive(self.seed, self.t), SELECT)
            distinct(at, np.arange(pool.size), np.zeros(pool.size, dtype=np.uint8), order)
            one = next(int(each) for each in order if each in standing)
        self.t += 1
        others = [each for each in standing if each != one]
        if not others:
            return int(pool[one]), int(pool[one])
        gaps = radii(self.steps.M, self.arms[pool[others]] - self.arms[pool[one]])
        return int(pool[one]), int(pool[others[first_of_the_best(gaps)]])

    def learn(self, first: int, second: int, y: float) -> None:
        if first != second:
            self.steps.learn_arm(self.arms[first] - self.arms[second], y)
