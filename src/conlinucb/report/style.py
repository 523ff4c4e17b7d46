"""How every picture looks: one colour, line and marker for each algorithm, everywhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from conlinucb.experiments.algorithms import ALGORITHMS, ONE_STEP, PAPER

WIDTH = 6.0
"""Inches. With text of 11 points and more, a figure can be read on a telephone."""
WARNING = "#B00020"
ARMS, TERMS = "#0072B2", "#E69F00"
"""The two parts of a time: choosing arms, choosing key-terms."""

RC: dict[str, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 12,
    "axes.titlesize": 12,
    "axes.labelsize": 12,
    "figure.titlesize": 13,
    "legend.fontsize": 11,
    "xtick.labelsize": 11,
    "ytick.labelsize": 11,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.alpha": 0.3,
    "lines.linewidth": 1.8,
    "lines.markersize": 6,
    "legend.frameon": False,
    "errorbar.capsize": 3,
    # Text as outlines looks the same on every machine; a fixed salt makes equal files.
    "svg.fonttype": "path",
    "svg.hashsalt": "conlinucb",
    "pdf.fonttype": 42,
}
METADATA: dict[str, dict[str, None]] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}


@dataclass(frozen=True)
class Look:
    """How one algorithm is drawn. Line and marker differ too, so grey print can be read."""

    colour: str
    line: Any = "-"
    marker: str = "o"
    filled: bool = True

    @property
    def options(self) -> dict[str, Any]:
        """As matplotlib wants them."""
        return {
            "color": self.colour,
            "linestyle": self.line,
            "marker": self.marker,
            "markerfacecolor": self.colour if self.filled else "white",
        }


_PAPER = {
    "LinUCB": Look("#000000", "-", "s"),
    "Arm-Con": Look("#E69F00", "--", "D"),
    "ConUCB": Look("#009E73", "-", "^"),
    "UCB": Look("#56B4E9", "-.", "v"),
    "BS": Look("#0072B2", "--", "o"),
    "MCR": Look("#D55E00", "-", "P"),
}
_OTHERS = {
    "ConLinUCB-random": Look("#7F7F7F", ":", "x"),
    "ConLinUCB-optimal-greedy": Look("#CC79A7", "-.", "*"),
    "ConLinUCB-related-confidence": Look("#882255", (0, (5, 1, 1, 1, 1, 1)), "<"),
    "ConLinUCB-related-reduction": Look("#999933", (0, (1, 1)), ">"),
}
_FREE = tuple(
    Look(colour, line, marker)
    for line, markers in (("-", "oDs^vPX"), ("--", "sovD^XP"))
    for colour, marker in zip(
        ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"),
        markers,
        strict=True,
    )
)
"""For agents with names of the user's own, in their order."""


def looks(names: Sequence[str]) -> dict[str, Look]:
    """Each agent's look; the same for a known algorithm whoever else takes part.

    >>> looks(["MCR", "mine"])["MCR"] == looks(["MCR"])["MCR"]
    True
    """
    known = {name: look for name in names if (look := _known(name))}
    taken = {look.colour for look in known.values()}
    free = [look for look in _FREE if look.colour not in taken] or list(_FREE)
    others = [name for name in names if name not in known]
    return known | {name: free[i % len(free)] for i, name in enumerate(others)}


def _known(name: str) -> Look | None:
    both = _PAPER | _OTHERS
    if name in both or name not in ALGORITHMS:
        return both.get(name)
    # ConUCB's estimate with another strategy: that strategy's look, dashed and hollow.
    return replace(both[ONE_STEP[str(ALGORITHMS[name].asks)]], line="--", filled=False)


def label(name: str) -> str:
    """An algorithm as figures and tables call it.

    >>> label("UCB"), label("ConUCB")
    ('ConLinUCB-UCB', 'ConUCB')
    """
    return f"ConLinUCB-{name}" if name in PAPER and name in ONE_STEP.values() else name
