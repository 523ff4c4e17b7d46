"""Large pools: the rough look that comes first changes no decision, whatever the catalogue."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import conlinucb as cl
from conlinucb.agent.estimators.kernels import SCORE, belief_score
from conlinucb.agent.estimators.state import named
from conlinucb.numerics.compile import kernel
from conlinucb.numerics.shortlist import LARGE, Arms, Factor, _reach, _scores
from support.large_pools import (
    AGENTS,
    EACH,
    FEATURES,
    KS,
    ROUNDS,
    D,
    Floats,
    N,
    Twins,
    catalog,
)

pytestmark = pytest.mark.more  # hundreds of pools of thousands of arms


@pytest.mark.parametrize("features", FEATURES)
@pytest.mark.parametrize("name", AGENTS)
def test_decisions_are_those_over_the_whole_pool(name: str, features: str) -> None:
    twins = Twins(AGENTS[name](catalog(features)))
    for t in range(ROUNDS):
        twins.round(KS[t % len(KS)])


@pytest.mark.parametrize("name", AGENTS)
def test_lists_are_short(name: str) -> None:
    agent = AGENTS[name](catalog("normal"))
    twins = Twins(agent)
    for t in range(ROUNDS):
        twins.round(KS[t % len(KS)])
    found = agent._ranking(twins.user)._shortlist(agent.catalog.live_arms, 7)
    assert found is not None
    assert 7 <= found.by_score.size < 40
    assert 7 <= found.by_mean.size < 40


def test_a_pool_of_fewer_arms_is_left_as_it_is() -> None:
    agent = cl.linucb(catalog("normal"))
    user = agent.new_user()
    agent.learn(user, 0, 1.0)
    few, many = np.arange(LARGE - 1), np.arange(LARGE)
    assert agent._ranking(user)._shortlist(few, 1) is None
    assert agent._ranking(user)._shortlist(many, 1) is not None


@pytest.mark.parametrize("features", ["normal", "repeated"])
@pytest.mark.parametrize("beyond", [-1, 0, 5])
def test_all_arms_but_one_and_more_than_there_are(features: str, beyond: int) -> None:
    twins = Twins(cl.conlinucb(catalog(features)))
    twins.round(1)
    assert twins.recommend(N + beyond).arms.size == min(N, N + beyond)


# Pools

POOLS: dict[str, NDArray[np.int64]] = {
    "backwards": np.arange(N)[::-1],
    "all in no order": np.random.default_rng(3).permutation(N),
    "most in no order": np.random.default_rng(4).permutation(N)[: N - 300],
    "few in no order": np.random.default_rng(5).permutation(N)[: LARGE + 5],
    "few in order": np.arange(100, 100 + LARGE),
}


@pytest.mark.parametrize("features", ["normal", "repeated", "mixed lengths"])
@pytest.mark.parametrize("name", ["linucb", "conlinucb by theory", "conucb"])
@pytest.mark.parametrize("pool", POOLS)
def test_explicit_pools(pool: str, name: str, features: str) -> None:
    twins = Twins(AGENTS[name](catalog(features)))
    for t in range(ROUNDS):
        twins.round(KS[t % len(KS)], pool=np.roll(POOLS[pool], t))


@pytest.mark.parametrize("k", KS)
@pytest.mark.parametrize("name", AGENTS)
@pytest.mark.parametrize("pool", POOLS)
def test_of_unit_arms_in_round_one_the_first_of_the_pool_win(pool: str, name: str, k: int) -> None:
    agent = AGENTS[name](catalog("unit"))
    advice = agent.recommend(agent.new_user(), POOLS[pool], k)
    assert np.array_equal(advice.arms, POOLS[pool][:k])


@pytest.mark.parametrize("pool", POOLS)
def test_of_equal_arms_the_first_of_the_pool_win(pool: str) -> None:
    agent = cl.conucb(catalog("repeated"))
    twins, rows = Twins(agent), agent.catalog.arms
    twins.round(1)
    for _ in range(ROUNDS):
        best = twins.round(7, pool=POOLS[pool]).arms
        equal = (rows[POOLS[pool]] == rows[best[0]]).all(axis=1)
        assert np.array_equal(best, POOLS[pool][equal][:7])


@pytest.mark.parametrize("features", ["normal", "repeated", "nearly parallel"])
@pytest.mark.parametrize("name", ["linucb", "conlinucb", "conucb by theory"])
def test_excluded_arms(name: str, features: str) -> None:
    twins, seen = Twins(AGENTS[name](catalog(features))), np.empty(0, dtype=np.int64)
    for t in range(ROUNDS):
        best = twins.round(KS[t % len(KS)], exclude=seen).arms
        assert not np.isin(best, seen).any()
        seen = np.concatenate([seen, best])
    assert seen.size == ROUNDS // len(KS) * sum(KS)


@pytest.mark.parametrize("features", ["normal", "repeated", "mixed lengths"])
@pytest.mark.parametrize("kept", [LARGE + 1, N - 200])
def test_removed_arms(kept: int, features: str) -> None:
    """The longest arms go, so that what is left is short beside the longest of all."""
    lengths = np.linalg.norm(catalog(features).arms, axis=1)
    smaller = catalog(features).remove_arms(np.argsort(lengths, kind="stable")[kept:])
    for name in ("linucb", "conlinucb", "conucb"):
        twins = Twins(AGENTS[name](smaller))
        for t in range(ROUNDS):
            best = twins.round(KS[t % len(KS)]).arms
            assert np.isin(best, smaller.live_arms).all()


# The bound


def exact_scores(agent: cl.Agent, user: cl.User, pool: NDArray[np.int64]) -> Any:
    return agent.estimator.score_arms(user.state, np.asarray(agent.catalog.arms)[pool], 1, 0)


def rough_scores(agent: cl.Agent, user: cl.User, pool: NDArray[np.int64]) -> tuple[Floats, float]:
    factors = agent.estimator.factors(user.state, 1, 0)
    return _scores(looked_at(agent, pool), user.state.theta, factors)


def looked_at(agent: cl.Agent, pool: NDArray[np.int64]) -> Arms:
    on = agent.catalog
    return Arms(on._arms, on._short_arms, on._arm_norms, pool)


@pytest.mark.parametrize("features", FEATURES)
@pytest.mark.parametrize("name", AGENTS)
def test_rough_scores_are_off_by_less_than_the_bound(name: str, features: str) -> None:
    twins = Twins(AGENTS[name](catalog(features)))
    for t in range(ROUNDS):
        for pool in (np.arange(N), POOLS["few in no order"]):
            exact = exact_scores(twins.agent, twins.user, pool)
            scores, error = rough_scores(twins.agent, twins.user, pool)
            assert np.abs(scores - exact.scores).max() <= error
            means, mean_error = _scores(looked_at(twins.agent, pool), twins.user.state.theta, ())
            assert np.abs(means - exact.means).max() <= mean_error
        twins.round(KS[t % len(KS)])


@pytest.mark.parametrize("name", AGENTS)
def test_the_bound_is_of_the_order_of_single_precision(name: str) -> None:
    twins = Twins(AGENTS[name](catalog("normal")))
    twins.round(1)
    exact = exact_scores(twins.agent, twins.user, np.arange(N))
    scores, error = rough_scores(twins.agent, twins.user, np.arange(N))
    assert np.abs(scores - exact.scores).max() > 0
    assert error < 1e-5 * np.abs(exact.scores).max()


def test_the_bound_where_key_terms_are_certain_and_arms_are_not() -> None:
    """The second radius is then a small rest of large numbers, more so than the first."""
    turn = np.linalg.qr(np.random.default_rng(2).normal(size=(3, 3)))[0]
    near = turn[0] + 1e-4 * np.random.default_rng(0).normal(size=(LARGE, 3))
    on = cl.Catalog(1e6 * np.vstack([turn, near]), np.eye(LARGE + 3, 3))
    twins = Twins(cl.conucb(on, alpha=0.0, schedule=cl.Never()))
    for each in (twins.user, twins.twin):
        for _ in range(30):
            twins.agent.estimator.learn_term(each.state, on.terms[0].copy(), 0.01)
            for arm in (1, 2):
                twins.agent.learn(each, arm, 0.01)
    pool = np.arange(LARGE + 3)
    scores, error = rough_scores(twins.agent, twins.user, pool)
    off = np.abs(scores - exact_scores(twins.agent, twins.user, pool).scores).max()
    assert off <= error
    for k in KS:
        twins.recommend(k)


@contextmanager
def counted() -> Iterator[list[int]]:
    """How many arms each rough look at radii is at."""
    sizes: list[int] = []

    def look(arms: Arms, theta: Any, factors: Any) -> Any:
        sizes.append(arms.pool.size if factors else 0)
        return _scores(arms, theta, factors)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("conlinucb.numerics.shortlist._scores", look)
        yield sizes


def test_radii_are_looked_at_only_where_a_mean_is_high_enough() -> None:
    twins = Twins(cl.conlinucb(catalog("unit"), alpha=0.01, schedule=EACH))
    for _ in range(ROUNDS):
        twins.round(1)
    with counted() as looks:
        twins.recommend(1)
    assert max(looks) <= N // 4


def test_all_radii_are_looked_at_where_means_tell_nothing() -> None:
    with counted() as looks:
        Twins(cl.linucb(catalog("unit"))).recommend(1)
    assert max(looks) == N


def test_few_radii_are_looked_at_where_nothing_is_liked_yet() -> None:
    twins = Twins(cl.linucb(catalog("normal")))
    for each in (twins.user, twins.twin):
        twins.agent.learn(each, 0, 0.0)
    with counted() as looks:
        twins.recommend(1)
    assert max(looks) < N // 4


@pytest.mark.parametrize("directions", [1, 3, 12])
@pytest.mark.parametrize("features", FEATURES)
@pytest.mark.parametrize("name", AGENTS)
def test_no_radius_is_wider_than_its_bound(
    name: str, features: str, directions: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("conlinucb.numerics.shortlist.DIRECTIONS", directions)
    monkeypatch.setattr("conlinucb.numerics.shortlist.LARGE", 0)
    twins = Twins(AGENTS[name](catalog(features)))
    for t in range(ROUNDS):
        twins.round(KS[t % len(KS)])
        for factor in twins.agent.estimator.factors(twins.user.state, 1, 0):
            rows = np.asarray(twins.agent.catalog.arms)
            exact = factor.width * np.linalg.norm(rows @ factor.matrix.T, axis=1)
            bound = _reach(looked_at(twins.agent, np.arange(N))._replace(exactly=True), factor)
            assert (bound >= exact).all()


@pytest.mark.parametrize("rows", [0, 2, D, 2 * D])
def test_the_bound_of_a_factor_of_any_shape(rows: int) -> None:
    agent = cl.linucb(catalog("mixed lengths"))
    matrix = np.random.default_rng(1).normal(size=(max(rows, 1), D)) * (rows > 0)
    factor = Factor(0.5, matrix, float(np.linalg.norm(matrix)))
    exact = 0.5 * np.linalg.norm(np.asarray(agent.catalog.arms) @ matrix.T, axis=1)
    for exactly in (False, True):
        looked = looked_at(agent, np.arange(N))._replace(exactly=exactly)
        assert (_reach(looked, factor) >= exact).all()


# Where there is no rough look


BEYOND: dict[str, tuple[float, float, float]] = {
    "features of 1e45": (1e45, 1.0, 0.5),
    "features of 1e-45": (1e-45, 1.0, 0.5),
    "features of 1e-170": (1e-170, 1.0, 0.5),
    "rewards of 1e45": (1.0, 1e45, 0.5),
    "alpha of 1e45": (1.0, 1.0, 1e45),
    "alpha of 1e21 and features of 1e-21": (1e-21, 1.0, 1e21),
}


@pytest.mark.parametrize("numbers", BEYOND)
def test_numbers_beyond_single_precision(numbers: str) -> None:
    scale, reward, alpha = BEYOND[numbers]
    on = cl.Catalog(scale * np.asarray(catalog("normal").arms), np.eye(N, 8))
    twins = Twins(cl.linucb(on, alpha=alpha))
    twins.rewards *= reward
    for t in range(ROUNDS):
        twins.round(KS[t % len(KS)])


def test_all_arms_zero() -> None:
    with pytest.warns(cl.RankWarning):
        nothing = cl.Catalog(np.zeros((LARGE, 2)), np.eye(LARGE, 2))
    assert Twins(cl.linucb(nothing)).recommend(7).arms.tolist() == list(range(7))


class WithoutFactors(cl.Ridge):
    """Exploration of its own, of which no factors are known."""

    def explore(self, state: cl.State, rows: Floats, width: Floats) -> tuple[Floats, Floats]:
        radii, extras = super().explore(state, rows, width)
        return radii, extras


@kernel(SCORE, pointer=True)
def own_score(
    state: Any, width: Any, arms: Any, which: Any, n: int, radii: Any, extras: Any, scratch: Any
) -> None:
    belief_score(state, width, arms, which, n, radii, extras, scratch)


class WithoutFactorsCompiled(cl.Ridge):
    """The same by a kernel."""

    kernels = cl.Ridge.kernels._replace(score=own_score)


@pytest.mark.parametrize("own", [WithoutFactors, WithoutFactorsCompiled])
def test_an_estimator_without_factors(own: type[cl.Ridge]) -> None:
    estimator = own(beta=1.0, alpha=0.5)
    plain = cl.Agent(catalog("normal"), estimator, schedule=cl.Never())
    twins, ridge = Twins(plain), Twins(cl.linucb(catalog("normal"), beta=1.0, alpha=0.5))
    for t in range(ROUNDS):
        one, other = (each.round(KS[t % len(KS)]) for each in (twins, ridge))
        assert np.array_equal(one.arms, other.arms)
        # A kernel compiled inside another may round otherwise in the last digit.
        np.testing.assert_allclose(one.scores, other.scores, rtol=1e-12)
    pool = np.arange(N)
    assert plain._ranking(twins.user)._shortlist(pool, 1) is None


@pytest.mark.parametrize(("recipe", "matrix"), [("linucb", "P"), ("conucb", "P"),
                                                ("conucb", "term_P")])  # fmt: skip
def test_a_matrix_without_a_root_is_looked_at_exactly(recipe: str, matrix: str) -> None:
    twins = Twins(AGENTS[recipe](catalog("normal")))
    twins.round(1)
    for each in (twins.user, twins.twin):
        named(each.state, twins.agent.estimator.layout)[matrix][1, 0] = 5.0
    with pytest.raises(np.linalg.LinAlgError):
        twins.agent.estimator.factors(twins.user.state, 2, 0)
    for k in KS:
        twins.recommend(k)


@pytest.mark.parametrize(
    ("seed", "d", "beta", "updates"), [(579544, 4, 1e-8, 100), (841139, 3, 1e-6, 600)]
)
def test_where_rounding_decides_it_is_the_exact_computation_s(
    seed: int, d: int, beta: float, updates: int
) -> None:
    """An arm between the two scores that a well-known one has: exactly, and by factors."""
    turn = np.linalg.qr(np.random.default_rng(seed).normal(size=(d, d)))[0]
    alpha = 3 * np.sqrt(beta)

    def twins(length: float) -> Twins:
        rest = 0.01 * np.linspace(0, 1, 3000)[:, None] * turn[:, 2]
        arms = np.vstack([1000 * turn[:, 0], length * turn[:, 1], rest, 1e-3 * turn.T])
        found = Twins(cl.linucb(cl.Catalog(arms, np.ones((len(arms), 1))), beta=beta, alpha=alpha))
        for each in (found.user, found.twin):
            for _ in range(updates):
                found.agent.learn(each, 0, 1.0)
        return found

    first = twins(1.0)
    exact, unknown = exact_scores(first.agent, first.user, np.arange(2)).scores
    try:
        root = first.agent.estimator.factors(first.user.state, 1, 0)[0].matrix
    except np.linalg.LinAlgError:  # so ill-conditioned that it depends on the machine's LAPACK
        first.recommend(1)
        return
    rough = root @ first.agent.catalog.arms[0]
    between = (exact + 1000 * turn[:, 0] @ first.user.theta + alpha * np.linalg.norm(rough)) / 2
    twins(between / unknown).recommend(1)
