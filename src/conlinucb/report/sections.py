"""What the report says of each item: about, figures, tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from conlinucb.experiments import ITEMS
from conlinucb.experiments.item import Outcome
from conlinucb.experiments.protocols import PROTOCOLS
from conlinucb.report.cells import Table
from conlinucb.report.claim_tables import Record, regret_claims
from conlinucb.report.figures import Picture
from conlinucb.report.groups import Group
from conlinucb.report.item_tables import apart, regrets, theory_facts, times
from conlinucb.report.run_tables import chosen


@dataclass(frozen=True)
class Section:
    """One item of the report."""

    name: str
    title: str
    about: str
    pictures: list[Picture] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)


def sections(groups: Sequence[Group], pictures: Sequence[Picture]) -> list[Section]:
    """Every item that was run, in the paper's order."""
    found = []
    for name in dict.fromkeys(group.item for group in groups):
        mine = [group for group in groups if group.item == name]
        shown = [each for each in pictures if each.group.item == name and not each.tuning]
        about = ITEMS[name].about if name in ITEMS else ""
        found.append(Section(name, mine[0].title, about, shown, tables_of(mine)))
    return found


def tables_of(groups: Sequence[Group]) -> list[Table]:
    """The tables of one item."""
    first = groups[0]
    if first.outcomes[0]["analysis"]:
        return [theory_facts(groups), *(regrets(group) for group in groups)]
    if first.item in ITEMS and ITEMS[first.item].timed:
        return [times(group) for group in groups]
    if first.item in ITEMS and first.item.startswith("crossed"):
        return [table for group in groups for table in (apart(group), regrets(group))]
    return [regrets(group) for group in groups]


def tuned(groups: Sequence[Group], pictures: Sequence[Picture]) -> list[Section]:
    """The search behind each tuned group. Of a sweep, the pictures of its first point."""
    found = []
    for group in groups:
        if any(each["tuning"] for each in group.outcomes):
            mine = [each for each in pictures if each.tuning and each.group is group]
            shown = mine[: len(mine) // len(group.outcomes)]
            title = f"{group.title}: {group.name}"
            found.append(Section(group.slug, title, "", shown, [chosen(group)]))
    return found


def claims_of(groups: Sequence[Group], records: Sequence[Record], item: str) -> Table | None:
    """The claims about one item, if the paper makes any."""
    table = regret_claims(groups, records, item)
    return table if table.rows else None


def protocols_run(groups: Sequence[Group]) -> dict[str, str]:
    """The protocols that were run, in words."""
    names = dict.fromkeys(group.protocol for group in groups)
    return {
        name: PROTOCOLS[name].about if name in PROTOCOLS else "an experiment of your own"
        for name in names
    }


def unique(outcomes: Sequence[Outcome], name: str) -> list[str]:
    """The different values of an outcome's field, as text."""
    values = [each.get(name) for each in outcomes]
    texts = [
        ", ".join(f"{k} {v}" for k, v in value.items()) if isinstance(value, dict) else str(value)
        for value in values
        if value
    ]
    return list(dict.fromkeys(texts))
