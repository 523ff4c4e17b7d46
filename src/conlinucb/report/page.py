"""The report as one HTML file that opens without a network."""

from __future__ import annotations

import base64
import importlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from conlinucb.errors import MissingExtra
from conlinucb.experiments.claims import Record
from conlinucb.experiments.item import BASELINE
from conlinucb.experiments.outcome import OWN
from conlinucb.report.claim_tables import other_claims, regret_claims, unclaimed
from conlinucb.report.figures import Picture
from conlinucb.report.groups import Group
from conlinucb.report.run_tables import runs
from conlinucb.report.sections import facts, protocols_run, sections, tuned


def render(
    groups: Sequence[Group],
    pictures: Sequence[Picture],
    records: Sequence[Record],
    findings: Sequence[str],
) -> str:
    """The whole page."""
    outcomes = [each for group in groups for each in group.outcomes]
    return str(
        _environment()
        .get_template("page.html")
        .render(
            title=_title(groups),
            baseline=BASELINE,
            quick=sum(each.quick for each in outcomes),
            total=len(outcomes),
            findings=findings,
            claims=[each for each in _claims(groups, records) if each.rows],
            unclaimed=unclaimed(groups, records),
            sections=sections(groups, pictures),
            tuned=tuned(groups, pictures),
            protocols=protocols_run(groups),
            runs=runs(groups),
            facts=facts(outcomes),
        )
    )


def _title(groups: Sequence[Group]) -> str:
    own = all(group.protocol == OWN for group in groups)
    return groups[0].title if own else "Conversational contextual bandits: the paper, run again"


def _claims(groups: Sequence[Group], records: Sequence[Record]) -> list[Any]:
    return [regret_claims(groups, records), other_claims(groups, records)]


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
