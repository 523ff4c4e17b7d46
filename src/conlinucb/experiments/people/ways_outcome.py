"""Ways of asking are played on one data set, kept, and summed up."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from conlinucb import atomic
from conlinucb._version import __version__
from conlinucb.experiments.people import ways
from conlinucb.experiments.people.benchmark import Size
from conlinucb.experiments.people.contenders import NO_QUESTIONS, Contender
from conlinucb.experiments.people.figures import difference, figure, ranks, rate, share
from conlinucb.experiments.people.run import Scores, scored
from conlinucb.experiments.people.task import FIRST, FIXED_ON, ROUNDS, SPLITS, Log, Task
from conlinucb.experiments.people.ways_findings import ways_findings
from conlinucb.experiments.people.ways_table import FORMAT, WayOutcome, WaysOutcome
from conlinucb.experiments.people.world import World
from conlinucb.experiments.slug import slug
from conlinucb.numerics.validation import Floats, Indices
from conlinucb.progress import Progress
from conlinucb.simulation.job import versions
from conlinucb.simulation.store import refuse_another

SIZE = Size(splits=1, people=160)
"""A split to choose by and one to report, of at most so many people each: ways are many, and what
cannot be told apart on so many people differs by little."""


class Ways:
    """One data set, with a folder where everything finished is kept."""

    def __init__(
        self,
        task: Task,
        out: Path,
        size: Size = SIZE,
        seed: int = 0,
        rhythms: Sequence[str] = (),
    ) -> None:
        self.task, self.size, self.seed = task, size, seed
        self.rhythms = ways.rhythms_of(rhythms)
        self.folder = out / "ways" / task.name
        self.log = Log(task.data(), seed)
        self.splits = [each for each in range(SPLITS) if each != FIXED_ON][: size.splits]
        self._refuse_another_run()

    @property
    def work(self) -> int:
        """Conversations to be played."""
        splits = (FIXED_ON, *self.splits)
        return len(ways.contenders(self.rhythms)) * sum(self.tested(each).size for each in splits)

    def tested(self, split: int) -> Indices:
        """The tested people of a split."""
        found = self.log.tested(split, self.task.least)
        return found if self.size.people is None else found[: self.size.people]

    def findings(self, outcome: WaysOutcome) -> list[str]:
        """What came out, in sentences."""
        return ways_findings(outcome)

    def outcome(self, bar: Progress, command: str = "") -> WaysOutcome:
        """Play what is missing, and sum up."""
        start = time.monotonic()
        reported, fixed_on = self._played(self.splits, bar), self._played([FIXED_ON], bar)
        made = WaysOutcome(
            task=self.task.name,
            measure=self.task.measure,
            rounds=ROUNDS,
            first=FIRST,
            splits=len(self.splits),
            tested=next(iter(reported.values())).people.size,
            quick=self.size.quick,
            seed=self.seed,
            ways=tuple(self._summed_up(reported)),
            fixed_on=tuple(self._summed_up(fixed_on)),
            fixed_people=next(iter(fixed_on.values())).people.size,
            seconds=round(time.monotonic() - start, 1),
            command=command,
            versions={"conlinucb": __version__, **versions()},
        )
        atomic.write(
            self.folder.with_suffix(".json"), json.dumps(made.to_json(), indent=1).encode()
        )
        return made

    def _played(self, splits: list[int], bar: Progress) -> dict[str, Scores]:
        """Everybody on some of the splits."""
        worlds = {split: World(self.log, self.task, split) for split in splits}
        everybody = ways.contenders(self.rhythms).values()
        return {each.name: self._scores(each, worlds, bar) for _, _, each in everybody}

    def _scores(self, contender: Contender, worlds: dict[int, World], bar: Progress) -> Scores:
        name = f"{slug(contender.name)}.npz"
        found = [
            scored(world, contender, self.tested(split), self.folder / str(split) / name, bar)
            for split, world in worlds.items()
        ]
        return found[0].joined(found[1:])

    def _summed_up(self, scores: dict[str, Scores]) -> Iterator[WayOutcome]:
        """Asking nothing, then the ways, by rhythm: ranks are among those who ask as often."""
        everybody = ways.contenders(self.rhythms)
        for rhythm in self.rhythms:
            nothing = scores[ways.nothing_in(rhythm)]
            yield self._outcome(None, rhythm, nothing)
            mine = {
                name: way for name, (way, when, _) in everybody.items() if when == rhythm and way
            }
            shares = [self._share(scores[name], FIRST) for name in mine]
            best = max(shares, key=lambda each: float(each[0].sum() / each[1].sum()))
            default = self._share(scores[ways.name_of(ways.DEFAULT, rhythm)], FIRST)
            for (name, way), share_, places in zip(
                mine.items(), shares, ranks(shares), strict=True
            ):
                found = self._outcome(way, rhythm, scores[name])
                yield replace(
                    found,
                    gain=difference(share_, self._share(nothing, FIRST)),
                    gain_all=difference(
                        self._share(scores[name], ROUNDS), self._share(nothing, ROUNDS)
                    ),
                    a_question=rate(share_, self._share(nothing, FIRST), scores[name].asked),
                    behind=difference(best, share_),
                    over_default=difference(share_, default),
                    ranks=places,
                )

    def _share(self, scores: Scores, rounds: int) -> tuple[Floats, Floats]:
        return share(scores, rounds, self.log.data.implicit)

    def _outcome(
        self, way: ways.Way | None, rhythm: ways.Rhythm | None, mine: Scores
    ) -> WayOutcome:
        """All but what takes others to compare with."""
        asked, answered = float(mine.asked.sum()), float(mine.answered.sum())
        return WayOutcome(
            way=NO_QUESTIONS if way is None else way.name,
            kind="nothing" if way is None else way.kind,
            rhythm="" if rhythm is None else rhythm.name,
            key_terms=1 if way is None else way.key_terms,
            asked=asked / mine.people.size,
            answered=100 * answered / asked if asked else None,
            yes=100 * float(mine.yes.sum()) / answered if answered else None,
            first=figure(*self._share(mine, FIRST)),
            all=figure(*self._share(mine, ROUNDS)),
            gain=None,
            gain_all=None,
            a_question=None,
            behind=None,
            over_default=None,
            ranks=None,
        )

    def _refuse_another_run(self) -> None:
        """The folder of another size, seed or set of data is not mixed with this one."""
        wanted = {
            "format": FORMAT,
            "task": {name: each for name, each in vars(self.task).items() if name != "load"},
            "checksum": self.log.checksum,
            "people": self.size.people,
            "seed": self.seed,
        }
        path = self.folder.with_suffix(".spec.json")
        if path.exists():
            refuse_another(path, json.loads(path.read_text("utf-8")), wanted)
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        atomic.write(path, json.dumps(wanted, indent=1).encode())
