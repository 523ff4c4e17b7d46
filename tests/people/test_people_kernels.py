"""What the loop is told of people, beside plain formulas and beside people met by hand."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import conlinucb as cl
from conlinucb import randomness
from conlinucb.people.compiled import (
    LIES,
    REFUSES,
    YES_NO,
    Voice,
    answer_noise,
    changed,
    rewarded,
)
from conlinucb.randomness import derive, normal, uniform
from support.matrices import close
from support.worlds import small_catalog

CATALOG = small_catalog(arms=30, terms=9, d=4)
TASTES = np.random.default_rng(4).normal(size=(3, 4))
PEOPLE: dict[str, Any] = {
    "linear": cl.LinearUsers(TASTES, pool_size=6),
    "few offered": cl.LinearUsers(TASTES, pool_size=6, offered_size=3),
    "most of all": cl.LinearUsers(TASTES, pool_size=29, offered_size=8, noise=2.0),
    "everything": cl.LinearUsers(TASTES, pool_size=30, offered_size=9, shared_noise=True),
    "clicks, logistic": cl.ClickUsers(TASTES, pool_size=6),
    "clicks, clipped": cl.ClickUsers(TASTES, link="clip", pool_size=6, offered_size=2),
}


def distinct_twin(seed: np.uint64, among: list[int], size: int) -> list[int]:
    """Different members in random order: again on a clash, or by a shuffle."""
    n = len(among)
    found: list[int] = []
    if 2 * size > n:
        left = list(among)
        for i in range(size):
            at = i + int(uniform(seed, i) * (n - i))
            left[i], left[at] = left[at], left[i]
        return left[:size]
    position = 0
    while len(found) < size:
        at = int(uniform(seed, position) * n)
        position += 1
        if among[at] not in found:
            found.append(among[at])
    return found


def worth(people: Any, value: float) -> float:
    if not people.clicks:
        return value
    return 1 / (1 + math.exp(-value)) if people.link == 2 else min(max(value, 0.0), 1.0)


@pytest.mark.parametrize("name", PEOPLE)
def test_rounds(name: str) -> None:
    """By the formula, from the catalogue and the streams alone."""
    people, seed = PEOPLE[name], 12345
    met = people.meet(CATALOG, seed, 1)
    made = met.rounds(4, 5)
    for b in range(5):
        at = derive(np.uint64(seed), 4 + b)
        pool = distinct_twin(derive(at, randomness.POOL), list(range(30)), people.pool_size)
        here = slice(made.start[b], made.start[b + 1])
        assert made.pool[here].tolist() == pool
        values = [worth(people, float(CATALOG.arms[a] @ TASTES[1])) for a in pool]
        close(met.voice.worth[pool], values)
        close(made.best[b], max(values))
        shift = people.noise * normal(derive(at, randomness.REWARD_NOISE), 0)
        chance = uniform(derive(at, randomness.CLICK), 0)
        close(made.chance[b], chance if people.clicks else shift)
        close(
            [rewarded(int(people.clicks), each, made.chance[b]) for each in values],
            [float(chance < each) if people.clicks else each + shift for each in values],
        )
        size = people.offered_size
        offered = distinct_twin(derive(at, randomness.OFFERED), list(range(9)), size or 9)
        assert made.offered[b if size else 0].tolist() == sorted(offered)


@pytest.mark.parametrize("name", PEOPLE)
def test_rounds_are_those_met_by_hand(name: str) -> None:
    people = PEOPLE[name]
    for user in range(3):
        seed = people.user_seed(7, 0, user)
        met = people.meet(CATALOG, seed, user)
        made = met.rounds(1, 40)
        for b in range(40):
            place = people.place(CATALOG, 7, 0, user, b + 1)
            here = slice(made.start[b], made.start[b + 1])
            by_hand = people.round(place)
            pool = made.pool[here]
            assert np.array_equal(pool, by_hand.pool)
            if by_hand.offered is not None:
                assert np.array_equal(made.offered[b], by_hand.offered)
            worth = met.voice.worth[pool]
            assert np.array_equal(worth, people.values(place, pool))
            rewards = [people.reward(place, int(arm)) for arm in pool]
            found = [rewarded(met.voice.clicks, each, made.chance[b]) for each in worth]
            close(found, rewards)


def test_rounds_do_not_depend_on_their_block() -> None:
    people = PEOPLE["few offered"]
    whole = people.meet(CATALOG, 3, 0).rounds(1, 12)
    met = people.meet(CATALOG, 3, 0)
    parts = [met.rounds(8, 5), met.rounds(1, 4), met.rounds(5, 3)]
    for name in ("pool", "chance", "best", "offered"):
        joined = np.concatenate([getattr(parts[i], name) for i in (1, 2, 0)])
        assert np.array_equal(joined, getattr(whole, name))


def voice(*given: tuple[float, float, float, float], **changes: Any) -> Voice:
    rows = np.array(given, dtype=float).reshape(-1, 4)
    none = np.empty(0)
    plain = Voice(none, 0, none, none, 0, 0, 0.5, 2.0, 0, rows, np.uint64(8))
    return plain._replace(**changes)


@pytest.mark.parametrize("shared", [0, 1])
def test_noise_of_answers(shared: int) -> None:
    said = voice(shared_noise=shared)
    for t in range(1, 6):
        at = derive(np.uint64(8), t)
        for number in range(4):
            position = 0 if shared else number
            term = normal(derive(at, randomness.ANSWER_NOISE), position)
            assert answer_noise(said, 0, t, number) == 2.0 * term
            stream = randomness.REWARD_NOISE if shared else randomness.ARM_ANSWER_NOISE
            assert answer_noise(said, 1, t, number) == 0.5 * normal(derive(at, stream), position)


def chance(stream: int, depth: int, t: int, number: int) -> float:
    return float(uniform(derive(derive(derive(np.uint64(8), t), stream), depth), number))


def changed_twin(rows: list[Any], t: int, number: int, answer: float | None) -> float | None:
    for depth, (what, first, second, third) in enumerate(rows):
        if what == REFUSES and chance(randomness.REFUSAL, depth, t, number) < first:
            answer = None
        if answer is None:
            continue
        if what == YES_NO:
            answer = second if answer >= first else third
        if what == LIES and chance(randomness.LIE, depth, t, number) < first:
            answer = second + third - answer
    return answer


YES, NO_ANSWER, LIE = (YES_NO, 0.5, 1.0, 0.0), (REFUSES, 0.4, 0.0, 0.0), (LIES, 0.4, 0.0, 1.0)


@pytest.mark.parametrize(
    "rows",
    [[], [YES], [NO_ANSWER], [LIE], [YES, LIE, NO_ANSWER], [NO_ANSWER, YES, LIE], [LIE, LIE, YES]],
    ids=str,
)
def test_answers_are_changed(rows: list[Any]) -> None:
    said: NDArray[np.float64] = np.linspace(-0.2, 1.2, 40)
    heard = []
    for t in range(1, 41):
        for number in range(3):
            expected = changed_twin(rows, t, number, float(said[t - 1]))
            found = changed(voice(*rows), 0, t, number, said[t - 1])
            assert math.isnan(found) if expected is None else found == expected
            silent = changed(voice(*rows), 0, t, number, math.nan)
            assert math.isnan(silent)
            heard.append(expected)
    assert (None in heard) == (NO_ANSWER in rows)


def test_an_answer_at_the_border_is_a_yes() -> None:
    assert changed(voice(YES), 0, 1, 0, 0.5) == 1.0
    assert changed(voice(YES), 0, 1, 0, np.nextafter(0.5, 0)) == 0.0


@pytest.mark.parametrize("said", [-0.7, -1e-9, 0.0, 0.2])
def test_changes_of_an_answer_about_a_pair(said: float) -> None:
    assert changed(voice((YES_NO, 0.5, 1.0, 0.0)), 1, 1, 0, said) == (1.0 if said >= 0 else -1.0)
    assert changed(voice((YES_NO, 0.5, 5.0, 1.0)), 1, 1, 0, said) == (4.0 if said >= 0 else -4.0)
    assert changed(voice((LIES, 1.0, 0.0, 1.0)), 1, 1, 0, said) == -said
