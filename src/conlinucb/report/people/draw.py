"""Pictures of logged people: who recommends how well, how soon, and from how many others."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from itertools import pairwise
from math import inf
from typing import Any

from conlinucb.experiments.people.contenders import CEILING, NO_QUESTIONS, POPULAR, name_of
from conlinucb.experiments.people.outcome import PeopleOutcome
from conlinucb.report.canvas import Drawing
from conlinucb.report.pictures import pyplot
from conlinucb.report.style import WARNING, WIDTH

NEAR = 1.4
"""Two numbers of people with a smaller ratio than this have no room for both on the axis."""
BEST = "its best strategy"
AT_A_GLANCE = (
    "chance",
    "MCR, as published",
    "MCR, tuned",
    POPULAR,
    "item neighbours",
    "factorisation",
    NO_QUESTIONS,
    name_of("max-radius", 1),
    name_of(BEST, 1),
    name_of(BEST, 3),
    "1 favourite named",
    "questionnaire of 16",
    "5 favourites named",
    CEILING,
)
OVER_ROUNDS = ("MCR, as published", POPULAR, NO_QUESTIONS, name_of(BEST, 3), CEILING)
COLOURS = {
    "no questions": "#7F7F7F",
    "published": "#D55E00",
    "tuned": "#D55E00",
    "prior": "#0072B2",
    "beforehand": "#009E73",
    "ceiling": "#4D4D4D",
}


def draw(outcome: PeopleOutcome) -> list[Drawing]:
    """All pictures of one data set."""
    return [_glance(outcome), _rounds(outcome), _logged(outcome)]


def _named(names: Sequence[str], outcome: PeopleOutcome) -> list[str]:
    """With the strategy that asks best on these data."""
    return list(dict.fromkeys(each.replace(BEST, outcome.strategy) for each in names))


def _panel(outcome: PeopleOutcome, title: str, height: float) -> tuple[Any, Any]:
    figure, panel = pyplot().subplots(figsize=(WIDTH, height), layout="constrained")
    figure.suptitle(f"{outcome.task.capitalize()}: {title}", x=0.02, ha="left")
    size = f"{outcome.tested:,} people, {outcome.splits} splits"
    if outcome.quick:
        panel.set_title(f"quick run: {size}", loc="left", color=WARNING, fontsize=11)
    else:
        panel.set_title(size, loc="left", fontsize=11)
    return figure, panel


def _glance(outcome: PeopleOutcome) -> Drawing:
    names = [name for name in _named(AT_A_GLANCE, outcome) if name in outcome.contenders]
    figure, panel = _panel(outcome, f"a newcomer's first {outcome.first} rounds", 5.6)
    for place, name in enumerate(names):
        each = outcome.contenders[name]
        mean, ends = each.first.mean, (each.first.low, each.first.high)
        panel.barh(place, mean, color=COLOURS[each.group], height=0.7)
        panel.plot(ends, (place, place), color="#000000", linewidth=1.2)
        panel.annotate(
            f"{mean:.0f}", (max(mean, ends[1]), place), (4, 0),
            textcoords="offset points", va="center", fontsize=11,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.5},
        )  # fmt: skip
    popular = outcome.contenders[POPULAR].first.mean
    panel.axvline(popular, color="#000000", linestyle="--", linewidth=1, zorder=0.5)
    panel.set_yticks(range(len(names)), names)
    panel.invert_yaxis()
    panel.grid(visible=False, axis="y")
    highest = max(outcome.contenders[name].first.high for name in names)
    panel.set_xlim(left=_floor(outcome), right=1.09 * highest)  # the longest bar's number fits
    panel.set_xlabel(_wrapped(outcome.measure))
    told = ", ".join(f"{name} {outcome.contenders[name].first.mean:.1f}" for name in names)
    alt = f"{outcome.task}, rounds 1 to {outcome.first}, percent: {told}."
    words = (
        f"Rounds 1 to {outcome.first}: {outcome.measure}, with 95 % intervals over people; the "
        f"dashed line is a list of the most popular. Grey asks nothing, orange is the published "
        f"method, blue starts from a population, green knows something beforehand."
    )
    return Drawing(figure, alt, words, "first-rounds")


def _rounds(outcome: PeopleOutcome) -> Drawing:
    figure, panel = _panel(outcome, "round by round", 4.4)
    lines, markers = ("-", "--", "-", "-", ":"), "PsoD^"
    for name, line, marker in zip(_named(OVER_ROUNDS, outcome), lines, markers, strict=True):
        each = outcome.contenders[name]
        colour = COLOURS[each.group] if name != NO_QUESTIONS else "#56B4E9"
        rounds = range(1, len(each.by_round) + 1)
        panel.plot(rounds, each.by_round, label=name, color=colour, linestyle=line, marker=marker,
                   markevery=3)  # fmt: skip
    panel.set(xlabel="round", ylabel=_wrapped(outcome.measure, 30))
    panel.set_xticks([1, *range(5, outcome.rounds + 1, 5)])
    panel.set_ylim(bottom=min(0.0, panel.get_ylim()[0]))
    legend(figure, panel)
    ends = ", ".join(
        f"{name} {outcome.contenders[name].by_round[0]:.0f} then "
        f"{outcome.contenders[name].by_round[-1]:.0f}"
        for name in _named(OVER_ROUNDS, outcome)
    )
    alt = f"{outcome.task}, percent in the first and in the last round: {ends}."
    return Drawing(figure, alt, f"By round: {outcome.measure}.", "rounds")


def _logged(outcome: PeopleOutcome) -> Drawing:
    figure, panel = _panel(outcome, "how many others must there be?", 4.4)
    names = list(dict.fromkeys(each.contender for each in outcome.curve))
    colours, markers = ("#7F7F7F", "#56B4E9", "#0072B2", "#CC79A7"), "soD^"
    for name, colour, marker in zip(names, colours, markers, strict=False):
        points = [each for each in outcome.curve if each.contender == name]
        at = [max(each.people, 1) for each in points]
        panel.plot(at, [each.first.mean for each in points], label=name, color=colour,
                   marker=marker)  # fmt: skip
        panel.fill_between(
            at, [each.first.low for each in points], [each.first.high for each in points],
            color=colour, alpha=0.15, linewidth=0,
        )  # fmt: skip
    _people_axis(panel, sorted({each.people for each in outcome.curve}))
    panel.set_ylabel(f"rounds 1 to {outcome.first}, percent")
    panel.set_ylim(bottom=min(0.0, *(each.first.low for each in outcome.curve)))
    legend(figure, panel)
    told = "; ".join(
        f"{name} "
        + ", ".join(
            f"{each.first.mean:.0f} from {each.people:,}"
            for each in outcome.curve
            if each.contender == name
        )
        for name in names
    )
    words = (
        f"Rounds 1 to {outcome.first} against the number of logged people that features, "
        f"popularity and prior were learned from; on two of the splits."
    )
    return Drawing(figure, f"{outcome.task}, by logged people: {told}.", words, "logged-people")


def _people_axis(panel: Any, people: Sequence[int]) -> None:
    panel.set_xscale("log")
    told = [one for one, after in pairwise([*people, inf]) if after >= NEAR * one]
    panel.set_xticks([max(each, 1) for each in told], [f"{each:,}" for each in told])
    panel.minorticks_off()
    panel.set_xlabel("logged people (nobody at the left)")


def _floor(outcome: PeopleOutcome) -> float:
    """Where bars begin: at 0, or below where someone did worse than chance."""
    return min(0.0, *(each.first.low for each in outcome.contenders.values()))


def legend(figure: Any, panel: Any) -> None:
    """Below the panel, in two columns: as wide as a figure of a page is."""
    handles, labels = panel.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=2, columnspacing=1.2)


def _wrapped(words: str, width: int = 44) -> str:
    return "\n".join(textwrap.wrap(words, width))
