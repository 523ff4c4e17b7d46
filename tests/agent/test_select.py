"""Which arm: by the upper bound, by a draw, by the mean, or as one likes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import conlinucb as cl
from conlinucb.agent.select import Seen
from conlinucb.numerics.validation import Floats
from support.large_pools import Twins, catalog
from support.meetings import assert_met_alike, meet
from support.worlds import refused, small_catalog

CATALOG = small_catalog(arms=40, terms=8, d=5)
PEOPLE = cl.LinearUsers(np.random.default_rng(3).normal(size=(2, 5)) / 2, pool_size=9)
RECIPES: dict[str, Callable[..., cl.Agent]] = {
    "LinUCB": cl.linucb,
    "Arm-Con": lambda on, **options: cl.arm_con(on, schedule=cl.Linear(0.5), **options),
    "ConUCB": lambda on, **options: cl.conucb(on, schedule=cl.Linear(0.5), **options),
    "MCR": lambda on, **options: cl.conlinucb(on, schedule=cl.Linear(1), **options),
}


def taught(agent: cl.Agent, seed: int = 0) -> cl.User:
    user, rng = agent.new_user(seed=seed), np.random.default_rng(1)
    for t in range(15):
        while (question := agent.ask(user)) is not None:
            agent.hear(user, question, float(np.sin(t + question.index)))
        agent.recommend(user)
        agent.learn(user, int(rng.integers(40)), float(rng.normal()))
    return user


# Thompson sampling


@pytest.mark.parametrize("recipe", RECIPES)
def test_thompson_is_the_same_by_hand_and_compiled(recipe: str) -> None:
    agents = {"thompson": RECIPES[recipe](CATALOG, select="thompson", alpha=0.8)}
    results = assert_met_alike(agents, PEOPLE, 80)
    other = cl.simulate({"ucb": RECIPES[recipe](CATALOG, alpha=0.8)}, PEOPLE, rounds=80, seed=4)
    assert not np.array_equal(results.final_regret("thompson"), other.final_regret("ucb"))


def test_thompson_with_a_prior_and_all_radii() -> None:
    prior = cl.Gaussian(np.full(5, 0.2), np.eye(5) * 0.3, 0.2)
    agents = {"thompson": cl.conlinucb(CATALOG, prior=prior, select="thompson")}
    lazy = assert_met_alike(agents, PEOPLE, 60)
    full = cl.simulate(agents, PEOPLE, rounds=60, seed=4, lazy=False)
    assert np.array_equal(lazy.final_regret("thompson"), full.final_regret("thompson"))


@pytest.mark.parametrize("recipe", RECIPES)
def test_a_draw_is_a_function_of_seed_and_round(recipe: str) -> None:
    agent = RECIPES[recipe](CATALOG, select="thompson")
    one, twin, other = taught(agent, 1), taught(agent, 1), taught(agent, 2)
    for user in (twin, other):
        for mine, its in zip(user.state, one.state, strict=True):
            mine[...] = its  # the same belief, whoever it is of
    draws = []
    for _ in range(4):
        loaded = agent.load_user(twin.to_arrays())
        looked = agent.score(one, np.arange(40)).scores
        advice, again = agent.recommend(one, k=40), agent.recommend(loaded, k=40)
        assert np.array_equal(advice.arms, again.arms)
        assert np.array_equal(advice.scores, again.scores)
        assert np.array_equal(looked[advice.arms], advice.scores)
        assert not np.array_equal(advice.scores, agent.recommend(other, k=40).scores)
        agent.recommend(twin)
        draws.append(looked)
    assert len({each.tobytes() for each in draws}) == 4


@pytest.mark.parametrize("recipe", ["MCR", "ConUCB"])
def test_draws_have_the_mean_and_covariance_of_the_belief(recipe: str) -> None:
    agent = RECIPES[recipe](CATALOG, select="thompson", alpha=0.8)
    user, n = taught(agent), 20_000
    estimator, state = agent.estimator, user.state
    width = estimator.width(16, 15, 5)
    draws = np.array([estimator.sample(state, width, np.uint64(seed)) for seed in range(n)])
    P = np.tril(state.P) + np.tril(state.P, -1).T
    cov = 0.8**2 * P
    if recipe == "ConUCB":  # mix 0.5, term_alpha 0.25
        term_P = np.tril(state.matrices[2]) + np.tril(state.matrices[2], -1).T
        cov = (0.5 * 0.8) ** 2 * P + (0.5 * 0.25) ** 2 * P @ term_P @ P
    spread = np.sqrt(np.diag(cov))
    assert (np.abs(draws.mean(axis=0) - user.theta) < 5 * spread / np.sqrt(n)).all()
    off = np.abs(np.cov(draws.T) - cov) / np.outer(spread, spread)
    assert off.max() < 5 * np.sqrt(2 / n)


def test_draws_are_normal() -> None:
    from scipy import stats

    agent = cl.linucb(CATALOG, select="thompson", alpha=0.8)
    user = taught(agent)
    draws = np.array(
        [agent.estimator.sample(user.state, np.array([0.8]), np.uint64(s))[2] for s in range(4000)]
    )
    spread = 0.8 * np.sqrt(user.state.P[2, 2])
    assert stats.kstest((draws - user.theta[2]) / spread, "norm").pvalue > 0.001


def test_thompson_counts_in_standard_deviations_of_the_prior() -> None:
    prior = cl.Gaussian(np.zeros(5), np.eye(5) * 4.0, noise=0.25)
    agent = cl.linucb(CATALOG, prior=prior, alpha=1.0, select="thompson")
    scores = np.array([
        agent.score(agent.new_user(seed=s), np.arange(40)).scores for s in range(3000)
    ])  # fmt: skip
    lengths = np.linalg.norm(CATALOG.arms, axis=1)
    np.testing.assert_allclose(scores.std(axis=0), 2.0 * lengths, rtol=0.08)


@pytest.mark.parametrize("select", ["thompson", "greedy"])
@pytest.mark.parametrize("recipe", ["LinUCB", "ConUCB"])
def test_a_large_pool_is_ranked_like_a_small_one(recipe: str, select: str) -> None:
    twins = Twins(RECIPES[recipe](catalog("normal"), select=select))
    for k in (1, 7, 100, 1):
        twins.round(k)
    listed = twins.agent._ranking(twins.user)._shortlist(twins.agent.catalog.live_arms, 3)
    assert listed is not None


def test_newcomers_are_not_alike_to_a_draw() -> None:
    agent = cl.linucb(catalog("normal"), select="thompson")
    first = {int(agent.recommend(agent.new_user(seed=each)).arms[0]) for each in range(20)}
    assert len(first) > 5


# Greedy


@pytest.mark.parametrize("recipe", RECIPES)
def test_greedy_is_no_exploration(recipe: str) -> None:
    none: dict[str, Any] = {"alpha": 0.0, **({"term_alpha": 0.0} if recipe == "ConUCB" else {})}
    agents = {
        "greedy": RECIPES[recipe](CATALOG, select="greedy"),
        "alpha 0": RECIPES[recipe](CATALOG, **none),
    }
    results = assert_met_alike(agents, PEOPLE, 60)
    assert np.array_equal(results.metric("greedy"), results.metric("alpha 0"))
    user = taught(agents["greedy"])
    advice = agents["greedy"].recommend(user, k=40)
    assert np.array_equal(advice.scores, advice.means)
    assert (np.diff(advice.means) <= 1e-9).all()
    assert (advice.radii > 0).all()


# One's own


class Bound:
    """Upper confidence, by one's own hand."""

    name = "bound"

    def rank(self, seen: Seen) -> Floats:
        return seen.means + seen.extras


class Dice:
    """Without a name; draws by the round's own seed."""

    def rank(self, seen: Seen) -> Floats:
        rng = np.random.default_rng(int(seen.seed))
        return rng.random(seen.means.size)


@pytest.mark.parametrize("recipe", RECIPES)
def test_a_stranger_s_rank_runs_by_hand(recipe: str) -> None:
    agents = {
        "own": RECIPES[recipe](CATALOG, select=Bound()),
        "ours": RECIPES[recipe](CATALOG),
        "dice": RECIPES[recipe](CATALOG, select=Dice()),
    }
    results = assert_met_alike(agents, PEOPLE, 40)
    for user in range(2):
        one, other = (results.trace(name, 0, user) for name in ("own", "ours"))
        assert np.array_equal(one[0], other[0])
        assert np.array_equal(one[1], other[1])
    assert (results.final_regret("dice") > results.final_regret("ours")).all()
    assert len(set(meet(agents["dice"], PEOPLE, 40).arms)) > 15


def test_what_a_stranger_s_rank_sees() -> None:
    shown: list[Seen] = []

    class Looks:
        name = "looks"

        def rank(self, seen: Seen) -> Floats:
            shown.append(seen)
            return seen.means

    agent = cl.conlinucb(CATALOG, alpha=0.3, select=Looks())
    user = taught(agent)
    shown.clear()
    found = agent.recommend(user, pool=[4, 2, 9], k=3)
    assert shown[0].round == found.round == 16
    rows = CATALOG.arms[[4, 2, 9]]
    P = np.tril(user.state.P) + np.tril(user.state.P, -1).T
    radii = np.sqrt(np.diag(rows @ P @ rows.T))
    np.testing.assert_allclose(shown[0].means, rows @ user.theta)
    np.testing.assert_allclose(shown[0].radii, radii)
    np.testing.assert_allclose(shown[0].extras, 0.3 * radii)


def test_how_arms_are_chosen_is_part_of_what_a_result_is_of() -> None:
    selects: list[Any] = ["ucb", "thompson", "greedy", Bound(), Dice()]
    agents = {str(i): cl.linucb(CATALOG, select=each) for i, each in enumerate(selects)}
    specs = cl.simulate(agents, PEOPLE, rounds=2).spec["agents"]
    assert len({str(each) for each in specs.values()}) == 5
    assert "select" not in specs["0"]
    assert "Dice" in str(specs["4"])
    again = agents["1"].on(CATALOG)
    assert again.select.name == "thompson"


class Short:
    name = "short"

    def rank(self, seen: Seen) -> Floats:
        return seen.means[:-1]


class Blind:
    name = "blind"

    def rank(self, seen: Seen) -> Floats:
        return np.full(seen.means.size, np.nan)


@pytest.mark.parametrize("broken", [Short, Blind])
def test_a_rank_must_be_finite_and_of_every_arm(broken: Callable[[], Any]) -> None:
    agent = cl.linucb(CATALOG, select=broken())
    refused(lambda: agent.recommend(agent.new_user()), broken().name, cl.InvalidInput)
    agents = {"mine": agent}
    refused(lambda: cl.simulate(agents, PEOPLE, rounds=2), "'mine'", cl.InvalidInput)


@pytest.mark.parametrize("select", [None, 3, Bound, object()])
def test_what_is_no_select_is_refused(select: Any) -> None:
    refused(lambda: cl.linucb(CATALOG, select=select), "rank", cl.InvalidInput)


def test_an_unknown_select_names_the_nearest() -> None:
    refused(lambda: cl.linucb(CATALOG, select="tompson"), "'thompson'", cl.UnknownName)
