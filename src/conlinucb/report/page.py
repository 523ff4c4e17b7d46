"""The report as one HTML file that opens without a network."""

from __future__ import annotations

import base64
import importlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from conlinucb.errors import MissingExtra
from conlinucb.experiments.item import BASELINE
from conlinucb.experiments.outcome import Outcome
from conlinucb.experiments.people.outcome import PeopleOutcome
from conlinucb.report.cells import Table
from conlinucb.report.claim_tables import other_claims, regret_claims, unclaimed
from conlinucb.report.groups import Group
from conlinucb.report.material import Material
from conlinucb.report.own_tables import compared
from conlinucb.report.run_tables import runs
from conlinucb.report.sections import PEOPLE, facts, protocols_run, sections, tuned


def render(made: Material) -> str:
    """The whole page."""
    played: list[Outcome | PeopleOutcome] = [*made.outcomes, *made.people]
    section = [made.section] if made.section else []
    return str(
        _environment()
        .get_template("page.html")
        .render(
            title=_title(made.groups),
            baseline=BASELINE,
            quick=sum(each.quick for each in played),
            total=len(played),
            findings=[*made.people_findings, *made.findings],
            papers=bool(made.papers),
            own=bool(made.own),
            claims=[each for each in _claims(made) if each.rows],
            picture_of_claims=made.picture_of_claims,
            unclaimed=unclaimed(made.papers, made.claims),
            compared=compared(made.groups, made.compared),
            sections=[*section, *sections(made.groups, made.pictures)],
            tuned=tuned(made.groups, made.pictures),
            protocols=protocols_run(made.groups),
            runs=runs(made.groups),
            facts=facts(played),
        )
    )


def _title(groups: Sequence[Group]) -> str:
    if not groups:
        return PEOPLE.title
    own = all(group.own for group in groups)
    return groups[0].title if own else "Conversational contextual bandits: the paper, run again"


def _claims(made: Material) -> list[Table]:
    return [regret_claims(made.papers, made.claims), other_claims(made.papers, made.claims)]


def _environment() -> Any:
    try:
        jinja2 = importlib.import_module("jinja2")
    except ModuleNotFoundError:
        raise MissingExtra("runner", "the report") from None
    made = jinja2.Environment(
        loader=jinja2.PackageLoader("conlinucb.report", "."),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    made.filters["inline"] = inline
    return made


def inline(svg: Path) -> str:
    """A picture as an address that holds it."""
    return f"data:image/svg+xml;base64,{base64.b64encode(svg.read_bytes()).decode()}"
