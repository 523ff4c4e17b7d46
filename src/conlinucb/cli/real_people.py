"""``conlinucb people``: from an order on the command line to a report."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from conlinucb.cli.reproduction import make_folder
from conlinucb.datasets import interactions
from conlinucb.errors import InvalidInput, MissingData, UnknownName, nearest
from conlinucb.experiments.people.benchmark import FULL, QUICK, Benchmark
from conlinucb.experiments.people.findings import findings
from conlinucb.experiments.people.task import TASKS, Task, own_task
from conlinucb.experiments.slug import slug
from conlinucb.progress import Progress, time_text

Say = Callable[[str], None]


@dataclass(frozen=True, kw_only=True)
class Order:
    """What was asked for."""

    data: tuple[str, ...]
    log: Path | None
    tags: Path | None
    implicit: bool
    least: int | None
    quick: bool
    out: Path
    seed: int
    reading: Mapping[str, Any] = field(default_factory=dict)
    """How the two files are written: options of ``datasets.interactions``."""

    def tasks(self) -> list[Task]:
        """Every data set to play."""
        for name in self.data:
            if name not in TASKS:
                raise UnknownName(f"No data are called {name!r}.{nearest(name, TASKS)}")
        known = [each for name, each in TASKS.items() if name in self.data]
        if self.log is None and self.tags is None:
            if self.reading:
                raise InvalidInput(
                    f"{_flag(next(iter(self.reading)))} is for a log of your own: --log and --tags."
                )
            return known or list(TASKS.values())
        if self.log is None or self.tags is None:
            raise InvalidInput("A log of your own needs both --log and --tags.")
        told = {"name": own_name(self.log), "implicit": self.implicit, **self.reading}
        mine = interactions(self.log, self.tags, **told)
        return [*known, own_task(mine, self.least)]

    @property
    def command(self) -> str:
        """What runs this again."""
        parts = ["conlinucb people", *self.data]
        if self.log and self.tags:
            parts += [f"--log {_quoted(self.log)} --tags {_quoted(self.tags)}"]
        parts += [f"{_flag(name)} {_word(value)}" for name, value in self.reading.items()]
        parts += ["--implicit"] if self.implicit else []
        parts += [f"--least {self.least}"] if self.least is not None else []
        parts += ["--quick"] if self.quick else []
        parts += [f"--seed {self.seed}"] if self.seed else []
        return " ".join(parts)


def _quoted(path: Path) -> str:
    return f'"{path.name}"' if " " in path.name else path.name


def _flag(option: str) -> str:
    return f"--{option.replace('_', '-')}"


def _word(value: Any) -> str:
    """As one types it."""
    if isinstance(value, Mapping):
        value = ",".join(f"{role}={column}" for role, column in value.items())
    return shlex.quote(str(value).replace("\t", "\\t"))


def named_columns(text: str) -> dict[str, str | int]:
    """Columns by what they are for, as one types them.

    >>> named_columns("person=userId,item=1")
    {'person': 'userId', 'item': 1}
    """
    pairs = [each.partition("=") for each in text.split(",")]
    for role, _, column in pairs:
        if not role.strip() or not column.strip():
            raise InvalidInput(
                f"Columns are written such as item=movieId,tag=genres, got {text!r}."
            )
    named = {role.strip(): column.strip() for role, _, column in pairs}
    return {role: int(each) if each.isdecimal() else each for role, each in named.items()}


def own_name(log: Path) -> str:
    """What a log of one's own is called in the report; never as one of those that are known.

    >>> own_name(Path("Plays of 2024.csv")), own_name(Path("ratings.csv"))
    ('plays-of-2024', 'own-ratings')
    """
    name = slug(log.stem) or "own"
    return f"own-{name}" if name in TASKS else name


def carry_out(order: Order, say: Say) -> None:
    """Play everybody with one progress line, write the report, say what was found."""
    tasks = order.tasks()
    make_folder(order.out)
    if order.quick:
        say("Quick run: fewer people and splits. Look at it, but decide nothing by it.")
    benchmarks = _benchmarks(tasks, order)
    total = sum(each.work for each in benchmarks)
    say(f"The plan: {total:,} conversations of newcomers; results go to {order.out}.")
    bar = Progress(total, what="conversations", unit=1)
    try:
        for each in benchmarks:
            made = each.outcome(bar, order.command)
            if not bar.shown:
                say(f"finished: {made.task}, {time_text(made.seconds)}")
            for sentence in findings(made):
                say(f"- {sentence}")
    finally:
        bar.close()
    from conlinucb.report import write  # a moment to import, and not needed until now

    say(f"Report: {write(order.out)}")


def _benchmarks(tasks: list[Task], order: Order) -> list[Benchmark]:
    """All data sets read; what is missing is named before any work."""
    found, missing = [], []
    for task in tasks:
        try:
            found.append(Benchmark(task, order.out, QUICK if order.quick else FULL, order.seed))
        except MissingData as error:
            missing.append(str(error))
    if missing:
        raise MissingData("\n".join(missing))
    return found
