"""HCB and pHCB once more, by their definition: sets of arms, lists of rewards, and solves.

Nothing is shared with the package but the draw of random numbers and the tie rule, which are
definitions. A tree is a list of nested sets of arms; arms that no narrowest set holds make one
more.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from conlinucb.randomness import BRANCHES, derive, distinct
from support.reference import Floats, Indices, first_of_the_best, radii, solve

ROOT = -1


def drawn(seed: np.uint64, among: list[int], size: int) -> list[int]:
    """So many of them, in ascending order; all where there are no more."""
    if len(among) <= size:
        return among
    out = np.empty(size, dtype=np.int64)
    distinct(seed, np.array(among), np.zeros(len(among), dtype=np.uint8), out)
    return sorted(out.tolist())


@dataclass
class Fit:
    """LinUCB from a list of what was seen."""

    d: int
    beta: float
    alpha: float
    seen: list[tuple[Floats, float]] = field(default_factory=list)

    def add(self, x: Floats, y: float) -> None:
        self.seen.append((x, y))

    @property
    def theta(self) -> Floats:
        return solve(self.M, self.X.T @ np.array([y for _, y in self.seen]))

    @property
    def X(self) -> Floats:
        return np.array([x for x, _ in self.seen]).reshape(len(self.seen), self.d)

    @property
    def M(self) -> Floats:
        return self.beta * np.eye(self.d) + self.X.T @ self.X

    def indices(self, rows: Floats) -> Floats:
        return rows @ self.theta + self.alpha * radii(self.M, rows)


class Forest:
    """Nested sets of arms: parents, children, depths (the root's is 0), and means."""

    def __init__(self, arms: Floats, sets: list[set[int]]) -> None:
        self.arms, self.sets = arms, [set(each) for each in sets]
        self.parent = [self._smallest_around(k) for k in range(len(sets))]
        for above in [k for k in range(len(sets)) if self._children(k)] + [ROOT]:
            held = set(range(len(arms))) if above == ROOT else self.sets[above]
            rest = held - {a for k in self._children(above) for a in self.sets[k]}
            if rest and self._children(above):
                self.sets.append(rest)
                self.parent.append(above)
        self.means = np.array([arms[sorted(each)].mean(axis=0) for each in self.sets])

    def _smallest_around(self, k: int) -> int:
        larger = [j for j in range(len(self.sets)) if self.sets[k] < self.sets[j]]
        return min(larger, key=lambda j: len(self.sets[j])) if larger else ROOT

    def _children(self, node: int) -> list[int]:
        return [k for k, parent in enumerate(self.parent) if parent == node]

    children = _children

    def depth(self, node: int) -> int:
        return 0 if node == ROOT else 1 + self.depth(self.parent[node])

    @property
    def levels(self) -> int:
        return max(self.depth(k) for k in range(len(self.sets)))

    def above(self, arm: int) -> list[int]:
        """The nodes that an arm is in, from broad to narrow."""
        return sorted((k for k, each in enumerate(self.sets) if arm in each), key=self.depth)


class Walker:
    """HCB."""

    def __init__(
        self, forest: Forest, seed: int, beta: float = 1.0, alpha: float = 0.5, most: int = 50
    ) -> None:
        self.forest, self.seed, self.most, self.t = forest, np.uint64(seed), most, 0
        d = forest.arms.shape[1]
        self.items = Fit(d, beta, alpha)
        self.nodes = [Fit(d, beta, alpha) for _ in range(forest.levels)]

    def node(self, pool: Indices, at: np.uint64) -> int:
        node, step = ROOT, 0
        width = max(1, self.most // self.forest.levels)
        while children := self.forest.children(node):
            there = [k for k in children if self.forest.sets[k] & set(pool.tolist())]
            looked = drawn(derive(at, 1 + step), there, width)
            scores = self.nodes[step].indices(self.forest.means[looked])
            node = looked[first_of_the_best(scores)]
            step += 1
        return node

    def recommend(self, pool: Indices) -> int:
        self.t += 1
        at = derive(derive(self.seed, self.t), BRANCHES)
        members = self.forest.sets[self.node(pool, at)]
        places = [i for i, arm in enumerate(pool.tolist()) if arm in members]
        looked = pool[drawn(derive(at, 0), places, self.most)]
        return int(looked[first_of_the_best(self.items.indices(self.forest.arms[looked]))])

    def learn(self, arm: int, reward: float) -> None:
        self.items.add(self.forest.arms[arm], reward)
        for fit, node in zip(self.nodes, self.forest.above(arm), strict=False):
            fit.add(self.forest.means[node], reward)


class Opener(Walker):
    """pHCB; the root's depth is 1."""

    def __init__(self, forest: Forest, seed: int, visits: float, feedback: float, **rest: float):
        super().__init__(forest, seed, **rest)  # type: ignore[arg-type]
        self.open = set(forest.children(ROOT))
        self.visits, self.feedback = visits, feedback
        self.rewards: list[tuple[int, float]] = []

    def node(self, pool: Indices, at: np.uint64) -> int:
        there = [k for k in sorted(self.open) if self.forest.sets[k] & set(pool.tolist())]
        looked = drawn(derive(at, 1), there, self.most)
        depths = np.array([self.forest.depth(k) + 1 for k in looked])
        scores = self.nodes[0].indices(self.forest.means[looked]) * depths
        return looked[first_of_the_best(scores)]

    def learn(self, arm: int, reward: float) -> None:
        self.items.add(self.forest.arms[arm], reward)
        (node,) = (k for k in self.open if arm in self.forest.sets[k])
        self.nodes[0].add(self.forest.means[node], reward)
        self.rewards.append((arm, reward))
        mine = [y for a, y in self.rewards if a in self.forest.sets[node]]
        wanted = math.log(self.forest.depth(node) + 1)
        enough = len(mine) >= self.visits * wanted and np.mean(mine) >= self.feedback * wanted
        if enough and self.forest.children(node):
            self.open = (self.open - {node}) | set(self.forest.children(node))
