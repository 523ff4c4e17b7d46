"""What counts of a person: the first rounds, what was said in time, and nothing after that."""

from __future__ import annotations

from typing import Any

import pytest

from conlinucb.service.experiments.outcomes import (
    HOUR,
    Measured,
    Outcome,
    in_order,
    outcome_of,
)
from conlinucb.service.storage import (
    Event,
    RecommendationBody,
    RecommendedItem,
    RetractionBody,
    RewardBody,
)


def shown(seq: int, at: float, *items: str, **more: Any) -> Event:
    listed = [
        RecommendedItem(item=each, score=0.0, mean=0.0, radius=0.0, exploring=False)
        for each in items
    ]
    fields: dict[str, Any] = {"experiment": 3, "arm": "b", "agent": "x"} | more
    body = RecommendationBody(round=seq, items=listed, **fields)
    return Event(seq, body, at=round(at * HOUR))


def liked(seq: int, at: float, decision: int, item: str, reward: float = 1.0) -> Event:
    body = RewardBody(decision=decision, item=item, reward=reward)
    return Event(seq, body, at=round(at * HOUR))


def taken_back(seq: int, at: float, of: int) -> Event:
    return Event(seq, RetractionBody(of=of), at=round(at * HOUR))


def measured(at: float, rounds: tuple[int, int] = (1, 2), **more: Any) -> Measured:
    return Measured(3, (-1.0, 1.0), rounds=rounds, at=round(at * HOUR), **more)


def value(rows: list[Event], look: Measured) -> float | None:
    found = outcome_of(1, rows, look)
    assert found is not None
    return found.value


ROWS = [shown(1, 0, "p", "q"), liked(2, 1, 1, "p", 0.5), shown(3, 2, "r"), liked(4, 3, 3, "r")]


def test_it_is_final_once_the_window_is_over() -> None:
    assert value(ROWS, measured(23.9)) is None
    assert value(ROWS, measured(24.1)) == pytest.approx((0.5 - 1.0 + 1.0) / 3)
    late = [*ROWS, liked(5, 24.5, 1, "q")]
    assert value(late, measured(30)) == value(ROWS, measured(30))


def test_it_is_final_once_everything_was_rewarded() -> None:
    whole = [*ROWS, liked(5, 4, 1, "q", 0.0)]
    assert value(whole, measured(5)) == pytest.approx(0.5)
    assert value([*whole, taken_back(6, 5, 5)], measured(40)) == pytest.approx(0.5)
    assert value(whole[:2], measured(1)) is None


def test_what_is_taken_back_in_time_does_not_count() -> None:
    rows = [*ROWS, taken_back(5, 4, 2)]
    assert value(rows, measured(30)) == pytest.approx((-1.0 - 1.0 + 1.0) / 3)


def test_rounds_and_metrics() -> None:
    assert value(ROWS, measured(30, (2, 2))) == 1.0
    assert value(ROWS, measured(30, (3, 4))) == -1.0  # who did not come so far has the lowest
    assert value(ROWS, measured(30, metric="rated")) == pytest.approx(2 / 3)
    low = [shown(1, 0, "p"), liked(2, 1, 1, "p", -0.5)]
    assert value(low, measured(30, metric="likes")) == 0.0
    assert value(low, measured(30, metric="rated")) == 1.0


def test_only_the_experiment_counts() -> None:
    other = shown(1, 0, "p", experiment=2)
    assert outcome_of(1, [other, liked(2, 1, 1, "p")], measured(30)) is None
    rows = [other, shown(2, 50, "q"), liked(3, 51, 2, "q", 0.25)]
    found = outcome_of(1, rows, measured(80))
    assert found is not None
    assert (found.first, found.arm, found.value) == (50 * HOUR, "b", 0.25)


def test_shadows_are_counted() -> None:
    rows = [
        shown(1, 0, "p", shadow={"c": ["p"]}),
        shown(2, 0, "p", shadow={"c": ["q", "p"]}),
        shown(3, 0, "p", shadow={"c": ["p"]}, random=True),
    ]
    found = outcome_of(1, rows, measured(30))
    assert found is not None
    assert found.same == {"c": (1, 2)}


def test_people_count_in_the_order_in_which_they_came() -> None:
    def person(number: int, first: int, given: float | None, arm: str = "a") -> Outcome:
        return Outcome(number, arm, first, given, frozenset(), {})

    people = [person(5, 30, 0.3), person(1, 10, 0.1), person(4, 20, None), person(2, 15, 0.2)]
    found = in_order([*people, person(9, 99, 0.9, "b")])
    assert (found["a"][0].tolist(), found["a"][1]) == ([0.1, 0.2], 2)
    assert (found["b"][0].tolist(), found["b"][1]) == ([0.9], 0)
