"""Where a belief starts, beside Bayes' rule solved directly."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

import conlinucb as cl
from conlinucb.checks import check_estimator
from support.matrices import positive_definite
from support.meetings import assert_met_alike
from support.worlds import refused, same_state, settle, small_catalog

Floats = NDArray[np.float64]
D = 5
CATALOG = small_catalog(arms=40, terms=8, d=D)
RNG = np.random.default_rng(8)
MEAN, COVARIANCE, NOISE = RNG.normal(size=D), positive_definite(RNG, D) / 4, 0.3
OTHER = cl.Gaussian(RNG.normal(size=D), positive_definite(RNG, D), 2.0)


def likely(**changes: Any) -> cl.Gaussian:
    return cl.Gaussian(**{"mean": MEAN, "covariance": COVARIANCE, "noise": NOISE, **changes})


class Feedback(NamedTuple):
    rows: Floats
    values: Floats
    weights: Floats


def posterior(given: Feedback, mean: Floats, cov: Floats, noise: float) -> tuple[Floats, Floats]:
    """Mean and covariance of N(mean, cov) after observations of variance noise / weight."""
    precision = np.linalg.inv(cov)
    moment = precision @ mean
    for x, y, w in zip(*given, strict=True):
        precision = precision + w * np.outer(x, x) / noise
        moment = moment + w * y * x / noise
    found = np.linalg.inv(precision)
    return found @ moment, found


def teach(agent: cl.Agent, user: cl.User, n: int) -> Feedback:
    """n rewards and answers about arms and key-terms, of different weights."""
    rng = np.random.default_rng(n)
    rows, values, weights = [], [], []
    for _ in range(n):
        value, weight = float(rng.normal()), float(rng.uniform(0.2, 2.0))
        question = agent.ask(user)
        if question is not None:
            agent.hear(user, question, value, weight=weight)
            rows.append(question.probe)
        else:
            arm = int(rng.integers(len(agent.catalog)))
            agent.recommend(user)
            agent.learn(user, arm, value, weight=weight)
            rows.append(agent.catalog.arms[arm])
        values.append(value)
        weights.append(weight)
    return Feedback(np.array(rows).reshape(n, D), np.array(values), np.array(weights))


@pytest.mark.parametrize("updates", [0, 1, 40, 1200])
def test_a_gaussian_prior_is_bayes_rule(updates: int) -> None:
    agent = cl.conlinucb(CATALOG, prior=likely(), alpha=1.5, schedule=cl.Linear(1))
    user = agent.new_user()
    given = teach(agent, user, updates)
    mean, cov = posterior(given, MEAN, COVARIANCE, NOISE)
    np.testing.assert_allclose(user.theta, mean, rtol=1e-9, atol=1e-9)
    arms = CATALOG.arms
    found = agent.score(user, np.arange(40))
    deviations = np.sqrt(np.diag(arms @ cov @ arms.T))
    np.testing.assert_allclose(found.means, arms @ mean, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(found.scores, arms @ mean + 1.5 * deviations, rtol=1e-9)
    assert agent.recommend(user).arms[0] == np.argmax(arms @ mean + 1.5 * deviations)


def test_what_the_prior_says_is_part_of_a_mean() -> None:
    agent = cl.conlinucb(CATALOG, prior=likely())
    user = agent.new_user()
    for arm, reward in ((3, 1.0), (7, -0.5)):
        agent.learn(user, arm, reward)
    found = agent.influence(user, 5)
    parts = 1.0 * CATALOG.arms[3] @ found.arm - 0.5 * CATALOG.arms[7] @ found.arm
    assert parts + found.prior == pytest.approx(CATALOG.arms[5] @ user.theta, abs=1e-12)
    assert cl.conlinucb(CATALOG).influence(cl.conlinucb(CATALOG).new_user(), 5).prior == 0.0


RECIPES: dict[str, Callable[..., cl.Agent]] = {
    "LinUCB": cl.linucb,
    "Arm-Con": lambda catalog, **options: cl.arm_con(catalog, schedule=cl.Linear(0.5), **options),
    "MCR": lambda catalog, **options: cl.conlinucb(catalog, schedule=cl.Linear(1), **options),
}


@pytest.mark.parametrize("recipe", RECIPES)
def test_an_isotropic_prior_is_a_gaussian_one(recipe: str) -> None:
    make, people = RECIPES[recipe], cl.LinearUsers(RNG.normal(size=(2, D)), pool_size=9)
    agents = {
        "beta": make(CATALOG, beta=0.4, alpha=0.3),
        "isotropic": make(CATALOG, prior=cl.Isotropic(0.4), alpha=0.3),
        "gaussian": make(CATALOG, prior=cl.Gaussian(np.zeros(D), np.eye(D) / 0.4), alpha=0.3),
    }
    results = cl.simulate(agents, people, rounds=80, trace=True)
    for user in range(2):
        traces = [np.concatenate(results.trace(name, 0, user)).tolist() for name in agents]
        assert traces[0] == traces[1] == traces[2]
    errors = [results.metric(name, "error") for name in agents]
    assert np.array_equal(errors[0], errors[1])
    np.testing.assert_allclose(errors[0], errors[2], rtol=1e-9)


@pytest.mark.parametrize("recipe", RECIPES)
def test_a_prior_is_the_same_by_hand_and_compiled(recipe: str) -> None:
    agents = {"prior": RECIPES[recipe](CATALOG, prior=likely(), alpha=1.0)}
    assert_met_alike(agents, cl.LinearUsers(RNG.normal(size=(2, D)), pool_size=9), 80)


@pytest.mark.parametrize("make", [cl.linucb, cl.arm_con, cl.conlinucb, cl.conucb])
def test_alpha_is_one_standard_deviation_where_the_noise_is_known(make: Any) -> None:
    usual = {"linucb": 0.5, "arm_con": 0.5, "conlinucb": 0.1, "conucb": 0.25}[make.__name__]
    assert make(CATALOG).parameters()["alpha"] == usual
    assert make(CATALOG, prior=likely()).parameters()["alpha"] == 1.0
    assert make(CATALOG, prior=likely(), alpha=0.7).parameters()["alpha"] == 0.7


# ConUCB


def two_steps(**options: Any) -> cl.Agent:
    return cl.conucb(CATALOG, mix=0.3, schedule=cl.Linear(1), **options)


def test_conucb_starts_at_the_prior_in_both_steps() -> None:
    agent = two_steps(prior=likely(), alpha=0.8, term_alpha=0.6)
    user = agent.new_user()
    np.testing.assert_allclose(user.theta, MEAN)
    rng = np.random.default_rng(3)
    values, arms, terms = rng.normal(size=30), rng.integers(40, size=30).tolist(), []
    for value, arm in zip(values.tolist(), arms, strict=True):
        question = agent.ask(user)
        assert question is not None
        agent.hear(user, question, value)
        agent.recommend(user)
        agent.learn(user, arm, 0.4)
        terms.append(question.index)
    Z, X = CATALOG.terms[terms], CATALOG.arms[arms]
    term_M = NOISE * np.linalg.inv(COVARIANCE) + Z.T @ Z
    term_theta = np.linalg.solve(term_M, NOISE * np.linalg.solve(COVARIANCE, MEAN) + Z.T @ values)
    M = 0.7 * np.eye(D) + 0.3 * X.T @ X
    theta = np.linalg.solve(M, 0.3 * X.T @ np.full(30, 0.4) + 0.7 * term_theta)
    np.testing.assert_allclose(user.theta, theta, rtol=1e-8)
    P, rows = np.linalg.inv(M), np.asarray(CATALOG.arms)
    inner = np.linalg.solve(term_M, (rows @ P).T).T
    second = np.sqrt(np.einsum("nd,nd->n", rows @ P, inner))
    first = np.sqrt(np.einsum("nd,de,ne->n", rows, P, rows))
    wide = np.sqrt(NOISE) * (0.3 * 0.8 * first + 0.7 * 0.6 * second)
    np.testing.assert_allclose(agent.score(user, np.arange(40)).scores, rows @ theta + wide)


def test_conucb_with_a_prior_is_conucb_by_hand_and_compiled() -> None:
    agents = {
        "strict": two_steps(prior=likely()),
        "isotropic": two_steps(prior=cl.Isotropic(0.4), alpha=0.25, term_alpha=0.25),
        "beta": two_steps(term_beta=0.4),
    }
    people = cl.LinearUsers(RNG.normal(size=(2, D)), pool_size=9)
    assert_met_alike(agents, people, 60)
    results = cl.simulate(agents, people, rounds=60)
    assert np.array_equal(results.metric("isotropic"), results.metric("beta"))
    check_estimator(agents["strict"].estimator)


def test_what_the_prior_says_is_part_of_a_mean_in_two_steps() -> None:
    agent = two_steps(prior=likely(), answer_weight=0.5)
    user = agent.new_user()
    question = agent.ask(user)
    assert question is not None
    agent.hear(user, question, 0.8)
    agent.learn(user, 3, 1.0)
    found = agent.influence(user, 5)
    parts = found.of_answer(question, 0.8) + found.of_reward(CATALOG.arms[3], 1.0)
    assert parts + found.prior == pytest.approx(CATALOG.arms[5] @ user.theta, abs=1e-12)


# What a state and a result are of


def test_a_prior_is_named_by_its_digest() -> None:
    turned = COVARIANCE + 0.1 * np.eye(D)
    priors = [likely(), likely(mean=MEAN + 1), likely(covariance=turned), likely(noise=0.4)]
    digests = [prior.digest()["prior"] for prior in priors]
    assert len(set(digests)) == 4
    assert likely().digest() == likely().digest()
    agents = {str(i): cl.linucb(CATALOG, prior=prior) for i, prior in enumerate(priors)}
    people = cl.LinearUsers(np.ones((1, D)), pool_size=3)
    results = cl.simulate(agents, people, rounds=2)
    for i, digest in enumerate(digests):
        assert results.spec["agents"][str(i)]["prior"] == digest
        assert digest in agents[str(i)].new_user().kind
        assert "beta" not in results.spec["agents"][str(i)]


def test_a_state_of_another_prior_is_refused() -> None:
    agent = cl.linucb(CATALOG, prior=likely())
    arrays = agent.new_user().to_arrays()
    assert same_state(agent.load_user(arrays).to_arrays(), arrays)
    for other in (cl.linucb(CATALOG), cl.linucb(CATALOG, prior=likely(noise=0.4))):
        refused(lambda other=other: other.load_user(arrays), "gaussian", cl.IncompatibleState)  # type: ignore[misc]
        refused(lambda other=other: other.learn(agent.new_user(), 0, 1.0), "gaussian")  # type: ignore[misc]


# Taking over


PRIORS: dict[str, Any] = {"gaussian": likely(), "other": OTHER, "beta": cl.Isotropic(0.2)}
MOVES = [("gaussian", "other"), ("beta", "gaussian"), ("gaussian", "beta"), ("other", "other")]


@pytest.mark.parametrize("updates", [0, 1, 31, 32, 75, 1500])
@pytest.mark.parametrize(("old", "new"), MOVES)
def test_taking_over_is_learning_anew(old: str, new: str, updates: int) -> None:
    before, after = (
        cl.conlinucb(CATALOG, prior=PRIORS[each], schedule=cl.Linear(1)) for each in (old, new)
    )
    user, anew = before.new_user(seed=4), after.new_user(seed=4)
    given = teach(before, user, updates)
    kept = user.to_arrays()
    moved = after.take_over(user, before)
    for x, value, weight in zip(*given, strict=True):
        after.estimator.learn_arm(anew.state, x, float(value), float(weight))
    np.testing.assert_allclose(moved.theta, anew.theta, rtol=1e-9, atol=1e-9)
    radii = [after.score(each, np.arange(40)).radii for each in (moved, anew)]
    np.testing.assert_allclose(radii[0], radii[1], rtol=1e-9)
    assert (moved.rounds, moved.questions, moved.seed) == (user.rounds, user.questions, user.seed)
    assert same_state(user.to_arrays(), kept)
    assert same_state(after.load_user(moved.to_arrays()).to_arrays(), moved.to_arrays())


def test_who_was_taken_over_goes_on_like_anyone() -> None:
    before, after = cl.linucb(CATALOG, beta=2.0), cl.linucb(CATALOG, prior=likely())
    user, anew = before.new_user(), after.new_user()
    rng = np.random.default_rng(0)
    for arm in rng.integers(40, size=40).tolist():
        before.learn(user, arm, float(arm % 3))
        after.learn(anew, arm, float(arm % 3))
    moved = after.take_over(user, before)
    for arm in rng.integers(40, size=100).tolist():
        for each in (moved, anew):
            after.learn(each, arm, float(arm % 2))
        np.testing.assert_allclose(moved.theta, anew.theta, rtol=1e-9, atol=1e-9)


def test_an_open_question_is_taken_over() -> None:
    before, after = (cl.conlinucb(CATALOG, beta=b, schedule=cl.Every(1)) for b in (1.0, 3.0))
    user = before.new_user()
    settle(before, user)
    before.recommend(user)
    question = before.ask(user)
    moved = after.take_over(user, before)
    assert question is not None
    assert after.ask(moved) == question
    after.hear(moved, question, 1.0)
    assert user.open == question
    assert moved.open is None


def test_what_cannot_be_taken_over() -> None:
    ridge, conucb = cl.conlinucb(CATALOG), cl.conucb(CATALOG)
    heavy = cl.conlinucb(CATALOG, answer_weight=2.0)
    refused(lambda: conucb.take_over(ridge.new_user(), ridge), "two-step", cl.InvalidInput)
    refused(lambda: ridge.take_over(conucb.new_user(), conucb), "TwoStep", cl.InvalidInput)
    refused(lambda: heavy.take_over(ridge.new_user(), ridge), "answer_weight", cl.InvalidInput)
    refused(lambda: ridge.take_over(heavy.new_user(), ridge), "answer_weight", cl.InvalidInput)
    few = cl.conlinucb(small_catalog(d=3))
    refused(lambda: ridge.take_over(few.new_user(), ridge), "d = 3", cl.InvalidInput)


def test_an_ill_conditioned_prior_is_known_as_one() -> None:
    """From the start P is computed anew at each update: digits that cancel would be lost."""
    scales = np.diag(np.logspace(-5, 5, D))
    agent = cl.linucb(CATALOG, prior=cl.Gaussian(np.zeros(D), scales))
    user = agent.new_user()
    assert user.to_arrays()["state_counts"][2] == 1
    given = teach(agent, user, 25)
    mean, _ = posterior(given, np.zeros(D), scales, 1.0)
    np.testing.assert_allclose(user.theta, mean, rtol=1e-7)
    before = cl.linucb(CATALOG)
    moved = agent.take_over(before.new_user(), before)
    assert moved.to_arrays()["state_counts"][2] == 1


# Bad input


BAD: dict[str, tuple[Callable[[], Any], str]] = {
    "one-sided": (lambda: likely(covariance=np.eye(D) + np.eye(D, k=1)), "symmetric"),
    "indefinite": (lambda: likely(covariance=np.diag([1.0, 1, 1, 1, -0.5])), "-0.5"),
    "singular": (lambda: likely(covariance=np.diag([1.0, 1, 1, 1, 0])), "positive definite"),
    "of another size": (lambda: likely(mean=np.ones(4)), "(4, 4)"),
    "a mean that is not finite": (lambda: likely(mean=[np.nan] * D), "mean"),
    "no noise": (lambda: likely(noise=0.0), "noise"),
    "beta and prior": (lambda: cl.linucb(CATALOG, beta=1.0, prior=likely()), "both, beta=1.0"),
    "theory": (lambda: cl.linucb(CATALOG, prior=likely(), alpha=cl.TheoryAlpha()), "Eq. 8"),
    "term_beta and prior": (
        lambda: cl.conucb(CATALOG, term_beta=1.0, prior=likely()),
        "both, term_beta=1.0",
    ),
    "theory of two steps": (
        lambda: cl.conucb(CATALOG, prior=likely(), term_alpha=cl.TheoryAlpha()),
        "term_beta only",
    ),
    "no prior": (lambda: cl.linucb(CATALOG, prior="flat"), "'flat'"),  # type: ignore[arg-type]
    "the class": (lambda: cl.linucb(CATALOG, prior=cl.Gaussian), "Gaussian"),  # type: ignore[arg-type]
    "another catalogue": (
        lambda: cl.linucb(small_catalog(d=3), prior=likely()).new_user(),
        "5 features",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_priors_are_refused(name: str) -> None:
    refused(*BAD[name], cl.InvalidInput)


class Own:
    """A prior of one's own: some mean, and no opinion on how people differ."""

    noise = 1.0

    def start(self, d: int) -> Any:
        from conlinucb.agent.priors import Start

        return Start(2 * np.eye(d), np.ones(d))

    def digest(self) -> dict[str, Any]:
        return {"prior": "own"}


def test_a_prior_of_ones_own() -> None:
    agent = cl.conlinucb(CATALOG, prior=Own())
    np.testing.assert_allclose(agent.new_user().theta, np.full(D, 0.5))
    assert agent.parameters()["prior"] == "own"
    refused(lambda: agent.estimator.beta, "no beta", cl.InvalidInput)  # type: ignore[attr-defined]
