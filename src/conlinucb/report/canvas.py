"""An empty figure with its heading, and what a finished drawing is."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import Any

from conlinucb.report.groups import Group
from conlinucb.report.pictures import pyplot
from conlinucb.report.style import WARNING, WIDTH

LINE = 50
"""Characters of a heading's line."""


@dataclass(frozen=True)
class Drawing:
    """A figure, what it shows in words, and what to know beside it."""

    figure: Any
    alt: str
    caption: str
    suffix: str = ""
    """What tells it from the group's other figures."""


def canvas(
    group: Group, height: float = 4.6, rows: int = 1, columns: int = 1, **options: Any
) -> tuple[Any, Any]:
    """A figure and its panels in a flat list; title and protocol on top."""
    figure, panels = pyplot().subplots(
        rows, columns, figsize=(WIDTH, height), layout="constrained", squeeze=False, **options
    )
    lines = [*textwrap.wrap(group.title, LINE), *textwrap.wrap(group.name, LINE)]
    figure.suptitle("\n".join(lines), x=0.02, ha="left")
    return figure, list(panels.flat)


def size_line(panel: Any, group: Group, more: str = "") -> None:
    """How large the run was, over a panel; a quick one says so in red."""
    text = ", ".join(each for each in (group.size, more) if each)
    if group.quick:
        panel.set_title(f"quick run: {text}", loc="left", color=WARNING, fontsize=11)
    else:
        panel.set_title(text, loc="left", fontsize=11)


def legend(figure: Any, panel: Any, columns: int = 2) -> None:
    """Below the panels, where it covers nothing."""
    handles, labels = panel.get_legend_handles_labels()
    figure.legend(
        handles,
        labels,
        loc="outside lower center",
        ncols=columns,
        columnspacing=1.2,
        handlelength=2.6,
    )


def caption(group: Group, text: str) -> str:
    """A sentence on what is drawn, with protocol and size."""
    quick = " Quick run: too small to decide anything." if group.quick else ""
    start = f"Protocol {group.told}" if group.name else group.told
    return f"{start}. {text}{quick}"
