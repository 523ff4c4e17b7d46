"""Tables of logged people."""

from __future__ import annotations

from conlinucb.experiments.people.contenders import POPULAR
from conlinucb.experiments.people.figures import Figure
from conlinucb.experiments.people.outcome import ContenderOutcome, PeopleOutcome
from conlinucb.report.cells import Cell, Piece, Table, text

GROUPS = {
    "no questions": "Asks nothing",
    "published": "As published, 1 question a round",
    "tuned": "Tuned on the first split, 1 question a round",
    "prior": "Starts from a population",
    "yes or no": "Starts from a population, hears yes or no only",
    "beforehand": "Starts from a population, told something beforehand",
    "ceiling": "Knows half of the person's items beforehand",
}


def tables(outcome: PeopleOutcome) -> list[Table]:
    """What every contender reached, against the most popular; the curve; how it was set."""
    return [_figures(outcome), _differences(outcome), _curve(outcome), _facts(outcome)]


def _figures(outcome: PeopleOutcome) -> Table:
    rows = tuple(
        (
            text(GROUPS[each.group]),
            text(name),
            _span(each.first),
            _span(each.all),
            _plain(each.asked),
            _percent(each.answered),
            _percent(each.yes),
        )
        for name, each in outcome.contenders.items()
    )
    head = (
        "", "Who recommends", f"Rounds 1-{outcome.first}", f"Rounds 1-{outcome.rounds}",
        "Questions", "Answered", "Yes",
    )  # fmt: skip
    return Table(f"{outcome.task.capitalize()}: {outcome.measure}", head, rows, names=2)


def _differences(outcome: PeopleOutcome) -> Table:
    others = ("item neighbours", "factorisation", "MCR, as published")
    rows = tuple(
        (text(name), *(_versus(each, other) for other in (POPULAR, *others)))
        for name, each in outcome.contenders.items()
        if each.group in ("prior", "yes or no", "beforehand")
    )
    head = ("Who recommends", *(f"Above {each}" for each in (POPULAR, *others)))
    return Table(
        f"{outcome.task.capitalize()}: points more in rounds 1-{outcome.first}, paired, 95 %",
        head,
        rows,
    )


def _versus(each: ContenderOutcome, other: str) -> Cell:
    return _span(each.versus[other].first) if other in each.versus else text("n/a")


def _curve(outcome: PeopleOutcome) -> Table:
    names = list(dict.fromkeys(each.contender for each in outcome.curve))
    found = {(each.people, each.contender): each for each in outcome.curve}
    people = sorted({each.people for each in outcome.curve})
    rows = tuple(
        (text(f"{many:,}"), *(_span(found[many, name].first) for name in names)) for many in people
    )
    caption = f"{outcome.task.capitalize()}: rounds 1-{outcome.first} by logged people"
    return Table(caption, ("Logged people", *names), rows)


def _facts(outcome: PeopleOutcome) -> Table:
    found = outcome.calibration
    rows = [
        ("Data", ", ".join(f"{count:,} {what}" for what, count in outcome.counts.items())),
        ("90 % intervals hold, before anything was said", f"{found.before:.1f} %"),
        ("90 % intervals hold, after half of a person's items", f"{found.after:.1f} %"),
        ("Variance of a reward", f"{found.noise:.3f}"),
        ("Slope of answers", f"{found.slope:.2f}"),
        *((f"Settings of {name}", _settings(each)) for name, each in outcome.chosen.items()),
    ]
    made = tuple((text(name), text(value)) for name, value in rows)
    return Table(f"{outcome.task.capitalize()}: calibration and settings", ("What", "Value"), made)


def _settings(given: dict[str, object]) -> str:
    return ", ".join(f"{name} {value:g}" for name, value in given.items())


def _span(figure: Figure) -> Cell:
    return (
        Piece(f"{figure.mean:.1f}", figure.mean),
        Piece(" ("),
        Piece(f"{figure.low:.1f}", figure.low),
        Piece(" to "),
        Piece(f"{figure.high:.1f}", figure.high),
        Piece(")"),
    )


def _plain(value: float) -> Cell:
    return (Piece(f"{value:.1f}", value),)


def _percent(value: float | None) -> Cell:
    return text("") if value is None else (Piece(f"{value:.0f} %", value),)
