"""The whole comparison on one data set, from the log to its outcome."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from conlinucb import atomic
from conlinucb._version import __version__
from conlinucb.experiments.algorithms import Parameters
from conlinucb.experiments.people.calibration import calibration
from conlinucb.experiments.people.contenders import (
    FACTORISATION,
    NEIGHBOURS,
    NO_QUESTIONS,
    POPULAR,
    Contender,
    contenders,
    name_of,
)
from conlinucb.experiments.people.enough import refuse_too_little
from conlinucb.experiments.people.figures import difference, figure, share
from conlinucb.experiments.people.findings import findings
from conlinucb.experiments.people.outcome import (
    FORMAT,
    ContenderOutcome,
    CurvePoint,
    PeopleOutcome,
    Versus,
)
from conlinucb.experiments.people.run import Scores, scored
from conlinucb.experiments.people.task import FIRST, FIXED_ON, ROUNDS, SPLITS, TASKS, Log, Task
from conlinucb.experiments.people.tuning import TRIALS, candidates, chosen_settings
from conlinucb.experiments.people.world import World
from conlinucb.experiments.slug import slug
from conlinucb.experiments.summary import machine
from conlinucb.numerics.validation import Indices
from conlinucb.progress import Progress
from conlinucb.simulation.job import versions
from conlinucb.simulation.store import refuse_another

LOGGED_PEOPLE = (0, 10, 30, 100, 300, None)
"""Points of the learning curve; None for everybody."""
ON_CURVE = 2
"""Splits that the learning curve is played on, of those that are reported."""
MEASURED_AGAINST = (POPULAR, NEIGHBOURS, FACTORISATION, "MCR, as published", NO_QUESTIONS)


@dataclass(frozen=True, kw_only=True)
class Size:
    """How much of it is played."""

    splits: int = SPLITS - 1
    """Of those that are reported."""
    people: int | None = None
    """Tested people a split; None for all."""
    trials: int = TRIALS
    quick: bool = False


QUICK = Size(splits=1, people=40, trials=2, quick=True)
FULL = Size()


class Benchmark:
    """One data set, with a folder where everything finished is kept."""

    def __init__(self, task: Task, out: Path, size: Size = FULL, seed: int = 0) -> None:
        self.task, self.size, self.seed = task, size, seed
        self.folder = out / "people" / task.name
        self.log = Log(task.data(), seed)
        self.splits = [each for each in range(SPLITS) if each != FIXED_ON][: size.splits]
        self.curved = self.splits[:ON_CURVE]
        self.on_curve = (POPULAR, NO_QUESTIONS, name_of(task.strategy, 1))
        refuse_too_little(
            self.log, task, {each: self.tested(each) for each in (FIXED_ON, *self.splits)}
        )
        self._refuse_another_run()

    @property
    def work(self) -> int:
        """People to be played, over all contenders."""
        mine = sum(self.tested(split).size for split in self.splits)
        curved = sum(self.tested(split).size for split in self.curved)
        several = len(contenders({name: {} for name in _tuned()}))
        on_curve = len(self._logged()) * len(self.on_curve)
        tuning = self._trials() * self.tested(FIXED_ON).size
        return several * mine + on_curve * curved + tuning

    def findings(self, outcome: PeopleOutcome) -> list[str]:
        """What came out, in sentences."""
        return findings(outcome)

    def tested(self, split: int) -> Indices:
        """The tested people of a split."""
        found = self.log.tested(split, self.task.least)
        return found if self.size.people is None else found[: self.size.people]

    def outcome(self, bar: Progress, command: str = "") -> PeopleOutcome:
        """Play what is missing, and sum up."""
        start = time.monotonic()
        chosen = self._chosen(bar)
        worlds = {split: World(self.log, self.task, split) for split in self.splits}
        scores = {each.name: self._scores(each, worlds, "all", bar) for each in contenders(chosen)}
        made = PeopleOutcome(
            task=self.task.name,
            strategy=self.task.strategy,
            measure=self.task.measure,
            counts=self.log.data.counts,
            rounds=ROUNDS,
            first=FIRST,
            splits=len(self.splits),
            tested=next(iter(scores.values())).people.size,
            quick=self.size.quick,
            seed=self.seed,
            chosen=chosen,
            trials=self.size.trials,
            contenders={each.name: self._outcome(each, scores) for each in contenders(chosen)},
            curve=tuple(self._points(chosen, bar)),
            calibration=calibration(
                [(world, self.tested(split)) for split, world in worlds.items()]
            ),
            seconds=round(time.monotonic() - start, 1),
            command=command,
            versions={"conlinucb": __version__, **versions()},
            machine=machine(),
        )
        path = self.folder.with_suffix(".json")
        atomic.write(path, json.dumps(made.to_json(), indent=1).encode())
        return made

    def _chosen(self, bar: Progress) -> dict[str, Parameters]:
        world = World(self.log, self.task, FIXED_ON)
        folder = self.folder / "tuning"
        return chosen_settings(world, self.tested(FIXED_ON), folder, bar, self.size.trials)

    def _scores(
        self, contender: Contender, worlds: dict[int, World], logged: str, bar: Progress
    ) -> Scores:
        """A contender's people over all splits."""
        name = f"{slug(contender.name)}.npz"
        found = [
            scored(world, contender, self.tested(split), self._path(split, logged, name), bar)
            for split, world in worlds.items()
        ]
        return found[0].joined(found[1:])

    def _path(self, split: int, logged: str, name: str) -> Path:
        return self.folder / str(split) / logged / name

    def _outcome(self, contender: Contender, scores: dict[str, Scores]) -> ContenderOutcome:
        mine, implicit = scores[contender.name], self.log.data.implicit
        first, whole = (share(mine, rounds, implicit) for rounds in (FIRST, ROUNDS))
        asked, answered = float(mine.asked.sum()), float(mine.answered.sum())
        return ContenderOutcome(
            group=contender.group,
            first=figure(*first),
            all=figure(*whole),
            by_round=tuple(_by_round(mine, implicit)),
            asked=asked / mine.people.size,
            answered=100 * answered / asked if asked else None,
            yes=100 * float(mine.yes.sum()) / answered if answered else None,
            versus={
                other: Versus(
                    first=difference(first, share(scores[other], FIRST, implicit)),
                    all=difference(whole, share(scores[other], ROUNDS, implicit)),
                )
                for other in MEASURED_AGAINST
                if other != contender.name
            },
        )

    def _logged(self) -> list[int | None]:
        """Points of the curve: fewer people than there are, and everybody."""
        there = min(self.log.logged(split).size for split in self.splits)
        return [most for most in LOGGED_PEOPLE if most is None or most < there]

    def _points(self, chosen: dict[str, Parameters], bar: Progress) -> Iterator[CurvePoint]:
        on_curve = [each for each in contenders(chosen) if each.name in self.on_curve]
        for most in self._logged():
            worlds = {each: World(self.log, self.task, each, most) for each in self.curved}
            logged = self.log.logged(self.splits[0], most).size
            for each in on_curve:
                found = self._scores(each, worlds, "all" if most is None else str(most), bar)
                first, whole = (
                    figure(*share(found, rounds, self.log.data.implicit))
                    for rounds in (FIRST, ROUNDS)
                )
                yield CurvePoint(people=logged, contender=each.name, first=first, all=whole)

    def _trials(self) -> int:
        return sum(1 for _ in candidates(self.size.trials))

    def _refuse_another_run(self) -> None:
        wanted = self._spec()
        path = self.folder.with_suffix(".spec.json")
        if path.exists():
            refuse_another(path, json.loads(path.read_text("utf-8")), wanted)
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        atomic.write(path, json.dumps(wanted, indent=1).encode())

    def _spec(self) -> dict[str, Any]:
        """What decides the numbers."""
        task = {name: each for name, each in vars(self.task).items() if name != "load"}
        own = {} if self.task.name in TASKS else {"checksum": self.log.checksum}
        return {
            **own,
            "format": FORMAT,
            "task": task,
            "data": self.log.data.counts,
            "people": self.size.people,
            "trials": self.size.trials,
            "seed": self.seed,
        }


def _by_round(scores: Scores, implicit: bool) -> list[float]:
    """Percent in each round by itself, as long as somebody has something to choose from."""
    if implicit:
        return [float(each) for each in 100 * scores.rewards.mean(axis=0)]
    most = (scores.bests - scores.means).sum(axis=0)
    played = np.flatnonzero(most > 0)[-1:].sum() + 1
    gains = (scores.rewards - scores.means).sum(axis=0)[:played]
    return [float(each) for each in 100 * gains / np.maximum(most[:played], 1e-12)]


def _tuned() -> set[str]:
    return {name for name, _, _ in candidates(1)}
