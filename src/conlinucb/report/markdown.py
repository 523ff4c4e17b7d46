"""The results as Markdown pages for the documentation: one for each item, and an index."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from conlinucb.experiments.claims import Record
from conlinucb.experiments.methods import Methods
from conlinucb.experiments.people.outcome import PeopleOutcome
from conlinucb.report.cells import Cell, Table
from conlinucb.report.claim_tables import other_claims, regret_claims
from conlinucb.report.figures import Picture
from conlinucb.report.groups import Group
from conlinucb.report.material import Material
from conlinucb.report.own_tables import compared
from conlinucb.report.run_tables import chosen
from conlinucb.report.sections import PEOPLE, Section, claims_of, protocols_run, sections

DIGITS = 4
PAGES = "## Pages"
QUICK = "**Quick run: too small to decide anything.**"


def write_pages(made: Material, docs: Path) -> list[Path]:
    """Pages, figures and claims.json; the pages' paths."""
    (docs / "figures").mkdir(parents=True, exist_ok=True)
    found = sections(made.groups, made.pictures)
    drawn = [each for section in found for each in section.pictures]
    for picture in [*drawn, *([made.picture_of_claims] if made.picture_of_claims else [])]:
        shutil.copyfile(picture.svg, docs / "figures" / picture.svg.name)
    pages = {each.name: _page(made.groups, made.claims, each) for each in found}
    if _only_adds(made, docs):
        for each in found:
            link(docs, each.name, each.title)
        return [_write(docs / f"{name}.md", text) for name, text in pages.items()]
    if made.papers:
        text = json.dumps([_rounded(each) for each in made.claims], indent=1) + "\n"
        (docs / "claims.json").write_text(text, encoding="utf-8")
    also = [PEOPLE] if (docs / f"{PEOPLE.name}.md").exists() else []
    pages = {"index": _index(made, [*also, *found]), **pages}
    return [_write(docs / f"{name}.md", text) for name, text in pages.items()]


def _only_adds(made: Material, docs: Path) -> bool:
    """Whether a family of items alone was run, beside an index of everything else."""
    alone = all(each.declared is not None and each.declared.family for each in made.groups)
    return alone and (docs / "index.md").exists()


def link(docs: Path, name: str, title: str) -> None:
    """Last among the pages of an index that is there."""
    index, entry = docs / "index.md", f"- [{_escape(title)}]({name}.md)"
    text = index.read_text(encoding="utf-8") if index.exists() else ""
    if PAGES not in text or f"]({name}.md)" in text:
        return
    before, pages = text.split(f"{PAGES}\n\n", 1)
    entries, *rest = pages.split("\n\n", 1)
    _write(index, "\n\n".join([f"{before}{PAGES}", f"{entries.rstrip()}\n{entry}", *rest]))


def write_people(
    section: Section, findings: Sequence[str], outcomes: Sequence[PeopleOutcome], docs: Path
) -> Path:
    """The page of logged people, with its figures; an index that is there links it."""
    commands = list(dict.fromkeys(each.command for each in outcomes if each.command))
    (docs / "figures").mkdir(parents=True, exist_ok=True)
    for picture in section.pictures:
        shutil.copyfile(picture.svg, docs / "figures" / picture.svg.name)
    text = "\n\n".join(
        [
            f"# {_escape(section.title)}",
            QUICK if any(each.quick for each in outcomes) else "",
            _escape(section.about),
            "```\n" + "\n".join(commands) + "\n```" if commands else "",
            "\n".join(f"- {_escape(sentence)}" for sentence in findings),
            "## Figures",
            *(_figure(each) for each in section.pictures),
            "## Numbers",
            *(markdown(each) for each in section.tables),
        ]
    )
    _link(docs / "index.md", section)
    return _write(docs / f"{section.name}.md", text)


def _link(index: Path, section: Section) -> None:
    """First among the pages of an index that was written before."""
    text = index.read_text(encoding="utf-8") if index.exists() else ""
    if PAGES in text and _entry(section) not in text:
        _write(index, text.replace(f"{PAGES}\n\n", f"{PAGES}\n\n{_entry(section)}\n", 1))


def _entry(section: Section) -> str:
    return f"- [{_escape(section.title)}]({section.name}.md)"


def _write(path: Path, text: str) -> Path:
    path.write_text(re.sub(r"\n{3,}", "\n\n", text).strip() + "\n", encoding="utf-8")
    return path


def _rounded(record: Record) -> dict[str, Any]:
    given = record.to_json()
    return {k: round(v, DIGITS) if isinstance(v, float) else v for k, v in given.items()}


def _index(made: Material, found: Sequence[Section]) -> str:
    tables = [
        regret_claims(made.papers, made.claims),
        other_claims(made.papers, made.claims),
        compared(made.groups, made.compared),
    ]
    return "\n\n".join(
        [
            "# Results",
            _quick(made.groups),
            "\n".join(f"- {_escape(sentence)}" for sentence in made.findings),
            "## Claim by claim" if made.claims else "## Compared",
            *([_figure(made.picture_of_claims)] if made.picture_of_claims else []),
            *(markdown(table) for table in tables if table.rows),
            PAGES,
            "\n".join(_entry(each) for each in found),
            *_protocols(made.groups),
        ]
    )


def _protocols(groups: Sequence[Group]) -> list[str]:
    found = protocols_run(groups)
    if not found:
        return []
    lines = "\n".join(f"- **{name}**: {_escape(words)}." for name, words in found.items())
    return ["## Protocols", lines, "The claims as data: [claims.json](claims.json)."]


_HEADS = {False: "## Deviations from the paper", True: "## How it was run"}


def _page(groups: Sequence[Group], records: Sequence[Record], section: Section) -> str:
    own = section.methods is not None
    mine = [group for group in groups if _is_about(section, group)]
    family = any(group.item != section.name for group in mine)
    later = any(group.declared is not None and bool(group.declared.family) for group in mine)
    claims = claims_of(mine, records, section.name)
    theory = other_claims(mine, records)
    return "\n\n".join(
        [
            f"# {_escape(section.title)}",
            _quick(mine),
            _escape(section.about),
            _commands(mine),
            "\n".join(f"- {_escape(sentence)}" for sentence in section.findings),
            "## Paper and ours" if claims or theory.rows else "",
            *(markdown(each) for each in (claims, theory) if each and each.rows),
            *([] if own or family else [_HEADS[later], deviations(mine)]),
            "## Figures" if section.pictures else "",
            *(_figure(each) for each in section.pictures),
            "## Numbers",
            *(markdown(each) for each in section.tables),
            *(markdown(chosen(each)) for each in mine if each.outcomes[0].tuning and not family),
            *(_methods(section.methods) if section.methods else []),
        ]
    )


def _is_about(section: Section, group: Group) -> bool:
    """Whether a group is of this item or, of a table over a family, in the family."""
    if group.declared is not None and group.declared.family == section.name:
        return True
    return (group.item, group.own) == (section.name, section.methods is not None)


def _methods(made: Methods) -> list[str]:
    lines = [*made.paragraphs, *made.listed]
    return ["## Text for a methods section", *(_escape(each) for each in lines)]


def _quick(groups: Sequence[Group]) -> str:
    quick = any(group.quick for group in groups)
    return QUICK if quick else ""


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
