"""Trials as a picture: rows of algorithms, columns of parameters, every dot a trial."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from typing import Any

from conlinucb.errors import MissingExtra
from conlinucb.simulation.ranges import Log, Logit, Numbers, Range
from conlinucb.simulation.space import Space
from conlinucb.simulation.trial import Trials, best_of

TOP = 100.0
"""Percent above the best at which the axis ends; what lies beyond is a triangle there."""
SHARES = (0.001, 0.1, 0.9, 0.999)
"""Ticks of an axis of shares, few enough to be read."""
DOT, CHOSEN = "#0072B2", "#B00020"


def draw_trials(spaces: Mapping[str, Space], trials: Trials, metric: str) -> Any:
    """A matplotlib figure of every finished trial; the chosen ones in red."""
    columns = max(len(space.ranges) for space in spaces.values())
    figure, panels = _pyplot().subplots(
        len(spaces),
        columns,
        figsize=(max(4.5, 2.2 * columns), 0.8 + 2.1 * len(spaces)),
        layout="constrained",
        squeeze=False,
        sharey=True,
    )
    for row, (name, space) in zip(panels, spaces.items(), strict=True):
        row[0].set_title(name, loc="left")
        row[0].set_ylabel("% worse than best")
        for panel in row[len(space.ranges) :]:
            panel.set_visible(False)
        for panel, (parameter, each) in zip(row, space.ranges.items(), strict=False):
            _draw(panel, trials, name, parameter, each)
    figure.suptitle(f"{metric} over what was tried; red: chosen", x=0.02, ha="left")
    return figure


def _draw(panel: Any, trials: Trials, name: str, parameter: str, given: Range) -> None:
    from conlinucb.simulation.tuned import above_best

    rows = trials.of(name)
    shown = [
        (_axis(given, row.parameters[parameter]), float(above))
        for row, above in zip(rows, above_best(rows), strict=True)
        if row.finished
    ]
    dots_into(panel, shown, _axis(given, best_of(rows).parameters[parameter]), TOP)
    panel.set_xlabel(parameter)
    scale_of(panel, given)


def dots_into(
    panel: Any, dots: Sequence[tuple[float, float]], chosen: float, top: float, size: float = 5
) -> None:
    """Trials as dots, a triangle on top for what is beyond the axis, the chosen one in red."""
    look = {"linestyle": "", "color": DOT, "alpha": 0.7, "markersize": size, "clip_on": False}
    inside = [dot for dot in dots if dot[1] <= top]
    panel.plot([x for x, _ in inside], [y for _, y in inside], marker="o", **look)
    beyond = [x for x, y in dots if y > top]
    if beyond:  # an empty line without clipping has no place, and breaks the layout
        panel.plot(beyond, [top] * len(beyond), marker="^", **look)
    panel.plot(chosen, 0, "o", color=CHOSEN, markersize=size + 3, clip_on=False)
    panel.set_ylim(0, top)


def scale_of(panel: Any, given: Range) -> None:
    """The axis as the range is searched, from its low to its high."""
    if not isinstance(given, Numbers):
        options = given.values()
        panel.set_xticks(range(len(options)), [str(each) for each in options])
        panel.set_xlim(-0.5, len(options) - 0.5)
        return
    if isinstance(given, Logit):
        panel.set_xscale("logit")
        ticks = [each for each in SHARES if given.low <= each <= given.high]
        panel.set_xticks(ticks, [f"{each:g}"[1:] for each in ticks])
        panel.minorticks_off()
    elif isinstance(given, Log) or getattr(given, "log", False):
        panel.set_xscale("log")
        panel.set_xlim(given.low / 1.5, given.high * 1.5)
    else:
        margin = 0.05 * (given.high - given.low)
        panel.set_xlim(given.low - margin, given.high + margin)


def _axis(given: Range, value: Any) -> float:
    """Where a value is drawn: options stand side by side."""
    return float(value) if isinstance(given, Numbers) else float(given.values().index(value))


def _pyplot() -> Any:
    try:
        return importlib.import_module("matplotlib.pyplot")
    except ModuleNotFoundError:
        raise MissingExtra("runner", "the picture") from None
