"""``conlinucb people``: from an order on the command line to a report."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from conlinucb.cli.reproduction import make_folder
from conlinucb.datasets import interactions
from conlinucb.errors import InvalidInput, MissingData, UnknownName, nearest
from conlinucb.experiments.people.benchmark import FULL, QUICK, Benchmark
from conlinucb.experiments.people.task import TASKS, Task, own_task
from conlinucb.experiments.people.ways_outcome import SIZE, Ways
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
    ways: bool = False
    """Whether ways of asking are compared, in place of everybody."""
    rhythms: tuple[str, ...] = ()
    """When they ask; all rhythms for none."""
    reading: Mapping[str, Any] = field(default_factory=dict)
    """How the two files are written: options of ``datasets.interactions``."""

    def tasks(self) -> list[Task]:
        """Every data set to play."""
        for name in self.data:
            if name not in TASKS:
                raise UnknownName(f"No data are called {name!r}.{nearest(name, TASKS)}")
        known = [each for name, each in TASKS.items() if name in self.data]
        if self.log is None and self.tags is None:
            for option in self._own_options():
                raise InvalidInput(f"{option} is for a log of your own: --log and --tags.")
            return known or list(TASKS.values())
        if self.log is None or self.tags is None:
            raise InvalidInput("A log of your own needs both --log and --tags.")
        told = {"name": own_name(self.log), "implicit": self.implicit, **self.reading}
        try:
            mine = interactions(self.log, self.tags, **told)
        except InvalidInput as error:
            raise InvalidInput(as_typed(str(error))) from error
        return [*known, own_task(mine, self.least)]

    def _own_options(self) -> list[str]:
        """What is said of a log of one's own, as one types it."""
        parts = [_typed(name, value) for name, value in self.reading.items()]
        parts += ["--implicit"] if self.implicit else []
        return parts + ([f"--least {self.least}"] if self.least is not None else [])

    @property
    def command(self) -> str:
        """What runs this again."""
        parts = ["conlinucb people", *self.data]
        if self.log and self.tags:
            parts += [f"--log {_quoted(self.log)} --tags {_quoted(self.tags)}"]
        parts += self._own_options()
        parts += ["--ways"] if self.ways else []
        parts += [f"--rhythm {each}" for each in self.rhythms]
        parts += ["--quick"] if self.quick else []
        parts += [f"--seed {self.seed}"] if self.seed else []
        return " ".join(parts)


def _quoted(path: Path) -> str:
    return f'"{path.name}"' if " " in path.name else path.name


def _typed(option: str, value: Any) -> str:
    """An option as one types it."""
    if option == "header":
        return "--no-header"
    if option == "range":
        return f"--range {value[0]:g} {value[1]:g}"
    if isinstance(value, Mapping):
        value = ",".join(f"{role}={column}" for role, column in value.items())
    word = shlex.quote(str(value).replace("\t", "\\t"))
    return f"--{option.replace('_', '-')} {word}"


TYPED = {
    r"implicit=True": "--implicit",
    r"header=False": "--no-header",
    r"range=\(lowest, highest\)": "--range LOW HIGH",
    r"separator= ": "--separator ",
    r"encoding='([^']*)'": r"--encoding \1",
    r"columns=\{'([^']*)': '?([^'}]*)'?\}": r"--columns \1=\2",
}


def as_typed(message: str) -> str:
    """What the library says of its options, as options of the command.

    >>> as_typed("Pass implicit=True, or columns={'person': 0}.")
    'Pass --implicit, or --columns person=0.'
    """
    for python, typed in TYPED.items():
        message = re.sub(python, typed, message)
    return message


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
            for sentence in each.findings(made):
                say(f"- {sentence}")
    finally:
        bar.close()
    from conlinucb.report import write, write_ways  # a moment to import, not needed until now

    say(f"Report: {write_ways(order.out, order.out) if order.ways else write(order.out)}")


def _benchmarks(tasks: list[Task], order: Order) -> list[Any]:
    """All data sets read; what is missing is named before any work."""
    found, missing = list[Any](), []
    if order.rhythms and not order.ways:
        raise InvalidInput("--rhythm says when ways of asking ask: give --ways, too.")
    make = partial(Ways, rhythms=order.rhythms) if order.ways else Benchmark
    size = QUICK if order.quick else SIZE if order.ways else FULL
    for task in tasks:
        try:
            found.append(make(task, order.out, size, order.seed))
        except MissingData as error:
            missing.append(str(error))
    if missing:
        raise MissingData("\n".join(missing))
    return found
