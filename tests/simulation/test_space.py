"""Spaces: what is searched, where a search begins, and what is refused before it."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

import conlinucb as cl
from support.worlds import small_catalog

CATALOG = small_catalog()
PRIOR = cl.Gaussian(np.zeros(3), np.eye(3), 0.1)


@pytest.mark.parametrize(
    ("recipe", "options", "names"),
    [
        (cl.linucb, {}, ["alpha", "beta"]),
        (cl.arm_con, {}, ["alpha", "beta"]),
        (cl.conlinucb, {}, ["alpha", "beta"]),
        (cl.conucb, {}, ["alpha", "term_alpha", "mix", "term_beta"]),
        (cl.logistic, {}, ["alpha", "beta"]),
        (cl.for_newcomers, {}, ["alpha"]),
        (cl.conlinucb, {"beta": 0.3}, ["alpha"]),
        (cl.conlinucb, {"prior": PRIOR}, ["alpha"]),
        (cl.conucb, {"prior": PRIOR}, ["alpha", "term_alpha", "mix"]),
        (cl.conlinucb, {"beta": cl.Log(0.1, 1.0)}, ["beta"]),
    ],
)
def test_what_comes_with_a_recipe(recipe: Any, options: dict[str, Any], names: list[str]) -> None:
    space = cl.Space(recipe, CATALOG, **options)
    assert list(space.ranges) == names
    made, usual = space.agent(space.first).parameters(), recipe(CATALOG, **space.fixed).parameters()
    assert made == usual, "a search begins with the recipe's defaults"


def test_a_default_outside_its_range_gives_way_to_the_middle() -> None:
    space = cl.Space(cl.conlinucb, CATALOG, alpha=cl.Log(1.0, 100.0), beta=cl.Log(0.1, 1.0))
    assert space.first == {"alpha": 10.0, "beta": 0.15}


def test_a_first_point_may_be_given_in_part() -> None:
    space = cl.Space(cl.linucb, CATALOG, first={"beta": 2.0})
    assert space.first == {"beta": 2.0, "alpha": 0.5}
    with pytest.raises(cl.InvalidInput, match="beta 20"):
        cl.Space(cl.linucb, CATALOG, first={"beta": 20.0})
    with pytest.raises(cl.UnknownName, match="Did you mean 'beta'"):
        cl.Space(cl.linucb, CATALOG, first={"bta": 2.0})


def test_functions_of_ones_own() -> None:
    def made(alpha: float = 0.3, *, kind: str = "ucb") -> cl.Agent:
        return cl.conlinucb(CATALOG, strategy=kind, alpha=alpha)

    space = cl.Space(made, alpha=cl.Uniform(0.0, 1.0), kind=cl.Choice(["ucb", "random"]))
    assert space.first == {"alpha": 0.3, "kind": "ucb"}
    assert space.agent({"alpha": 0.7, "kind": "random"}).parameters()["strategy"] == "random"
    assert list(cl.Space(partial(cl.linucb, CATALOG)).ranges) == ["alpha", "beta"]
    assert cl.Space(made).ranges.keys() == {"alpha"}, "known by its name"


def three(x: int) -> Any:
    return 3


def fails(x: int) -> Any:
    raise ValueError(f"{x} is too many")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: cl.Space("conlinucb", CATALOG), "of a recipe"),  # type: ignore[arg-type]
        (lambda: cl.Space(cl.linucb, CATALOG, alpha=1.0, beta=1.0), "nothing to search"),
        (lambda: cl.Space(three, x=cl.Whole(1, 3)), "must return an Agent, got 3"),
        (lambda: cl.Space(fails, x=cl.Whole(1, 3)), "makes no agent"),
        (lambda: cl.Space(cl.conlinucb, CATALOG, strategy="ucbb"), "Did you mean 'ucb'"),
        (lambda: cl.Space(cl.conlinucb, CATALOG, alfa=cl.Log(0.1, 1.0)), "Did you mean 'alpha'"),
        (lambda: cl.Space(cl.conlinucb, CATALOG, beta=cl.Uniform(-2.0, -1.0)), "beta"),
    ],
)
def test_what_makes_no_space(make: Any, message: str) -> None:
    with pytest.raises(cl.InvalidInput, match=message):
        make()


def test_a_space_is_described_by_what_decides_its_trials() -> None:
    def one(alpha: float) -> cl.Agent:
        return cl.conlinucb(CATALOG, alpha=alpha)

    def other(alpha: float) -> cl.Agent:
        return cl.conlinucb(CATALOG, alpha=2 * alpha)

    wide, narrow = cl.Log(0.01, 1.0), cl.Log(0.1, 1.0)
    base = cl.Space(one, alpha=wide).describe(10)
    assert cl.Space(one, alpha=wide).describe(10) == base
    assert cl.Space(one, alpha=narrow).describe(10) != base
    assert cl.Space(other, alpha=wide).describe(10)["recipe"] != base["recipe"]
    assert cl.Space(one, alpha=wide, first={"alpha": 0.5}).describe(10) != base
