"""The logistic estimate: each step against a plain minimum, all of it against the whole fit."""

from __future__ import annotations

from functools import partial
from typing import Any, cast

import numpy as np
import pytest
from scipy.optimize import brentq, minimize
from scipy.special import expit

import conlinucb as cl
from conlinucb.agent.estimators.logistic import settled
from conlinucb.agent.strategies import BestOf, PickAny
from conlinucb.checks.common import ByHand, require_same_run
from conlinucb.numerics.linalg import full_matrix
from support.logistic import Seen, Steps, loss_of, slopes_of, whole_fit
from support.reference import STRATEGIES, Estimate, Floats, Reference, linear
from support.worlds import films, refused, refused_unchanged, same_state, small_catalog

PRECISION = np.array([[2.0, 0.3, 0.0], [0.3, 0.5, 0.1], [0.0, 0.1, 4.0]])
MEAN = np.array([0.4, -1.0, 0.2])


def prior() -> cl.Gaussian:
    return cl.Gaussian(MEAN, np.linalg.inv(PRECISION))


def feedback(n: int, d: int, size: float, seed: int) -> list[Seen]:
    """Yes, no and what lies between, of all weights; directions of about this length."""
    rng = np.random.default_rng([seed, n])
    taste = rng.normal(size=d)
    found = []
    for i in range(n):
        x = size * rng.normal(size=d) / np.sqrt(d)
        y = float(rng.random() < expit(x @ taste)) if i % 3 else float(rng.random())
        found.append(Seen(x, y, float(rng.uniform(0.1, 3.0))))
    return found


# The step


def test_the_search_along_a_line_finds_its_root() -> None:
    """From far away, with spreads of all sizes: as scipy's bracketing search does."""
    rng = np.random.default_rng(1)
    for _ in range(3000):
        before, spread = rng.normal() * 10 ** rng.uniform(-1, 2), 10 ** rng.uniform(-6, 12)
        y = float(rng.choice([0.0, 1.0, rng.random()]))

        def miss(s: float, y: float = y, at: float = before, spread: float = spread) -> float:
            return float(s - at - spread * (y * expit(-s) - (1 - y) * expit(s)))

        ends = before - 1.01 * spread - 1e-9, before + 1.01 * spread + 1e-9
        root = brentq(miss, *ends, xtol=1e-15, rtol=1e-14, maxiter=1000)
        assert settled(before, spread, y) == pytest.approx(root, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("size", [0.5, 3.0, 30.0])
def test_a_step_is_the_minimum_that_a_general_method_finds(size: float) -> None:
    """theta by scipy's trust region, from the belief before, for every one of 60 steps."""
    estimator, before, M = cl.Logistic(prior=prior()), MEAN, PRECISION
    state = estimator.new_state(3)
    for each in feedback(60, 3, size, seed=1):

        def loss(theta: Floats, each: Seen = each, M: Floats = M, at: Floats = before) -> float:
            return float((theta - at) @ M @ (theta - at)) / 2 + loss_of(each, theta)

        def gradient(theta: Floats, each: Seen = each, M: Floats = M, at: Floats = before) -> Any:
            return M @ (theta - at) + slopes_of(each, theta)[0]

        def curvature(theta: Floats, each: Seen = each, M: Floats = M) -> Any:
            return M + slopes_of(each, theta)[1]

        least = minimize(
            loss, before, jac=gradient, hess=curvature, method="trust-exact", tol=1e-12
        ).x
        least = least - np.linalg.solve(curvature(least), gradient(least))  # what rounding left
        estimator.learn_arm(state, each.x, each.y, each.weight)
        np.testing.assert_allclose(state.theta, least, rtol=1e-10, atol=1e-10)
        before, M = least, M + slopes_of(each, least)[1]
        np.testing.assert_allclose(full_matrix(state.P), np.linalg.inv(4 * M), rtol=1e-8)


def test_thousands_of_steps_stay_exact() -> None:
    """Rank-one updates, refreshed from sums, against everything summed and solved anew."""
    estimator = cl.Logistic(beta=0.3, answer_weight=0.5)
    state, twin = estimator.new_state(4), Steps(0.3 * np.eye(4), np.zeros(4), answer_weight=0.5)
    for i, each in enumerate(feedback(2500, 4, 2.0, seed=2)):
        if i % 4:
            estimator.learn_arm(state, each.x, each.y, each.weight)
            twin.learn_arm(each.x, each.y, each.weight)
        else:
            estimator.learn_term(state, each.x, each.y, each.weight)
            twin.learn_term(each.x, each.y, each.weight)
        if i % 250 == 249:
            np.testing.assert_allclose(state.theta, twin.theta, rtol=1e-9, atol=1e-10)
            np.testing.assert_allclose(full_matrix(state.P), np.linalg.inv(twin.term_M), rtol=1e-8)


@pytest.mark.parametrize("weight", [1e-12, 1.0, 1e12])
def test_what_was_certain_and_turns_out_otherwise(weight: float) -> None:
    """A thousand times yes at enormous lengths, then no: finite, and towards no."""
    estimator = cl.Logistic(beta=1e-3)
    state = estimator.new_state(2)
    for _ in range(1000):
        estimator.learn_arm(state, np.array([40.0, -3.0]), 1.0)
    before = state.theta.copy()
    estimator.learn_arm(state, np.array([40.0, -3.0]), 0.0, weight)
    assert np.isfinite(state.theta).all()
    assert np.isfinite(state.P).all()
    assert (state.theta - before) @ [40.0, -3.0] <= 0
    assert np.linalg.eigvalsh(full_matrix(state.P))[0] > 0


# Against the whole fit

FAR = {
    # d, beta, length of taste: mean distance in standard deviations, radii's ratio, chances
    (5, 1.0, 2.0): (0.1, 0.06, 0.01),
    (20, 1.0, 3.0): (0.06, 0.03, 0.01),
    (50, 1.0, 3.0): (0.03, 0.015, 0.01),
    (5, 10.0, 1.0): (0.02, 0.02, 0.002),
    (20, 0.15, 3.0): (0.25, 0.08, 0.07),
    (5, 1.0, 6.0): (0.9, 0.3, 0.04),
}
"""Just above what was measured on six draws of each: near the whole fit, and farthest from it where
a taste is much longer than the prior has it."""


@pytest.mark.parametrize("setting", FAR, ids=str)
def test_it_is_near_the_fit_of_all_feedback_at_once(setting: tuple[int, float, float]) -> None:
    d, beta, length = setting
    rng = np.random.default_rng(7)
    taste = rng.normal(size=d)
    taste *= length / np.linalg.norm(taste)
    rows = rng.normal(size=(500, d))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    estimator = cl.Logistic(beta=beta)
    state, seen = estimator.new_state(d), []
    for x in rows[:400]:
        y = float(rng.random() < expit(x @ taste))
        estimator.learn_arm(state, x, y)
        seen.append(Seen(x, y, 1.0))
    theta, M = whole_fit(beta * np.eye(d), np.zeros(d), seen)
    fresh = rows[400:]
    deviations = np.sqrt(np.einsum("nd,dn->n", fresh, np.linalg.solve(M, fresh.T)))
    own = np.sqrt(estimator.noise) * estimator.score_arms(state, fresh, 1, 0).radii
    away = fresh @ (state.theta - theta) / deviations
    far, ratio, chance = FAR[setting]
    assert np.sqrt(np.mean(away**2)) < far
    np.testing.assert_allclose(own / deviations, 1.0, atol=ratio)
    gaps = estimator.expected(fresh @ state.theta) - expit(fresh @ theta)
    assert np.abs(gaps).max() < chance


# Decisions


def world(number: int) -> tuple[cl.Catalog, Floats, Floats, Floats]:
    rng = np.random.default_rng([number, 31])
    d = 3 + 2 * number
    n, k = 3 * d + 10, d + 5
    arms = 2.0 * rng.normal(size=(n, d)) / np.sqrt(d)
    weights = np.where(rng.random((n, k)) < 0.2, rng.uniform(0.1, 1.0, (n, k)), 0.0)
    weights[rng.integers(n, size=k), np.arange(k)] += 0.5
    return cl.Catalog(arms, weights), arms, weights, rng.normal(size=d)


def decide(strategy: str, number: int, rounds: int) -> None:
    catalog, arms, weights, taste = world(number)
    beta, alpha = 0.2 + number, 0.3 + 0.2 * number
    agent = cl.logistic(catalog, strategy=strategy, beta=beta, alpha=alpha, schedule=cl.Linear(0.4))
    estimate = cast(Estimate, Steps(beta * np.eye(catalog.d), np.zeros(catalog.d), alpha))
    twin = Reference(arms, weights, estimate, strategy, linear(0.4), seed=number)
    user = agent.new_user(seed=number)
    for t in range(1, rounds + 1):
        rng = np.random.default_rng([number, t, 5])
        pool, offered = rng.permutation(len(arms))[:9], rng.permutation(weights.shape[1])
        if strategy != "spanner" and t % 2:
            offered = offered[: rng.integers(2, offered.size)]
        for _ in range(twin.questions_due()):
            question = agent.ask(user, pool, offered)
            assert question is not None
            assert question.index == twin.ask(pool, offered), f"round {t}"
            answer = float(rng.random() < expit(catalog.terms[question.index] @ taste))
            agent.hear(user, question, answer)
            twin.hear(question.index, answer)
        assert agent.ask(user, pool, offered) is None
        arm = int(agent.recommend(user, pool).arms[0])
        assert arm == twin.recommend(pool), f"round {t}"
        reward = float(rng.random() < expit(arms[arm] @ taste))
        agent.learn(user, arm, reward)
        twin.learn(arm, reward)
    np.testing.assert_allclose(user.theta, estimate.theta, rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("strategy", sorted(STRATEGIES))
def test_decisions_equal_the_reference(strategy: str) -> None:
    decide(strategy, number=1, rounds=60)


@pytest.mark.more
@pytest.mark.parametrize("strategy", sorted(STRATEGIES))
def test_decisions_equal_the_reference_over_hundreds_of_rounds(strategy: str) -> None:
    for number in (0, 2, 4):
        decide(strategy, number, rounds=300)


# What it says


def test_expected_rewards_and_answers_are_chances() -> None:
    agent = cl.logistic(films(), schedule=cl.Every(1))
    user = agent.new_user()
    question = agent.ask(user)
    assert question is not None
    agent.hear(user, question, 1.0)
    theta, terms = user.theta, agent.catalog.terms
    mean, deviation = agent.expects(user, question)
    P = full_matrix(user.state.P)
    z, spread = question.probe @ theta, 2 * np.sqrt(question.probe @ P @ question.probe)
    assert mean == pytest.approx(expit(z))
    assert deviation == pytest.approx(expit(z) * expit(-z) * spread)
    belief = agent.estimates(user)
    np.testing.assert_allclose(belief.means, expit(terms @ theta))
    assert (belief.means[question.index], belief.radii[question.index]) == pytest.approx(
        (mean, deviation)
    )
    everything = agent.score(user, range(4))
    np.testing.assert_allclose(everything.means, expit(agent.catalog.arms @ theta))
    advice = agent.recommend(user, k=4)
    np.testing.assert_allclose(advice.means, everything.means[advice.arms])
    np.testing.assert_allclose(
        advice.scores, agent.catalog.arms[advice.arms] @ theta + 0.5 * 2 * advice.radii
    )


def test_a_range_of_stars() -> None:
    """1 to 5 are 0 to 1 in fives: the same belief, and expectations in stars."""
    stars, plain = (cl.Logistic(beta=0.5, range=each) for each in ((1.0, 5.0), (0.0, 1.0)))
    one, other = stars.new_state(3), plain.new_state(3)
    for each in feedback(30, 3, 2.0, seed=3):
        stars.learn_arm(one, each.x, 1.0 + 4.0 * each.y, each.weight)
        plain.learn_arm(other, each.x, each.y, each.weight)
    np.testing.assert_allclose(one.theta, other.theta, rtol=1e-12)
    means = np.array([-1.0, 0.0, 3.0])
    np.testing.assert_allclose(stars.expected(means), 1 + 4 * plain.expected(means))
    variances = np.array([0.1, 0.2, 0.3])
    deviations = stars.deviations(means, variances), plain.deviations(means, variances)
    np.testing.assert_allclose(deviations[0], 4 * deviations[1])


class FirstTwo:
    name, kind = "first two", "pair"

    def choose(self, view: cl.View) -> tuple[int, int]:
        return int(view.offered[0]), int(view.offered[1])


@pytest.mark.parametrize(("answer", "y"), [(1.0, 1.0), (-1.0, 0.0), (0.0, 0.5), (0.5, 0.75)])
def test_a_pair_is_the_chance_of_the_difference(answer: float, y: float) -> None:
    for scale in ((0.0, 1.0), (1.0, 5.0)):
        width = scale[1] - scale[0]
        agent = cl.logistic(films(), strategy=FirstTwo(), schedule=cl.Every(1), range=scale)
        user, twin = agent.new_user(), cl.Logistic()
        question = agent.ask(user)
        assert question is not None
        assert agent.expects(user, question)[0] == pytest.approx(0.0, abs=1e-12)
        part = agent.influence(user, 0).of_answer(question, answer * width)
        state = twin.new_state(2)
        twin.learn_term(state, question.probe, y)
        agent.hear(user, question, answer * width)
        np.testing.assert_allclose(user.theta, state.theta, atol=1e-12)
        expected = width * (2 * expit(question.probe @ state.theta) - 1)
        assert agent.expects(user, question)[0] == pytest.approx(expected)
        assert np.sign(part) == np.sign(answer * (question.probe @ agent.catalog.arms[0]))


def test_parts_of_a_mean_add_up_where_all_is_fitted_at_once() -> None:
    """And nearly, to half of the mean's standard deviation, where it was learned step by step."""
    estimator = cl.Logistic(prior=prior(), answer_weight=0.5)
    state, seen = estimator.new_state(3), feedback(60, 3, 3.0, seed=4)
    for i, each in enumerate(seen):
        learn = estimator.learn_arm if i % 2 else estimator.learn_term
        learn(state, each.x, each.y, each.weight)
    x = np.array([0.5, -1.0, 0.7])

    def total() -> float:
        found = estimator.influence(state, x)
        parts = []
        for i, each in enumerate(seen):
            asked = cl.Question("term", 0, 1, 1, probe=each.x)
            part = found.of_reward(each.x, each.y, each.weight)
            parts.append(part if i % 2 else found.of_answer(asked, each.y, each.weight))
            assert part * (each.x @ found.arm) >= 0 or each.y < 1
        return found.prior + sum(parts)

    deviation = 2 * np.sqrt(x @ full_matrix(state.P) @ x)
    assert total() == pytest.approx(x @ state.theta, abs=0.5 * deviation)
    halved = [
        Seen(each.x, each.y, each.weight * (1.0 if i % 2 else 0.5)) for i, each in enumerate(seen)
    ]
    theta, M = whole_fit(PRECISION, MEAN, halved)
    state.theta[:], state.P[:] = theta, np.linalg.inv(4 * M)
    assert total() == pytest.approx(x @ theta, rel=1e-10)


# Priors, states


def test_a_prior_is_where_it_begins() -> None:
    state = cl.Logistic(prior=prior()).new_state(3)
    np.testing.assert_allclose(state.theta, MEAN)
    np.testing.assert_allclose(4 * full_matrix(state.P), np.linalg.inv(PRECISION))
    np.testing.assert_allclose(4 * cl.Logistic(beta=0.25).new_state(2).P, 4 * np.eye(2))


def test_what_is_no_prior_for_log_odds_is_refused() -> None:
    catalog = small_catalog()
    people = cl.Population(np.zeros(3), np.eye(3))
    refused(lambda: cl.logistic(catalog, prior=people), "Population", cl.InvalidInput)
    stated = cl.Gaussian.stated(catalog)
    refused(lambda: cl.logistic(catalog, prior=stated), "noise=0.09375", cl.InvalidInput)
    refused(lambda: cl.logistic(catalog, beta=1.0, prior=prior()), "beta=1.0", cl.InvalidInput)
    refused(lambda: cl.Logistic(alpha=cast(Any, cl.TheoryAlpha())), "must be a number")
    wrongs: list[Any] = [(1.0, 1.0), (0.0,), "01", (0.0, np.inf)]
    for wrong in wrongs:
        refused(partial(cl.Logistic, range=wrong), "range", cl.InvalidInput)


def test_a_state_is_stored_with_its_range() -> None:
    agent = cl.logistic(films(), range=(1.0, 5.0))
    user = agent.new_user(seed=3)
    agent.learn(user, 0, 4.0)
    twin = agent.load_user(user.to_arrays())
    assert same_state(user.to_arrays(), twin.to_arrays())
    for other in (cl.logistic(films()), cl.linucb(films())):
        refused(partial(other.load_user, user.to_arrays()), "1.0, 5.0")
    assert agent.replace(alpha=0.2).estimator.range == (1.0, 5.0)
    assert cl.logistic(films(), range=(1.0, 5.0)) == agent != cl.logistic(films())


def test_another_prior_takes_the_place_of_the_one_before() -> None:
    """The sums stay: precisions differ by the priors', and the way back leads back."""
    old, new = (cl.logistic(small_catalog(), beta=each) for each in (1.0, 3.0))
    user = old.new_user()
    for arm, reward in enumerate([1.0, 0.0, 1.0, 1.0, 0.0, 1.0]):
        old.learn(user, arm, reward)
    moved = new.take_over(user, old)
    precisions = [np.linalg.inv(4 * full_matrix(each.state.P)) for each in (moved, user)]
    np.testing.assert_allclose(precisions[0] - precisions[1], 2.0 * np.eye(3), atol=1e-9)
    np.testing.assert_allclose(precisions[0] @ moved.theta, precisions[1] @ user.theta, atol=1e-9)
    back = old.take_over(moved, new)
    np.testing.assert_allclose(back.theta, user.theta, rtol=1e-9)
    stars = cl.logistic(small_catalog(), range=(1.0, 5.0))
    for other in (cl.linucb(small_catalog()), stars):
        refused(partial(new.take_over, other.new_user(), other), "logistic state")
    refused(lambda: cl.linucb(small_catalog()).take_over(user, old), "ridge state")


# What cannot be


@pytest.mark.parametrize("value", [-0.1, 1.1, np.nan, np.inf, "yes"])
def test_feedback_outside_the_range_is_refused_and_changes_nothing(value: Any) -> None:
    agent = cl.logistic(films(), schedule=cl.Every(1))
    user = agent.new_user()
    question = agent.ask(user)
    assert question is not None
    for call in (
        lambda: agent.learn(user, 0, value),
        lambda: agent.hear(user, question, value),
        lambda: agent.volunteer(user, 0, value),
    ):
        refused_unchanged(user, call, repr(value), cl.InvalidInput)
    pairs = cl.logistic(films(), strategy=FirstTwo(), schedule=cl.Every(1))
    other = pairs.new_user()
    pair = pairs.ask(other)
    assert pair is not None
    refused_unchanged(other, lambda: pairs.hear(other, pair, -1.01), "-1.01", cl.InvalidInput)
    pairs.hear(other, pair, -1.0)


def test_what_was_picked_is_in_the_range_too() -> None:
    agent = cl.logistic(films(), strategy=PickAny(size=2), schedule=cl.Every(1), range=(1.0, 5.0))
    user = agent.new_user()
    group = agent.ask(user)
    assert group is not None
    picked = group.indices[:1]
    refused_unchanged(user, lambda: agent.hear(user, group, list(picked)), "0.0", cl.InvalidInput)
    agent.hear(user, group, cl.Picked(picked, no=1.0, yes=5.0))
    assert agent.estimates(user).means[picked[0]] > 3.0


@pytest.mark.parametrize("compiled", [True, False])
def test_people_outside_the_range_end_a_run_with_their_number(compiled: bool) -> None:
    catalog = small_catalog()
    people = cl.LinearUsers([[3.0, 0.0, 0.0]], pool_size=6)
    met = people if compiled else ByHand(people)
    with pytest.raises(cl.InvalidInput, match=r"'clicks'.*from 0.* to 1"):
        cl.simulate({"clicks": cl.logistic(catalog)}, met, rounds=20, progress=False)
    never = cl.logistic(catalog, schedule=cl.Never())
    with pytest.raises(cl.InvalidInput, match=r"'rewards'.*from 0.* to 1"):
        cl.simulate({"rewards": never}, met, rounds=20, progress=False)


# Compiled


@cl.strategy_kernel
def widest_pair(view: cl.View) -> int:
    """The least and the most liked of the offered."""
    liked = np.array([np.dot(view.terms[k], view.theta) for k in view.offered])
    order = np.argsort(liked)
    return int(view.offered[order[-1]] * view.terms.shape[0] + view.offered[order[0]])


class Widest:
    name, kind, kernel = "widest", "pair", staticmethod(widest_pair)


AGENTS: dict[str, dict[str, Any]] = {
    "terms": {"strategy": "max-radius", "schedule": cl.Linear(0.5)},
    "spanner": {"strategy": "spanner", "schedule": cl.Linear(0.5), "answer_weight": 0.3},
    "thompson": {"strategy": "ucb", "schedule": cl.Linear(0.5), "select": "thompson"},
    "pairs": {"strategy": Widest(), "schedule": cl.Linear(0.5)},
    "best of three": {"strategy": BestOf(teaches="differences"), "schedule": cl.Linear(0.5)},
    "winners": {"strategy": Widest(), "schedule": cl.Linear(0.5), "pair_update": "winner"},
}


@pytest.mark.parametrize("words", [False, True], ids=["numbers", "words"])
def test_compiled_rounds_are_those_by_hand(words: bool) -> None:
    """Six agents, two people, 250 rounds each: arms, questions, regret and estimates."""
    catalog, _, _, taste = world(2)
    tastes = np.vstack([taste, -0.5 * taste])
    clicks = cl.ClickUsers(tastes, pool_size=12)
    people: cl.People = cl.YesNo(cl.Compares(clicks, noise=0.5) if words else clicks)
    agents = {name: cl.logistic(catalog, **options) for name, options in AGENTS.items()}
    require_same_run("logistic", agents, people, 250)


def test_words_about_a_pair_are_worth_the_ends_of_the_range() -> None:
    for update in ("difference", "winner", "both"):
        thetas = []
        for scale in ((0.0, 1.0), (1.0, 5.0)):
            agent = cl.logistic(
                films(), strategy=FirstTwo(), schedule=cl.Linear(1), range=scale, pair_update=update
            )
            user = agent.new_user()
            for word in ("first", "second", "both", "neither", "first"):
                question = agent.ask(user)
                assert question is not None
                agent.hear(user, question, word)
                agent.recommend(user)
            thetas.append(user.theta)
        np.testing.assert_allclose(thetas[0], thetas[1], atol=1e-12)
        assert np.abs(thetas[0]).max() > 0.01
