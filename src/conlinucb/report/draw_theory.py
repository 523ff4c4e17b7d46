"""The theory beside practice: coverage, the alpha that was needed, bounds and regret."""

from __future__ import annotations

from typing import Any

from conlinucb.experiments.analysis import Analysis
from conlinucb.report.canvas import Drawing, canvas, caption, legend, size_line
from conlinucb.report.groups import Group
from conlinucb.report.style import label, looks

LINES: tuple[Any, ...] = ("-", "--", "-.", ":")
THEOREMS = {"BS": "Theorem 1", "MCR": "Theorem 2", "ConUCB": "ConUCB's own"}


def draw_theory(group: Group) -> list[Drawing]:
    """Two pictures: is Lemma 2 kept, and how far are the bounds from the regret?"""
    return [_coverage(group), _bounds(group)]


def _coverage(group: Group) -> Drawing:
    figure, (upper, lower) = canvas(group, height=8.2, rows=2)
    for line, outcome in zip(LINES, group.outcomes, strict=False):
        for place, (name, found) in enumerate(outcome.theory.coverage.items()):
            look = {"color": looks([name])[name].colour, "linestyle": line}
            x = [100 * (1 - row.delta) for row in found.by_delta]
            y = [100 * row.people_always_inside for row in found.by_delta]
            # Large and hollow below small and full: most lie on each other, at 100 %.
            hollow = {} if place else {"markersize": 12, "markerfacecolor": "none"}
            upper.plot(x, y, marker="o", **hollow, **look)
            text = f"{label(name)}, {outcome.point}: needed"
            lower.plot(found.rounds, found.needed_max, label=text, **look)
    upper.plot([0, 100], [0, 100], color="#555555", linestyle=":", linewidth=2)
    upper.annotate("what Lemma 2 promises", (62, 60), color="#555555", va="top", fontsize=11)
    upper.set(xlim=(45, 102), ylim=(45, 104), xlabel="promised: 100 (1 - delta) % of the people")
    upper.set_ylabel("always inside, % of people")
    size_line(upper, group)
    _alphas(lower, group)
    legend(figure, lower, columns=1)
    return Drawing(figure, _coverage_alt(group), _coverage_caption(group), "coverage")


def _alphas(panel: Any, group: Group) -> None:
    """Eq. 8 over what would have done."""
    analysis = group.outcomes[0].theory
    first = next(iter(analysis.coverage.values()))
    panel.plot(
        first.rounds,
        first.alpha,
        color="#000000",
        linewidth=2.5,
        label=f"Eq. 8 with delta {analysis.delta:g}",
    )
    practice = first.practice.alpha
    panel.axhline(
        practice, color="#555555", linestyle=":", label=f"{practice:g}, as in the experiments"
    )
    panel.set(xscale="log", xlabel="round", ylabel="alpha")
    panel.set_ylim(bottom=0)


def _coverage_alt(group: Group) -> str:
    parts = []
    for outcome in group.outcomes:
        for name, found in outcome.theory.coverage.items():
            least = min(row.people_always_inside for row in found.by_delta)
            parts.append(
                f"{label(name)} with {outcome.point}: at least {100 * least:.1f} % of the "
                f"people always inside; alpha {found.alpha[-1]:.2f} by Eq. 8 at the end, "
                f"{max(found.needed_max):.2f} needed at most"
            )
    return f"Coverage of Lemma 2, protocol {group.name}. {'; '.join(parts)}."


def _coverage_caption(group: Group) -> str:
    return caption(
        group,
        "Above: the share of people for whom every checked round and arm lies within Eq. 8's "
        "width, against what Lemma 2 promises. Below: Eq. 8's alpha, and the least alpha that "
        "would have covered every person and arm in that round.",
    )


def _bounds(group: Group) -> Drawing:
    figure, (upper, lower) = canvas(group, height=8.0, rows=2, sharex=True)
    names = list(group.outcomes[0].theory.bounds)
    for line, outcome in zip(LINES, group.outcomes, strict=False):
        for name in names:
            curve, colour = outcome.agents[name].curve, looks(names)[name].colour
            for panel in (upper, lower):
                panel.plot(curve.rounds, curve.mean, color=colour, linestyle=line)
    analysis = group.outcomes[0].theory
    for name, values in analysis.bounds.items():
        look = {"color": looks(names)[name].colour, "linestyle": ":", "linewidth": 3}
        upper.plot(analysis.rounds, values, **look)
    _theorems(upper, analysis)
    _keys(upper, names, [each.point for each in group.outcomes])
    upper.set(yscale="log", ylabel="regret and bounds")
    lower.set(xlabel="round", ylabel="measured regret alone")
    lower.set_ylim(bottom=0)
    lower.xaxis.get_major_locator().set_params(integer=True)
    lower.xaxis.set_major_formatter("{x:,.0f}")
    size_line(upper, group)
    legend(figure, upper)
    words = caption(
        group,
        f"Above: measured regret and the bounds that hold with probability "
        f"{1 - analysis.delta:g}, on a logarithmic axis. Below: the measured regret alone.",
    )
    return Drawing(figure, _bounds_alt(group, names), words, "bounds")


def _theorems(panel: Any, analysis: Analysis) -> None:
    """The names of the bounds on their lines, those that lie close to each other together."""
    ends = sorted(
        (values[-1], THEOREMS.get(name, name)) for name, values in analysis.bounds.items()
    )
    top = 0.0
    for value, _ in ends:
        if value > 30 * top:
            lines = [t for v, t in ends if value <= v <= 30 * value]
            panel.annotate(
                " and ".join(lines),
                (analysis.rounds[-1], max(v for v, t in ends if t in lines)),
                (0, 6),
                textcoords="offset points",
                ha="right",
                fontsize=11,
            )
            top = value
    panel.margins(y=0.12)


def _keys(panel: Any, names: list[str], points: list[str]) -> None:
    """Colour says whose, line says what: so the legend has both, not their product."""
    for name in names:
        panel.plot([], [], color=looks(names)[name].colour, linewidth=4, label=label(name))
    for line, point in zip(LINES, points, strict=False):
        panel.plot([], [], color="#555555", linestyle=line, label=f"measured, {point}")
    panel.plot([], [], color="#555555", linestyle=":", linewidth=3, label="bound")


def _bounds_alt(group: Group, names: list[str]) -> str:
    parts = [
        f"{label(name)} with {outcome.point}: regret "
        f"{outcome.regret(name):.4g}, bound "
        f"{outcome.theory.bounds[name][-1]:.3g}"
        for outcome in group.outcomes
        for name in names
        if name in outcome.theory.bounds
    ]
    return f"Regret and bounds, protocol {group.name}. At the end: {'; '.join(parts)}."
