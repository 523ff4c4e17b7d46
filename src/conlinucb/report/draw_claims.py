"""Every claimed improvement in one picture: the paper's figure, and our interval beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from conlinucb.experiments import ITEMS
from conlinucb.experiments.claims import Record
from conlinucb.experiments.item import BASELINE
from conlinucb.experiments.verdicts import FAILS, HOLDS, NOT_CLAIMED, SMALLER, Verdict, score
from conlinucb.report.canvas import Drawing, legend
from conlinucb.report.pictures import pyplot
from conlinucb.report.style import PROTOCOL_LOOKS, WARNING, WIDTH

DRAWN = ("%", "% time")
"""Units of claims that are percent less than ConUCB's; others have scales of their own."""
ROW, HEAD, GAP = 1.0, 1.6, 0.7
"""Heights of a reading, of an item's title and of the room after a claim."""
INCHES = 0.19
"""Of a row."""
FILLS: dict[Verdict, dict[str, Any]] = {
    HOLDS: {"fillstyle": "full"},
    SMALLER: {"fillstyle": "left", "markerfacecoloralt": "white"},
    FAILS: {"fillstyle": "none"},
}
"""How full a marker is: as full as the claim is kept."""


@dataclass
class Row:
    """One claim, and what each reading of each protocol made of it."""

    item: str
    name: str
    claimed: float | str
    found: list[Record] = field(default_factory=list)

    @property
    def height(self) -> float:
        """Of its readings, or of its name in two lines, with the room after it."""
        return ROW * max(len(self.found), 1 + self.name.count("\n")) + GAP


def claim_rows(records: Sequence[Record]) -> list[Row]:
    """Claims in the paper's order."""
    rows: dict[tuple[str, str, str], Row] = {}
    for record in records:
        if record.unit not in DRAWN or record.verdict == NOT_CLAIMED or record.claimed is None:
            continue
        point = record.setting.removesuffix(record.variant).removesuffix(", ")
        key = record.item, point, record.agent
        rows.setdefault(
            key, Row(record.item, _name(record.agent, point), record.claimed)
        ).found.append(record)
    order = list(ITEMS)
    return sorted(rows.values(), key=lambda row: order.index(row.item))


def draw_claims(records: Sequence[Record]) -> Drawing | None:
    """Claim by claim, grouped by item; None where nothing is claimed."""
    rows = claim_rows(records)
    if not rows:
        return None
    readings = list(dict.fromkeys(_reading(each) for row in rows for each in row.found))
    items = len({row.item for row in rows})
    tall = sum(row.height for row in rows) + (HEAD + GAP) * items
    height = 1.6 + INCHES * tall + 0.22 * (len(readings) + 5)
    figure, panel = pyplot().subplots(figsize=(WIDTH, height), layout="constrained")
    figure.suptitle("Claim by claim: the paper's figure\nand our interval", x=0.02, ha="left")
    _rows(panel, rows, readings)
    panel.axvline(0, color="#000000", linewidth=1)
    panel.grid(visible=False, axis="y")
    panel.margins(x=0.06)
    panel.set_xlabel(f"percent less than {BASELINE}")
    if any(record.quick for row in rows for record in row.found):
        panel.set_title("quick run: too small to decide", loc="left", color=WARNING, fontsize=11)
    _keys(panel, readings, any(isinstance(row.claimed, str) for row in rows))
    legend(figure, panel, columns=1)
    return Drawing(figure, _alt(rows), CAPTION)


CAPTION = (
    f"Black: what the paper says, a bar for a figure, an arrow from 0 for better than {BASELINE} "
    "or, where it says best of all, than the best of the others. Coloured: what was measured, with "
    "its 95 % interval. A full marker: the claim holds; a half one: right direction, smaller "
    "effect; an empty one: it does not hold. UCB, BS and MCR are ConLinUCB's. Times have no "
    "interval."
)


def _reading(record: Record) -> tuple[str, str]:
    return record.protocol, record.variant


def _rows(panel: Any, rows: Sequence[Row], readings: list[tuple[str, str]]) -> None:
    """Everything at its height, from the top down."""
    y, item = 0.0, ""
    places: list[float] = []
    for row in rows:
        if row.item != item:
            item, y = row.item, y + (GAP if places else 0.0)
            _title(panel, ITEMS[item].title, y)
            y += HEAD
        end = y + ROW * (len(row.found) - 1)
        _claimed(panel, row.claimed, y, end)
        for i, record in enumerate(row.found):
            _measured(panel, record, y + ROW * i, _look(readings, _reading(record)))
        places.append((y + end) / 2)
        y += row.height
    panel.set_yticks(places, [row.name for row in rows], fontsize=10)
    panel.tick_params(axis="y", length=0)
    panel.set_ylim(y - GAP, -0.8)


def _title(panel: Any, title: str, y: float) -> None:
    """Over an item's claims, from the figure's left edge: panels leave no room for labels there."""
    at = (0.02, y), ("figure fraction", "data")
    text = panel.annotate(title, at[0], xycoords=at[1], fontsize=10, fontweight="bold", va="center")
    text.set_in_layout(False)


def _name(agent: str, point: str) -> str:
    """The algorithm and the point of a sweep, which has a line of its own where it is long."""
    return f"{agent}{', ' if len(point) < 15 else chr(10)}{point}" if point else agent


def _claimed(panel: Any, claimed: float | str, top: float, bottom: float) -> None:
    if isinstance(claimed, str):
        panel.plot([0], [(top + bottom) / 2], ">", color="#000000", markersize=8, zorder=3)
    else:
        ends = [top - 0.45 * ROW, bottom + 0.45 * ROW]
        panel.plot([claimed, claimed], ends, color="#000000", linewidth=3, zorder=1)


def _measured(panel: Any, record: Record, y: float, look: dict[str, Any]) -> None:
    if record.measured is None:
        return
    if record.low is not None and record.high is not None:
        panel.hlines(y, record.low, record.high, color=look["color"], linewidth=1.8, zorder=2)
        panel.plot([record.low, record.high], [y, y], "|", color=look["color"], zorder=2)
    panel.plot([record.measured], [y], linestyle="", zorder=4, **look, **FILLS[record.verdict])


def _look(readings: list[tuple[str, str]], reading: tuple[str, str]) -> dict[str, Any]:
    """A colour for each protocol, a marker for each of its readings."""
    mine = [each for each in readings if each[0] == reading[0]]
    look = PROTOCOL_LOOKS[reading[0]]
    marker = look.markers[mine.index(reading) % len(look.markers)]
    return {"color": look.colour, "marker": marker, "markersize": 6}


def _keys(panel: Any, readings: list[tuple[str, str]], words: bool) -> None:
    """What the legend says, drawn nowhere."""
    panel.plot([], [], "|", color="#000000", markersize=12, markeredgewidth=3, label="the paper")
    if words:
        panel.plot([], [], ">", color="#000000", markersize=8, label="the paper: better, or best")
    for reading in readings:
        name = f"{reading[0]} ({reading[1]})" if reading[1] else reading[0]
        panel.plot([], [], linestyle="", label=f"ours: {name}", **_look(readings, reading))
    for verdict, fill in FILLS.items():
        look = {"color": "#6b6b6b", "marker": "o", "markersize": 6}
        panel.plot([], [], linestyle="", label=verdict, **look, **fill)


def _alt(rows: Sequence[Row]) -> str:
    verdicts = [record.verdict for row in rows for record in row.found]
    return (
        f"{len(rows)} claims of the paper, each with its figure and our interval under every "
        f"protocol that was run. Of these comparisons {score(verdicts)}. The tables have the "
        "numbers."
    )
