"""How every picture looks: one colour, line and marker for each algorithm, everywhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conlinucb.errors import InvalidInput

WIDTH = 6.0
"""Inches. With text of 11 points and more, a figure can be read on a telephone."""

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
TYPES = ("svg", "png", "pdf")
METADATA: dict[str, dict[str, None]] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}


def picture_type(path: str | Path) -> str:
    """What kind of picture a file is, by its ending; its folder must be there.

    >>> picture_type("regret.SVG")
    'svg'
    """
    ending = Path(path).suffix[1:].lower()
    if ending not in TYPES:
        raise InvalidInput(f"A picture is a file ending in .svg, .png or .pdf, got {str(path)!r}.")
    if not Path(path).parent.is_dir():
        raise InvalidInput(f"There is no folder {Path(path).parent} for the picture {path}.")
    return ending


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


KNOWN = {
    "LinUCB": Look("#000000", "-", "s"),
    "Arm-Con": Look("#E69F00", "--", "D"),
    "ConUCB": Look("#009E73", "-", "^"),
    "UCB": Look("#56B4E9", "-.", "v"),
    "BS": Look("#0072B2", "--", "o"),
    "MCR": Look("#D55E00", "-", "P"),
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


def assigned(names: Sequence[str], known: Mapping[str, Look] = KNOWN) -> dict[str, Look]:
    """A look for each agent: its own where it is known, one of the others' in their order.

    >>> assigned(["MCR", "mine"])["MCR"] == assigned(["MCR"])["MCR"]
    True
    """
    own = {name: known[name] for name in names if name in known}
    taken = {look.colour for look in own.values()}
    free = [look for look in _FREE if look.colour not in taken] or list(_FREE)
    others = [name for name in names if name not in own]
    return own | {name: free[i % len(free)] for i, name in enumerate(others)}
