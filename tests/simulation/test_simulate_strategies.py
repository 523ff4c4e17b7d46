"""A strategy that breaks its word, here in the third round, stops the run and is named."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import conlinucb as cl
from support.runs import some_people
from support.worlds import small_catalog

CATALOG = small_catalog()


@cl.strategy_kernel
def kernel_too_large(view: cl.View) -> int:
    return 99 if view.round == 3 else view.offered[0]


@cl.strategy_kernel
def kernel_negative(view: cl.View) -> int:
    return -1 if view.round == 3 else view.offered[0]


@cl.strategy_kernel
def kernel_not_offered(view: cl.View) -> int:
    """A term that there is, but not in this round."""
    missing = 0
    for k in view.offered:
        if k == missing:
            missing += 1
    return missing if view.round == 3 else view.offered[0]


@cl.strategy_kernel
def kernel_raises(view: cl.View) -> int:
    if view.round == 3:
        raise ValueError("no idea")
    return view.offered[0]  # type: ignore[no-any-return]


class Kernel:
    def __init__(self, kernel: Callable[[cl.View], int]) -> None:
        self.name, self.kernel = "mine", kernel


class Plain:
    def __init__(self, choice: Callable[[cl.View], Any]) -> None:
        self.name, self.choice = "mine", choice

    def choose(self, view: cl.View) -> Any:
        return self.choice(view) if view.round == 3 else view.offered[0]


def complain(view: cl.View) -> int:
    raise ValueError("no idea")


def first_missing(view: cl.View) -> int:
    return int(np.setdiff1d(np.arange(6), view.offered)[0])


STRATEGIES: dict[str, tuple[Any, str]] = {
    "kernel too large": (Kernel(kernel_too_large), "term 99"),
    "kernel negative": (Kernel(kernel_negative), "term"),
    "kernel not offered": (Kernel(kernel_not_offered), "offered"),
    "kernel raises": (Kernel(kernel_raises), "no idea"),
    "plain too large": (Plain(lambda view: 99), "term 99"),
    "plain negative": (Plain(lambda view: -1), "term -1"),
    "plain not offered": (Plain(first_missing), "offered"),
    "plain raises": (Plain(complain), "no idea"),
    "plain nothing": (Plain(lambda view: None), "NoneType"),
    "plain fraction": (Plain(lambda view: 1.5), "float"),
}


@pytest.mark.parametrize("name", STRATEGIES)
@pytest.mark.parametrize("recipe", [cl.conlinucb, cl.conucb])
def test_a_broken_strategy_is_named(recipe: Callable[..., cl.Agent], name: str) -> None:
    strategy, what = STRATEGIES[name]
    agents = {
        "sound": cl.linucb(CATALOG),
        "broken": recipe(CATALOG, strategy=strategy, schedule=cl.Linear(1)),
    }
    with pytest.raises(cl.StrategyError) as caught:
        cl.simulate(agents, some_people(offered_size=4), rounds=20)
    for part in ("'mine'", "'broken'", "round 3", what):
        assert part in str(caught.value)
