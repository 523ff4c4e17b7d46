"""Comparisons by any metric at any logged round, of one pair or of several."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import stats

import conlinucb as cl
from support.runs import METRICS, some_agents, some_people
from support.worlds import refused

LOGGED = [10, 25, 40]


@pytest.fixture(scope="module")
def results() -> cl.Results:
    return cl.simulate(some_agents(), some_people(6), rounds=40, repeats=2, log=LOGGED)


def valued(metric: str, **values: Any) -> cl.Results:
    """Results of one round in which everybody has these values of one metric."""
    users = len(next(iter(values.values())))
    found = cl.Results.empty(list(values), 1, users, np.array([10]), {"trace": False}, {})
    for name, each in values.items():
        metrics = np.zeros((users, 1, len(METRICS)))
        metrics[:, 0, METRICS.index(metric)] = each
        found.put((name, 0, 0, users), {"metrics": metrics})
    return found


@pytest.mark.parametrize("metric", ["regret", "error", "reward", "hits"])
@pytest.mark.parametrize("at", [0, 1, 2])
def test_any_metric_at_any_logged_round(results: cl.Results, metric: str, at: int) -> None:
    found = results.compare("MCR", "LinUCB", metric=metric, round=LOGGED[at])
    x, y = (results.metric(n, metric)[..., at].mean(axis=0) for n in ("MCR", "LinUCB"))
    test = stats.ttest_rel(x, y)
    assert (found.metric, found.round, found.people) == (metric, LOGGED[at], 6)
    assert found.difference == pytest.approx((x - y).mean(), rel=1e-12)
    assert (found.low, found.high) == pytest.approx(tuple(test.confidence_interval()), rel=1e-9)
    assert found.p_value == found.p_alone == pytest.approx(test.pvalue, rel=1e-9)


@pytest.mark.parametrize("metric", ["reward", "hits", "answered"])
def test_more_of_a_good_thing_is_an_improvement(metric: str) -> None:
    found = valued(metric, a=[6.0, 9.0], b=[5.0, 5.0]).compare("a", "b", metric=metric)
    assert found.difference == 2.5
    assert found.improvement == pytest.approx(0.5)
    assert found.improvement_low < 0.5 < found.improvement_high


def test_less_of_a_bad_thing_is_an_improvement() -> None:
    found = valued("error", a=[2.0, 3.0], b=[4.0, 6.0]).compare("a", "b", metric="error")
    assert found.difference == -2.5
    assert found.improvement == pytest.approx(0.5)


def test_no_share_is_taken_of_a_loss() -> None:
    found = valued("reward", a=[1.0, 2.0], b=[-3.0, 1.0]).compare("a", "b", metric="reward")
    assert found.difference == 2.5
    assert np.isnan([found.improvement, found.improvement_low, found.improvement_high]).all()
    assert "improvement - %" in repr(found)


def test_a_difference_that_everybody_has_is_told_without_a_p_value() -> None:
    found = valued("questions", a=[30.0] * 5, b=[15.0] * 5).compare("a", "b", metric="questions")
    assert (found.difference, found.low, found.high) == (15.0, 15.0, 15.0)
    assert np.isnan(found.p_value)


def test_one_person_has_no_interval_and_no_p_value() -> None:
    one = valued("regret", a=[1.0], b=[2.0], c=[3.0])
    for found in (one.compare("a", "b"), *one.compare_all()):
        assert np.isnan([found.low, found.high, found.p_value, found.improvement_high]).all()
    assert "no interval, no p-value" in repr(one.compare("a", "b"))
    assert "Holm" not in repr(one.compare_all())
    assert "nan" not in repr(one.compare_all()) + repr(one.summary()) + one._repr_html_()


def test_what_is_not_known_of_everybody_is_not_compared() -> None:
    found = valued("reward", a=[1.0, np.nan, 2.0], b=[1.0, 2.0, 3.0])
    refused(
        lambda: found.compare("b", "a", metric="reward"),
        "'reward' of 'a' is not known of 1 of 3 people",
        cl.InvalidInput,
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"metric": "rewards"}, "Did you mean 'reward'?"),
        ({"round": 11}, "Round 11 was not logged; the nearest that was is 10"),
        ({"round": 0}, "round"),
        ({"round": "last"}, "'last'"),
    ],
)
def test_what_was_not_logged_is_refused(
    results: cl.Results, options: dict[str, Any], message: str
) -> None:
    refused(lambda: results.compare("MCR", "LinUCB", **options), message, cl.InvalidInput)
    refused(lambda: results.compare_all(**options), message, cl.InvalidInput)
    refused(lambda: results.summary(**options), message, cl.InvalidInput)


# Several pairs


def test_all_pairs_are_one_family(results: cl.Results) -> None:
    found = results.compare_all(metric="reward", round=25, level=0.9)
    assert len(found) == 6
    alone = [results.compare(e.a, e.b, 1 - 0.1 / 6, metric="reward", round=25) for e in found]
    order = np.argsort([each.p_value for each in alone])
    largest = 0.0
    for place, i in enumerate(order):
        largest = max(largest, min(1.0, (6 - place) * alone[i].p_value))
        assert found[i].p_value == pytest.approx(largest, rel=1e-12)
        assert found[i].p_alone == alone[i].p_value
        assert (found[i].low, found[i].high) == pytest.approx((alone[i].low, alone[i].high))
        assert (found[i].pairs, found[i].level) == (6, 0.9)
    assert "6 pairs: p-values by Holm, intervals hold together at 90 %" in repr(found)
    assert "Holm" in repr(found[0])


def test_everyone_against_one(results: cl.Results) -> None:
    found = results.compare_all(against="LinUCB")
    assert [(e.a, e.b) for e in found] == [(n, "LinUCB") for n in ("Arm-Con", "ConUCB", "MCR")]
    columns = found.to_columns()
    assert columns["pairs"].tolist() == [3, 3, 3]
    assert columns["difference"].tolist() == [e.difference for e in found]


def test_one_pair_needs_no_correction(results: cl.Results) -> None:
    (found,) = results.compare_all([("MCR", "LinUCB")])
    assert found == results.compare("MCR", "LinUCB")
    assert "Holm" not in repr(results.compare_all([("MCR", "LinUCB")]))


@pytest.mark.slow
def test_chance_finds_a_winner_among_equals_no_more_often_than_the_level_says() -> None:
    rng, false, missed = np.random.default_rng(0), 0, 0
    for _ in range(120):
        tastes = rng.normal(size=12)  # people differ, agents do not
        values = {name: 9.0 + tastes + rng.normal(size=12) for name in "abc"}
        found = valued("reward", **values).compare_all(metric="reward")
        false += min(each.p_value for each in found) < 0.05
        missed += any(not each.low <= 0.0 <= each.high for each in found)
        assert min(each.p_value for each in found) >= min(each.p_alone for each in found)
    for often in (false, missed):
        assert stats.binomtest(often, 120, 0.05, alternative="greater").pvalue > 0.001
        assert often > 0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda r: r.compare_all([]), "no pair"),
        (lambda r: r.compare_all(["MCR"]), "got 'MCR'"),
        (lambda r: r.compare_all([("MCR", "ConUCB", "LinUCB")]), "two names"),
        (lambda r: r.compare_all([("MCR", "LinUCB"), ("LinUCB", "MCR")]), "twice"),
        (lambda r: r.compare_all([("MCR", "linucb")]), "Did you mean 'LinUCB'?"),
        (lambda r: r.compare_all(against="mcr"), "Did you mean 'MCR'?"),
        (lambda r: r.compare_all([("MCR", "LinUCB")], against="MCR"), "not both"),
        (lambda r: r.compare_all(level=95), "level"),
    ],
)
def test_bad_pairs_are_refused(
    results: cl.Results, call: Callable[[cl.Results], Any], message: str
) -> None:
    refused(lambda: call(results), message, cl.InvalidInput)


# The summary


def test_a_summary_has_the_best_first(results: cl.Results) -> None:
    for metric, sign in (("regret", 1), ("reward", -1)):
        columns = results.summary(metric, round=25).to_columns()
        assert (np.diff(sign * columns["mean"]) >= 0).all()
        for i, name in enumerate(columns["agent"]):
            curve = results.curve(name, metric)
            expected = curve.mean[1], curve.low[1], curve.high[1]
            found = columns["mean"][i], columns["low"][i], columns["high"][i]
            assert found == pytest.approx(expected, rel=1e-12)
            assert columns["questions"][i] == results.metric(name, "questions")[..., 1].mean()


def test_a_summary_leaves_out_what_nobody_knows() -> None:
    unknown = valued("reward", a=[np.nan, np.nan], b=[np.nan, np.nan]).summary()
    assert "reward" not in unknown.to_columns()
    assert "reward" not in repr(unknown)
