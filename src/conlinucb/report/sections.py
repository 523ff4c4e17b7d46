"""What the report says of each item: about, figures, tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from conlinucb.experiments.claims import Record
from conlinucb.experiments.findings import later_findings
from conlinucb.experiments.later import FAMILY, WORDS
from conlinucb.experiments.methods import Methods, methods
from conlinucb.experiments.outcome import Outcome
from conlinucb.experiments.people.outcome import PeopleOutcome
from conlinucb.experiments.protocols import PROTOCOLS
from conlinucb.report import later
from conlinucb.report.cells import Table
from conlinucb.report.claim_tables import regret_claims
from conlinucb.report.figures import Picture
from conlinucb.report.groups import Group
from conlinucb.report.kinds import KINDS
from conlinucb.report.own_tables import agents, setup
from conlinucb.report.run_tables import chosen


@dataclass(frozen=True)
class Section:
    """One item of the report."""

    name: str
    title: str
    about: str
    pictures: list[Picture] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    findings: list[str] = field(default_factory=list)
    """What came out, in sentences, where that is not said for all items together."""
    methods: Methods | None = None
    """The text for a methods section, of a comparison of one's own."""


REGRET = (
    "Regret is what a person misses, summed over rounds, by not being shown the best item of each "
    "pool; less is better. All agents met the same people, pools and noise, so they are compared "
    "person by person; intervals are 95 %, over people."
)
PEOPLE = Section("people", "Real people: newcomers in real logs", "")
"""Its pictures and tables come from elsewhere; here by name, for those who link it."""


def sections(groups: Sequence[Group], pictures: Sequence[Picture]) -> list[Section]:
    """Every item that was run, in the paper's order; comparisons of one's own come last."""
    found = _of_all(groups)
    for name, own in dict.fromkeys((group.item, group.own) for group in groups):
        mine = [group for group in groups if (group.item, group.own) == (name, own)]
        shown = [each for each in pictures if each.group in mine and not each.tuning]
        tables = KINDS[mine[0].kind].tables(mine)
        found.append(_section(mine[0], shown, tables))
    return found


def _of_all(groups: Sequence[Group]) -> list[Section]:
    """The table over all items of what came later, before them."""
    tables = later.later_tables(groups)
    found = later_findings(later.later_outcomes(groups))
    return [Section(later.NAME, later.TITLE, later.ABOUT, [], tables, found)] if tables else []


def _section(first: Group, shown: list[Picture], tables: list[Table]) -> Section:
    if first.declared is not None:
        return Section(first.item, first.title, first.declared.about, shown, tables)
    outcome = first.outcomes[0]
    more = [agents(outcome), setup(outcome)]
    text = methods(outcome)
    return Section(first.item, first.title, REGRET, shown, tables + more, methods=text)


def tuned(groups: Sequence[Group], pictures: Sequence[Picture]) -> list[Section]:
    """The search behind each tuned group. Of a sweep, the pictures of its first point."""
    found = []
    for group in groups:
        if any(each.tuning for each in group.outcomes):
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
    """The protocols that were run, in words; the paper's words before those of a family."""
    found: dict[str, str] = {}
    for group in sorted(groups, key=_is_later):
        if not group.own:
            of_later = WORDS if _is_later(group) else {}
            found.setdefault(
                group.protocol, of_later.get(group.protocol, PROTOCOLS[group.protocol].about)
            )
    return found


def _is_later(group: Group) -> bool:
    return group.declared is not None and group.declared.family == FAMILY


def facts(outcomes: Sequence[Outcome | PeopleOutcome]) -> dict[str, list[str]]:
    """With what it was run: the different commands, versions and machines."""
    return {
        "Command": _unique(each.command for each in outcomes),
        "Versions": _unique(_words(each.versions) for each in outcomes),
        "Machine": _unique(_words(vars(each.machine)) for each in outcomes),
    }


def _words(values: Mapping[str, object]) -> str:
    return ", ".join(f"{name} {value}" for name, value in values.items())


def _unique(texts: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(text for text in texts if text))
