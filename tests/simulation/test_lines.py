"""Spread and lines: the budget is spent, lines change one parameter, options are tried once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import conlinucb as cl
from conlinucb.simulation.lines import LINES, NEAR, Lines, line, spread
from conlinucb.simulation.ranges import Choice, Log, Range, Whole
from conlinucb.simulation.trial import Trial
from support.worlds import small_catalog

ALPHA, BETA = Log(0.003, 3.0), Log(0.001, 10.0)


@given(st.integers(1, 200))
def test_the_budget_is_spent_to_the_last_trial(budget: int) -> None:
    first, *lines = Lines().stages(budget)
    assert first + sum(lines) == budget
    assert len(lines) in ((0,) if budget <= 2 else range(1, LINES + 1))
    assert all(lines)


def test_a_second_line_stays_near_the_best() -> None:
    best = {"alpha": ALPHA.value(0.5), "beta": BETA.value(0.02)}
    near = [ALPHA.place(each["alpha"]) for each in line(best, "alpha", ALPHA, 6, visits=1)]
    assert max(abs(each - 0.5) for each in near) <= NEAR + 1e-3
    at_end = [BETA.place(each["beta"]) for each in line(best, "beta", BETA, 6, visits=1)]
    assert min(at_end) == pytest.approx(0, abs=1e-3)


def test_a_line_over_options_tries_each_other_option_once() -> None:
    options = Choice(["a", "b", "c"])
    points = line({"kind": "b", "alpha": 1.0}, "kind", options, 6)
    assert points == [{"kind": "a", "alpha": 1.0}, {"kind": "c", "alpha": 1.0}]
    near = line({"n": 50}, "n", Whole(1, 100), 4, visits=1)
    assert sorted(each["n"] for each in near) == [48, 49, 51, 52]
    wide = [each["n"] for each in line({"n": 50}, "n", Whole(1, 100), 4)]
    assert len(set(wide)) == 4
    assert max(wide) - min(wide) > 60


def test_the_spread_goes_on_where_it_stopped() -> None:
    ranges: dict[str, Range] = {"alpha": ALPHA, "beta": BETA}
    whole = spread(ranges, 12, seed=3)
    assert spread(ranges, 5, seed=3) + spread(ranges, 7, seed=3, skip=5) == whole
    assert spread(ranges, 12, seed=4) != whole
    counts, _ = np.histogram([ALPHA.place(each["alpha"]) for each in whole], 4, (0, 1))
    assert counts.min() >= 2


def told(points: list[dict[str, Any]], stage: int, loss: Any) -> list[Trial]:
    rows = []
    for i, point in enumerate(points):
        value = float(loss(point))
        rows.append(
            Trial(
                agent="it", number=i, stage=stage, parameters=point, score=value, loss=value,
                people=1, rounds=1,
            )
        )  # fmt: skip
    return rows


@pytest.mark.parametrize("budget", [5, 24, 64])
def test_what_few_options_leave_of_a_line_is_spread(budget: int) -> None:
    """Every stage has as many points as the budget says, whatever the ranges."""
    space = cl.Space(
        cl.conlinucb,
        small_catalog(),
        strategy=cl.Choice(["max-radius", "ucb", "random"]),
        alpha=cl.Log(0.01, 1.0),
    )
    searcher = Lines().start(space, 0)
    tried: list[tuple[Any, ...]] = []
    for stage, count in enumerate(Lines().stages(budget)):
        points = searcher.ask(stage, count)
        assert len(points) == count
        tried += [tuple(sorted(each.items())) for each in points]
        searcher.tell(told(points, stage, lambda p: abs(np.log(p["alpha"] / 0.2))))
    assert len(set(tried)) > 0.75 * budget


def test_lines_find_the_bottom_of_a_bowl() -> None:
    """Losses of a known optimum, not aligned with the parameters."""
    space = cl.Space(cl.linucb, small_catalog())
    searcher = Lines().start(space, 1)

    def loss(point: dict[str, float]) -> float:
        x, y = ALPHA.place(point["alpha"]) - 0.63, BETA.place(point["beta"]) - 0.22
        return x**2 + y**2 + x * y

    rows: list[Trial] = []
    for stage, count in enumerate(Lines().stages(64)):
        rows += told(searcher.ask(stage, count), stage, loss)
        searcher.tell(rows[-count:])
    assert min(each.loss for each in rows) < 2e-4
