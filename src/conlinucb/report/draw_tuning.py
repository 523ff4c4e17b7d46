"""What the search of ``fair`` saw: regret over the parameters it tried."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from conlinucb.experiments.outcome import Search, Trial
from conlinucb.experiments.slug import slug
from conlinucb.report.canvas import Drawing, canvas, caption
from conlinucb.report.groups import Group
from conlinucb.report.style import WARNING, label
from conlinucb.simulation.draw_trials import dots_into
from conlinucb.simulation.sensitivity import percent_above

MOST = 50.0
"""Percent above the best at which the colour ends."""
Trials = Sequence[Trial]


@dataclass(frozen=True)
class Seen:
    """The search at one point of a group."""

    group: Group
    point: str
    search: Search

    def drawing(self, figure: Any, names: list[str], words: str, suffix: str) -> Drawing:
        """A finished figure; the point is in its name where there are several."""
        several = len(self.group.outcomes) > 1
        alt = (
            f"Tuning, {self.group.title}, protocol {self.group.name}. Chosen: {self._words(names)}."
        )
        name = slug(self.point if several else "", suffix)
        return Drawing(figure, alt, caption(self.group, words), name)

    def _words(self, names: list[str]) -> str:
        return "; ".join(
            f"{label(name)} " + ", ".join(f"{k} {v:g}" for k, v in self.search.chosen[name].items())
            for name in names
        )


def draw_tuning(group: Group) -> list[Drawing]:
    """For each tuned point a map of the algorithms that have alpha and beta alone, and slices of
    the rest, those with the same parameters together.
    """
    drawings = []
    for outcome in group.outcomes:
        if outcome.tuning:
            seen = Seen(group, outcome.point, outcome.tuning)
            trials = outcome.tuning.trials
            alike: dict[tuple[str, ...], list[str]] = {}
            for name, rows in trials.items():
                alike.setdefault(tuple(sorted(rows[0].parameters)), []).append(name)
            two = alike.pop(("alpha", "beta"), [])
            drawings += [_maps(seen, two)] if two else []
            drawings += [_slices(seen, *each) for each in enumerate(alike.values(), 1)]
    return drawings


def above(rows: Trials) -> list[float]:
    """How many percent each trial's regret lies above the best one's.

    >>> above([Trial(parameters={}, regret=regret) for regret in (2.0, 3.0)])
    [0.0, 50.0]
    """
    best = min(row.regret for row in rows)
    return [percent_above(row.regret, best) for row in rows]


def _maps(seen: Seen, names: list[str]) -> Drawing:
    rows = (len(names) + 1) // 2
    figure, panels = canvas(
        seen.group, height=2.2 + 1.9 * rows, rows=rows, columns=2, sharex=True, sharey=True
    )
    colours = None
    for panel, name in zip(panels, names, strict=False):
        colours = _map(panel, seen.search, name)
    for panel in panels[len(names) :]:
        panel.set_visible(False)
        panels[panels.index(panel) - 2].xaxis.set_tick_params(labelbottom=True)
    for panel in panels[::2]:
        panel.set_ylabel("alpha")
    for panel in panels[-2 - (len(panels) - len(names)) : len(names)]:
        panel.set_xlabel("beta")
    _note(figure, seen)
    figure.colorbar(
        colours,
        ax=panels,
        location="bottom",
        extend="max",
        label="regret, % above the algorithm's best",
        aspect=40,
    )
    words = (
        "Every trial of the search: beta and alpha, and by colour how far its regret lies above "
        "the algorithm's best. Ringed: chosen."
    )
    return seen.drawing(figure, names, words, "tuning")


def _map(panel: Any, search: Search, name: str) -> Any:
    rows = search.trials[name]
    x, y = ([row.parameters[each] for row in rows] for each in ("beta", "alpha"))
    dots = panel.scatter(
        x,
        y,
        c=above(rows),
        cmap="cividis_r",
        vmin=0,
        vmax=MOST,
        s=45,
        edgecolor="#333333",
        linewidth=0.5,
    )
    chosen = search.chosen[name]
    panel.scatter(
        chosen["beta"], chosen["alpha"], s=190, facecolor="none", edgecolor=WARNING, linewidth=2.2
    )
    panel.set(xscale="log", yscale="log")
    _decades(panel.xaxis, panel.set_xlim, search.ranges["beta"])
    _decades(panel.yaxis, panel.set_ylim, search.ranges["alpha"])
    panel.set_title(label(name), fontsize=11)
    return dots


def _decades(axis: Any, limit: Any, ends: Sequence[float]) -> None:
    """A logarithmic range with a tick at each power of ten, and no others."""
    low, high = ends[0] / 1.5, ends[1] * 1.5
    ticks = [tick for tick in (0.01, 0.1, 1, 10) if low < tick < high]
    axis.set_ticks(ticks, labels=[f"{tick:g}".replace("0.", ".") for tick in ticks])
    axis.set_ticks([], minor=True)
    limit(low, high)


def _slices(seen: Seen, number: int, names: list[str]) -> Drawing:
    """Rows of algorithms, columns of parameters that all of them have; every dot is a trial."""
    parameters = list(seen.search.trials[names[0]][0].parameters)
    figure, panels = canvas(
        seen.group,
        height=2.0 + 1.9 * len(names),
        rows=len(names),
        columns=len(parameters),
        sharey=True,
        sharex="col",
    )
    for i, name in enumerate(names):
        row = panels[i * len(parameters) : (i + 1) * len(parameters)]
        row[0].set_title(label(name), fontsize=11, loc="left")
        row[0].set_ylabel("% above best", fontsize=11)
        for panel, parameter in zip(row, parameters, strict=True):
            _slice(panel, seen.search, name, parameter)
    for panel, parameter in zip(panels[-len(parameters) :], parameters, strict=True):
        panel.set_xlabel(parameter)
    _note(figure, seen)
    words = (
        "Every trial of the search, against one parameter at a time; how far its regret lies above "
        "the algorithm's best (a triangle on top: beyond the axis). Red: chosen."
    )
    suffix = "tuning-slices" + ("" if number == 1 else f"-{number}")
    return seen.drawing(figure, names, words, suffix)


def _slice(panel: Any, search: Search, name: str, parameter: str) -> None:
    rows, top = search.trials[name], 2 * MOST
    dots = [(row.parameters[parameter], y) for row, y in zip(rows, above(rows), strict=True)]
    dots_into(panel, dots, search.chosen[name][parameter], top)
    if parameter == "mix":  # searched as (1 - mix) / mix, so most of the points are near 1
        panel.set_xscale("logit")
        panel.set_xticks([0.1, 0.9, 0.999], [".1", ".9", ".999"])
        panel.minorticks_off()
    else:
        panel.set_xscale("log")
        _decades(panel.xaxis, panel.set_xlim, search.ranges[parameter])


def _note(figure: Any, seen: Seen) -> None:
    """Size and quick mark as part of the heading: panels have titles of their own."""
    count = len(next(iter(seen.search.trials.values())))
    lines = [f"tuning: {count} trials each on {seen.search.users} users"]
    lines[:0] = [seen.point] if seen.point else []
    if seen.group.quick:
        lines.append("quick run: too small to decide anything")
    heading = figure.get_suptitle()
    figure.suptitle("\n".join([heading, *lines]), x=0.02, ha="left")
