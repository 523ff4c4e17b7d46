"""Newcomers to a large catalogue are all alike, and what they get is looked up once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import conlinucb as cl
from conlinucb.agent.advice import Ranking
from support.large_pools import AGENTS, Twins, assert_same, catalog, without_short_lists
from support.worlds import settle


@pytest.mark.parametrize("features", ["normal", "unit"])
@pytest.mark.parametrize("name", AGENTS)
def test_every_newcomer_gets_what_the_first_one_got(
    name: str, features: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = AGENTS[name](catalog(features))
    looks = 0
    best = Ranking.best

    def counted(*given: Any) -> Any:
        nonlocal looks
        looks += 1
        return best(*given)

    monkeypatch.setattr(Ranking, "best", counted)
    first = agent.recommend(agent.new_user(seed=1), k=7)
    for each in range(3):
        assert_same(first, agent.recommend(agent.new_user(seed=each), k=7))
    assert looks == 1
    with without_short_lists():
        assert_same(first, agent.recommend(agent.new_user(), k=7))


@pytest.mark.parametrize("name", AGENTS)
def test_nobody_is_new_for_long(name: str) -> None:
    agent = AGENTS[name](catalog("normal"))
    for given in (0.0, 1.0):
        twins = Twins(agent)
        twins.recommend(3)
        for each in (twins.user, twins.twin):
            agent.learn(each, 5, given)
        twins.recommend(3)
        answered = Twins(agent)
        for each in (answered.user, answered.twin):
            settle(agent, each, given)
        answered.recommend(3)
    silent = Twins(agent)
    for k in (3, 3, 1, 7, 3):
        silent.recommend(k)


def test_what_a_newcomer_got_cannot_be_spoilt_for_the_next() -> None:
    agent = cl.conlinucb(catalog("normal"))
    first = agent.recommend(agent.new_user(), k=2)
    right = first.arms.copy()
    first.arms[:] = 0
    first.scores[:] = -1.0
    again = agent.recommend(agent.new_user(), k=2)
    assert np.array_equal(again.arms, right)
    assert (again.scores > 0).all()
    changed = agent.on(agent.catalog.remove_arms(right))
    assert not np.isin(changed.recommend(changed.new_user(), k=2).arms, right).any()
