"""Answers on a scale of their own, beside Bayes' rule with what each answer tells."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import conlinucb as cl
from conlinucb.agent.priors import Answers, Scale, plain_answers, scale_of
from conlinucb.agent.question import question_about
from conlinucb.checks.common import require_same_run
from support.matrices import positive_definite
from support.worlds import refused, small_catalog

Floats = NDArray[np.float64]
D, K = 5, 8
CATALOG = small_catalog(arms=40, terms=K, d=D)


class Calibrated(cl.Gaussian):
    """A Gaussian that also knows what answers mean."""

    def __init__(self, seed: int = 3, noise: float = 0.3, **changes: Any) -> None:
        rng = np.random.default_rng(seed)
        super().__init__(rng.normal(size=D), positive_definite(rng, D) / 4, noise)
        self.known = Answers(
            rng.uniform(-0.5, 0.5, K),
            rng.uniform(0.2, 2.0, K),
            rng.uniform(0.1, 3.0, K),
            rng.uniform(0.1, 1.0, K),
        )._replace(**changes)

    def answers(self, catalog: cl.Catalog) -> Answers:
        return self.known


class Pairs:
    """Asks about the two least liked, which needs no kernel."""

    name, kind = "least", "pair"

    def choose(self, view: cl.View) -> tuple[int, int]:
        order = view.offered[np.argsort(view.terms[view.offered] @ view.theta)]
        return int(order[0]), int(order[1])


@cl.strategy_kernel
def least_pair(view: cl.View) -> int:
    """The same, compiled."""
    liked = np.array([np.dot(view.terms[k], view.theta) for k in view.offered])
    order = np.argsort(liked)
    return int(view.offered[order[0]] * view.terms.shape[0] + view.offered[order[1]])


class FastPairs:
    name, kind, kernel = "least", "pair", staticmethod(least_pair)


def direct(prior: Calibrated, feedback: list[tuple[Floats, float, float]]) -> tuple[Floats, Floats]:
    """Posterior mean and covariance from (row, observation, variance)."""
    precision = np.linalg.inv(prior.covariance)
    moment = precision @ prior.mean
    for x, y, variance in feedback:
        precision, moment = precision + np.outer(x, x) / variance, moment + y * x / variance
    found = np.asarray(np.linalg.inv(precision))
    return found @ moment, found


def converse(agent: cl.Agent, prior: Calibrated, n: int) -> tuple[cl.User, list[Any], list[Any]]:
    """n answers and rewards of different weights; what they tell, and the questions."""
    rng = np.random.default_rng(n)
    told: list[Any] = []
    asked: list[Any] = []
    user = agent.new_user()
    offset, slope, weight, _ = prior.known
    for _ in range(n):
        question = agent.ask(user)
        assert question is not None
        answer, heavy, k = float(rng.normal()), float(rng.uniform(0.3, 2.0)), question.index
        agent.hear(user, question, answer, weight=heavy)
        variance = prior.noise / (heavy * weight[k])
        told.append((CATALOG.terms[k], (answer - offset[k]) / slope[k], variance))
        asked.append((question, answer, heavy))
        arm = int(agent.recommend(user).arms[0])
        agent.learn(user, arm, 0.7)
        told.append((CATALOG.arms[arm], 0.7, prior.noise))
        asked.append((arm, 0.7, 1.0))
    return user, told, asked


@pytest.mark.parametrize("strategy", ["max-radius", "ucb"])
def test_an_answer_is_taken_on_its_scale(strategy: str) -> None:
    prior = Calibrated()
    agent = cl.conlinucb(CATALOG, prior=prior, strategy=strategy, schedule=cl.Linear(1))
    user, told, _ = converse(agent, prior, 25)
    mean, cov = direct(prior, told)
    np.testing.assert_allclose(user.theta, mean, rtol=1e-9, atol=1e-9)
    radii = np.sqrt(np.diag(CATALOG.arms @ cov @ CATALOG.arms.T) / prior.noise)
    np.testing.assert_allclose(agent.score(user, np.arange(40)).radii, radii, rtol=1e-9)
    found = agent.estimates(user)
    offset, slope = prior.known[:2]
    terms, spread = CATALOG.terms, np.sqrt(np.diag(CATALOG.terms @ cov @ CATALOG.terms.T))
    np.testing.assert_allclose(found.means, offset + slope * (terms @ mean), rtol=1e-9)
    np.testing.assert_allclose(found.radii, slope * spread, rtol=1e-9)


def test_the_parts_of_calibrated_answers_add_up() -> None:
    prior = Calibrated()
    agent = cl.conlinucb(CATALOG, prior=prior, answer_weight=0.4, schedule=cl.Linear(1))
    user, _, asked = converse(agent, prior, 10)
    found = agent.influence(user, 4)
    total = found.prior
    for about, value, weight in asked:
        if isinstance(about, cl.Question):
            total += found.of_answer(about, value, weight)
        else:
            total += found.of_reward(CATALOG.arms[about], value, weight)
    assert total == pytest.approx(CATALOG.arms[4] @ user.theta, abs=1e-10)
    plain = found._replace(answers=None)
    assert plain.of_answer(asked[0][0], 1.0) == pytest.approx(asked[0][0].probe @ found.term)


def test_a_pair_takes_both_scales() -> None:
    prior = Calibrated()
    offset, slope, weight, _ = prior.known
    scale = scale_of(prior.known, "pair", (2, 5))
    both = 2 / (1 / weight[2] + 1 / weight[5])
    assert scale == pytest.approx((offset[2] - offset[5], (slope[2] + slope[5]) / 2, both))
    assert scale_of(plain_answers(K), "pair", (2, 5)) == Scale()
    assert scale_of(prior.known, "arm", (2,)) == Scale()
    agent = cl.conlinucb(CATALOG, prior=prior, strategy=Pairs(), schedule=cl.Linear(1))
    user = agent.new_user()
    question = agent.ask(user)
    assert question is not None
    scale = scale_of(prior.known, "pair", question.indices)
    mean, radius = agent.expects(user, question)
    assert mean == pytest.approx(scale.offset + scale.slope * (question.probe @ prior.mean))
    spread = question.probe @ prior.covariance @ question.probe / prior.noise
    assert radius == pytest.approx(scale.slope * np.sqrt(prior.noise * spread))
    agent.hear(user, question, 0.9)
    told = [(question.probe, scale.observed(0.9), prior.noise / scale.weight)]
    np.testing.assert_allclose(user.theta, direct(prior, told)[0], rtol=1e-9)


def test_what_is_expected_of_an_arm_is_a_reward() -> None:
    prior = Calibrated()
    agent = cl.conlinucb(CATALOG, prior=prior)
    about = question_about(CATALOG, "arm", (7,), 1, 1)
    assert agent.expects(agent.new_user(), about)[0] == pytest.approx(CATALOG.arms[7] @ prior.mean)


def test_a_weight_of_0_teaches_nothing() -> None:
    agent = cl.conlinucb(CATALOG, prior=Calibrated(weight=np.zeros(K)), schedule=cl.Linear(1))
    user = agent.new_user()
    before = user.theta
    question = agent.ask(user)
    assert question is not None
    agent.hear(user, question, 5.0)
    assert np.array_equal(user.theta, before)
    assert user.open is None


@pytest.mark.parametrize(
    "strategy", ["max-radius", "optimal-greedy", FastPairs()], ids=["radius", "greedy", "pairs"]
)
@pytest.mark.parametrize("changes", [{}, {"weight": np.arange(K) % 2 * 0.7}], ids=["", "some 0"])
def test_the_loop_takes_answers_as_the_agent_does(strategy: Any, changes: dict[str, Any]) -> None:
    agents = {
        "calibrated": cl.conlinucb(
            CATALOG, prior=Calibrated(**changes), strategy=strategy, schedule=cl.Linear(2)
        ),
        "arms": cl.arm_con(CATALOG, prior=Calibrated(**changes), schedule=cl.Linear(1)),
    }
    people = cl.LinearUsers(np.random.default_rng(2).normal(size=(3, D)), pool_size=12)
    require_same_run("calibrated", agents, people, 40)


def test_calibration_changes_what_is_learned() -> None:
    """So that the test before is about something."""
    agents = {
        "calibrated": cl.conlinucb(CATALOG, prior=Calibrated(), schedule=cl.Linear(1)),
        "plain": cl.conlinucb(
            CATALOG, prior=Calibrated(**plain_answers(K)._asdict()), schedule=cl.Linear(1)
        ),
    }
    people = cl.LinearUsers(np.random.default_rng(2).normal(size=(2, D)), pool_size=12)
    results = cl.simulate(agents, people, rounds=30)
    one, other = (results.metric(name, "error") for name in agents)
    assert not np.allclose(one, other)


def test_plain_answers_change_no_bit() -> None:
    plain = Calibrated(**plain_answers(K)._asdict())
    without = cl.Gaussian(plain.mean, plain.covariance, plain.noise)
    agents = {
        name: cl.conlinucb(CATALOG, prior=prior, schedule=cl.Linear(1))
        for name, prior in {"plain": plain, "without": without}.items()
    }
    people = cl.LinearUsers(np.random.default_rng(2).normal(size=(2, D)), pool_size=12)
    results = cl.simulate(agents, people, rounds=30)
    assert np.array_equal(results.metric("plain", "error"), results.metric("without", "error"))


def test_another_prior_leaves_old_answers_as_they_were_taken() -> None:
    """The sums stay, whatever the noise; the new calibration counts from now on."""
    old, new = Calibrated(seed=3, noise=0.3), Calibrated(seed=9, noise=1.7)
    before, after = (
        cl.conlinucb(CATALOG, prior=each, schedule=cl.Linear(1)) for each in (old, new)
    )
    user, told, _ = converse(before, old, 15)
    moved = after.take_over(user, before)
    in_new_noise = [(x, y, variance / old.noise * new.noise) for x, y, variance in told]
    mean, cov = direct(new, in_new_noise)
    np.testing.assert_allclose(moved.theta, mean, rtol=1e-8, atol=1e-9)
    radii = np.sqrt(np.diag(CATALOG.arms @ cov @ CATALOG.arms.T) / new.noise)
    np.testing.assert_allclose(after.score(moved, np.arange(40)).radii, radii, rtol=1e-8)
    question = after.ask(moved)
    assert question is not None
    after.hear(moved, question, 0.4)
    offset, slope, weight = (each[question.index] for each in new.known[:3])
    in_new_noise.append((question.probe, (0.4 - offset) / slope, new.noise / weight))
    np.testing.assert_allclose(moved.theta, direct(new, in_new_noise)[0], rtol=1e-8, atol=1e-9)
    assert moved.times.keys() > user.times.keys() or sum(moved.times.values()) == 16


BROKEN = {
    "slope": (np.zeros(K), "slope"),
    "weight": (np.full(K, -1.0), "weight"),
    "chance": (np.full(K, 1.5), "chance"),
    "offset": (np.full(K, np.nan), "offset"),
    "offset of another length": (np.zeros(3), "offset"),
}


@pytest.mark.parametrize("what", BROKEN)
def test_answers_that_cannot_be_computed_with_are_refused(what: str) -> None:
    value, named = BROKEN[what]
    changed: dict[str, Any] = {what.split()[0]: value}
    prior = Calibrated(**changed)
    refused(lambda: cl.conlinucb(CATALOG, prior=prior), named, cl.InvalidInput)


def test_answers_that_are_none_are_refused() -> None:
    prior = Calibrated()
    prior.known = None  # type: ignore[assignment]
    refused(lambda: cl.conlinucb(CATALOG, prior=prior), "Answers", cl.InvalidInput)


def test_a_strategy_sees_weights_chances_and_times() -> None:
    seen: list[cl.View] = []

    class Looks:
        name, needs_pool = "looks", True

        def choose(self, view: cl.View) -> int:
            seen.append(view)
            return int(view.offered[0])

    prior = Calibrated()
    agent = cl.conlinucb(
        CATALOG, prior=prior, strategy=Looks(), answer_weight=0.5, schedule=cl.Linear(2)
    )
    user = agent.new_user()
    for _ in range(2):
        question = agent.ask(user, pool=[3, 1])
        assert question is not None
        agent.hear(user, question, 1.0)
    np.testing.assert_allclose(seen[1].weights, 0.5 * prior.known.weight)
    assert np.array_equal(seen[1].chances, prior.known.chance)
    assert seen[1].times.tolist() == [1, *[0] * (K - 1)]
    np.testing.assert_allclose(seen[0].means, CATALOG.arms[[3, 1]] @ prior.mean)
    assert seen[0].noise == prior.noise
