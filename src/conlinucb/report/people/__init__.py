"""Logged people in the report and in the documentation."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from conlinucb.experiments.people.findings import findings
from conlinucb.experiments.people.outcome import FORMAT, PeopleOutcome
from conlinucb.report.figures import Picture, save
from conlinucb.report.people.draw import draw
from conlinucb.report.people.tables import tables
from conlinucb.report.pictures import pyplot
from conlinucb.report.sections import PEOPLE, Section
from conlinucb.report.style import RC
from conlinucb.simulation.store import refuse_format

ABOUT = (
    "Newcomers among real people. A person's items are split in two: one half answers questions, "
    "the other is recommended from. Features, popularity, prior and calibration are learned from "
    "other people only; settings are fixed on one split of the people and reported on the others. "
    "Every contender meets the same people and draws the same pools; what someone has rated is not "
    "recommended to them again."
)


def people_outcomes(out: Path) -> list[PeopleOutcome]:
    """Every data set that was finished in a folder."""
    found = []
    for path in sorted((out / "people").glob("*.json")):
        if path.name.endswith(".spec.json"):
            continue
        content = json.loads(path.read_text("utf-8"))
        refuse_format(path, content, FORMAT)
        found.append(PeopleOutcome.from_json(content))
    return found


def people_section(outcomes: Sequence[PeopleOutcome], folder: Path) -> Section:
    """All data sets as one section of the report, its pictures drawn into ``folder``."""
    folder.mkdir(parents=True, exist_ok=True)
    with pyplot().rc_context(RC):
        pictures = [picture for each in outcomes for picture in _pictures(each, folder)]
    found = [table for each in outcomes for table in tables(each)]
    return replace(PEOPLE, about=ABOUT, pictures=pictures, tables=found)


def _pictures(outcome: PeopleOutcome, folder: Path) -> list[Picture]:
    return [
        Picture(
            None,
            save(each, folder, f"people-{outcome.task}-{each.suffix}"),
            each.alt,
            each.caption,
            tuning=False,
        )
        for each in draw(outcome)
    ]


def people_findings(outcomes: Sequence[PeopleOutcome]) -> list[str]:
    """What came out, in sentences."""
    return [sentence for each in outcomes for sentence in findings(each)]


__all__ = ["people_findings", "people_outcomes", "people_section"]
