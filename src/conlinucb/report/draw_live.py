"""A live comparison at a glance: how the interval of each difference closed as people came."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

import numpy as np

from conlinucb.report.pictures import pyplot
from conlinucb.report.style import ARMS, METADATA, RC, TERMS, WIDTH
from conlinucb.service.experiments.compare import Found
from conlinucb.service.experiments.verdict import Pair
from conlinucb.simulation.looks import picture_type

POINTS = 2_000
"""Of a line."""


def draw_live(found: Found, path: str | Path) -> Path:
    """Draw a panel for each pair of arms into an .svg, .png or .pdf file; its path."""
    path, kind = Path(path), picture_type(path)
    rows = max(1, len(found.pairs))
    with pyplot().rc_context(RC):
        figure, panels = pyplot().subplots(
            rows, 1, figsize=(WIDTH, 1.0 + 3.6 * rows), layout="constrained", squeeze=False
        )
        first, last = found.report.rounds
        title = f"Experiment {found.report.experiment}: recommendations {first} to {last}"
        figure.suptitle(title, x=0.02, ha="left")
        for panel, pair in zip(panels.flat, found.pairs, strict=False):
            _pair(panel, pair)
        figure.savefig(path, dpi=130, metadata=METADATA.get(kind))
        pyplot().close(figure)
    return path


def _pair(panel: Any, pair: Pair) -> None:
    panel.set_title("\n".join(textwrap.wrap(pair.verdict, 78)), loc="left", fontsize=9)
    panel.set_xlabel("people")
    panel.set_ylabel(f"{pair.other} minus {pair.one}, {pair.unit}")
    panel.axhline(0.0, color="black", linewidth=1.0)
    pairs = pair.sequence.means.size
    if not pairs:
        return
    at = np.unique(np.linspace(0, pairs - 1, min(pairs, POINTS)).astype(int))
    people = (at + 1) * sum(pair.blocks)
    lows, highs, means = (each[at] for each in pair.sequence)
    panel.fill_between(people, lows, highs, color=ARMS, alpha=0.2, linewidth=0, label="interval")
    panel.plot(people, means, color=ARMS, label="difference so far")
    if pair.told_after is not None:
        told = pair.told_after * sum(pair.blocks)
        panel.axvline(told, color=TERMS, linestyle="--", label=f"told after {told:,} people")
    reach = 1.5 * max(np.abs(lows[len(at) // 10 :]).max(), np.abs(highs[len(at) // 10 :]).max())
    panel.set_ylim(-reach, reach)
    panel.legend(loc="upper right", fontsize=8)
