"""Verdicts: right where there is a difference, rare where there is none."""

from __future__ import annotations

import numpy as np
import pytest

from conlinucb.service.experiments.verdict import Pair, compared

PEOPLE = 400
"""Of each arm."""


def of_ratings(rng: np.random.Generator, liked: float, people: int = PEOPLE) -> np.ndarray:
    """Means of five ratings by people who differ in how much they like anything."""
    taste = rng.beta(8 * liked, 8 * (1 - liked), size=people)
    return rng.binomial(5, taste) / 5


def _looked(one: np.ndarray, other: np.ndarray, **more: object) -> Pair:
    return compared(("a", one), ("b", other), (0.0, 1.0), **more)  # type: ignore[arg-type]


def test_equal_agents_are_rarely_told_apart() -> None:
    """At most 5 % of 200 experiments, with a look after every 10 people: the first look that
    tells is found as ``told_after``, and a look that tells is never taken back."""
    rng = np.random.default_rng(17)
    wrong = 0
    for _ in range(200):
        found = _looked(of_ratings(rng, 0.5), of_ratings(rng, 0.5))
        wrong += found.told_after is not None
    assert wrong <= 10


def test_what_looks_tell_is_what_the_whole_tells() -> None:
    rng = np.random.default_rng(3)
    one, other = of_ratings(rng, 0.4), of_ratings(rng, 0.6)
    whole = _looked(one, other)
    looks = [_looked(one[:n], other[:n]) for n in range(5, PEOPLE + 1, 5)]
    for look in looks:
        n = look.people[0]
        assert look.interval == (whole.sequence.lows[n - 1], whole.sequence.highs[n - 1])
    told = [look.better for look in looks]
    first = told.index("b")
    assert set(told[:first]) <= {None}
    assert set(told[first:]) == {"b"}
    assert whole.told_after is not None
    assert looks[first].people[0] - 5 < whole.told_after <= looks[first].people[0]


@pytest.mark.parametrize(("liked", "within"), [(0.7, 200), (0.65, 400)])
def test_a_better_agent_is_named_within_the_stated_number(liked: float, within: int) -> None:
    """In 19 of 20 experiments; docs/live.md states these numbers."""
    rng = np.random.default_rng(5)
    named = 0
    for _ in range(20):
        found = _looked(of_ratings(rng, 0.5, within), of_ratings(rng, liked, within))
        assert found.better in (None, "b")
        named += found.better == "b"
    assert named >= 19


def test_unequal_shares_use_all_people() -> None:
    rng = np.random.default_rng(8)
    many, few = of_ratings(rng, 0.5, 1800), of_ratings(rng, 0.65, 200)
    found = _looked(many, few, shares={"a": 0.9, "b": 0.1})
    assert found.blocks == (9, 1)
    assert found.sequence.means.size == 200
    by_hand = few - many.reshape(200, 9).mean(axis=1)
    assert found.difference == pytest.approx(by_hand.mean())
    back = compared(("b", few), ("a", many), (0.0, 1.0), shares={"a": 0.9, "b": 0.1})
    assert back.interval == pytest.approx([-each for each in reversed(found.interval or ())])
    alone = _looked(many[:200], few)
    assert found.interval
    assert alone.interval
    assert found.interval[1] - found.interval[0] < alone.interval[1] - alone.interval[0]


def test_words() -> None:
    rng = np.random.default_rng(2)
    nothing = _looked(np.empty(0), np.ones(3))
    assert nothing.verdict == "Nothing can be told yet: 0 and 3 people of a and b count."
    assert (nothing.better, nothing.interval, nothing.difference) == (None, None, None)
    few = _looked(of_ratings(rng, 0.5, 40), of_ratings(rng, 0.6, 40))
    assert few.verdict.startswith("No difference can be told yet: b earns between -")
    assert "more people will tell" in few.verdict
    same = _looked(np.full(30, 0.5), np.full(30, 0.5))
    assert "100 times the people would not tell it" in same.verdict
    clear = _looked(of_ratings(rng, 0.8), of_ratings(rng, 0.3), unit="per film")
    assert clear.verdict.startswith("a is better than b by 0.4")
    assert clear.verdict.endswith(" per film, at 95 %; 400 and 400 people.")
