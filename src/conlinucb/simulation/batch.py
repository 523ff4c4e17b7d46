"""A batch of points: played together, all algorithms on the same people under the same chance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from conlinucb.errors import InvalidInput
from conlinucb.numerics.validation import Floats
from conlinucb.people import People, part_of
from conlinucb.simulation.halving import Halving, Rung
from conlinucb.simulation.own_rounds import AnyAgent
from conlinucb.simulation.simulate import simulate
from conlinucb.simulation.space import Point, Space
from conlinucb.simulation.trial import Trial
from conlinucb.simulation.visits import Arrivals


@dataclass(frozen=True)
class Plan:
    """What every trial of a search has in common."""

    people: People
    rounds: int
    seed: int
    repeats: int = 1
    metric: str = "regret"
    most: bool = False
    """Whether more of the metric is better."""
    halving: Halving = field(default_factory=lambda: Halving(rungs=1))
    """One rung plays everything: nothing is stopped early."""
    arrivals: Arrivals = "one by one"

    @property
    def steps(self) -> list[Rung]:
        """The rungs of every batch."""
        return self.halving.steps(len(self.people), self.rounds, self.seed)

    def points(self, budget: int) -> int:
        """How many points a batch of so many whole trials has."""
        return self.halving.points(budget, self.steps, len(self.people) * self.rounds)

    def user_rounds(self, stages: Sequence[int]) -> int:
        """What one algorithm's search plays."""
        costs = (self.halving.cost(self.points(each), self.steps) for each in stages)
        return sum(costs) * self.repeats


class Batch:
    """The points of one stage, played rung by rung."""

    def __init__(
        self,
        spaces: Mapping[str, Space],
        plan: Plan,
        asked: Mapping[str, list[Point]],
        stage: int,
    ) -> None:
        self.spaces, self.plan, self.asked, self.stage = spaces, plan, asked, stage
        nobody = np.full((plan.repeats, len(plan.people)), np.nan)
        self.values = {name: [nobody.copy() for _ in points] for name, points in asked.items()}
        count = max(len(points) for points in asked.values())
        self.schedule = plan.halving.schedule(count, plan.steps)
        """Every algorithm has as many points, so one schedule serves all."""
        first, _ = self.schedule[0]
        self.played = {name: [first] * len(points) for name, points in asked.items()}

    def play(self, store: Path | None, **how: Any) -> None:
        """All rungs, the better points going on; one rung has one folder of the store."""
        alive = {name: list(range(len(points))) for name, points in self.asked.items()}
        for number, (step, count) in enumerate(self.schedule):
            alive = {name: self._better(name, each, count) for name, each in alive.items()}
            folder = f"{self.stage}.{number}" if number else f"{self.stage}"
            self._play(step, alive, store and store / folder, **how)

    def _better(self, name: str, alive: list[int], count: int) -> list[int]:
        if len(alive) <= count:
            return alive
        ranked = sorted(alive, key=lambda i: self._loss(self._score(name, i)))
        return sorted(ranked[:count])

    def _play(
        self, step: Rung, alive: Mapping[str, list[int]], store: Path | None, **how: Any
    ) -> None:
        plan = self.plan
        everyone = step.members.size == len(plan.people)
        results = simulate(
            self._agents(alive),
            plan.people if everyone else part_of(plan.people, step.members),
            rounds=step.rounds,
            repeats=plan.repeats,
            seed=plan.seed,
            log=1,
            arrivals=plan.arrivals,
            store=store,
            **how,
        )
        for name, each in alive.items():
            for i in each:
                self.values[name][i][:, step.members] = _last(
                    results.metric(f"{name} #{i}", plan.metric), plan.metric
                )
                self.played[name][i] = step

    def _agents(self, alive: Mapping[str, list[int]]) -> dict[str, AnyAgent]:
        return {
            f"{name} #{i}": self.spaces[name].agent(self.asked[name][i])
            for name, each in alive.items()
            for i in each
        }

    def _score(self, name: str, i: int) -> float:
        values = self.values[name][i]
        played = ~np.isnan(values[0])
        return float((values if played.all() else values[:, played]).mean())

    def _loss(self, score: float) -> float:
        return -score if self.plan.most else score

    def told(self, name: str, first: int) -> list[Trial]:
        """What the points of an algorithm came to."""
        return [self._trial(name, i, first + i) for i in range(len(self.asked[name]))]

    def _trial(self, name: str, i: int, number: int) -> Trial:
        step, score = self.played[name][i], self._score(name, i)
        return Trial(
            agent=name,
            number=number,
            stage=self.stage,
            parameters=self.asked[name][i],
            score=score,
            loss=self._loss(score),
            people=int((~np.isnan(self.values[name][i][0])).sum()),
            rounds=step.rounds,
            finished=step is self.schedule[-1][0],
        )


def _last(values: Floats, metric: str) -> Floats:
    """(repeats, users) at the last round."""
    found = values[..., -1]
    if np.isnan(found).any():
        raise InvalidInput(f"These people have no {metric!r} to tune by: it is not known of all.")
    return found
