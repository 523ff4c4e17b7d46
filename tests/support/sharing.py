"""People who share, once more and as plainly as possible: what groups come to is compared with it.

Everyone's feedback is kept. A group's estimate is made of all feedback of all its members, gathered
anew for every decision; nothing is added to or taken from a sum. All pairs of clusters are compared
at every check.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from support.reference import (
    Estimate,
    Floats,
    History,
    Indices,
    OneStep,
    Reference,
    first_of_the_best,
)


def gathered(estimates: list[Estimate]) -> Estimate:
    """One estimate from the feedback of several people."""
    first = estimates[0]
    if isinstance(first, OneStep):
        made = replace(first)
        made.both = _all([each.both for each in estimates if isinstance(each, OneStep)])
        return made
    both = replace(first)
    others = [each for each in estimates if not isinstance(each, OneStep)]
    both.arms = _all([each.arms for each in others])
    both.terms = _all([each.terms for each in others])
    return both


def _all(histories: list[History]) -> History:
    first = histories[0]
    made = History(first.rows.shape[1], first.strength, first.weight, room=1)
    made.rows = np.concatenate([each.rows[: each.count] for each in histories])
    made.values = np.concatenate([each.values[: each.count] for each in histories])
    made.count = made.values.size
    return made


@dataclass
class Crowd:
    """Everyone's own reference, and who is with whom; "answers" where only those are shared."""

    everyone: list[Reference]
    groups: Indices
    rule: Any = None
    what: str = "everything"
    rounds: Indices = field(init=False)
    present: int = -1

    def __post_init__(self) -> None:
        self.rounds = np.zeros(len(self.everyone), dtype=np.int64)
        self.own = [each.estimate for each in self.everyone]

    def members(self, group: int) -> list[int]:
        return [i for i in range(len(self.everyone)) if self.groups[i] == group]

    def of_group(self, group: int) -> Estimate:
        return gathered([self.own[i] for i in self.members(group)])

    def arrive(self, person: int) -> Reference:
        """Someone else was there: their visit is over."""
        if self.present not in (-1, person) and self.rule is not None:
            self.rule.look(self, self.present)
        self.present = person
        someone = self.everyone[person]
        together = self.what == "everything"
        someone.estimate = self.of_group(int(self.groups[person])) if together else self.own[person]
        return someone

    def questions_due(self, person: int) -> int:
        return self.everyone[person].questions_due()

    def ask(self, person: int, pool: Indices, offered: Indices) -> int:
        return self.arrive(person).ask(pool, offered)

    def hear(self, person: int, index: int, answer: float) -> None:
        told = [person] if self.what == "everything" else self.members(int(self.groups[person]))
        for each in told:
            someone = self.everyone[each]
            someone.estimate = self.own[each]
            someone.hear(index, answer)

    def recommend(self, person: int, pool: Indices) -> int:
        best = self.arrive(person).recommend(pool)
        self.rounds[person] += 1
        return best

    def learn(self, person: int, arm: int, reward: float) -> None:
        someone = self.everyone[person]
        someone.estimate = self.own[person]
        someone.learn(arm, reward)


class ByPhases:
    """SCLUB's rule: see ``conlinucb.Clusters``."""

    def __init__(self, a: float) -> None:
        self.a, self.phase, self.left = a, 1, 2
        self.came: set[int] = set()
        self.splits = self.merges = 0

    def look(self, crowd: Crowd, person: int) -> None:
        self.came.add(person)
        group = int(crowd.groups[person])
        if len(crowd.members(group)) > 1:
            apart = self._apart(crowd.own[person], crowd.of_group(group))
            rounds = int(crowd.rounds[crowd.members(group)].sum())
            if apart > self.a * (self._off(int(crowd.rounds[person])) + self._off(rounds)):
                free = min(set(range(len(crowd.groups))) - set(crowd.groups.tolist()))
                crowd.groups[person] = free
                self.splits += 1
        while (pair := self._pair(crowd)) is not None:
            crowd.groups[crowd.groups == pair[1]] = pair[0]
            self.merges += 1
        played = int(crowd.rounds.sum())
        while played >= self.left:
            self.phase += 1
            self.left += 2**self.phase
            self.came = set()

    def _pair(self, crowd: Crowd) -> tuple[int, int] | None:
        ready = [g for g in np.unique(crowd.groups) if set(crowd.members(g)) <= self.came]
        estimates = {g: crowd.of_group(g) for g in ready}
        offs = {g: self._off(int(crowd.rounds[crowd.members(g)].sum())) for g in ready}
        for i, one in enumerate(ready):
            for other in ready[i + 1 :]:
                near = self.a * (offs[one] + offs[other]) / 2
                if self._apart(estimates[one], estimates[other]) < near:
                    return int(one), int(other)
        return None

    @staticmethod
    def _off(n: int) -> float:
        return math.sqrt((1 + math.log(1 + n)) / (1 + n))

    @staticmethod
    def _apart(one: Estimate, other: Estimate) -> float:
        return math.sqrt(float(np.sum((one.theta - other.theta) ** 2)))


class ByMeans:
    """k-means over everyone's own estimates: see ``conlinucb.KMeans``."""

    def __init__(self, n: int, every: int) -> None:
        self.n, self.every, self.next = n, every, every
        self.times = 0

    def look(self, crowd: Crowd, person: int) -> None:
        if int(crowd.rounds.sum()) < self.next:
            return
        while self.next <= int(crowd.rounds.sum()):
            self.next += self.every
        self.times += 1
        crowd.groups = in_order(means(np.stack([each.theta for each in crowd.own]), self.n))


def means(rows: Floats, n: int) -> Indices:
    """Lloyd's steps from the farthest rows, one row at a time."""
    rows = rows - rows.mean(axis=0)
    size = np.linalg.norm(rows, axis=1).max()
    rows = rows / size if size > 0 else rows
    starts = [first_of_the_best(np.sum(rows**2, axis=1))]
    while len(starts) < n:
        apart = np.min([np.sum((rows - rows[at]) ** 2, axis=1) for at in starts], axis=0)
        if apart.max() <= 1e-9:
            break
        starts.append(first_of_the_best(apart))
    centres, labels = rows[starts], np.full(len(rows), -1)
    for _ in range(300):
        squares = np.array([[np.sum((row - centre) ** 2) for centre in centres] for row in rows])
        found = np.array([first_of_the_best(-each) for each in squares])
        assert set(found) == set(range(len(starts))), "an empty group is not in these tests"
        if (found == labels).all():
            break
        labels = found
        centres = np.stack([rows[labels == i].mean(axis=0) for i in range(len(starts))])
    return labels


def in_order(labels: Indices) -> Indices:
    """Numbered in the order of their first members."""
    names = list(dict.fromkeys(labels.tolist()))
    return np.array([names.index(each) for each in labels.tolist()])
