"""Ways of asking: a page with a picture and tables for each data set."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from conlinucb.experiments.people.ways import DEFAULT, WAYS
from conlinucb.experiments.people.ways_findings import advice, span, ways_findings
from conlinucb.experiments.people.ways_table import FORMAT, WayOutcome, WaysOutcome
from conlinucb.report.canvas import Drawing
from conlinucb.report.figures import save
from conlinucb.report.people.draw import legend
from conlinucb.report.pictures import pyplot
from conlinucb.report.style import RC, WARNING, WIDTH
from conlinucb.simulation.store import refuse_format

PAGE = "ways.md"
TITLE = "Ways of asking, on real people"
ABOUT = f"""# {TITLE}

Every way starts from the same population and asks at most as many questions in the same rhythm:
before the first recommendation, or one before each of the first ten, of people who said nothing yet
or who named a favourite, as the service's page begins. All but "Thompson" and "ConTS" then
recommend what they take for the best; all learn from what is liked. People answer as people do,
from the half of their items that is never recommended: yes or no of a key-term, which one of a pair
("both" or "neither" where they like them alike), any or the best of several; and nothing of what
they do not know. What such an answer is worth is learned from the logged people.

Gains are points above asking nothing, of the same people, with 95 % intervals; places are those a
way takes in the middle 95 % of resamples of people, together with all others. One question about
several key-terms counts as one; what it brings for each key-term stands beside it. Ways that decide
themselves whether to ask, "while worth", "where thin" and ConTS, ask at most as often as the others
and may ask less. ConTS alone is shown the round's items when it asks: it chooses between them and a
question.

What to choose is decided on the first split, whose people are in no figure but the tables that say
so; what the choice brings is told by the people of the other splits. A catalogue of twelve
topics or more that a builder brings to the service begins with "pick any of 6", but every other
round, which was not played here; "{DEFAULT}" is how it asks about one topic at a time."""
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7")


def ways_outcomes(out: Path) -> list[WaysOutcome]:
    """Every data set that was finished in a folder."""
    found = []
    for path in sorted((out / "ways").glob("*.json")):
        if not path.name.endswith(".spec.json"):
            content = json.loads(path.read_text("utf-8"))
            refuse_format(path, content, FORMAT)
            found.append(WaysOutcome.from_json(content))
    return found


def write_ways(out: Path, folder: Path) -> Path | None:
    """FOLDER/ways.md and its pictures in FOLDER/figures; None where nothing was played."""
    outcomes = ways_outcomes(out)
    if not outcomes:
        return None
    figures = folder / "figures"
    figures.mkdir(parents=True, exist_ok=True)
    parts = [ABOUT, "```\n" + "\n".join(dict.fromkeys(each.command for each in outcomes)) + "\n```"]
    if any(each.quick for each in outcomes):
        parts.append("**Quick run: too small to decide anything.**")
    parts += ["## What to choose", _listed(advice(outcomes))]
    parts += [
        "## What was found",
        _listed(line for each in outcomes for line in ways_findings(each)),
    ]
    for outcome in outcomes:
        with pyplot().rc_context(RC):
            drawing = draw(outcome)
            path = save(drawing, figures, f"ways-{outcome.task}")
        if folder != out:  # pages show the SVG; what is for papers stays with the run
            path.with_suffix(".pdf").unlink()
        parts += [
            f"## {outcome.task.capitalize()}",
            f"![{drawing.alt}](figures/{path.name})",
            f"*{drawing.caption}*",
            *(table(outcome, each) for each in outcome.rhythms),
            *(table(outcome, each, fixed_on=True) for each in outcome.rhythms),
        ]
    page = folder / PAGE
    page.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    return page


def _listed(lines: Iterable[str]) -> str:
    return "\n".join(f"- {each}" for each in lines)


def table(outcome: WaysOutcome, rhythm: str, fixed_on: bool = False) -> str:
    """Ranked by what is gained in the first rounds, on the reported splits or on the first."""
    people = (
        f"{outcome.fixed_people:,} people of the first split, on which it is chosen"
        if fixed_on
        else f"{outcome.tested:,} people of {_splits(outcome.splits)}"
    )
    nothing = outcome.nothing(rhythm, fixed_on)
    head = (
        f"**{rhythm.capitalize()}** (asking nothing: {nothing.first.mean:.1f} in rounds 1-"
        f"{outcome.first}, {nothing.all.mean:.1f} in 1-{outcome.rounds}; {people}; "
        f"{outcome.measure})"
    )
    rows = [_row(place, each) for place, each in enumerate(outcome.ranked(rhythm, fixed_on), 1)]
    titles = (
        f"| | places | way | asks about | gain, rounds 1-{outcome.first} | gain, 1-"
        f"{outcome.rounds} | behind the best | above {DEFAULT} | a question | a key-term | asked | "
        "answered | yes |"
    )
    return "\n".join([head, "", titles, "|" + "---|" * 13, *rows])


def _splits(count: int) -> str:
    return "one other split" if count == 1 else f"{count} other splits"


def _row(place: int, each: WayOutcome) -> str:
    percent = [f"{value:.0f} %" if value is not None else "" for value in (each.answered, each.yes)]
    found = (each.gain, each.gain_all, each.behind, each.over_default, each.a_question)
    spans = " | ".join(span(figure) if figure is not None else "" for figure in found)
    places = "-".join(map(str, dict.fromkeys(each.ranks or ())))
    return (
        f"| {place} | {places} | {each.way} | {each.kind} | {spans} | {each.a_key_term or 0:.2f} | "
        f"{each.asked:.1f} | {percent[0]} | {percent[1]} |"
    )


def draw(outcome: WaysOutcome) -> Drawing:
    """Gains as points with intervals, the ways in the order of the last rhythm."""
    order = [each.way for each in outcome.ranked(outcome.rhythms[-1])]
    height = 1.4 + 0.4 * len(order)
    figure, panel = pyplot().subplots(figsize=(WIDTH, height), layout="constrained")
    for i, rhythm in enumerate(outcome.rhythms):
        _points(panel, outcome.ranked(rhythm), order, i, rhythm)
    panel.axvline(0, color="#000000", linewidth=1)
    panel.set_yticks(range(len(order)), order)
    panel.invert_yaxis()
    panel.grid(visible=False, axis="y")
    panel.set_xlabel(f"points above asking nothing,\nrounds 1-{outcome.first}")
    title = f"{outcome.task.capitalize()}: what a way of asking brings"
    figure.suptitle(title, x=0.02, ha="left")
    colour = {"color": WARNING} if outcome.quick else {}
    panel.set_title(f"{outcome.tested:,} people", loc="left", fontsize=11, **colour)
    legend(figure, panel)
    last = outcome.rhythms[-1]
    alt = f"{outcome.task}: of {len(WAYS)} ways of asking, {order[0]} gains most, {last}."
    words = "Points above asking nothing, with 95 % intervals."
    return Drawing(figure, alt, words, "ways")


def _points(
    panel: Any, ranked: Sequence[WayOutcome], order: list[str], which: int, label: str
) -> None:
    shift = 0.18 * (which - 1.5)
    rows = [(order.index(each.way) + shift, each.gain) for each in ranked if each.gain is not None]
    ends = [[gain.mean - gain.low for _, gain in rows], [gain.high - gain.mean for _, gain in rows]]
    panel.errorbar(
        [gain.mean for _, gain in rows], [place for place, _ in rows], xerr=ends,
        fmt="o", markersize=4, color=COLOURS[which], label=label,
    )  # fmt: skip
