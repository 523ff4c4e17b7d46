"""A slice of a product holds each value, and is chosen the same way every time."""

from __future__ import annotations

from itertools import product

from support.tiers import slice_of


def test_each_value_is_met_and_the_slice_is_no_longer_than_it_must_be() -> None:
    cases = list(product("abc", "12345", "xy"))
    kept = [cases[place] for place in slice_of(cases)]
    assert set().union(*kept) == set("abc12345xy")
    assert len(kept) == 5


def test_values_come_as_evenly_as_may_be() -> None:
    cases = list(product("ab", "123456"))
    kept = [cases[place] for place in slice_of(cases)]
    assert [each for each, _ in kept].count("a") == 3


def test_a_case_with_a_value_of_its_own_is_always_there() -> None:
    cases = ["ax", "ay", "bx", "by", "qx"]
    assert 4 in slice_of(cases)
