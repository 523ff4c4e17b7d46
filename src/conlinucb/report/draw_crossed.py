"""Both estimates with every strategy: what comes from which."""

from __future__ import annotations

from typing import Any

from conlinucb.experiments.algorithms import ONE_STEP, PAPER, TWO_STEP
from conlinucb.experiments.outcome import Outcome
from conlinucb.experiments.slug import slug
from conlinucb.report.canvas import Drawing, canvas, caption, legend, size_line
from conlinucb.report.draw_curves import last
from conlinucb.report.groups import Group
from conlinucb.report.style import looks

ESTIMATES = (
    ("ConUCB's estimate in two steps", TWO_STEP, {"color": "#009E73", "marker": "s"}),
    ("ConLinUCB's one estimate", ONE_STEP, {"color": "#D55E00", "marker": "o"}),
)


def strategies(outcome: Outcome) -> list[str]:
    """Strategies that met an estimate, from least to most regret under the one estimate."""
    agents = outcome.agents
    both = [each for each in ONE_STEP if ONE_STEP[each] in agents or TWO_STEP[each] in agents]
    return sorted(both, key=lambda each: _regret(outcome, each))


def _regret(outcome: Outcome, strategy: str) -> float:
    one = ONE_STEP[strategy]
    return outcome.regret(one if one in outcome.agents else TWO_STEP[strategy])


def row_name(strategy: str) -> str:
    """A strategy with the paper's name for it."""
    one, two = ONE_STEP[strategy], TWO_STEP[strategy]
    paper = one if one in PAPER else f"{two}'s" if two in PAPER else ""
    return f"{strategy} ({paper})" if paper else strategy


def draw_crossed(group: Group) -> list[Drawing]:
    """Strategies as rows, the two estimates side by side, LinUCB as a line."""
    return [_crossed(group, each) for each in group.outcomes]


def _crossed(group: Group, outcome: Outcome) -> Drawing:
    rows = strategies(outcome)
    figure, (panel,) = canvas(group, height=2.3 + 0.45 * len(rows))
    for offset, (text, names, look) in zip((0.12, -0.12), ESTIMATES, strict=True):
        _dots(panel, outcome, [names[each] for each in rows], offset, label=text, **look)
    if "LinUCB" in outcome.agents:
        value, low, high = last(outcome, "LinUCB")
        options = looks(["LinUCB"])["LinUCB"].colour
        panel.axvline(value, color=options, linestyle="--", label="LinUCB, no questions")
        panel.axvspan(low, high, color=options, alpha=0.08, linewidth=0)
    panel.set_yticks(range(len(rows)), [row_name(each) for each in rows])
    panel.invert_yaxis()
    panel.set_xlabel("regret at the end")
    size_line(panel, group)
    legend(figure, panel, columns=1)
    alt = f"{group.title}, protocol {group.name}: regret at the end. {_words(outcome, rows)}"
    words = caption(
        group,
        "Regret at the end with 95 % intervals. A gap between the two markers of a row comes from "
        "the estimate (and its constants), a gap between rows from the questions.",
    )
    return Drawing(figure, alt, words, slug(outcome.point) if len(group.outcomes) > 1 else "")


def _dots(panel: Any, outcome: Outcome, names: list[str], offset: float, **look: Any) -> None:
    found = {i: last(outcome, n) for i, n in enumerate(names) if n in outcome.agents}
    spans = list(found.values())
    ends = [[m - low for m, low, _ in spans], [high - m for m, _, high in spans]]
    rows = [i - offset for i in found]
    panel.errorbar([m for m, _, _ in spans], rows, xerr=ends, linestyle="none", **look)


def _words(outcome: Outcome, rows: list[str]) -> str:
    parts = []
    for text, names, _ in ESTIMATES:
        each = [
            f"{row} {outcome.regret(names[row]):.4g}"
            for row in rows
            if names[row] in outcome.agents
        ]
        parts.append(f"{text}: {', '.join(each)}.")
    if "LinUCB" in outcome.agents:
        parts.append(f"LinUCB: {outcome.regret('LinUCB'):.4g}.")
    return " ".join(parts)
