"""Which way of asking helps most a question, in sentences that follow the numbers."""

from __future__ import annotations

from collections.abc import Sequence

from conlinucb.experiments.people import ways
from conlinucb.experiments.people.figures import Figure
from conlinucb.experiments.people.ways_table import WayOutcome, WaysOutcome


def span(figure: Figure) -> str:
    """For example ``4.1 (2.0 to 6.3)``."""
    return f"{figure.mean:.1f} ({figure.low:.1f} to {figure.high:.1f})"


def ways_findings(outcome: WaysOutcome) -> list[str]:
    """In each rhythm: what is best, what to choose, and whether asking helps at all."""
    return [_rhythm(outcome, each) for each in outcome.rhythms]


def _rhythm(outcome: WaysOutcome, rhythm: str) -> str:
    best, chosen = outcome.ranked(rhythm)[0], outcome.chosen(rhythm)
    assert best.gain is not None
    assert best.a_question is not None
    where = f"{outcome.task.capitalize()}, rounds 1-{outcome.first}, {rhythm}"
    return " ".join(
        [
            f"{where}: {best.way} gains most over asking nothing, {span(best.gain)} points, "
            f"{span(best.a_question)} a question; {_alike(outcome, rhythm)}.",
            _chosen(outcome, chosen, best),
        ]
    )


def _alike(outcome: WaysOutcome, rhythm: str) -> str:
    """Who cannot be told apart from the best: the interval of the paired difference says so."""
    others = outcome.ranked(rhythm)[1:]
    near = [each.way for each in others if each.behind is not None and each.behind.low <= 0]
    if not near:
        return "no other is within its interval"
    return f"{len(near)} of {len(others)} others cannot be told apart from it"


def _chosen(outcome: WaysOutcome, chosen: WayOutcome, best: WayOutcome) -> str:
    """The choice is the first split's; what it brings is told by people it was not made on."""
    assert chosen.gain is not None
    assert chosen.behind is not None
    assert chosen.ranks is not None
    said = (
        f"Chosen on the first split, whose people are not in these figures: {chosen.way}; "
        f"of the others it gains {span(chosen.gain)}, place {_places(chosen.ranks)} of "
        f"{len(outcome.ranked(chosen.rhythm))}"
    )
    if chosen.gain.low <= 0:
        return f"{said}: that asking so helps at all is not beyond doubt."
    if chosen.way == best.way:
        return f"{said}, the best there, too."
    if chosen.behind.low > 0:
        return f"{said}, {span(chosen.behind)} points behind the best there."
    return f"{said}, not to be told apart from the best there."


def _places(places: Sequence[int]) -> str:
    low, high = places
    return f"{low}" if low == high else f"{low} to {high}"


def better_than_default(outcome: WaysOutcome, rhythm: str) -> list[WayOutcome]:
    """Ways that on the first split bring more than the service's default, beyond the interval."""
    return [
        each
        for each in outcome.ranked(rhythm, fixed_on=True)
        if each.over_default is not None and each.over_default.low > 0
    ]


def advice(outcomes: Sequence[WaysOutcome]) -> list[str]:
    """What a builder should choose, and whether the service's default follows."""
    return [
        sentence
        for rhythm in ways.RHYTHMS.values()
        if (sentence := _advice(outcomes, rhythm.name)) is not None
    ]


def _advice(outcomes: Sequence[WaysOutcome], rhythm: str) -> str | None:
    """The way that is best on the first splits of all data, by its mean gain there."""
    played = [each for each in outcomes if each.ranked(rhythm, fixed_on=True)]
    if not played:
        return None
    gains = [
        {each.way: each.gain.mean for each in outcome.ranked(rhythm, fixed_on=True) if each.gain}
        for outcome in played
    ]
    best = max(gains[0], key=lambda way: sum(each[way] for each in gains))
    told = []
    for outcome in played:
        mine = next(each for each in outcome.ranked(rhythm) if each.way == best)
        assert mine.gain is not None
        assert mine.a_question is not None
        told.append(f"{outcome.task} {span(mine.gain)}, {span(mine.a_question)} a question")
    return (
        f"{rhythm.capitalize()}: choose {best}, the best on the first splits taken together; on "
        f"the others it gains {'; '.join(told)}. {_default(played, rhythm)}"
    )


def _default(outcomes: Sequence[WaysOutcome], rhythm: str) -> str:
    """Whether one way beats the default beyond its interval on every first split."""
    beyond = [{each.way for each in better_than_default(out, rhythm)} for out in outcomes]
    every = sorted(set.intersection(*beyond))
    if every:
        return f"On each first split these beat {ways.DEFAULT} beyond the interval: " + (
            f"{'; '.join(every)}."
        )
    some = [
        f"on {out.task} {len(found)}" for out, found in zip(outcomes, beyond, strict=True) if found
    ]
    if not some:
        return f"No way beats {ways.DEFAULT} beyond its interval on a first split."
    return (
        f"No way beats {ways.DEFAULT} beyond its interval on every first split "
        f"({', '.join(some)} of {len(ways.WAYS) - 1} do)."
    )
