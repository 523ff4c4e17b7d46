"""From a folder of finished experiments to figures, one HTML report and documentation pages."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from conlinucb.experiments.claims import Record
from conlinucb.experiments.methods import METHODS, methods_page
from conlinucb.report.draw_offline import draw_offline
from conlinucb.report.draw_population import draw_population
from conlinucb.report.markdown import link, write_pages, write_people
from conlinucb.report.material import Material, gather, has_more
from conlinucb.report.own_tables import NUMBERS
from conlinucb.report.page import render
from conlinucb.report.people.ways import TITLE as WAYS_TITLE
from conlinucb.report.people.ways import write_ways

OF_CLAIMS = ("claimed", "verdict", "protocol", "setting", "variant", "quick")
"""Of a record, what a comparison of one's own has not."""


def write(out: Path) -> Path:
    """Write OUT/report.html, OUT/figures and the numbers compared; the page's path.

    Where ways of asking alone were played, that is OUT/ways.md.

    Those are in OUT/claims.json for the paper's items, in OUT/comparisons.json for comparisons of
    one's own, of which OUT/methods.md has the text for a methods section.
    """
    if not has_more(out) and (ways := write_ways(out, out)) is not None:
        return ways
    made = gather(out)
    _write_numbers(out, made)
    if made.own:
        (out / METHODS).write_text(methods_page(made.own), encoding="utf-8")
    page = out / "report.html"
    page.write_text(render(made), encoding="utf-8")
    return page


def _write_numbers(out: Path, made: Material) -> None:
    if made.papers or not made.own:
        _write_records(out / "claims.json", made.claims)
    if made.own:
        _write_records(out / f"{NUMBERS}.json", made.compared, OF_CLAIMS)


def _write_records(path: Path, records: Sequence[Record], without: Sequence[str] = ()) -> None:
    found = [each.to_json() for each in records]
    kept = [{name: each[name] for name in each if name not in without} for each in found]
    path.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


def write_docs(out: Path, docs: Path) -> list[Path]:
    """Write a Markdown page for each item, an index, figures and claims.json into ``docs``."""
    ways = write_ways(out, docs)
    written = [] if ways is not None and not has_more(out) else _write_others(out, docs)
    if ways is None:
        return written
    link(docs, ways.stem, WAYS_TITLE)
    return [*written, ways]


def _write_others(out: Path, docs: Path) -> list[Path]:
    """All but ways of asking."""
    made = gather(out, tuning=False)
    written = []
    if made.section is not None:  # first, so that the index finds it
        written.append(write_people(made.section, made.people_findings, made.people, docs))
    if made.groups:
        written += write_pages(made, docs)
    return written


__all__ = ["draw_offline", "draw_population", "write", "write_docs", "write_ways"]
