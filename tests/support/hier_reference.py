"""Hier-LinUCB once more, as plainly as possible: all feedback is kept, counts are dictionaries."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from support.reference import Floats, History, Indices, first_of_the_best, radii, solve


@dataclass
class HierReference:
    """One user."""

    arms: Floats
    weights: Floats
    beta: float
    alpha: float
    kappa: float
    room: int = 1024
    t: int = 1
    asked: Counter[int] = field(default_factory=Counter)
    shown: Counter[int] = field(default_factory=Counter)
    history: History = field(init=False)

    def __post_init__(self) -> None:
        self.history = History(self.arms.shape[1], self.beta, 1.0, room=self.room)

    def terms_of(self, arm: int) -> set[int]:
        return set(np.flatnonzero(self.weights[arm]).tolist())

    def next(self, pool: Indices, offered: Indices) -> tuple[int, int | None]:
        """The best arm, and the key-term that is asked about in its place, if one is."""
        M, rows = self.history.M, self.arms[pool]
        scores = rows @ solve(M, self.history.Y) + self.alpha * radii(M, rows)
        place = first_of_the_best(scores)
        best, score = int(pool[place]), float(scores[place])
        known = sorted(self.terms_of(best) & set(offered.tolist()))
        if not known:
            return best, None
        k = min(known, key=lambda each: (self.asked[each], each))
        wide = math.log(self.t + 1)
        question = 0.5 * score + self.kappa * math.sqrt(wide / (1 + self.asked[k]))
        item = score - self.kappa * math.sqrt(wide / (1 + self.shown[best]))
        return best, (k if question >= item - 1e-9 * max(1.0, abs(item)) else None)

    def best_of(self, k: int, pool: Indices, worth: Floats) -> int:
        """The place in the pool of the key-term's best arm."""
        having = [i for i, a in enumerate(pool.tolist()) if k in self.terms_of(a)]
        return max(having, key=lambda i: (worth[i], -i))

    def heard(self, arm: int, k: int, answer: float | None) -> None:
        """Half of what the best arm brings is taken for half of what ``arm`` would have."""
        self.asked[k] += 1
        if answer is not None:
            self.history.add(self.arms[arm], 2.0 * answer)
        self.t += 1

    def recommended(self, arm: int, reward: float | None) -> None:
        self.shown[arm] += 1
        if reward is not None:
            self.history.add(self.arms[arm], reward)
        self.t += 1
