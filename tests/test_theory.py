"""The bounds, typed a second time from the paper, and a simulation of what Lemma 2 promises."""

from __future__ import annotations

import math
from collections.abc import Callable
from math import log, sqrt

import numpy as np
import pytest
from numpy.typing import NDArray

import conlinucb as cl
from conlinucb import theory
from conlinucb.agent.estimators import Estimator
from conlinucb.agent.schedule import asked_by

CLOSE = pytest.approx
POINTS = [
    # T, b, d, beta, delta, lambda_B, mix, term_beta
    (1, 1.0, 1, 1.0, 0.5, 0.5, 0.5, 1.0),
    (1000, 0.1, 50, 0.15, 0.05, 1e-4, 0.5, 1.0),
    (5000, 2.5, 50, 1.0, 0.01, 1e-3, 0.9, 0.3),
    (10**9, 5.0, 3, 7.5, 1e-6, 0.3, 0.1, 20.0),
]
points = pytest.mark.parametrize(
    ("T", "b", "d", "beta", "delta", "lambda_B", "mix", "term_beta"), POINTS
)


def eq_8(t: float, asked: float, d: int, beta: float, delta: float) -> float:
    return sqrt(2 * log(1 / delta) + d * log(1 + (t + asked) / (beta * d))) + sqrt(beta)


def lemma_3_start(b: float, lambda_B: float, d: int, delta: float) -> float:
    return 256 / (b * lambda_B**2) * log(128 * d / (lambda_B**2 * delta))


def bs_bound(T: float, b: float, lambda_B: float, d: int, beta: float, delta: float) -> float:
    width = sqrt(2 * log(2 / delta) + d * log(1 + (1 + b) * T / (beta * d))) + sqrt(beta)
    start = 256 / (b * lambda_B**2) * log(256 * d / (lambda_B**2 * delta))
    return 4 * sqrt(2 / (b * lambda_B)) * sqrt(T) * width + start + 1


def mcr_bound(T: float, b: float, d: int, beta: float, delta: float) -> float:
    potential = 2 * sqrt(2 * T * d * log(1 + (T + 1) / (beta * d)))
    return potential * (
        sqrt(beta) + sqrt(2 * log(1 / delta) + d * log(1 + (b + 1) * T / (beta * d)))
    )


def two_step_bound(T: float, b: float, d: int, mix: float, term_beta: float, delta: float) -> float:
    potential = 2 * sqrt(2 * T * d * log(1 + mix * (T + 1) / ((1 - mix) * d)))
    prior = sqrt((1 - mix) / mix)
    terms = sqrt((1 - mix) / (mix * term_beta)) * sqrt(
        2 * log(2 / delta) + d * log(1 + b * T / (term_beta * d))
    )
    arms = sqrt(2 * log(2 / delta) + d * log(1 + mix * T / ((1 - mix) * d)))
    return potential * (prior + terms + arms)


@points
def test_formulas(
    T: int,
    b: float,
    d: int,
    beta: float,
    delta: float,
    lambda_B: float,
    mix: float,
    term_beta: float,
) -> None:
    asked = math.floor(b * T)
    assert theory.alpha(T, asked, d, beta, delta) == CLOSE(eq_8(T, asked, d, beta, delta))
    assert theory.t0(b, lambda_B, d, delta) == CLOSE(lemma_3_start(b, lambda_B, d, delta))
    bs = bs_bound(T, b, lambda_B, d, beta, delta)
    assert theory.theorem_1(T, b, lambda_B, d, beta, delta) == CLOSE(bs)
    assert theory.theorem_2(T, b, d, beta, delta) == CLOSE(mcr_bound(T, b, d, beta, delta))
    con = two_step_bound(T, b, d, mix, term_beta, delta)
    assert theory.conucb_bound(T, b, d, mix, term_beta, delta) == CLOSE(con)


@points
def test_widths_of_the_two_step_estimate(
    T: int,
    b: float,
    d: int,
    beta: float,
    delta: float,
    lambda_B: float,
    mix: float,
    term_beta: float,
) -> None:
    arm = sqrt(2 * log(2 / delta) + d * log(1 + mix * T / ((1 - mix) * d))) / sqrt(mix)
    term = sqrt(2 * log(2 / delta) + d * log(1 + b * T / (term_beta * d))) + sqrt(term_beta)
    assert theory.conucb_alpha(T, d, mix, delta) == CLOSE(arm)
    assert theory.conucb_term_alpha(b * T, d, term_beta, delta) == CLOSE(term)


@pytest.mark.parametrize("lambda_B", [0.5, 0.01])
def test_lemma_3_holds_from_t0_on(lambda_B: float) -> None:
    start = lemma_3_start(2.0, lambda_B, 4, 0.1)
    t = np.array([0.0, start - 1, start, 3 * start])
    found = theory.lemma_3(t, 2.0, lambda_B, 4, 0.1)
    assert np.isnan(found).tolist() == [True, True, False, False]
    assert found[2:] == CLOSE([sqrt(2 / (lambda_B * 2.0 * each)) for each in t[2:]])


VECTORISED: dict[str, Callable[[object], object]] = {
    "alpha": lambda T: theory.alpha(T, 30, 5, 0.5, 0.1),  # type: ignore[arg-type]
    "conucb_alpha": lambda T: theory.conucb_alpha(T, 5, 0.3, 0.1),  # type: ignore[arg-type]
    "conucb_term_alpha": lambda T: theory.conucb_term_alpha(T, 5, 0.5, 0.1),  # type: ignore[arg-type]
    "lemma_3": lambda T: theory.lemma_3(T, 2.0, 0.9, 5, 0.1),  # type: ignore[arg-type]
    "theorem_1": lambda T: theory.theorem_1(T, 2.0, 0.9, 5, 0.5, 0.1),  # type: ignore[arg-type]
    "theorem_2": lambda T: theory.theorem_2(T, 2.0, 5, 0.5, 0.1),  # type: ignore[arg-type]
    "conucb_bound": lambda T: theory.conucb_bound(T, 2.0, 5, 0.3, 0.5, 0.1),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("name", sorted(VECTORISED))
def test_arrays_give_what_numbers_give(name: str) -> None:
    bound = VECTORISED[name]
    T = np.array([[0, 10, 2000], [5000, 10**6, 10**9]])
    one_by_one = [[bound(int(each)) for each in row] for row in T]
    assert np.allclose(np.asarray(bound(T)), np.array(one_by_one), rtol=1e-14, equal_nan=True)
    assert np.asarray(bound(T)).shape == (2, 3)
    assert np.asarray(bound(T.tolist())).shape == (2, 3)


@pytest.mark.parametrize("name", ["theorem_1", "theorem_2", "conucb_bound"])
def test_average_regret_goes_to_zero(name: str) -> None:
    T = 10.0 ** np.arange(4, 15)
    average = np.asarray(VECTORISED[name](T)) / T
    assert (np.diff(average) < 0).all()
    assert average[-1] < 1e-3


def test_at_T_zero() -> None:
    assert theory.theorem_2(0, 1.0, 5, 1.0, 0.1) == 0.0
    assert theory.conucb_bound(0, 1.0, 5, 0.5, 1.0, 0.1) == 0.0
    start = theory.t0(1.0, 0.1, 5, 0.05)
    assert theory.theorem_1(0, 1.0, 0.1, 5, 1.0, 0.1) == CLOSE(start + 1)


# The honest facts


def test_t0_is_about_a_million_million() -> None:
    start = theory.t0(1.0, 1e-4, 50, 0.05)
    assert 10**11.5 < start < 10**12.5
    assert start == CLOSE(7.726e11, rel=1e-4)
    assert theory.theorem_1(5000, 1.0, 1e-4, 50, 1.0, 0.05) > 5000


def test_theory_alpha_at_a_thousand_rounds() -> None:
    assert round(float(theory.alpha(1000, 30, 50, 0.15, 0.05)), 1) == 16.3
    catalog = cl.Catalog(np.eye(50), np.ones((50, 1)))
    alpha = cl.TheoryAlpha(delta=0.05)
    agent = cl.conlinucb(catalog, beta=0.15, alpha=alpha, schedule=lambda t: 30)
    user = agent.new_user()
    user.rounds = 999
    advice = agent.recommend(user)
    assert round(float(advice.scores[0] / advice.radii[0]), 1) == 16.3


def test_theory_alpha_is_used_with_the_rounds_and_questions_so_far() -> None:
    catalog = cl.Catalog(np.eye(3), np.eye(3))
    agent = cl.conlinucb(catalog, beta=0.5, alpha=cl.TheoryAlpha(delta=0.1), schedule=cl.Linear(2))
    user = agent.new_user()
    for t in range(1, 6):
        advice = agent.recommend(user, k=3)
        widths = (advice.scores - advice.means) / advice.radii
        assert widths == CLOSE([eq_8(t, 2 * t, 3, 0.5, 0.1)] * 3)


def test_lambda_B() -> None:
    rows = np.random.default_rng(0).normal(size=(7, 4))
    assert theory.lambda_B(rows) == CLOSE(np.linalg.eigvalsh(rows.T @ rows / 7).min())
    assert theory.lambda_B(rows * 1e-10) == CLOSE(theory.lambda_B(rows) * 1e-20)
    assert theory.lambda_B(rows[:3]) == 0.0


# Lemma 2


DELTA, USERS, ROUNDS, D = 0.1, 60, 80, 4
LINEAR = cl.Linear(0.5)


def unit_rows(rng: np.random.Generator, n: int) -> NDArray[np.float64]:
    rows = rng.normal(size=(n, D))
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True))


def worst_excess(agent: cl.Agent, seed: int) -> float:
    """The largest |x'(theta_t - theta*)| over the promised width, over all t and arms."""
    rng = np.random.default_rng(seed)
    taste = unit_rows(rng, 1)[0]
    arms, terms = np.array(agent.catalog.arms), agent.catalog.terms
    user = agent.new_user(seed)
    worst = 0.0
    for t in range(1, ROUNDS + 1):
        while (question := agent.ask(user)) is not None:
            agent.hear(user, question, float(terms[question.index] @ taste + rng.normal()))
        arm = int(agent.recommend(user).arms[0])
        agent.learn(user, arm, float(arms[arm] @ taste + rng.normal()))
        found = agent.estimator.score_arms(user.state, arms, t, asked_by(LINEAR, t))
        error = np.abs(arms @ (user.theta - taste))
        worst = max(worst, float((error / (found.scores - found.means)).max()))
    return worst


WIDE = cl.TheoryAlpha(delta=DELTA)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("estimator", "strategy"),
    [
        (cl.Ridge(beta=1.0, alpha=WIDE), "max-radius"),
        (cl.Ridge(beta=0.2, alpha=WIDE), "spanner"),
        (cl.TwoStep(mix=0.5, alpha=WIDE, term_alpha=WIDE), "optimal-greedy"),
        (cl.TwoStep(mix=0.8, term_beta=0.3, alpha=WIDE, term_alpha=WIDE), "random"),
    ],
    ids=["ridge", "weak ridge", "two-step", "weak two-step"],
)
def test_the_width_covers_the_truth(estimator: Estimator, strategy: str) -> None:
    rng = np.random.default_rng(1)
    catalog = cl.Catalog(unit_rows(rng, 15), rng.random((15, 8)))
    agent = cl.Agent(catalog, estimator, strategy=strategy, schedule=LINEAR)
    worst = np.array([worst_excess(agent, seed) for seed in range(USERS)])
    assert (worst <= 1).mean() >= 1 - DELTA
    # The simulation is not idle: a tenth of the width would miss nearly everyone.
    assert (worst <= 0.1).mean() < 0.1


@pytest.mark.parametrize("delta", [0.0, 1.5, 3.0, np.nan])
def test_every_bound_wants_a_probability(delta: float) -> None:
    for bound in (
        lambda: theory.theorem_1(10, 1.0, 0.1, 3, 1.0, delta),
        lambda: theory.theorem_2(10, 1.0, 3, 1.0, delta),
        lambda: theory.conucb_bound(10, 1.0, 3, 0.5, 1.0, delta),
        lambda: theory.lemma_3(10, 1.0, 0.1, 3, delta),
        lambda: theory.t0(1.0, 0.1, 3, delta),
    ):
        with pytest.raises(cl.InvalidInput, match=repr(delta)):
            bound()
