"""All that came later in one table: against ConUCB and MCR, with places and intervals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from conlinucb.experiments.later import FAMILY
from conlinucb.experiments.later_algorithms import LATER
from conlinucb.experiments.outcome import Outcome
from conlinucb.report.cells import Cell, Table, improved, number, regret, source, text
from conlinucb.report.groups import Group

NAME = FAMILY
TITLE = "What came later: all of it in one table"
ABOUT = (
    "Each row is an algorithm in the item that is about its way of asking: the same people, pools "
    "and noises as ConUCB and MCR met there. Rows are in the order of how much less regret than "
    "MCR's there is; places are among all agents of the item, from the best one that cannot be "
    "told apart to the last one that cannot, by paired 95 % intervals. Regrets of different items "
    "are not to be compared: people and key-terms differ. What HCB, pHCB, ConTS and ConDuel are "
    "made for, and why they have so much more here, is measured on their pages, hierarchy.md, "
    "conts.md and conduel.md of docs/algorithms."
)


def later_outcomes(groups: Sequence[Group]) -> list[Outcome]:
    """Those of the family, in the report's order."""
    found = [each for group in groups for each in group.outcomes]
    return [each for each in found if each.declared and each.declared.family == FAMILY]


def later_tables(groups: Sequence[Group]) -> list[Table]:
    """A table for each protocol, then what of each algorithm is whose."""
    found = later_outcomes(groups)
    protocols = dict.fromkeys(each.protocol for each in found)
    tables = [_table(name, [each for each in found if each.protocol == name]) for name in protocols]
    return [*tables, _whose(found)] if found else []


def places(outcome: Outcome, name: str) -> tuple[int, int]:
    """Between which places an agent lies: those surely better come before, surely worse after."""
    versus = outcome.agents[name].versus.values()
    better = sum(1 for each in versus if each.high is not None and each.high < 0)
    worse = sum(1 for each in versus if each.low is not None and each.low > 0)
    return better + 1, len(outcome.agents) - worse


def _table(protocol: str, outcomes: Sequence[Outcome]) -> Table:
    rows = sorted(_rows(outcomes), key=lambda each: -each[0])
    head = ("Algorithm", "Item", "Place", "Regret", "Less than MCR", "Less than ConUCB")
    return Table(
        f"Protocol {protocol}, {_sizes(outcomes)}",
        (*head, "Questions a person"),
        tuple(row for _, row in rows),
        names=2,
    )


def _sizes(outcomes: Sequence[Outcome]) -> str:
    each = dict.fromkeys(f"{o.runs} runs x {o.users} users x {o.rounds:,} rounds" for o in outcomes)
    return "; ".join(each)


def _rows(outcomes: Sequence[Outcome]) -> Iterator[tuple[float, tuple[Cell, ...]]]:
    for outcome in outcomes:
        for name, agent in outcome.agents.items():
            if name not in LATER:
                continue
            than_mcr = agent.versus["MCR"]
            low, high = places(outcome, name)
            among = f" of {len(outcome.agents)}"
            yield (
                than_mcr.measured or 0.0,
                (
                    text(name),
                    text(outcome.item),
                    text((f"{low}" if low == high else f"{low} to {high}") + among),
                    regret(outcome, name),
                    improved(outcome, than_mcr, "agents", name, "versus", "MCR"),
                    improved(outcome, agent.improvement, "agents", name, "improvement"),
                    number(
                        agent.last.questions, source(outcome, "agents", name, "last", "questions")
                    ),
                ),
            )


def _whose(outcomes: Sequence[Outcome]) -> Table:
    """What it is after, and what of it is theirs."""
    names = dict.fromkeys(name for each in outcomes for name in each.agents if name in LATER)
    rows = tuple((text(name), text(LATER[name].after), text(LATER[name].theirs)) for name in names)
    return Table("Whose it is", ("Algorithm", "After", "Theirs and ours"), rows)
