"""Everything a report is made of, read from a folder of finished experiments and drawn."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from conlinucb.errors import InvalidInput
from conlinucb.experiments.claims import Record, records
from conlinucb.experiments.findings import findings
from conlinucb.experiments.outcome import Outcome
from conlinucb.experiments.people.outcome import PeopleOutcome
from conlinucb.experiments.run import outcomes
from conlinucb.report.figures import Picture, write_claims, write_figures
from conlinucb.report.groups import Group, grouped
from conlinucb.report.people import people_findings, people_outcomes, people_section
from conlinucb.report.sections import Section


@dataclass(frozen=True)
class Material:
    """What was run, what came out, and what was drawn of it."""

    groups: list[Group]
    claims: list[Record] = field(default_factory=list)
    """The paper's items: every claim, and what else was compared in them."""
    compared: list[Record] = field(default_factory=list)
    """Comparisons of one's own, of which nobody claims anything."""
    findings: list[str] = field(default_factory=list)
    pictures: list[Picture] = field(default_factory=list)
    picture_of_claims: Picture | None = None
    people: list[PeopleOutcome] = field(default_factory=list)
    section: Section | None = None
    """Newcomers in real logs, where they were played."""

    @property
    def outcomes(self) -> list[Outcome]:
        """All settings, in the report's order."""
        return [each for group in self.groups for each in group.outcomes]

    @property
    def own(self) -> list[Outcome]:
        """The comparisons of one's own among them."""
        return [each for each in self.outcomes if each.own]

    @property
    def papers(self) -> list[Group]:
        """The paper's items alone."""
        return [group for group in self.groups if not group.own]

    @property
    def people_findings(self) -> list[str]:
        """What came out of logged people, in sentences."""
        return people_findings(self.people)


def has_more(out: Path) -> bool:
    """Whether a folder has finished experiments, or everybody played, beside ways of asking."""
    return any(outcomes(out)) or bool(people_outcomes(out))


def gather(out: Path, tuning: bool = True) -> Material:
    """Read all outcomes and draw their figures."""
    found, people = list(outcomes(out)), people_outcomes(out)
    if not found and not people:
        raise InvalidInput(f"{out} holds no finished experiment: run one first, then its report.")
    groups, folder = grouped(found), out / "figures"
    flat = [each for group in groups for each in group.outcomes]
    claims = records(each for each in flat if not each.own)
    compared = records(each for each in flat if each.own)
    return Material(
        groups,
        claims,
        compared,
        findings(flat, [*claims, *compared]) if flat else [],
        write_figures(groups, folder, tuning),
        write_claims(claims, folder),
        people,
        people_section(people, folder) if people else None,
    )
