"""Ranges: places and values, digits, ends, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import conlinucb as cl
from conlinucb.simulation.ranges import EDGE, Choice, Log, Logit, Range, Uniform, Whole
from conlinucb.simulation.space import USUAL

CONTINUOUS = {
    **USUAL,
    "narrow log": Log(1.0, 1.001),
    "odd ends": Log(0.0012345678, 0.76543219),
    "uniform": Uniform(-2.0, 6.0),
    "narrow uniform": Uniform(1000.0, 1000.01),
    "narrow share": Logit(0.5, 0.501),
}
COUNTED = {
    "whole": Whole(2, 9),
    "log whole": Whole(1, 1000, log=True),
    "two": Whole(0, 1),
    "choice": Choice(["a", "b", "c"]),
}


@pytest.mark.parametrize("name", CONTINUOUS)
@given(at=st.floats(0, 1))
def test_place_is_the_inverse_of_value(name: str, at: float) -> None:
    each = CONTINUOUS[name]
    value = each.value(at)
    assert each.low <= value <= each.high
    assert each.holds(value)
    assert each.place(value) == pytest.approx(at, abs=1e-3)


@pytest.mark.parametrize("name", COUNTED)
def test_every_counted_value_has_a_place_and_comes_back(name: str) -> None:
    each: Range = COUNTED[name]
    values = each.values()
    assert len(values) == len(set(values)) == each.count
    assert [each.value(each.place(value)) for value in values] == values
    assert (each.value(0.0), each.value(1.0)) == (values[0], values[-1])


def test_scales_are_as_even_as_they_say() -> None:
    at = np.linspace(0.05, 0.95, 7)
    assert np.allclose(np.diff(np.log([Log(0.1, 70.0).value(x) for x in at]), n=2), 0, atol=1e-2)
    odds = [1 / Logit(0.1, 0.99).value(x) - 1 for x in at]
    assert np.allclose(np.diff(np.log(odds), n=2), 0, atol=1e-3)
    assert np.allclose(np.diff([Uniform(-1.0, 3.0).value(x) for x in at], n=2), 0, atol=1e-3)


def test_whole_numbers_have_equal_room() -> None:
    drawn = [Whole(3, 6).value(at) for at in (np.arange(4000) + 0.5) / 4000]
    assert np.bincount(drawn)[3:].tolist() == [1000] * 4


@pytest.mark.parametrize("name", USUAL)
@pytest.mark.parametrize(
    ("at", "edge"), [(0, True), (0.04, True), (0.06, False), (0.94, False), (0.96, True), (1, True)]
)
def test_the_last_twentieth_at_either_end_is_an_edge(name: str, at: float, edge: bool) -> None:
    assert EDGE == 0.05
    assert USUAL[name].at_edge(USUAL[name].value(at)) is edge


def test_edges_of_what_can_be_counted() -> None:
    assert [each for each in Whole(2, 5).values() if Whole(2, 5).at_edge(each)] == [2, 5]
    assert not any(Choice(["a", "b"]).at_edge(each) for each in "ab")


@pytest.mark.parametrize(
    "make",
    [
        lambda: Log(0.0, 1.0),
        lambda: Log(2.0, 1.0),
        lambda: Log(1.0, 1.0),
        lambda: Logit(0.0, 0.5),
        lambda: Logit(0.5, 1.0),
        lambda: Uniform(0.0, float("inf")),
        lambda: Uniform("a", 1.0),  # type: ignore[arg-type]
        lambda: Whole(1.5, 3),  # type: ignore[arg-type]
        lambda: Whole(0, 3, log=True),
        lambda: Choice("ab"),
        lambda: Choice([]),
        lambda: Choice(3),  # type: ignore[arg-type]
    ],
)
def test_ranges_that_make_no_sense_are_refused(make: Any) -> None:
    with pytest.raises(cl.InvalidInput):
        make()


def test_what_a_range_holds() -> None:
    assert not Log(0.1, 1.0).holds("0.5")
    assert not Log(0.1, 1.0).holds(None)
    assert not Log(0.1, 2.0).holds(True)
    assert not Whole(1, 3).holds(2.5)
    assert Whole(1, 3).holds(3)
    assert not Choice(["a"]).holds("b")


def test_a_factor_moves_numbers_within_their_range_only() -> None:
    assert Log(0.1, 1.0).moved(0.4, 2.0) == 0.8
    assert Log(0.1, 1.0).moved(0.6, 2.0) is None
    assert Choice(["a", "b"]).moved("a", 2.0) is None
    assert [Whole(1, 9).moved(each, 0.5) for each in (1, 2, 3, 9)] == [None, 1, 2, 4]
