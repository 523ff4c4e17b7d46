"""ConTS once more, as plainly as possible: all feedback is kept, sets are sets."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from conlinucb.randomness import SELECT, derive, normal
from support.reference import Floats, History, Indices, first_of_the_best, solve


@dataclass
class ConTSReference:
    """One user. ``turns`` ends a conversation, ``accept`` and ``success`` are least values."""

    arms: Floats
    weights: Floats
    beta: float
    width: float
    seed: int
    accept: float = 0.5
    success: float = 0.5
    turns: int = 15
    most: int = 15
    t: int = 1
    number: int = 0
    turn: int = 0
    accepted: set[int] = field(default_factory=set)
    asked: set[int] = field(default_factory=set)
    refused: set[int] = field(default_factory=set)
    history: History = field(init=False)
    terms: Floats = field(init=False)

    def __post_init__(self) -> None:
        self.terms = (self.weights / self.weights.sum(axis=0)).T @ self.arms
        self.history = History(self.arms.shape[1], self.beta, 1.0, room=30_000)

    def taste(self) -> Floats:
        M = self.history.M
        at = derive(derive(derive(np.uint64(self.seed), self.t), SELECT), self.number)
        z = np.array([normal(at, i) for i in range(len(M))])
        root = np.linalg.cholesky(np.linalg.inv(M))
        return np.asarray(solve(M, self.history.Y) + self.width * (root @ z))

    def end(self) -> None:
        self.turn = 0
        self.accepted, self.asked, self.refused = set(), set(), set()

    def next(self, pool: Indices, offered: Indices) -> tuple[str, int]:
        """("ask", key-term) or ("recommend", arm)."""
        if self.turn >= self.turns:
            self.end()
        u = self.taste()
        left = [a for a in pool.tolist() if a not in self.refused]
        has = {a: {k for k in self.accepted if self.weights[a, k] > 0} for a in pool.tolist()}
        if left:
            most = max(len(has[a]) for a in left)
            left = [a for a in left if len(has[a]) == most]
        else:
            left = pool.tolist()
        by_arm = self.arms[left] @ u
        best = left[first_of_the_best(by_arm)]
        open_terms = [
            k
            for k in sorted(offered.tolist())
            if k not in self.asked and any(self.weights[a, k] > 0 for a in left)
        ]
        if self.number < self.most and open_terms:
            lengths = np.linalg.norm(self.terms, axis=1)
            usual = np.mean(np.linalg.norm(self.arms, axis=1))
            by_term = (self.terms[open_terms] @ u) * usual / lengths[open_terms]
            at = first_of_the_best(by_term)
            top = by_term[at]
            if self.arms[best] @ u < top - 1e-9 * max(1.0, abs(top)):
                return "ask", open_terms[at]
        return "recommend", best

    def hear(self, k: int, answer: float | None) -> None:
        self.turn += 1
        self.number += 1
        self.asked.add(k)
        if answer is not None:
            self.history.add(self.terms[k], answer)
            if answer >= self.accept:
                self.accepted.add(k)

    def recommended(self) -> None:
        self.turn += 1
        self.t += 1
        self.number = 0

    def learn(self, arm: int, reward: float) -> None:
        self.history.add(self.arms[arm], reward)
        if reward >= self.success:
            self.end()
        else:
            self.refused.add(arm)
