"""Many people in one call: the decisions of one by one, and all or nothing."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import conlinucb as cl
from support.worlds import RECIPES, refused, same_state, small_catalog

AGENTS: dict[str, Callable[[cl.Catalog], cl.Agent]] = {
    **RECIPES,
    "thompson": lambda catalog: cl.conlinucb(catalog, select="thompson"),
    "greedy": lambda catalog: cl.conlinucb(catalog, select="greedy"),
}


@pytest.fixture(params=sorted(AGENTS))
def agent(request: pytest.FixtureRequest) -> cl.Agent:
    return AGENTS[request.param](small_catalog(arms=30, d=4))


def crowd(agent: cl.Agent) -> list[cl.User]:
    """Newcomers, newcomers who were here before, and people of whom something is known."""
    users = [agent.new_user(seed) for seed in range(12)]
    for seed, user in enumerate(users):
        if seed % 4 == 1:
            agent.recommend(user)
        for arm in range(seed if seed % 2 == 0 else 0):
            agent.learn(user, arm, np.cos(arm * seed))
    return users


SHARED = [5, 1, 9, 20]
POOLS: dict[str, Any] = {
    "all": None,
    "shared": [SHARED] * 12,
    "each their own": [np.random.default_rng(i).choice(30, 8, replace=False) for i in range(12)],
    "some": [None, SHARED] * 6,
}


def told(advice: cl.Advice) -> list[Any]:
    return [
        value.tolist() if hasattr(value, "tolist") else value for value in vars(advice).values()
    ]


@pytest.mark.parametrize("k", [1, 3, 50])
@pytest.mark.parametrize("pools", POOLS)
def test_many_get_what_each_would_get(agent: cl.Agent, pools: str, k: int) -> None:
    together, alone = crowd(agent), crowd(agent)
    given = POOLS[pools]
    found = agent.recommend_many(together, given, k)
    wanted = [
        agent.recommend(user, pool, k)
        for user, pool in zip(alone, given or [None] * 12, strict=True)
    ]
    assert [told(each) for each in found] == [told(each) for each in wanted]
    for one, other in zip(together, alone, strict=True):
        assert same_state(one.to_arrays(), other.to_arrays())


def test_what_newcomers_share_is_not_one_array(agent: cl.Agent) -> None:
    first, second = agent.recommend_many([agent.new_user(0), agent.new_user(0)], k=3)
    before = told(second)
    first.arms[:] = 0
    first.scores[:] = 0
    assert told(second) == before


@pytest.mark.parametrize(
    ("change", "received"),
    [
        ({"pools": [[0]] * 11}, "12 users, got 11"),
        ({"pools": [[0]] * 11 + [[99]]}, "99"),
        ({"pools": [[0]] * 11 + [["a"]]}, "'a'"),
        ({"k": 0}, "0"),
        ({"users": "twice"}, "twice"),
        ({"users": "nobody"}, "None"),
    ],
)
def test_all_or_nothing(agent: cl.Agent, change: dict[str, Any], received: str) -> None:
    users: list[Any] = list(crowd(agent))
    before = copy.deepcopy([user.to_arrays() for user in users])
    more = {"twice": users[:1], "nobody": [None]}.get(change.get("users", ""), [])
    rest = {name: value for name, value in change.items() if name != "users"}
    refused(lambda: agent.recommend_many([*users, *more], **rest), received, cl.InvalidInput)
    for user, arrays in zip(users, before, strict=True):
        assert same_state(user.to_arrays(), arrays)


def test_nobody_is_nothing(agent: cl.Agent) -> None:
    assert agent.recommend_many([]) == []
