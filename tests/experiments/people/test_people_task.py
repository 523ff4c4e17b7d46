"""Splits, halves and answers of logged people."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from conlinucb.datasets import interactions
from conlinucb.errors import InvalidInput
from conlinucb.experiments.people.benchmark import Benchmark
from conlinucb.experiments.people.task import SPLITS, TASKS, Half, Log, as_yes_no, own_task
from support.logged_people import some_log, some_task, tables


@pytest.fixture(params=[True, False], ids=["implicit", "rated"])
def log(request: pytest.FixtureRequest) -> Log:
    return Log(some_log(request.param))


def test_halves_are_disjoint_and_together_everything(log: Log) -> None:
    for number in range(log.sizes.size):
        person = log.person(number, draw=number % 3)
        one, other = person.asked, person.rewarded
        assert not set(one.items) & set(other.items)
        assert abs(one.items.size - other.items.size) <= 1
        rows = log.data.people == number
        logged = dict(zip(log.data.items[rows], log.data.values[rows], strict=True))
        both = dict(
            zip(np.r_[one.items, other.items], np.r_[one.values, other.values], strict=True)
        )
        assert both == logged


def test_a_draw_is_the_same_again_and_another_one_differs(log: Log) -> None:
    first, again, other = (log.person(3, draw) for draw in (0, 0, 1))
    np.testing.assert_array_equal(first.asked.items, again.asked.items)
    assert set(first.asked.items) != set(other.asked.items)


def test_everybody_is_in_one_split_and_nobody_tested_is_logged(log: Log) -> None:
    tested = [set(log.tested(split, 0)) for split in range(SPLITS)]
    assert sum(map(len, tested)) == len(set().union(*tested)) == log.sizes.size
    for split, people in enumerate(tested):
        for most in (None, 0, 10, 1000):
            logged = log.logged(split, most)
            assert not people & set(logged)
            assert logged.size == (48 if most is None else min(most, 48))


def test_those_with_few_items_are_logged_and_not_tested(log: Log) -> None:
    least = int(np.median(log.sizes))
    tested = np.concatenate([log.tested(split, least) for split in range(SPLITS)])
    assert set(tested) == set(np.flatnonzero(log.sizes >= least))


def test_who_met_nearly_everything_is_not_tested() -> None:
    events = {"person": [0] * 13 + [1] * 12, "item": [*range(13), *range(12)]}
    tags = {"item": [*range(20)], "tag": ["x"] * 20}
    more = {"person": [*events["person"], *[2] * 20], "item": [*events["item"], *range(20)]}
    log = Log(interactions(more, tags, implicit=True))
    tested = np.concatenate([log.tested(split, 4) for split in range(SPLITS)])
    assert list(tested) == [1]  # the others leave less than 8 items


def test_answers_equal_a_direct_computation(log: Log) -> None:
    _, tags = tables(log.data.implicit)
    has = {(item, tag) for item, tag in zip(tags["item"], tags["tag"], strict=True)}
    for number in range(5):
        half = log.person(number).asked
        said = log.answers(half)
        for k, term in enumerate(log.data.term_ids):
            names = [log.data.item_ids[item] for item in half.items]
            mine = [v for name, v in zip(names, half.values, strict=True) if (name, term) in has]
            if log.data.implicit:
                assert said[k] == pytest.approx(len(mine) / len(names))
            elif len(mine) < 2:
                assert np.isnan(said[k])
            else:
                assert said[k] == pytest.approx(sum(mine) / len(mine))


def test_nothing_is_said_of_nothing(log: Log) -> None:
    said = log.answers(Half(np.empty(0, np.int64), np.empty(0)))
    assert (said == 0).all() if log.data.implicit else np.isnan(said).all()


def test_yes_from_a_threshold_and_nothing_stays_nothing() -> None:
    heard = as_yes_no(np.array([0.2, 0.7, 0.9, np.nan]), 0.7)
    np.testing.assert_array_equal(heard, [0.0, 1.0, 1.0, np.nan])


@pytest.mark.parametrize("implicit", [True, False])
def test_a_yes_in_a_log_of_ones_own_is_more_than_the_average_answer(implicit: bool) -> None:
    data = some_log(implicit)
    log, task = Log(data), own_task(data)
    said = np.array([log.answers(log.all_of(each)) for each in range(log.sizes.size)])
    weights = log.sizes[:, None] * np.ones_like(said)
    if implicit:
        assert task.yes == pytest.approx(np.average(said, weights=weights))
    else:
        assert task.yes == pytest.approx(data.values.mean())
    assert 0.2 < np.nanmean(as_yes_no(said, task.yes)) < 0.8
    assert task.least == TASKS["listening" if implicit else "ratings"].least


def test_tags_that_are_not_counted_are_there_or_not() -> None:
    assert set(some_task(True, counted=False).data().weights.data) == {1.0}


@pytest.mark.parametrize("least", [3, 0, 2.5])
def test_nobody_is_tested_on_less_than_four_items(least: int) -> None:
    with pytest.raises(InvalidInput, match="least"):
        own_task(some_log(True), least)


def test_too_few_items_for_a_pool(tmp_path: Path) -> None:
    table = {"person": np.repeat(np.arange(20), 5), "item": np.tile(np.arange(5), 20)}
    data = interactions(table, {"item": [*range(5)], "tag": ["x"] * 5}, name="mine", implicit=True)
    with pytest.raises(InvalidInput, match="A pool takes 10 items, and mine has 5"):
        Benchmark(own_task(data, 4), tmp_path)


def test_people_with_too_few_items_are_told_of(tmp_path: Path) -> None:
    table = {"person": np.repeat(np.arange(20), 3), "item": np.arange(60) % 30}
    data = interactions(table, {"item": [*range(30)], "tag": ["x"] * 30}, implicit=True)
    with pytest.raises(InvalidInput, match=r"at least 4 items.*of 20 people 0 have.*the most: 3"):
        Benchmark(own_task(data, 4), tmp_path)
    assert not list(tmp_path.iterdir())
