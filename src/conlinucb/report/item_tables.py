"""The numbers behind the figures: regrets, seconds, crossed estimates, theory."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from conlinucb.experiments.algorithms import ONE_STEP, TWO_STEP
from conlinucb.experiments.item import Outcome, baseline_of
from conlinucb.experiments.table_1 import PAPER_SECONDS, ratios, seconds
from conlinucb.experiments.tuning import RANGES
from conlinucb.report.cells import Cell, Table, found, number, spread, text
from conlinucb.report.draw_crossed import row_name, strategies
from conlinucb.report.draw_curves import by_regret
from conlinucb.report.groups import Group
from conlinucb.report.style import label

CURVE = ("mean", "low", "high")
MEASURED = ("measured", "low", "high")
Rows = tuple[tuple[Cell, ...], ...]


def regrets(group: Group) -> Table:
    """Final regret, improvement and parameters of everyone at every point."""
    several = len(group.outcomes) > 1
    rows = []
    for outcome in group.outcomes:
        for name in reversed(by_regret(outcome)):
            first = (text(outcome["point"] or "-"),) if several else ()
            rows.append((*first, *_regret(outcome, name)))
    baseline = baseline_of(group.outcomes[0])
    head = ("Algorithm", "Regret at the end", f"Less than {label(baseline)}", "Parameters")
    return Table(
        f"{group.title}: {group.name}, {group.size}; with 95 % intervals",
        ("Setting", *head) if several else head,
        tuple(rows),
        names=2 if several else 1,
    )


def _regret(outcome: Outcome, name: str) -> tuple[Cell, ...]:
    itself = name == baseline_of(outcome)
    return (
        text(label(name)),
        spread(outcome, "agents", name, "curve", names=CURVE),
        text("-")
        if itself
        else spread(outcome, "agents", name, "improvement", names=MEASURED, unit="%"),
        text(parameters(outcome["agents"][name]["parameters"])),
    )


def parameters(given: dict[str, Any]) -> str:
    """The numbers an algorithm ran with.

    >>> parameters({"estimator": "ridge", "beta": 0.15, "alpha": "TheoryAlpha(delta=0.05)"})
    'beta 0.15, alpha by Eq. 8 (delta 0.05)'
    """
    return ", ".join(_parameter(name, value) for name, value in given.items() if name in RANGES)


def _parameter(name: str, value: Any) -> str:
    if isinstance(value, str):
        eq8 = re.fullmatch(r"TheoryAlpha\((\w+)=(.*)\)", value)
        return f"{name} by Eq. 8 ({eq8[1]} {eq8[2]})" if eq8 else f"{name} {value}"
    return f"{name} {value:.4g}" if isinstance(value, int | float) else f"{name} {value}"


def times(group: Group) -> Table:
    """Table 1: our seconds and ratios beside the paper's."""
    rows: list[tuple[Cell, ...]] = []
    for outcome in group.outcomes:
        ours = ratios(seconds(outcome))
        rows += [_time(outcome, name, ours) for name in outcome["agents"]]
    head = ("Decided", "Algorithm", "Arms, s", "Key-terms, s", "Total, s", "Ratio to ConUCB")
    more = ("Paper: arms, s", "Paper: key-terms, s", "Paper: total, s", "Paper: ratio")
    caption = (
        f"{group.title}: {group.name}, {group.size}. Ours: seconds of one person's rounds, mean "
        f"over people; the paper's: its total. So compare ratios"
    )
    return Table(caption, (*head, *more), tuple(rows), names=2)


def _time(outcome: Outcome, name: str, ours: dict[str, tuple[float, float]]) -> tuple[Cell, ...]:
    last = outcome["agents"][name]["last"]
    paper, shares = PAPER_SECONDS.get(name), ratios(PAPER_SECONDS)
    theirs = (
        (*(text(f"{each:,.0f}") for each in (*paper, sum(paper))), text(f"{sum(shares[name]):.2f}"))
        if paper
        else (text("-"),) * 4
    )
    return (
        text(outcome["point"] or "ours"),
        text(label(name)),
        *(found(outcome, "agents", name, "last", f"{each}_seconds") for each in ("arm", "term")),
        number(last["arm_seconds"] + last["term_seconds"]),
        number(sum(ours[name])) if name in ours else text("n/a"),
        *theirs,
    )


def apart(group: Group) -> Table:
    """Strategies as rows: both estimates, and what changing only one thing brings."""
    rows = [
        (text(row_name(each)), *_apart(outcome, each))
        for outcome in group.outcomes
        for each in strategies(outcome)
    ]
    head = ("Questions by", "ConUCB's estimate", "One estimate", "Less by the estimate alone")
    return Table(
        f"{group.title}: {group.name}, regret at the end",
        (*head, "Less than ConUCB by the questions alone"),
        tuple(rows),
    )


def _apart(outcome: Outcome, strategy: str) -> tuple[Cell, ...]:
    one, two, agents = ONE_STEP[strategy], TWO_STEP[strategy], outcome["agents"]
    both = one in agents and two in agents
    questions = two in agents and two != "ConUCB" and "ConUCB" in agents
    return (
        *(
            spread(outcome, "agents", each, "curve", names=CURVE) if each in agents else text("-")
            for each in (two, one)
        ),
        spread(outcome, "agents", one, "versus", two, names=MEASURED, unit="%")
        if both
        else text("-"),
        spread(outcome, "agents", two, "versus", "ConUCB", names=MEASURED, unit="%")
        if questions
        else text("-"),
    )


def theory_facts(groups: Sequence[Group]) -> Table:
    """The constants of the theory on this data, and how far its bounds are from the regret."""
    rows = [
        (text(group.name), text(outcome["point"]), text(label(name)), *_facts(outcome, name))
        for group in groups
        for outcome in group.outcomes
        for name in outcome["analysis"]["bounds"]
    ]
    head = ("Protocol", "Setting", "Algorithm", "lambda_B", "t0", "alpha at T", "alpha needed")
    more = ("Covered at alpha 0.1", "Regret", "Bound", "Bound / regret")
    return Table("The theory in numbers", (*head, *more), tuple(rows), names=3)


def _facts(outcome: Outcome, name: str) -> tuple[Cell, ...]:
    analysis = outcome["analysis"]
    regret, bound = outcome["agents"][name]["last"]["regret"], analysis["bounds"][name][-1]
    covered = analysis["coverage"].get(name)
    where = ("analysis", "coverage", name)
    spanner = name == "BS"
    return (
        found(outcome, "analysis", "lambda_B") if spanner else text("-"),
        found(outcome, "analysis", "t0") if spanner and "t0" in analysis else text("-"),
        found(outcome, *where, "alpha", -1) if covered else text("-"),
        number(max(covered["needed_max"])) if covered else text("-"),
        number(100 * covered["practice"]["share"], unit="%") if covered else text("-"),
        found(outcome, "agents", name, "last", "regret"),
        found(outcome, "analysis", "bounds", name, -1),
        number(bound / regret) if regret else text("n/a"),
    )
