"""``conlinucb reproduce``: from an order on the command line to a report."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rich.table import Table

from conlinucb.cli import tables
from conlinucb.errors import InvalidInput, MissingData
from conlinucb.experiments import items_of
from conlinucb.experiments.claims import records
from conlinucb.experiments.findings import findings
from conlinucb.experiments.methods import METHODS, methods
from conlinucb.experiments.plan import Step, counted, make_plan, whole_bar
from conlinucb.experiments.protocols import protocol_of
from conlinucb.experiments.run import outcomes, run_setting
from conlinucb.experiments.setting import QUICK, Setting, Size, settings_of
from conlinucb.experiments.spec import comparison_of
from conlinucb.progress import time_text
from conlinucb.simulation.executors import executor_of

Say = Callable[[str], None]
FINDINGS = 3
"""How many findings are said at the end; the report has them all."""


@dataclass(frozen=True, kw_only=True)
class Order:
    """What was asked for."""

    items: tuple[str, ...]
    protocols: tuple[str, ...]
    asked: Mapping[str, int | None]
    """runs, users, rounds, trials and tuning_users, where they were given."""
    quick: bool
    out: Path
    executor: str
    seed: int

    def settings(self) -> list[Setting]:
        """Everything to run, protocol by protocol."""
        given: dict[str, Any] = {
            name: value for name, value in self.asked.items() if value is not None
        }
        size = replace(QUICK if self.quick else Size(), **given)
        protocols = [protocol_of(name) for name in dict.fromkeys(self.protocols)]
        items = items_of(self.items)
        return [
            setting
            for protocol in protocols
            for item in items
            for setting in settings_of(item, protocol, size, self.seed)
        ]

    def command(self, item: str, protocol: str) -> str:
        """The command that runs one item of this order again."""
        options = [
            f"--{name.replace('_', '-')} {value}"
            for name, value in self.asked.items()
            if value is not None
        ]
        parts = [*options, *(["--quick"] if self.quick else [])]
        parts += [f"--seed {self.seed}"] if self.seed else []
        return " ".join(["conlinucb reproduce", item, f"--protocol {protocol}", *parts])


def carry_out(order: Order, say: Say) -> None:
    """Say the plan, run it with one progress line, write the report, say what was found."""
    executor_of(order.executor, None)  # a wrong name is an error now, not after the plan
    settings = order.settings()
    _check_data(settings)
    make_folder(order.out)
    if order.quick:
        say("Quick run: fewer people, rounds and runs. Look at it, but decide nothing by it.")
    plan = make_plan(settings, order.out)
    _say_plan(plan, say)
    bar = whole_bar(plan)
    try:
        for step in plan:
            setting = step.setting
            command = order.command(setting.item.name, setting.protocol.name)
            outcome = run_setting(setting, order.out, bar, order.executor, command)
            if not (step.done or bar.shown):
                seconds = outcome.seconds + outcome.tuning_seconds
                say(f"finished: {step.name}, {time_text(seconds)}")
    finally:
        bar.close()
    _report(order.out, say)


def _check_data(settings: list[Setting]) -> None:
    """Name all data that are missing, before any work."""
    missing: dict[str, str] = {}
    for setting in settings:
        try:
            _ = setting.dataset
        except MissingData as error:
            missing[setting.item.data] = str(error)
    if missing:
        raise MissingData("\n".join(missing.values()))


def make_folder(out: Path) -> None:
    """Make the folder for results, or say what is in the way."""
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidInput(f"{out} cannot be a folder for results: {error.strerror}.") from None


def _say_plan(plan: list[Step], say: Say) -> None:
    say(f"The plan: {counted(len(plan), 'setting')}.")
    tables.show(lambda: _plan_table(plan), (step.line() for step in plan))
    work = sum(step.work for step in plan if not step.done)
    left = sum(step.seconds for step in plan)
    say(f"  To do: {work / 1e6:,.2f} million user-rounds, about {time_text(left)}.")


def _plan_table(plan: list[Step]) -> Table:
    heads = ["setting", "agents", "runs", "users", "rounds", "tuned with", "time"]
    rows = [
        [step.name, *(f"{n:,}" for n in step.counts.values()), step.tuning, step.time_left]
        for step in plan
    ]
    if not any(step.tuning for step in plan):
        at = heads.index("tuned with")
        for each in (heads, *rows):
            del each[at]
    return tables.made(heads, rows, numbers=[1, 2, 3, 4, len(heads) - 1])


def compare(spec: Path, out: Path, executor: str, say: Say) -> None:
    """``conlinucb simulate``: run one's own comparison and write its report."""
    executor_of(executor, None)
    comparison = comparison_of(spec)  # before a folder is made: a mistake leaves nothing behind
    make_folder(out)
    say(f"Running {spec}; results go to {out}.")
    made = methods(comparison.run(out, executor=executor))
    _report(out, say)
    say(f"For a methods section, in {out / METHODS} with {len(made.references)} references:")
    say(f"  {made.short} ...")


def _report(out: Path, say: Say) -> None:
    from conlinucb.report import write  # a moment to import, and not needed until now

    path = write(out)
    everything = list(outcomes(out))
    for sentence in findings(everything, records(everything))[:FINDINGS]:
        say(f"- {sentence}")
    say(f"Report: {path}")
