"""What came out, in sentences; the same rule whatever the figures say."""

from __future__ import annotations

from conlinucb.experiments.people.contenders import (
    CEILING,
    FACTORISATION,
    NEIGHBOURS,
    NO_QUESTIONS,
    POPULAR,
    name_of,
)
from conlinucb.experiments.people.figures import Figure
from conlinucb.experiments.people.outcome import PeopleOutcome

PUBLISHED = "MCR, as published"


def findings(outcome: PeopleOutcome) -> list[str]:
    """From the published method to the ceiling."""
    return [
        _published(outcome),
        _prior(outcome),
        *(_asking(outcome, name_of(outcome.strategy, count)) for count in (1, 3)),
        _ten(outcome),
        _intervals(outcome),
    ]


def _where(outcome: PeopleOutcome) -> str:
    return f"{outcome.task.capitalize()}, rounds 1-{outcome.first}"


def _first(outcome: PeopleOutcome, name: str) -> float:
    return outcome.contenders[name].first.mean


def _published(outcome: PeopleOutcome) -> str:
    ours, popular = _first(outcome, PUBLISHED), _first(outcome, POPULAR)
    return (
        f"{_where(outcome)}: {PUBLISHED}, reaches {ours:.1f} %, a list of the most popular "
        f"{popular:.1f} %."
    )


def _prior(outcome: PeopleOutcome) -> str:
    found = outcome.contenders[NO_QUESTIONS].versus[POPULAR].first
    return (
        f"{_where(outcome)}: a prior learned from others reaches "
        f"{_first(outcome, NO_QUESTIONS):.1f} % without a question, {_points(found)} than the most "
        f"popular."
    )


def _asking(outcome: PeopleOutcome, name: str) -> str:
    each = outcome.contenders[name]
    against = "; ".join(
        f"{_points(each.versus[other].first)} than {other}"
        for other in (POPULAR, NEIGHBOURS, FACTORISATION)
    )
    times = _first(outcome, name) / max(_first(outcome, PUBLISHED), 1e-9)
    return (
        f"{_where(outcome)}: {name}, {each.first.mean:.1f} %: {against}; {times:.1f} times "
        f"{PUBLISHED}."
    )


def _ten(outcome: PeopleOutcome) -> str:
    low, high = _first(outcome, NO_QUESTIONS), _first(outcome, CEILING)
    ten = _first(outcome, "10 questions first")
    share = 100 * (ten - low) / (high - low) if high > low else 0.0
    return (
        f"{_where(outcome)}: ten questions first reach {ten:.1f} %, {share:.0f} % of the way from "
        f"no questions to the ceiling that knows half of the person ({high:.1f} %)."
    )


def _intervals(outcome: PeopleOutcome) -> str:
    found = outcome.calibration
    return (
        f"{outcome.task.capitalize()}: of 90 % intervals for rewards {found.before:.1f} % hold "
        f"before anything was said, {found.after:.1f} % after half of a person's items."
    )


def _points(figure: Figure) -> str:
    """For example ``9.1 points more (8.0 to 10.2)``."""
    if figure.mean >= 0:
        return f"{figure.mean:.1f} points more ({figure.low:.1f} to {figure.high:.1f})"
    return f"{-figure.mean:.1f} points fewer ({-figure.high:.1f} to {-figure.low:.1f})"
