"""From a folder of finished experiments to figures, one HTML report and documentation pages."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from conlinucb.errors import InvalidInput
from conlinucb.experiments.claims import Record, records
from conlinucb.experiments.findings import findings
from conlinucb.experiments.run import outcomes
from conlinucb.report.figures import Picture, write_figures
from conlinucb.report.groups import Group, grouped
from conlinucb.report.markdown import write_pages
from conlinucb.report.page import render


@dataclass(frozen=True)
class _Material:
    """Everything a report is made of."""

    groups: list[Group]
    records: list[Record]
    findings: list[str]
    pictures: list[Picture]


def write(out: Path) -> Path:
    """Write OUT/claims.json, OUT/figures and OUT/report.html; the page's path."""
    made = _gather(out)
    text = json.dumps([each.to_json() for each in made.records], indent=1) + "\n"
    (out / "claims.json").write_text(text, encoding="utf-8")
    page = out / "report.html"
    content = render(made.groups, made.pictures, made.records, made.findings)
    page.write_text(content, encoding="utf-8")
    return page


def write_docs(out: Path, docs: Path) -> list[Path]:
    """Write a Markdown page for each item, an index, figures and claims.json into ``docs``."""
    made = _gather(out, tuning=False)
    return write_pages(made.groups, made.pictures, made.records, made.findings, docs)


def _gather(out: Path, tuning: bool = True) -> _Material:
    """Read all outcomes and draw their figures."""
    found = list(outcomes(out))
    if not found:
        raise InvalidInput(f"{out} holds no finished experiment: run one first, then its report.")
    ordered = grouped(found)
    flat = [each for group in ordered for each in group.outcomes]
    claims = records(flat)
    pictures = write_figures(ordered, out / "figures", tuning)
    return _Material(ordered, claims, findings(flat, claims), pictures)


__all__ = ["write", "write_docs"]
