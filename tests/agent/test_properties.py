"""What must hold for any feedback, any vectors and any seed."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray
from scipy import stats

import conlinucb as cl
from conlinucb.agent.estimators import Estimator
from conlinucb.agent.estimators.state import named
from conlinucb.numerics.linalg import full_matrix
from conlinucb.randomness import derive, uniform, uniform_index
from support.worlds import same_state, small_catalog

Floats = NDArray[np.float64]
repeatable = settings(derandomize=True, deadline=None, database=None, max_examples=60)
CATALOG = small_catalog()


class Feedback(NamedTuple):
    rows: Floats
    values: Floats
    of_terms: NDArray[np.bool_]


@st.composite
def feedback(draw: st.DrawFn, most: int = 25) -> Feedback:
    d, n = draw(st.integers(1, 6)), draw(st.integers(1, most))
    unit = st.floats(-1, 1, allow_subnormal=False)
    rows = draw(arrays(np.float64, (n, d), elements=unit))
    values = draw(arrays(np.float64, n, elements=unit))
    return Feedback(rows, values, draw(arrays(np.bool_, n)))


strengths = st.floats(0.05, 20.0)
estimators = st.one_of(
    st.builds(cl.Ridge, beta=strengths),
    st.builds(cl.TwoStep, mix=st.floats(0.05, 0.95), term_beta=strengths),
)


def teach(estimator: Estimator, state: Any, given: Feedback, i: int) -> None:
    learn = estimator.learn_term if given.of_terms[i] else estimator.learn_arm
    learn(state, given.rows[i], float(given.values[i]))


def taught(estimator: Estimator, given: Feedback, order: list[int]) -> Any:
    state = estimator.new_state(given.rows.shape[1])
    for i in order:
        teach(estimator, state, given, i)
    return state


def assert_inverse(kept: Mapping[str, NDArray[Any]], prefix: str = "") -> None:
    """P and M count by their lower triangles, and M lacks what is pending."""
    P, M = full_matrix(kept[f"{prefix}P"]), full_matrix(kept[f"{prefix}M"])
    waiting = kept[f"{prefix}pending"][: kept[f"{prefix}counts"][1]]
    assert np.array_equal(P, P.T)
    assert np.linalg.eigvalsh(P).min() > 0
    assert np.allclose(P @ (M + waiting.T @ waiting), np.eye(len(P)), atol=1e-9)


@repeatable
@given(estimators, feedback())
def test_P_stays_symmetric_positive_definite_and_the_inverse_of_M(
    estimator: Estimator, given: Feedback
) -> None:
    state = estimator.new_state(given.rows.shape[1])
    for i in range(len(given.rows)):
        teach(estimator, state, given, i)
        kept = named(state, estimator.layout)
        assert_inverse(kept)
        if isinstance(estimator, cl.TwoStep):
            assert_inverse(kept, "term_")


@repeatable
@given(st.floats(1e-6, 1e-2), feedback())
def test_P_stays_definite_under_a_weak_prior(beta: float, given: Feedback) -> None:
    ridge = cl.Ridge(beta=beta)
    state = taught(ridge, given, list(range(len(given.rows))))
    assert np.linalg.eigvalsh(full_matrix(state.P)).min() > 0


@repeatable
@given(estimators, feedback())
def test_radii_never_grow(estimator: Estimator, given: Feedback) -> None:
    state = estimator.new_state(given.rows.shape[1])
    seen = estimator.score_arms(state, given.rows, 1, 0).radii
    for i in range(len(given.rows)):
        teach(estimator, state, given, i)
        now = estimator.score_arms(state, given.rows, 1, 0).radii
        assert (now <= seen * (1 + 1e-9) + 1e-12).all()
        seen = now


@repeatable
@given(estimators, feedback(), st.randoms(use_true_random=False))
def test_the_order_of_feedback_does_not_matter(
    estimator: Estimator, given: Feedback, random: Any
) -> None:
    order = list(range(len(given.rows)))
    shuffled = random.sample(order, len(order))
    one, other = taught(estimator, given, order), taught(estimator, given, shuffled)
    assert np.allclose(one.theta, other.theta, rtol=0, atol=1e-9)


def life(agent: cl.Agent, user: cl.User, person: int, rounds: int = 4) -> Iterator[None]:
    """One person's rounds, pausing after every verb; decided by ``person`` alone."""
    for t in range(rounds):
        rng = np.random.default_rng([person, t])
        pool = rng.choice(len(agent.catalog), size=7, replace=False)
        while (question := agent.ask(user, pool)) is not None:
            yield
            agent.hear(user, question, float(rng.normal()))
            yield
        arm = int(agent.recommend(user, pool).arms[0])
        yield
        agent.learn(user, arm, float(rng.normal()))
        yield


def interleave(lives: list[Iterator[None]], random: Any) -> None:
    """Let a random one of the lives go one verb further, until all have ended."""
    while lives:
        one = random.choice(lives)
        if next(one, "ended") == "ended":
            lives.remove(one)


def conversational(strategy: str, two_step: bool) -> cl.Agent:
    recipe = cl.conucb if two_step else cl.conlinucb
    agent: cl.Agent = recipe(CATALOG, strategy=strategy, schedule=cl.Linear(1.5))
    return agent


strategy_names = st.sampled_from(sorted(cl.STRATEGIES))
randoms = st.randoms(use_true_random=False)


@repeatable
@given(strategy_names, st.booleans(), st.integers(2, 4), randoms)
def test_a_user_alone_equals_the_same_user_among_many(
    strategy: str, two_step: bool, people: int, random: Any
) -> None:
    agent = conversational(strategy, two_step)
    together = [agent.new_user(seed=person) for person in range(people)]
    interleave([life(agent, user, i) for i, user in enumerate(together)], random)
    for person, user in enumerate(together):
        alone = agent.new_user(seed=person)
        for _ in life(agent, alone, person):
            pass
        assert same_state(alone.to_arrays(), user.to_arrays())


@repeatable
@given(strategy_names, strategy_names, randoms)
def test_two_agents_on_one_catalog_do_not_meet(first: str, second: str, random: Any) -> None:
    agents = [conversational(first, two_step=False), conversational(second, two_step=True)]
    together = [agent.new_user(seed=1) for agent in agents]
    pairs = zip(agents, together, strict=True)
    interleave([life(agent, user, 5) for agent, user in pairs], random)
    for agent, user in zip(agents, together, strict=True):
        apart = agent.on(small_catalog())
        alone = apart.new_user(seed=1)
        for _ in life(apart, alone, 5):
            pass
        assert same_state(alone.to_arrays(), user.to_arrays())


@st.composite
def vector_sets(draw: st.DrawFn) -> Floats:
    """Small whole-number vectors of any rank, some of them twice, some of them zero."""
    d, n, rank = (draw(st.integers(1, high)) for high in (6, 14, 6))
    whole = st.integers(-3, 3)
    left = draw(arrays(np.float64, (n, min(rank, d)), elements=whole))
    right = draw(arrays(np.float64, (min(rank, d), d), elements=whole))
    rows = np.vstack([left @ right, np.zeros((draw(st.integers(0, 2)), d))])
    again = draw(st.lists(st.integers(0, len(rows) - 1), max_size=4))
    rows = np.vstack([rows, rows[again]])
    return np.asarray(rows[draw(st.permutations(range(len(rows))))])


def spanner_of(rows: Floats, C: float) -> cl.Spanner:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cl.RankWarning)
        return cl.barycentric_spanner(rows, C=C)


@settings(repeatable, max_examples=200)
@given(vector_sets(), st.sampled_from([1.0, 1.5, 2.0]))
@example(np.array([[0.0, 0.0], [1.0, 1.0], [1.0, 1.0], [-2.0, -2.0]]), 1.0)
def test_every_vector_combines_from_the_spanner_within_C(rows: Floats, C: float) -> None:
    assume(rows.any())
    found = spanner_of(rows, C)
    members = rows[found.indices]
    coefficients = np.linalg.lstsq(members.T, rows.T, rcond=None)[0]
    assert np.allclose(members.T @ coefficients, rows.T, atol=1e-8)
    assert np.abs(coefficients).max() <= C * (1 + 1e-6)
    assert found.rank == len(set(found.indices.tolist())) == np.linalg.matrix_rank(rows)
    assert abs(found.C - np.abs(coefficients).max()) < 1e-6


seeds = st.integers(0, 2**64 - 1).map(np.uint64)


@settings(repeatable, max_examples=300)
@given(seeds, st.integers(0, 2**62), st.integers(1, 2**40))
@example(np.uint64(2**64 - 1), 0, 1)
def test_uniform_index_stays_in_range(seed: np.uint64, position: int, n: int) -> None:
    assert 0 <= uniform_index(seed, position, n) < n
    assert 0.0 <= uniform(seed, position) < 1.0


@settings(repeatable, max_examples=40)
@given(seeds, st.integers(1, 60))
def test_uniform_index_reaches_the_first_and_the_last(seed: np.uint64, n: int) -> None:
    drawn = {uniform_index(seed, position, n) for position in range(20 * n)}
    assert {0, n - 1} <= drawn


@pytest.mark.parametrize("n", [2, 7, 10, 64])
@pytest.mark.parametrize("seed", [0, 1, 2**63])
def test_uniform_index_is_uniform_over_positions(seed: int, n: int) -> None:
    stream = derive(np.uint64(seed), 1)
    drawn = [uniform_index(stream, position, n) for position in range(20_000)]
    assert stats.chisquare(np.bincount(drawn, minlength=n)).pvalue > 1e-3


@pytest.mark.parametrize("stream", [0, 1, 2])
def test_uniform_index_is_uniform_over_neighbouring_seeds(stream: int) -> None:
    drawn = [uniform_index(derive(np.uint64(seed), stream), 0, 10) for seed in range(20_000)]
    assert stats.chisquare(np.bincount(drawn, minlength=10)).pvalue > 1e-3


def test_seeds_and_streams_are_all_different() -> None:
    derived = {int(derive(np.uint64(seed), key)) for seed in range(100) for key in range(100)}
    assert len(derived) == 10_000


@pytest.mark.parametrize(("one", "other"), [((0, 0), (0, 1)), ((0, 1), (1, 1)), ((0, 1), (1, 0))])
def test_streams_are_uncorrelated(one: tuple[int, int], other: tuple[int, int]) -> None:
    draws = [
        [uniform(derive(np.uint64(seed), key), position) for position in range(5_000)]
        for seed, key in (one, other)
    ]
    assert abs(stats.pearsonr(*draws).statistic) < 0.05
    assert not set(draws[0]) & set(draws[1])


@pytest.mark.parametrize("strategy", ["random", "spanner"])
def test_random_questions_reach_every_member_and_differ_between_seeds(strategy: str) -> None:
    agent = cl.conlinucb(CATALOG, strategy=strategy, schedule=cl.Linear(200))
    asked = []
    for seed in (0, 1):
        user = agent.new_user(seed=seed)
        asked.append([ask_and_skip(agent, user) for _ in range(200)])
    every = cl.barycentric_spanner(CATALOG.terms).indices if strategy == "spanner" else range(6)
    assert set(asked[0]) == set(asked[1]) == set(every)
    assert asked[0] != asked[1]


def ask_and_skip(agent: cl.Agent, user: cl.User) -> int:
    question = agent.ask(user)
    assert question is not None
    agent.hear(user, question, None)
    return question.index
