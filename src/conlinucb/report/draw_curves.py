"""Regret over rounds, and final regret along a sweep."""

from __future__ import annotations

from typing import Any

from conlinucb.experiments.outcome import Curve, Outcome
from conlinucb.experiments.slug import slug
from conlinucb.report.canvas import Drawing, canvas, caption, legend, size_line
from conlinucb.report.groups import Group
from conlinucb.report.style import label, looks
from conlinucb.simulation.plot import draw_curve

Span = tuple[float, float, float]
"""A value with the ends of its interval."""


def last(outcome: Outcome, name: str) -> Span:
    """Regret at the end with its interval; the ends are the value where there is none."""
    curve = outcome.agents[name].curve
    return _span(curve.mean[-1], curve.low[-1], curve.high[-1])


def _span(value: float, low: float | None, high: float | None) -> Span:
    return value, value if low is None else low, value if high is None else high


def by_regret(outcome: Outcome) -> list[str]:
    """Agents from most to least regret, as they stand above each other in the picture."""
    return sorted(outcome.agents, key=lambda name: (-outcome.regret(name), name))


def draw_curves(group: Group) -> list[Drawing]:
    """One picture over rounds for each point."""
    return [_curves(group, each) for each in group.outcomes]


def _curves(group: Group, outcome: Outcome) -> Drawing:
    names = by_regret(outcome)
    figure, (panel,) = canvas(group, height=4.0 + 0.24 * ((len(names) + 1) // 2))
    for place, name in enumerate(names):
        shown = label(name, group.own)
        _curve(panel, outcome.agents[name].curve, shown, looks(names)[name], place)
    panel.set(xlabel="round", ylabel="cumulative regret", xlim=(0, outcome.rounds))
    panel.set_ylim(bottom=0)
    panel.xaxis.get_major_locator().set_params(integer=True)
    panel.xaxis.set_major_formatter("{x:,.0f}")
    size_line(panel, group, outcome.point)
    legend(figure, panel)
    ends = ", ".join(f"{label(n, group.own)} {outcome.regret(n):.4g}" for n in names)
    alt = (
        f"{group.under}: cumulative regret over {outcome.rounds:,} "
        f"rounds. At the end, from most to least: {ends}."
    )
    words = caption(
        group,
        "Cumulative regret, mean over users with 95 % band; legend in the order "
        "of the regret at the end.",
    )
    several = len(group.outcomes) > 1
    return Drawing(figure, alt, words, slug(outcome.point) if several else "")


def _curve(panel: Any, curve: Curve, name: str, look: Any, place: int) -> None:
    band = (curve.low, curve.high) if None not in curve.low else None
    draw_curve(panel, curve.rounds, curve.mean, band, name, look, place)


def draw_sweep(group: Group) -> list[Drawing]:
    """Final regret against what is varied, or how far it is below that of one of the agents."""
    below = _below(group)
    names = [name for name in by_regret(group.outcomes[-1]) if name != below]
    names = names[::-1] if below else names
    figure, (panel,) = canvas(group, height=4.0 + 0.24 * ((len(names) + 1) // 2))
    series = {name: _series(group, name, below) for name in names}
    for place, (name, points) in enumerate(series.items()):
        _bars(panel, points, name, looks(names)[name], place - (len(names) - 1) / 2)
    ticks = sorted({_at(each) for each in group.outcomes})
    panel.set_xscale("log")
    panel.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    panel.minorticks_off()
    what = f"less regret than {label(below)}" if below else "regret at the end"
    panel.set(xlabel=group.axis, ylabel=what)
    if below:
        panel.axhline(0, color="#000000", linewidth=1)
    size_line(panel, group)
    legend(figure, panel)
    return [Drawing(figure, _sweep_alt(group, what, series), _sweep_caption(group, what))]


def _below(group: Group) -> str:
    """The agent from whose regret the item is drawn downwards, if it took part everywhere."""
    below = group.declared.below if group.declared else ""
    return below if all(below in each.agents for each in group.outcomes) else ""


def _at(outcome: Outcome) -> float:
    assert outcome.at is not None  # an outcome of a sweep is not read without
    return float(outcome.at)


def _series(group: Group, name: str, below: str) -> dict[float, Span]:
    found = [each for each in group.outcomes if name in each.agents]
    return {_at(e): _saved(e, name, below) if below else last(e, name) for e in found}


def _saved(outcome: Outcome, name: str, below: str) -> Span:
    """How much less regret than another agent, the interval that of the paired difference."""
    base, versus = outcome.regret(below) / 100, outcome.agents[name].versus[below]
    value, low, high = _span(versus.measured or 0.0, versus.low, versus.high)
    return base * value, base * low, base * high


def _bars(panel: Any, points: dict[float, Span], name: str, look: Any, place: float) -> None:
    # A little aside of each other, so that equal values and their bars stay visible.
    at = [x * (1 + 0.012 * place) for x in points]
    middle = [each[0] for each in points.values()]
    ends = [[m - low for m, low, _ in points.values()], [h - m for m, _, h in points.values()]]
    panel.errorbar(at, middle, yerr=ends, label=label(name), **look.options)


def _sweep_alt(group: Group, what: str, series: dict[str, dict[float, Span]]) -> str:
    parts = "; ".join(
        f"{label(name)} " + ", ".join(f"{span[0]:.4g} at {at:g}" for at, span in points.items())
        for name, points in series.items()
    )
    return f"{group.title}, protocol {group.name}: {what} against {group.axis}. {parts}."


def _sweep_caption(group: Group, what: str) -> str:
    return caption(
        group,
        f"{what[0].upper()}{what[1:]} against {group.axis}, with 95 % intervals; markers of one "
        f"value are drawn a little aside of each other.",
    )
