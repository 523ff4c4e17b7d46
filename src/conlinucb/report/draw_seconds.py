"""Table 1 as bars: the time for choosing arms and key-terms, as shares of ConUCB's."""

from __future__ import annotations

from typing import Any

from conlinucb.experiments.table_1 import PAPER_SECONDS, Pair, ratios
from conlinucb.report.canvas import Drawing, canvas, caption, legend, size_line
from conlinucb.report.groups import Group
from conlinucb.report.style import ARMS, TERMS, label


def draw_seconds(group: Group) -> list[Drawing]:
    """The paper's bars, and ours for each way to decide."""
    blocks = {"the paper": ratios(PAPER_SECONDS)}
    blocks |= {each.point or "ours": ratios(each.choosing_seconds) for each in group.outcomes}
    blocks = {name: each for name, each in blocks.items() if each}
    rows = [(block, name) for block, each in blocks.items() for name in each]
    figure, (panel,) = canvas(group, height=2.2 + 0.36 * len(rows) + 0.45 * len(blocks))
    at = _bars(panel, blocks)
    panel.set_yticks(at, [label(name) for _, name in rows])
    panel.set_ylim(max(at, default=0) + 0.7, -0.7)
    panel.grid(visible=False, axis="y")
    panel.set_xlabel("time, as a share of ConUCB's total")
    panel.margins(x=0.12)
    size_line(panel, group)
    legend(figure, panel)
    words = "; ".join(
        f"{block}: " + ", ".join(f"{label(n)} {sum(pair):.2f}" for n, pair in each.items())
        for block, each in blocks.items()
    )
    return [
        Drawing(
            figure,
            f"{group.title}, protocol {group.name}: time as a share of ConUCB's. {words}.",
            caption(group, "Time for choosing arms and key-terms as a share of ConUCB's total."),
        )
    ]


def _bars(panel: Any, blocks: dict[str, dict[str, Pair]]) -> list[float]:
    """Draw all blocks below each other; where each bar lies."""
    at: list[float] = []
    y = 0.0
    for i, (block, each) in enumerate(blocks.items()):
        panel.text(0, y, block, va="center", fontsize=11, fontweight="bold")
        for arms, terms in each.values():
            y += 1
            named = i == 0 and not at
            panel.barh(y, arms, color=ARMS, label="choosing arms" if named else None)
            options = {"color": TERMS, "hatch": "//", "edgecolor": "white", "linewidth": 0}
            panel.barh(
                y, terms, left=arms, label="choosing key-terms" if named else None, **options
            )
            panel.text(arms + terms, y, f" {arms + terms:.2f}", va="center", fontsize=11)
            at.append(y)
        y += 1.3
    return at
