"""How likely a choice was: exact for epsilon-greedy, by draws for Thompson, 1 without chance."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import stats

import conlinucb as cl
from conlinucb.agent.select import Seen
from support.large_pools import catalog as large
from support.meetings import assert_met_alike
from support.worlds import small_catalog

CATALOG = small_catalog(arms=8, terms=4, d=3)


def taught(agent: cl.Agent) -> cl.User:
    user, rng = agent.new_user(), np.random.default_rng(3)
    for arm in range(8):
        agent.learn(user, arm, float(agent.catalog.arms[arm] @ [0.4, -0.3, 0.2] + rng.normal()))
    return user


def counts(agent: cl.Agent, k: int, seeds: int) -> np.ndarray[Any, Any]:
    """How often each arm is among the k that people with the same belief are shown."""
    found, one = np.zeros(8), taught(agent)
    for seed in range(seeds):
        found[agent.recommend(replace(one, seed=np.uint64(seed)), k=k).arms] += 1
    return found


@pytest.mark.parametrize("k", [1, 3])
def test_epsilon_greedy_takes_arms_as_often_as_it_says(k: int) -> None:
    agent = cl.linucb(CATALOG, select=cl.EpsilonGreedy(0.4))
    says, seeds = agent.propensities(taught(agent), k=k), 3000
    assert says.sum() == pytest.approx(k)
    assert says.min() == pytest.approx(0.4 * k / 8)
    off = counts(agent, k, seeds) / seeds - says
    assert (np.abs(off) < 4 * np.sqrt(says * (1 - says) / seeds)).all()


def test_epsilon_0_is_greedy_and_1_is_chance() -> None:
    greedy, none = (cl.linucb(CATALOG, select=each) for each in ("greedy", cl.EpsilonGreedy(0.0)))
    assert greedy.recommend(taught(greedy)).arms == none.recommend(taught(none)).arms
    chance = cl.linucb(CATALOG, select=cl.EpsilonGreedy(1.0))
    np.testing.assert_allclose(chance.propensities(taught(chance)), 1 / 8, rtol=1e-12)


@pytest.mark.parametrize("select", ["ucb", "greedy"])
def test_without_chance_a_choice_is_certain(select: str) -> None:
    agent = cl.conlinucb(CATALOG, select=select)
    user = taught(agent)
    says, advice = agent.propensities(user, k=2), agent.recommend(user, k=2)
    assert advice.propensities is not None
    assert advice.propensities.tolist() == [1.0, 1.0]
    assert set(np.flatnonzero(says)) == set(advice.arms.tolist())
    assert says.sum() == 2.0


def test_thompson_of_two_arms_agrees_with_the_normal_distribution() -> None:
    agent = cl.linucb(CATALOG, select="thompson", alpha=0.8)
    user, draws = taught(agent), 4000
    gap = CATALOG.arms[2] - CATALOG.arms[5]
    P = np.tril(user.state.P) + np.tril(user.state.P, -1).T
    exact = stats.norm.cdf(gap @ user.theta / (0.8 * np.sqrt(gap @ P @ gap)))
    found = agent.propensities(user, [2, 5], draws=draws)
    assert found.sum() == pytest.approx(1.0)
    assert abs(found[0] - exact) < 4 * np.sqrt(exact * (1 - exact) / draws)


def test_thompson_says_how_likely_only_when_it_is_to() -> None:
    silent = cl.linucb(CATALOG, select="thompson")
    assert silent.recommend(taught(silent)).propensities is None
    telling = cl.linucb(CATALOG, select=cl.Thompson(draws=50), alpha=2.0)
    user = taught(telling)
    says, advice = telling.propensities(user, draws=50), telling.recommend(user)
    assert advice.propensities == says[advice.arms]
    assert telling.parameters()["select"] == "Thompson(draws=50)"
    assert silent.parameters()["select"] == "Thompson()"


def test_thompsons_weights_are_unbiased() -> None:
    """The mean of 1{arm} / propensity is 1 - (1 - p)^(draws + 1), few draws as there are."""
    draws, seeds = 20, 3000
    agent = cl.linucb(CATALOG, select=cl.Thompson(draws=draws), alpha=2.0)
    exact = agent.propensities(taught(agent), draws=20_000)
    weights, one = np.zeros((seeds, 8)), taught(agent)
    for seed in range(seeds):
        advice = agent.recommend(replace(one, seed=np.uint64(seed)))
        assert advice.propensities is not None
        weights[seed, advice.arms[0]] = 1.0 / advice.propensities[0]
    expected = 1.0 - (1.0 - exact) ** (draws + 1)
    off = np.abs(weights.mean(axis=0) - expected)
    assert (off < 4.5 * weights.std(axis=0) / np.sqrt(seeds) + 0.02).all()


def test_a_short_list_of_a_large_pool_has_the_same_propensities() -> None:
    agent = cl.linucb(large("normal"), select=cl.Thompson(draws=30))
    user = agent.new_user(4)
    says = agent.propensities(user, k=5, draws=30)
    advice = agent.recommend(user, k=5)
    assert advice.propensities is not None
    assert np.array_equal(advice.propensities, says[advice.arms])
    assert (advice.propensities > 0.0).all()


def test_a_simulation_is_the_rounds_by_hand() -> None:
    people = cl.LinearUsers(np.random.default_rng(1).normal(size=(3, 3)), pool_size=4)
    assert_met_alike({"log": cl.linucb(CATALOG, select="epsilon-greedy")}, people, 30)


class Silent:
    name = "silent"

    def rank(self, seen: Seen) -> np.ndarray[Any, Any]:
        return seen.means


def test_a_stranger_that_does_not_tell_is_asked_in_vain() -> None:
    agent = cl.linucb(CATALOG, select=Silent())
    assert agent.recommend(taught(agent)).propensities is None
    with pytest.raises(cl.InvalidInput, match=r"Silent.*propensities\(seen, k\)"):
        agent.propensities(taught(agent))


@pytest.mark.parametrize("epsilon", [-0.1, 1.5, float("nan"), "much"])
def test_an_epsilon_that_cannot_be_is_refused(epsilon: Any) -> None:
    with pytest.raises(cl.InvalidInput, match="epsilon"):
        cl.EpsilonGreedy(epsilon)
