"""A comparison of one's own as tables: who took part, how it was set up, what was compared."""

from __future__ import annotations

from collections.abc import Sequence

from conlinucb.experiments import facts
from conlinucb.experiments.claims import Record
from conlinucb.experiments.outcome import Outcome
from conlinucb.report.cells import Cell, Table, number, source, text
from conlinucb.report.claim_tables import matched, measured
from conlinucb.report.groups import Group

NUMBERS = "comparisons"
"""The file that holds the numbers compared."""


def compared(groups: Sequence[Group], records: Sequence[Record]) -> Table:
    """Everyone against the baseline of their own comparison."""
    rows = tuple(
        (
            text(outcome.heading),
            text(record.agent),
            (*measured(place, record, NUMBERS),),
            text(record.remark),
        )
        for place, record, outcome in matched(groups, records)
    )
    several = len({record.item for record in records}) > 1
    first = 0 if several else 1
    head = ("Comparison", "Agent", "Less regret", "In words")
    together = any(group.outcomes[0].together > 1 for group in groups)
    shown = tuple(row[first:] for row in rows)
    return Table(_against(records, together), head[first:], shown, 2 - first)


def _against(records: Sequence[Record], together: bool) -> str:
    names = list(dict.fromkeys(record.against for record in records))
    than = f" than {names[0]}" if len(names) == 1 else " than the baseline"
    hold = " that hold together" if together else ""
    return f"Less regret{than} at the end, in percent, with 95 % intervals{hold}, paired over users"


def agents(outcome: Outcome) -> Table:
    """Each agent as it ran."""
    head = ("Agent", "Recipe", "Learns with", "Parameters", "Prior", "Asks", "When")
    rows = tuple((text(name), *_agent(outcome, name)) for name in outcome.agents)
    return Table(outcome.headed("The agents"), (*head, "Questions a user"), rows)


def _agent(outcome: Outcome, name: str) -> tuple[Cell, ...]:
    agent = outcome.agents[name]
    given = agent.parameters
    select = f", selects by {given['select']}" if "select" in given else ""
    return (
        text(outcome.recipe(name) or "not kept"),
        text(facts.estimate(given) + select),
        text(facts.parameters(given, "theory") or "-"),
        text(facts.prior(given)),
        text(facts.asks(given)),
        text("-" if given.get("strategy") is None else facts.schedule(given)),
        number(agent.last.questions, source(outcome, "agents", name, "last", "questions")),
    )


def setup(outcome: Outcome) -> Table:
    """Data, people, size, seed and versions, line by line."""
    lines = {
        **facts.data(outcome),
        **facts.people(outcome),
        "Rounds": f"{outcome.rounds:,}",
        "Repeats": f"{outcome.runs:,}",
        "Seed": str(outcome.seed),
        "Compared with": outcome.compared_with,
        "Versions": facts.versions(outcome),
    }
    rows = tuple((text(name), text(line)) for name, line in lines.items())
    return Table(outcome.headed("How it was set up"), ("What", "How"), rows)
