"""Intervals that stay valid however often one looks: by the definition, and by trying."""

from __future__ import annotations

import math

import numpy as np
import pytest

from conlinucb.errors import InvalidInput
from conlinucb.numerics.confidence import confidence_sequence


def _slowly(values: list[float], alpha: float, cells: int) -> list[tuple[float, float]]:
    """The two games for each m, one bet after the other, and what is left after each value."""
    left = [True] * (cells + 1)
    above, below = [1.0] * (cells + 1), [1.0] * (cells + 1)
    found = []
    total, squares, variance = 0.5, 0.25, 0.25
    for t, value in enumerate(values, start=1):
        bet = math.sqrt(2 * math.log(2 / alpha) / (variance * t * math.log(t + 1)))
        for i in range(cells + 1):
            m = i / cells
            up = min(bet, 0.75 / m) if m else bet
            down = min(bet, 0.75 / (1 - m)) if m < 1 else bet
            above[i] *= 1 + up * (value - m)
            below[i] *= 1 - down * (value - m)
            if max(above[i], below[i]) / 2 >= 1 / alpha:
                left[i] = False
        total += value
        squares += (value - total / (t + 1)) ** 2
        variance = squares / (t + 1)
        kept = [i / cells for i in range(cells + 1) if left[i]]
        # Ends are rounded outwards: to the next m that was given up.
        found.append((max(kept[0] - 1 / cells, 0.0), min(kept[-1] + 1 / cells, 1.0)))
    return found


@pytest.mark.parametrize("seed", range(3))
def test_it_is_what_the_definition_says(seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = rng.beta(2.0, 1.0 + seed, size=150)
    found = confidence_sequence(values, alpha=0.1)
    slow = _slowly(values.tolist(), 0.1, 1000)
    np.testing.assert_allclose(found.lows, [low for low, _ in slow], atol=1e-9)
    np.testing.assert_allclose(found.highs, [high for _, high in slow], atol=1e-9)
    np.testing.assert_allclose(found.means, [values[: t + 1].mean() for t in range(150)])


def test_another_range_is_the_same_stretched() -> None:
    values = np.random.default_rng(0).random(60)
    plain, wide = confidence_sequence(values), confidence_sequence(values * 4 - 1, -1.0, 3.0)
    np.testing.assert_allclose(wide.lows, plain.lows * 4 - 1)
    np.testing.assert_allclose(wide.highs, plain.highs * 4 - 1)


@pytest.mark.parametrize("shape", [(0.5, 0.5), (5.0, 1.0), (0.2, 4.0)])
def test_it_holds_the_mean_at_all_times_at_once(shape: tuple[float, float]) -> None:
    """In at least 90 % of 60 sequences, at each of 200 looks; a fixed-time interval does not."""
    rng = np.random.default_rng(7)
    mean, missed, naive = shape[0] / sum(shape), 0, 0
    for _ in range(60):
        values = rng.beta(*shape, size=200)
        found = confidence_sequence(values, alpha=0.1)
        assert (np.diff(found.lows) >= 0).all()
        assert (np.diff(found.highs) <= 0).all()
        missed += bool(((found.lows > mean) | (found.highs < mean)).any())
        spread = np.array([values[: t + 1].std() for t in range(20, 200)])
        far = np.abs(found.means[20:] - mean) > 1.645 * spread / np.sqrt(np.arange(21, 201))
        naive += bool(far.any())
    assert missed <= 6
    assert naive > 12


def test_large_ones_are_worked_on_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(1).random(50)
    whole = confidence_sequence(values)
    monkeypatch.setattr("conlinucb.numerics.confidence.AT_ONCE", 700)
    np.testing.assert_array_equal(whole.lows, confidence_sequence(values).lows)


def test_nothing_is_known_of_nothing() -> None:
    assert confidence_sequence([]).lows.size == 0


@pytest.mark.parametrize(
    ("values", "low", "high", "named"),
    [([0.5, 1.2], 0.0, 1.0, "1.2"), ([0.5], 1.0, 1.0, "below"), ([np.nan], 0.0, 1.0, "values")],
)
def test_what_cannot_be_is_refused(
    values: list[float], low: float, high: float, named: str
) -> None:
    with pytest.raises(InvalidInput, match=named):
        confidence_sequence(values, low, high)
