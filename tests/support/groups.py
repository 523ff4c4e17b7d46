"""Groups once more, as plainly as possible: chosen, answered and learned from.

As ``support.reference``: every matrix is summed anew, nothing is shared with the package but the
draw of a random number and the numbers of the streams.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from conlinucb.randomness import ANSWER_NOISE, GROUP_NOISE, LIE, REFUSAL, derive, normal, uniform
from support.reference import (
    STRATEGIES,
    Estimate,
    Floats,
    History,
    Indices,
    Reference,
    first_of_the_best,
)


@dataclass
class Supposed:
    """An estimate whose key-terms' matrix is as if these rows had been answered about, too."""

    known: Estimate
    rows: list[Floats] = field(default_factory=list)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.known, name)

    @property
    def term_M(self) -> Floats:
        return self.known.term_M + sum((np.outer(x, x) for x in self.rows), np.zeros(1))


@dataclass
class GroupReference(Reference):
    """One user who is asked about groups, each member chosen by the rule ``strategy``."""

    size: int = 3
    best: bool = False
    differences: bool = False
    unpicked: float = 0.5

    def __post_init__(self) -> None:
        super().__post_init__()
        for each in vars(self.estimate).values():
            if isinstance(each, History):  # a group teaches much
                each.rows, each.values = np.zeros((4096, self.arms.shape[1])), np.zeros(4096)

    def ask_group(self, pool: Indices, offered: Indices) -> tuple[int, ...]:
        """As if those before it had been answered, and had left the mean where it is."""
        left, chosen = np.sort(offered).tolist(), list[int]()
        for i in range(min(self.size, len(left))):
            here = np.array(left)
            supposed: Any = Supposed(self.estimate, [self.terms[k] for k in chosen])
            now = replace(
                self.moment(pool, here),
                estimate=supposed,
                asked=self.asked * self.size + i,
            )
            chosen.append(left.pop(STRATEGIES[str(self.strategy)](now)))
        self.asked += 1
        self.times[chosen] += 1
        return tuple(chosen)

    def hear_picks(
        self, group: Sequence[int], picked: Sequence[int], no: float = 0.0, yes: float = 1.0
    ) -> None:
        """Yes to the picked, a weaker no to the others; of the best the winner alone, or by how
        much more it is liked than each other one, all of these together like one answer."""
        if self.best and len(picked) and self.differences:
            winner, others = picked[0], [k for k in group if k != picked[0]]
            for k in others:
                x = self.terms[winner] - self.terms[k]
                self._learn(x, yes - no, 1 / len(others))
        elif self.best and len(picked):
            self._learn(self.terms[picked[0]], yes, 1.0)
        else:
            for k in group:
                heavy = 1.0 if k in picked else self.unpicked
                self._learn(self.terms[k], yes if k in picked else no, heavy)

    def _learn(self, x: Floats, y: float, weight: float) -> None:
        self.estimate.learn_term(np.sqrt(weight) * x, np.sqrt(weight) * y)


def noise(seed: int, t: int, number: int, i: int, deviation: float, *, shared: bool) -> float:
    """Of what someone thinks of member i of the round's question ``number``."""
    at = derive(np.uint64(seed), t)
    if shared:
        return deviation * float(normal(derive(at, ANSWER_NOISE), 0))
    return deviation * float(normal(derive(derive(at, GROUP_NOISE), number), i))


def picks(
    changes: Sequence[tuple[str, float]],
    seed: int,
    t: int,
    number: int,
    opinions: Sequence[float],
    *,
    best: bool,
) -> list[int] | None:
    """Positions that someone picks who does this to answers, from the inside: ("yes-no", at),
    ("refuses", probability), ("lies", probability)."""
    at, limit, says, turned = derive(np.uint64(seed), t), 0.5, False, 1.0
    for depth, (what, value) in enumerate(changes):
        if what == "yes-no":
            limit, says = value, True
        if what == "refuses" and uniform(derive(derive(at, REFUSAL), depth), number) < value:
            return None
        if what == "lies" and uniform(derive(derive(at, LIE), depth), number) < value:
            turned = -turned
    above = turned * (np.array(opinions) - limit)
    if np.isnan(above).all():
        return None
    above = np.where(np.isnan(above), -np.inf, above)
    if not best:
        return np.flatnonzero(above >= 0).tolist()
    winner = first_of_the_best(above)
    return [winner] if above[winner] >= 0 or not says else []
