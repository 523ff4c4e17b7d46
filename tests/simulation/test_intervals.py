"""Intervals, p-values and their corrections against direct computations."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy import stats

import conlinucb as cl
from conlinucb.simulation.intervals import holm, p_value, simultaneous


@pytest.mark.parametrize("n", [2, 3, 40])
def test_the_p_value_is_that_of_a_t_test(n: int) -> None:
    samples = np.random.default_rng(n).normal(0.3, 1.0, size=n)
    assert p_value(samples) == pytest.approx(stats.ttest_1samp(samples, 0.0).pvalue, rel=1e-12)


@pytest.mark.parametrize("samples", [[2.5], [0.0], [3.0, 3.0, 3.0], [0.1 + 0.2, 0.3]])
def test_without_spread_there_is_no_test(samples: list[float]) -> None:
    assert np.isnan(p_value(np.array(samples)))


def test_nobody_differing_is_no_evidence_at_all() -> None:
    assert p_value(np.zeros(5)) == 1.0


def closed(p_values: list[float]) -> list[float]:
    """Holm's values as closed testing has them: the largest Bonferroni test of any family of
    hypotheses that one is part of."""
    every = range(len(p_values))
    families = [s for size in every for s in combinations(every, size + 1)]
    return [
        max(min(1.0, len(s) * min(p_values[i] for i in s)) for s in families if k in s)
        for k in every
    ]


@pytest.mark.parametrize("n", [1, 2, 3, 6])
def test_holm_is_closed_testing_with_bonferroni(n: int) -> None:
    rng = np.random.default_rng(n)
    for _ in range(20):
        given = rng.uniform(size=n) ** 3
        np.testing.assert_allclose(holm(given), closed(given.tolist()), rtol=1e-12)


def test_what_cannot_be_tested_stays_so_and_still_counts() -> None:
    found = holm(np.array([np.nan, 0.01, 0.02]))
    assert np.isnan(found[0])
    assert found[1:].tolist() == pytest.approx([0.03, 0.04])


def test_intervals_of_several_share_what_may_go_wrong() -> None:
    assert simultaneous(0.95, 1) == pytest.approx(0.95)
    assert simultaneous(0.9, 4) == pytest.approx(0.975)
    with pytest.raises(cl.InvalidInput, match="level"):
        simultaneous(1.0, 3)
