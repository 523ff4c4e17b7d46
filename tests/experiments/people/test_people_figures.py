"""From scores to figures, differences and sentences."""

from __future__ import annotations

import numpy as np
import pytest

from conlinucb.experiments.people.benchmark import _by_round
from conlinucb.experiments.people.figures import Figure, difference, figure, share
from conlinucb.experiments.people.findings import _points
from conlinucb.experiments.people.run import Scores
from conlinucb.numerics.validation import Floats


def scores(rewards: Floats, means: float = 0.0, bests: float = 1.0) -> Scores:
    same, nothing = np.ones(rewards.shape), np.zeros(len(rewards))
    numbers = np.arange(len(rewards))
    return Scores(numbers, rewards, means * same, bests * same, nothing, nothing, nothing)


def test_hits_are_counted_and_ratings_measured_from_chance_to_best() -> None:
    rewards = np.array([[1.0, 0.0, 1.0], [0.5, 0.5, 0.5]])
    gains, most = share(scores(rewards), 2, implicit=True)
    np.testing.assert_array_equal(gains, [1.0, 1.0])
    np.testing.assert_array_equal(most, [2.0, 2.0])
    gains, most = share(scores(rewards, 0.5, 0.9), 2, implicit=False)
    np.testing.assert_allclose(gains, [0.0, 0.0], atol=1e-12)
    np.testing.assert_allclose(most, [0.8, 0.8])


def test_the_same_contender_differs_from_itself_by_exactly_nothing() -> None:
    rng = np.random.default_rng(0)
    one = rng.random(50), rng.random(50) + 1
    assert difference(one, one) == Figure(mean=0.0, low=0.0, high=0.0)


def test_a_difference_is_paired() -> None:
    """People differ much, contenders by little and always the same: that is certain."""
    gains = np.random.default_rng(0).uniform(0, 5, 60)
    most = np.full(60, 10.0)
    apart = figure(gains + 0.5, most)
    found = difference((gains + 0.5, most), (gains, most))
    assert found.mean == pytest.approx(5.0)
    assert found.high - found.low == pytest.approx(0.0, abs=1e-9)
    assert apart.high - apart.low > 5.0


def test_intervals_cover_the_truth_as_often_as_they_say() -> None:
    rng, held = np.random.default_rng(0), 0
    for _ in range(200):
        hits = rng.binomial(20, 0.4, 80).astype(float)
        found = figure(hits, np.full(80, 20.0))
        held += found.low <= 40.0 <= found.high
    assert 0.88 <= held / 200 <= 0.99


def test_rounds_in_which_nobody_has_a_choice_are_left_out() -> None:
    rewards = np.array([[0.5, 1.0, 0.3, 0.3], [0.0, 1.0, 0.6, 0.0]])
    means, bests = rewards.copy(), rewards.copy()
    means[:, :2], bests[:, :2] = 0.25, 1.0
    played = scores(rewards)
    made = Scores(**{**vars(played), "means": means, "bests": bests})
    np.testing.assert_allclose(_by_round(made, implicit=False), [0.0, 100.0], atol=1e-9)
    np.testing.assert_allclose(_by_round(made, implicit=True), [25.0, 100.0, 45.0, 15.0])


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (Figure(mean=9.1, low=8.0, high=10.2), "9.1 points more (8.0 to 10.2)"),
        (Figure(mean=-3.0, low=-5.0, high=-1.0), "3.0 points fewer (1.0 to 5.0)"),
        (Figure(mean=-1.0, low=-3.0, high=1.5), "1.0 points fewer (-1.5 to 3.0)"),
    ],
)
def test_differences_in_words_have_the_sign_of_the_words(found: Figure, words: str) -> None:
    assert _points(found) == words
