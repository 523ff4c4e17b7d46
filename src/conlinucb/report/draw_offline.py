"""An offline evaluation at a glance: estimates side by side, and what their weights are like."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

import numpy as np

from conlinucb.offline import Estimate, Evaluation
from conlinucb.offline.estimators import kish
from conlinucb.report.pictures import pyplot
from conlinucb.report.style import ARMS, METADATA, RC, TERMS, WARNING, WIDTH
from conlinucb.shown import people_text
from conlinucb.simulation.looks import picture_type

CUTS = 60
"""Cut-offs at which the effective number of decisions is drawn."""


def draw_offline(evaluation: Evaluation, path: str | Path) -> Path:
    """Draw three panels into an .svg, .png or .pdf file; its path."""
    path, kind = Path(path), picture_type(path)
    with pyplot().rc_context(RC):
        figure, panels = pyplot().subplots(3, 1, figsize=(WIDTH, 10.2), layout="constrained")
        _title(figure, evaluation)
        _estimates(panels[0], evaluation)
        _weights(panels[1], evaluation)
        _cut_offs(panels[2], evaluation)
        figure.savefig(path, dpi=130, metadata=METADATA.get(kind))
        pyplot().close(figure)
    return path


def _title(figure: Any, found: Evaluation) -> None:
    who = "" if found.people is None else f" of {people_text(found.people)}"
    first = f"Offline evaluation: {found.decisions:,} decisions{who}"
    second = f"weights: mean {found.mean_weight:.3g}, largest {found.max_weight:.3g}"
    share = f"{found.support:.1%} of the actions could be the target's"
    figure.suptitle(f"{first}\n{second}\n{share}", x=0.02, ha="left", fontsize=12)


def _estimates(panel: Any, found: Evaluation) -> None:
    """A row for each estimate: its interval, or why there is none."""
    rows = [found.logged, *found.estimates.values()]
    for row, each in enumerate(rows):
        if not each.refused:
            _interval(panel, row, each, TERMS if row == 0 else ARMS)
    if not found.logged.refused:
        panel.axvline(found.logged.value, color=TERMS, linewidth=1.0, linestyle=":")
    for row, each in enumerate(rows):
        if each.refused:
            words = textwrap.fill(f"refused: {each.refused}", 74, max_lines=2, placeholder=" ...")
            place = panel.get_yaxis_transform()
            panel.text(0.01, row, words, transform=place, va="center", color=WARNING, fontsize=8)
    panel.set_yticks(range(len(rows)), [each.name for each in rows])
    panel.set_ylim(len(rows) - 0.5, -0.5)
    panel.set_xlabel("mean reward of a decision, with 95 % interval")
    panel.set_title("What the target would have earned", loc="left")


def _interval(panel: Any, row: int, each: Estimate, colour: str) -> None:
    off = [[each.value - each.low], [each.high - each.value]]
    panel.errorbar([each.value], [row], xerr=off, fmt="o", color=colour)


def _weights(panel: Any, found: Evaluation) -> None:
    """How many decisions have which weight; a few large ones make an estimate unsure."""
    panel.hist(found.weights, bins=40, color=ARMS)
    panel.set_yscale("log")
    panel.axvline(1.0, color="black", linewidth=1.0)
    if found.clip < found.max_weight:
        panel.axvline(found.clip, color=TERMS, linestyle="--", label=f"cut at {found.clip:.3g}")
        panel.legend(loc="upper right")
    panel.set_xlabel("weight: the target's probability over the log's")
    panel.set_ylabel("decisions")
    panel.set_title("Weights", loc="left")


def _cut_offs(panel: Any, found: Evaluation) -> None:
    """What clipping gains in decisions, and what it loses of the target."""
    most = max(found.max_weight, 1e-3)
    cuts = np.geomspace(most / 50.0, most, CUTS)
    cut = [np.minimum(found.weights, each) for each in cuts]
    sizes = [kish(each) / found.decisions for each in cut]
    kept = [float(each.mean()) / max(found.mean_weight, 1e-12) for each in cut]
    panel.plot(cuts, sizes, color=ARMS, label="effective share of the decisions")
    panel.plot(cuts, kept, color=TERMS, linestyle="--", label="share of the weight that is kept")
    panel.axvline(min(found.clip, most), color="black", linewidth=1.0, linestyle=":")
    panel.set_xscale("log")
    ticks = np.array([1, 2, 5]) * 10.0 ** np.arange(-4, 7)[:, None]
    shown = [each for each in ticks.ravel().tolist() if cuts[0] <= each <= most]
    panel.set_xticks(shown, [f"{each:g}" for each in shown])
    panel.minorticks_off()
    panel.set_ylim(0.0, 1.05)
    panel.set_xlabel("largest weight let through (dotted: the one used)")
    panel.set_title("What a cut-off gains and loses", loc="left")
    panel.legend(loc="upper center", bbox_to_anchor=(0.45, -0.2), ncols=1)
