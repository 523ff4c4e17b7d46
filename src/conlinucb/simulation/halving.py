"""Early stopping: many points on few people or rounds, the better ones on more, the best on all.

The schedule is a function of the budget and of how many people and rounds there are, so it is the
same for every algorithm, and each spends the same number of user-rounds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from conlinucb.errors import InvalidInput
from conlinucb.numerics.validation import Indices, seed_of, whole


class Rung(NamedTuple):
    """One step: these people play so many rounds under every point that is left."""

    members: Indices
    rounds: int
    anew: bool
    """Whether what was played before is played again, since rounds cannot be gone on with."""

    @property
    def cost(self) -> int:
        """User-rounds of one point."""
        return int(self.members.size) * self.rounds


@dataclass(frozen=True)
class Halving:
    """Successive halving: of the points of a batch one in ``factor`` goes on at each rung.

    Over people, a rung has ``factor`` times as many of them as the one before, and only those who
    are new play; over rounds, all people play ``factor`` times as many rounds, from the beginning.

    >>> Halving(factor=2, rungs=3).left(12)
    [12, 6, 3]
    """

    factor: int = 3
    rungs: int = 3
    over: Literal["people", "rounds"] = "people"

    def __post_init__(self) -> None:
        whole("factor", self.factor, low=2)
        whole("rungs", self.rungs, low=1)
        if self.over not in ("people", "rounds"):
            raise InvalidInput(f"over must be 'people' or 'rounds', got {self.over!r}.")

    def steps(self, people: int, rounds: int, seed: int) -> list[Rung]:
        """Who plays how long at each rung; the people in an order drawn by the seed."""
        everyone = np.arange(people)
        if self.over == "rounds":
            return [Rung(everyone, each, anew=True) for each in self._sizes(rounds)]
        order = np.random.default_rng(int(seed_of(seed))).permutation(people)
        ends = self._sizes(people)
        starts = [0, *ends[:-1]]
        return [
            Rung(np.sort(order[start:end]), rounds, anew=False)
            for start, end in zip(starts, ends, strict=True)
        ]

    def left(self, count: int) -> list[int]:
        """How many points of so many play at each rung."""
        return [max(1, count // self.factor**each) for each in range(self.rungs)]

    def schedule(self, count: int, steps: list[Rung]) -> list[tuple[Rung, int]]:
        """Each rung that is played, and how many points play it.

        Where the same points go on, there is nothing to decide, and rounds need no second time.
        """
        left = self.left(count)[: len(steps)]
        further = [*left[1:], 0]
        return [
            (step, here)
            for step, here, then in zip(steps, left, further, strict=True)
            if here != then or not step.anew
        ]

    def points(self, budget: int, steps: list[Rung], whole_trial: int) -> int:
        """The most points that cost no more than ``budget`` whole trials."""
        count = budget
        while self.cost(count + 1, steps) <= budget * whole_trial:
            count += 1
        return count

    def cost(self, count: int, steps: list[Rung]) -> int:
        """User-rounds that so many points take in all."""
        return sum(step.cost * points for step, points in self.schedule(count, steps))

    def _sizes(self, whole_size: int) -> list[int]:
        """Growing sizes that end with the whole; few people make fewer rungs."""
        parts = [-(-whole_size // self.factor**each) for each in reversed(range(self.rungs))]
        return sorted(set(parts))
