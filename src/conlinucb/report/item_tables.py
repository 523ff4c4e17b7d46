"""The numbers behind the figures: regrets, seconds, crossed estimates, theory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from conlinucb.experiments import facts
from conlinucb.experiments.algorithms import ONE_STEP, TWO_STEP
from conlinucb.experiments.outcome import Outcome
from conlinucb.experiments.table_1 import PAPER_SECONDS, ratios
from conlinucb.experiments.tuning import RANGES
from conlinucb.report.cells import Cell, Table, improved, number, regret, source, text
from conlinucb.report.draw_crossed import row_name, strategies
from conlinucb.report.draw_curves import by_regret
from conlinucb.report.groups import Group
from conlinucb.report.style import label


def regrets(group: Group) -> Table:
    """Final regret, improvement and parameters of everyone at every point."""
    several = len(group.outcomes) > 1
    rows = []
    for outcome in group.outcomes:
        for name in reversed(by_regret(outcome)):
            first = (text(outcome.point or "-"),) if several else ()
            rows.append((*first, *_regret(outcome, name)))
    baseline = group.outcomes[0].compared_with
    head = (
        "Algorithm",
        "Regret at the end",
        f"Less than {label(baseline, group.own)}",
        "Parameters",
    )
    return Table(
        group.outcomes[0].headed(f"{group.told}; with 95 % intervals"),
        ("Setting", *head) if several else head,
        tuple(rows),
        names=2 if several else 1,
    )


def _regret(outcome: Outcome, name: str) -> tuple[Cell, ...]:
    agent = outcome.agents[name]
    return (
        text(label(name, outcome.own)),
        regret(outcome, name),
        text("-")
        if name == outcome.compared_with
        else improved(outcome, agent.improvement, "agents", name, "improvement"),
        text(parameters(agent.parameters, "theory" if outcome.own else "Eq. 8")),
    )


def parameters(given: dict[str, Any], eq_8: str = "Eq. 8") -> str:
    """The numbers an algorithm ran with.

    >>> parameters({"estimator": "ridge", "beta": 0.15, "alpha": "TheoryAlpha(delta=0.05)"})
    'beta 0.15, alpha by Eq. 8 (delta 0.05)'
    """
    return facts.parameters({name: each for name, each in given.items() if name in RANGES}, eq_8)


def times(group: Group) -> Table:
    """Table 1: our seconds and ratios beside the paper's."""
    rows: list[tuple[Cell, ...]] = []
    for outcome in group.outcomes:
        ours = ratios(outcome.choosing_seconds)
        rows += [_time(outcome, name, ours) for name in outcome.agents]
    head = ("Decided", "Algorithm", "Arms, s", "Key-terms, s", "Total, s", "Ratio to ConUCB")
    more = ("Paper: arms, s", "Paper: key-terms, s", "Paper: total, s", "Paper: ratio")
    caption = (
        f"{group.title}: {group.name}, {group.size}. Ours: seconds of one person's rounds, mean "
        f"over people; the paper's: its total. So compare ratios"
    )
    return Table(caption, (*head, *more), tuple(rows), names=2)


def _time(outcome: Outcome, name: str, ours: dict[str, tuple[float, float]]) -> tuple[Cell, ...]:
    arms, terms = outcome.choosing_seconds[name]
    last = ("agents", name, "last")
    paper, shares = PAPER_SECONDS.get(name), ratios(PAPER_SECONDS)
    theirs = (
        (*(text(f"{each:,.0f}") for each in (*paper, sum(paper))), text(f"{sum(shares[name]):.2f}"))
        if paper
        else (text("-"),) * 4
    )
    return (
        text(outcome.point or "ours"),
        text(label(name)),
        number(arms, source(outcome, *last, "arm_seconds")),
        number(terms, source(outcome, *last, "term_seconds")),
        number(arms + terms),
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
    one, two, agents = ONE_STEP[strategy], TWO_STEP[strategy], outcome.agents
    both = one in agents and two in agents
    questions = two in agents and two != "ConUCB" and "ConUCB" in agents
    return (
        *(regret(outcome, each) if each in agents else text("-") for each in (two, one)),
        _versus(outcome, one, two) if both else text("-"),
        _versus(outcome, two, "ConUCB") if questions else text("-"),
    )


def _versus(outcome: Outcome, name: str, other: str) -> Cell:
    found = outcome.agents[name].versus[other]
    return improved(outcome, found, "agents", name, "versus", other)


def theory_facts(groups: Sequence[Group]) -> Table:
    """The constants of the theory on this data, and how far its bounds are from the regret."""
    rows = [
        (text(group.name), text(outcome.point), text(label(name)), *_facts(outcome, name))
        for group in groups
        for outcome in group.outcomes
        for name in outcome.theory.bounds
    ]
    head = ("Protocol", "Setting", "Algorithm", "lambda_B", "t0", "alpha at T", "alpha needed")
    more = ("Covered at alpha 0.1", "Regret", "Bound", "Bound / regret")
    return Table("The theory in numbers", (*head, *more), tuple(rows), names=3)


def _facts(outcome: Outcome, name: str) -> tuple[Cell, ...]:
    analysis, missed = outcome.theory, outcome.regret(name)
    bound, nothing = analysis.bounds[name][-1], text("-")
    return (
        *(_spanner(outcome) if name == "BS" else (nothing, nothing)),
        *(_covered(outcome, name) if name in analysis.coverage else (nothing,) * 3),
        number(missed, source(outcome, "agents", name, "last", "regret")),
        number(bound, source(outcome, "analysis", "bounds", name, -1)),
        number(bound / missed) if missed else text("n/a"),
    )


def _spanner(outcome: Outcome) -> tuple[Cell, ...]:
    """What Theorem 1 needs of the key-terms."""
    analysis = outcome.theory
    return (
        number(analysis.lambda_B, source(outcome, "analysis", "lambda_B")),
        text("-")
        if analysis.t0 is None
        else number(analysis.t0, source(outcome, "analysis", "t0")),
    )


def _covered(outcome: Outcome, name: str) -> tuple[Cell, ...]:
    """Eq. 8's alpha at the end, what was needed, and what the experiments' alpha covers."""
    covered = outcome.theory.coverage[name]
    return (
        number(covered.alpha[-1], source(outcome, "analysis", "coverage", name, "alpha", -1)),
        number(max(covered.needed_max)),
        number(100 * covered.practice.share, unit="%"),
    )
