"""Within its budget, tune finds what a fine grid finds: three problems, each with its grid."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import pytest

import conlinucb as cl

pytestmark = pytest.mark.more
ENOUGH = 1.02
"""Regret of what was found over that of the best of the grid, on the same people and chance."""


class Problem(NamedTuple):
    space: cl.Space
    people: cl.People
    grid: dict[str, list[Any]]
    rounds: int


def catalog(d: int, seed: int) -> cl.Catalog:
    rng = np.random.default_rng(seed)
    return cl.Catalog(rng.normal(size=(200, d)) / np.sqrt(d), rng.random((200, 15)) < 0.15)


def linear() -> Problem:
    """LinUCB, Gaussian rewards: 23 x 23 over three and four decades."""
    rng = np.random.default_rng(1)
    people = cl.LinearUsers(rng.normal(size=(80, 4)), pool_size=20)
    return Problem(cl.Space(cl.linucb, catalog(4, 1)), people, fine(alpha=23, beta=23), 200)


def clicks() -> Problem:
    """MCR, clicks: 23 x 23."""
    rng = np.random.default_rng(2)
    people = cl.ClickUsers(2 * rng.normal(size=(80, 3)), pool_size=15)
    return Problem(cl.Space(cl.conlinucb, catalog(3, 2)), people, fine(alpha=23, beta=23), 200)


def own() -> Problem:
    """A function of one's own: a number, a whole number and an option, 23 x 6 x 3."""
    items, rng = catalog(4, 3), np.random.default_rng(3)

    def made(alpha: float, n: int, strategy: str) -> cl.Agent:
        return cl.conlinucb(items, strategy=strategy, alpha=alpha, schedule=cl.Every(n))

    space = cl.Space(
        made,
        alpha=cl.Log(0.003, 3.0),
        n=cl.Whole(2, 7),
        strategy=cl.Choice(["max-radius", "ucb", "random"]),
    )
    grid = {
        **fine(alpha=23),
        "n": list(range(2, 8)),
        "strategy": ["max-radius", "ucb", "random"],
    }
    people = cl.LinearUsers(rng.normal(size=(80, 4)), pool_size=20)
    return Problem(space, people, grid, 200)


def fine(**counts: int) -> dict[str, list[Any]]:
    ends = {"alpha": (0.003, 3.0), "beta": (0.001, 10.0)}
    return {name: np.geomspace(*ends[name], count).tolist() for name, count in counts.items()}


def points(grid: dict[str, list[Any]]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = [{}]
    for name, values in grid.items():
        found = [{**point, name: value} for point in found for value in values]
    return found


@lru_cache
def regrets(make: Callable[[], Problem]) -> tuple[float, ...]:
    """Of every point of the grid, on the people and chance that a search with seed 0 has."""
    problem = make()
    plan = searched(make, "lines", budget=1).plan
    agents = {str(i): problem.space.agent(each) for i, each in enumerate(points(problem.grid))}
    grid = cl.simulate(agents, plan.people, rounds=plan.rounds, seed=plan.seed, log=1)
    return tuple(float(grid.final_regret(each).mean()) for each in agents)


def searched(make: Callable[[], Problem], sampler: str, budget: int) -> cl.Tuned:
    space, people, _, rounds = make()
    return cl.tune(
        {"it": space}, people, rounds=rounds, budget=budget, sampler=sampler, sensitivity=None
    )


@pytest.mark.parametrize("sampler", ["lines", "tpe"])
@pytest.mark.parametrize("make", [linear, clicks, own], ids=lambda each: each.__name__)
def test_within_two_percent_of_a_fine_grid(make: Callable[[], Problem], sampler: str) -> None:
    if sampler != "lines":
        pytest.importorskip("optuna")
    tuned = searched(make, sampler, budget=64)
    found, grid = min(trial.score for trial in tuned.trials), regrets(make)
    print(f"{make.__name__}, {sampler}: {found:.3f}; best of {len(grid)}: {min(grid):.3f}")
    assert len(tuned.trials) == 64
    assert max(grid) > 1.3 * min(grid), "otherwise anything would do"
    assert found <= ENOUGH * min(grid)
