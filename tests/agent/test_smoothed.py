"""Smoothed key-terms: perturbations by position, and what is learned from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.stats import kstest, truncnorm

import conlinucb as cl
from conlinucb.agent.strategies import Smoothed
from conlinucb.agent.strategies.smoothed import perturbation
from conlinucb.checks import check_strategy
from support.smooth import xi
from support.worlds import refused, same_state, small_catalog

CATALOG = small_catalog(arms=20, terms=8, d=4)


@pytest.mark.parametrize(("rho", "R"), [(0.1, 0.3), (0.2, 0.2), (1.0, 0.3), (50.0, 0.3)])
def test_perturbations_are_truncated_normal(rho: float, R: float) -> None:
    drawn = np.empty((40, 100))
    for k in range(40):
        perturbation(np.uint64(3), 5, k, rho, R, drawn[k])
        np.testing.assert_allclose(drawn[k], xi(3, 5, k, 100, rho, R), rtol=1e-12, atol=1e-15)
    assert np.abs(drawn).max() <= R
    expected = truncnorm(-R / rho, R / rho, scale=rho)
    assert kstest(drawn.ravel(), expected.cdf).pvalue > 1e-3


def test_every_question_has_its_own() -> None:
    seen = set()
    for seed, asked, k in np.ndindex(3, 3, 3):
        out = np.empty(2)
        perturbation(np.uint64(seed), asked, k, 0.1, 0.3, out)
        seen.add(tuple(out))
    assert len(seen) == 27


def agent_of(**options: Any) -> cl.Agent:
    return cl.conlinucb(CATALOG, strategy=Smoothed(**options), beta=1.0, schedule=cl.Linear(1))


def test_without_spread_it_is_the_best_estimate() -> None:
    agent = agent_of(rho=0.0)
    user = agent.new_user(seed=2)
    agent.learn(user, 3, 1.0)
    question = agent.ask(user)
    assert question is not None
    assert question.index == int(np.argmax(CATALOG.terms @ user.theta))
    np.testing.assert_array_equal(question.probe, CATALOG.terms[question.index])


@pytest.mark.parametrize("learns", ["term", "perturbed"])
def test_what_is_learned_from(learns: str) -> None:
    """Also of a question that was stored while it waited."""
    agent = agent_of(learns=learns)
    user = agent.new_user(seed=9)
    agent.learn(user, 1, 0.5)
    question = agent.ask(user)
    assert question is not None
    k = question.index
    shift = xi(9, 0, k, 4) if learns == "perturbed" else np.zeros(4)
    x = CATALOG.terms[k] + shift
    np.testing.assert_allclose(question.probe, x, rtol=1e-12)
    stored = agent.load_user(user.to_arrays())
    for each in (user, stored):
        assert each.open is not None
        agent.hear(each, each.open, 0.7)
    assert same_state(user.to_arrays(), stored.to_arrays())
    first = CATALOG.arms[1]
    M = np.eye(4) + np.outer(first, first) + np.outer(x, x)
    np.testing.assert_allclose(user.theta, np.linalg.solve(M, 0.5 * first + 0.7 * x), rtol=1e-10)


def test_what_is_volunteered_is_about_the_term_itself() -> None:
    one, other = agent_of(learns="perturbed"), agent_of()
    users = one.new_user(seed=1), other.new_user(seed=1)
    one.volunteer(users[0], 2, 1.0)
    other.volunteer(users[1], 2, 1.0)
    np.testing.assert_array_equal(users[0].theta, users[1].theta)


@pytest.mark.parametrize("learns", ["term", "perturbed"])
def test_it_passes_the_checks(learns: Any) -> None:
    check_strategy(Smoothed(rho=0.5, R=0.4, learns=learns))


BAD: dict[str, Callable[[], Any]] = {
    "rho": lambda: Smoothed(rho=-0.1),
    "R must": lambda: Smoothed(R=0.0),
    "answers": lambda: Smoothed(learns="answers"),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("named", BAD)
def test_bad_input_is_refused(named: str) -> None:
    refused(BAD[named], named, cl.InvalidInput)
