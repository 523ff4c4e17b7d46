"""A store knows a stranger's strategy by what it does, not only by its name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import conlinucb as cl
from support.runs import some_people
from support.worlds import small_catalog


def first_offered(view: cl.View) -> int:
    return int(view.offered[0])


def last_offered(view: cl.View) -> int:
    return int(view.offered[-1])


class Slotted:
    name = "mine"
    __slots__ = ("place",)

    def __init__(self, place: int) -> None:
        self.place = place

    def choose(self, view: cl.View) -> int:
        return int(view.offered[self.place])


def named(choose: Callable[[cl.View], int]) -> object:
    return type("Mine", (), {"name": "mine", "choose": staticmethod(choose)})()


def run(strategy: object, store: Path) -> cl.Results:
    catalog = small_catalog()
    agents = {"mine": cl.conlinucb(catalog, strategy=strategy)}
    return cl.simulate(agents, some_people(3), rounds=12, store=store)


def test_another_strategy_of_the_same_name_is_refused(tmp_path: Path) -> None:
    run(named(first_offered), tmp_path)
    run(named(first_offered), tmp_path)
    with pytest.raises(cl.IncompatibleState, match="strategy_code"):
        run(named(last_offered), tmp_path)


def test_parameters_in_slots_are_seen(tmp_path: Path) -> None:
    run(Slotted(1), tmp_path)
    with pytest.raises(cl.IncompatibleState, match="strategy_place"):
        run(Slotted(2), tmp_path)


def test_time_is_measured_for_a_plain_strategy_too() -> None:
    agents = {"mine": cl.conlinucb(small_catalog(), strategy=Slotted(1))}
    results = cl.simulate(agents, some_people(2), rounds=12, timed=True)
    assert (results.metric("mine", "arm_seconds")[..., -1] > 0).all()
    assert (results.metric("mine", "term_seconds")[..., -1] > 0).all()


def test_a_kernel_that_is_not_compiled_is_refused_at_once() -> None:
    class Plain:
        name = "plain"
        kernel = staticmethod(first_offered)

    with pytest.raises(cl.InvalidInput, match="strategy_kernel"):
        cl.conlinucb(small_catalog(), strategy=Plain())
