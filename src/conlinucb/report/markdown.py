"""The results as Markdown pages for the documentation: one for each item, and an index."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from conlinucb.experiments.claims import Record
from conlinucb.report.cells import Cell, Table
from conlinucb.report.claim_tables import other_claims, regret_claims
from conlinucb.report.figures import Picture
from conlinucb.report.groups import Group
from conlinucb.report.run_tables import chosen
from conlinucb.report.sections import Section, claims_of, protocols_run, sections

DIGITS = 4


def write_pages(
    groups: Sequence[Group],
    pictures: Sequence[Picture],
    records: Sequence[Record],
    findings: Sequence[str],
    docs: Path,
) -> list[Path]:
    """Pages, figures and claims.json; the pages' paths."""
    (docs / "figures").mkdir(parents=True, exist_ok=True)
    found = sections(groups, pictures)
    for picture in (each for section in found for each in section.pictures):
        shutil.copyfile(picture.svg, docs / "figures" / picture.svg.name)
    (docs / "claims.json").write_text(
        json.dumps([_rounded(each) for each in records], indent=1) + "\n", encoding="utf-8"
    )
    pages = {"index": _index(groups, records, findings, found)}
    pages |= {each.name: _page(groups, records, each) for each in found}
    return [_write(docs / f"{name}.md", text) for name, text in pages.items()]


def _write(path: Path, text: str) -> Path:
    path.write_text(re.sub(r"\n{3,}", "\n\n", text).strip() + "\n", encoding="utf-8")
    return path


def _rounded(record: Record) -> dict[str, Any]:
    given = record.to_json()
    return {k: round(v, DIGITS) if isinstance(v, float) else v for k, v in given.items()}


def _index(
    groups: Sequence[Group],
    records: Sequence[Record],
    findings: Sequence[str],
    found: Sequence[Section],
) -> str:
    tables = regret_claims(groups, records), other_claims(groups, records)
    return "\n\n".join(
        [
            "# Results",
            _quick(groups),
            "\n".join(f"- {_escape(sentence)}" for sentence in findings),
            "## Claim by claim",
            *(markdown(table) for table in tables if table.rows),
            "## Pages",
            "\n".join(f"- [{_escape(each.title)}]({each.name}.md)" for each in found),
            "## Protocols",
            "\n".join(f"- **{k}**: {_escape(v)}." for k, v in protocols_run(groups).items()),
            "The claims as data: [claims.json](claims.json).",
        ]
    )


def _page(groups: Sequence[Group], records: Sequence[Record], section: Section) -> str:
    mine = [group for group in groups if group.item == section.name]
    claims = claims_of(mine, records, section.name)
    theory = other_claims(mine, records)
    return "\n\n".join(
        [
            f"# {_escape(section.title)}",
            _quick(mine),
            _escape(section.about),
            _commands(mine),
            "## Paper and ours" if claims or theory.rows else "",
            *(markdown(each) for each in (claims, theory) if each and each.rows),
            "## Deviations from the paper",
            deviations(mine),
            "## Figures",
            *(_figure(each) for each in section.pictures),
            "## Numbers",
            *(markdown(each) for each in section.tables),
            *(markdown(chosen(each)) for each in mine if each.outcomes[0].tuning),
        ]
    )


def _quick(groups: Sequence[Group]) -> str:
    quick = any(group.quick for group in groups)
    return "**Quick run: too small to decide anything.**" if quick else ""


def _commands(groups: Sequence[Group]) -> str:
    """The commands that run the item again."""
    given = [each.command for group in groups for each in group.outcomes if each.command]
    texts = dict.fromkeys(given)
    return "```\n" + "\n".join(texts) + "\n```" if texts else ""


def deviations(groups: Sequence[Group]) -> str:
    """What each protocol that was run changes, with the readings of it and their sizes."""
    lines = []
    for name, words in protocols_run(groups).items():
        lines.append(f"- **{name}**: {_escape(words)}.")
        for group in groups:
            if group.protocol == name:
                lines.append(f"  - {_escape(group.variant or 'as above')}: {group.size}")
    return "\n".join(lines)


def _figure(picture: Picture) -> str:
    alt = picture.alt.replace("[", "(").replace("]", ")")
    return f"![{alt}](figures/{picture.svg.name})\n\n*{_escape(picture.caption)}*"


def markdown(table: Table) -> str:
    """A table with its caption."""
    rule = ["---"] * len(table.head)
    rows: list[Sequence[Any]] = [table.head, rule, *([_cell(c) for c in row] for row in table.rows)]
    lines = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    return f"**{_escape(table.caption)}**\n\n{lines}"


def _cell(cell: Cell) -> str:
    words = "".join(piece.text for piece in cell).replace("\u00a0", " ")
    return _escape(words).replace("\n", "<br>")


def _escape(text: str) -> str:
    """Text in which Markdown sees nothing but text."""
    return re.sub(r"([|*_<>\[\]`])", r"\\\1", text)
