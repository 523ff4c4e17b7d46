"""Every figure of a folder of outcomes, as SVG for screens and PDF for papers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from conlinucb.experiments.claims import Record
from conlinucb.report.canvas import Drawing
from conlinucb.report.draw_claims import draw_claims
from conlinucb.report.draw_tuning import draw_tuning
from conlinucb.report.groups import Group
from conlinucb.report.kinds import KINDS
from conlinucb.report.pictures import pyplot
from conlinucb.report.style import METADATA, RC

_NUMBER = re.compile(r"-?\d+\.\d{3,}")


@dataclass(frozen=True)
class Picture:
    """A figure on disk."""

    group: Group | None
    """None for what belongs to no group, as pictures of logged people."""
    svg: Path
    alt: str
    caption: str
    tuning: bool
    """Of the search, not of what came out."""


def write_figures(groups: Sequence[Group], folder: Path, tuning: bool = True) -> list[Picture]:
    """Draw into ``folder``, the search too or not; equal outcomes give equal files."""
    folder.mkdir(parents=True, exist_ok=True)
    with pyplot().rc_context(RC):
        return [picture for group in groups for picture in _draw(group, folder, tuning)]


def write_claims(records: Sequence[Record], folder: Path) -> Picture | None:
    """The picture of all claims, if there are any."""
    folder.mkdir(parents=True, exist_ok=True)
    with pyplot().rc_context(RC):
        drawing = draw_claims(records)
        if drawing is None:
            return None
        svg = save(drawing, folder, "claims")
    return Picture(None, svg, drawing.alt, drawing.caption, tuning=False)


def _draw(group: Group, folder: Path, tuning: bool) -> list[Picture]:
    shown = [_save(group, each, folder, tuning=False) for each in KINDS[group.kind].draw(group)]
    searched = draw_tuning(group) if tuning else []
    return shown + [_save(group, each, folder, tuning=True) for each in searched]


def _save(group: Group, drawing: Drawing, folder: Path, tuning: bool) -> Picture:
    stem = "-".join(each for each in (group.slug, drawing.suffix) if each)
    return Picture(group, save(drawing, folder, stem), drawing.alt, drawing.caption, tuning)


def save(drawing: Drawing, folder: Path, stem: str) -> Path:
    """Write SVG and PDF; the SVG's path."""
    for kind, metadata in METADATA.items():
        drawing.figure.savefig(folder / f"{stem}.{kind}", metadata=metadata)
        drawing.figure.set_layout_engine("none")  # laid out once: again costs half a second
    pyplot().close(drawing.figure)
    svg = folder / f"{stem}.svg"
    svg.write_text(_compact(svg.read_text(encoding="utf-8")), encoding="utf-8")
    return svg


def _compact(svg: str) -> str:
    """Paths to a hundredth of a point: half the bytes, and the report holds every figure."""
    return re.sub(r' d="[^"]*"', lambda path: _NUMBER.sub(_short, path[0]), svg)


def _short(number: re.Match[str]) -> str:
    return f"{float(number[0]):.2f}".rstrip("0").rstrip(".")
