"""A weight counts like so many pieces of the same feedback."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import conlinucb as cl
from support.meetings import assert_met_alike
from support.worlds import refused_unchanged, small_catalog

CATALOG = small_catalog(arms=30, terms=8, d=4)
RECIPES: dict[str, Callable[..., cl.Agent]] = {"ridge": cl.conlinucb, "two-step": cl.conucb}


def close(one: cl.User, other: cl.User) -> None:
    agent_state = zip(one.state.vectors[:1], other.state.vectors[:1], strict=True)
    for mine, its in (*agent_state, (np.tril(one.state.P), np.tril(other.state.P))):
        np.testing.assert_allclose(mine, its, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("recipe", RECIPES)
def test_a_reward_of_weight_three_is_three_rewards(recipe: str) -> None:
    agent = RECIPES[recipe](CATALOG)
    heavy, often = agent.new_user(), agent.new_user()
    for arm in range(20):
        agent.learn(heavy, arm, arm / 10, weight=3.0)
        for _ in range(3):
            agent.learn(often, arm, arm / 10)
    close(heavy, often)


def asked(agent: cl.Agent, user: cl.User, term: int) -> cl.Question:
    agent.recommend(user)
    question = agent.ask(user, offered=[term])
    assert question is not None
    return question


@pytest.mark.parametrize("recipe", RECIPES)
@pytest.mark.parametrize("as_option", [False, True], ids=["weight", "answer_weight"])
def test_an_answer_of_weight_three_is_three_answers(recipe: str, as_option: bool) -> None:
    plain = RECIPES[recipe](CATALOG, strategy="random", schedule=cl.Linear(1))
    options: dict[str, Any] = {"answer_weight": 3.0} if as_option else {}
    agent = RECIPES[recipe](CATALOG, strategy="random", schedule=cl.Linear(1), **options)
    weight: dict[str, Any] = {} if as_option else {"weight": 3.0}
    heavy, often = agent.new_user(), plain.new_user()
    for term in range(8):
        agent.hear(heavy, asked(agent, heavy, term), term / 10, **weight)
        for _ in range(3):
            plain.hear(often, asked(plain, often, term), term / 10)
        agent.learn(heavy, term, 1.0)
        plain.learn(often, term, 1.0)
    close(heavy, often)


def test_weights_of_an_answer_multiply() -> None:
    one = cl.conlinucb(CATALOG, answer_weight=0.5, schedule=cl.Linear(1))
    other = cl.conlinucb(CATALOG, schedule=cl.Linear(1))
    users = one.new_user(), other.new_user()
    for agent, user, weight in ((one, users[0], 5.0), (other, users[1], 2.5)):
        agent.hear(user, asked(agent, user, 2), 0.7, weight=weight)
    close(*users)


def test_an_answer_about_an_arm_weighs_like_a_reward() -> None:
    estimator = cl.Ridge(beta=1.0, answer_weight=9.0)
    agent = cl.Agent(CATALOG, estimator, schedule=cl.Every(1), asks="arm")
    told, shown = agent.new_user(), agent.new_user()
    question = agent.ask(told)
    assert question is not None
    agent.hear(told, question, 0.4)
    agent.learn(shown, question.index, 0.4)
    close(told, shown)


def test_weights_against_a_direct_solve() -> None:
    agent = cl.conlinucb(CATALOG, beta=0.3, answer_weight=0.25, schedule=cl.Linear(1))
    user, rng = agent.new_user(), np.random.default_rng(1)
    M, Y = 0.3 * np.eye(4), np.zeros(4)
    for i in range(60):
        value, weight = float(rng.normal()), float(rng.uniform(0.01, 10))
        question = asked(agent, user, i % 8)
        agent.hear(user, question, value, weight=weight)
        x = CATALOG.terms[i % 8]
        M, Y = M + 0.25 * weight * np.outer(x, x), Y + 0.25 * weight * value * x
        arm = int(rng.integers(30))
        agent.learn(user, arm, value, weight=weight)
        x = CATALOG.arms[arm]
        M, Y = M + weight * np.outer(x, x), Y + weight * value * x
    np.testing.assert_allclose(user.theta, np.linalg.solve(M, Y), rtol=1e-9)
    radii = agent.estimates(user).radii
    terms = CATALOG.terms
    np.testing.assert_allclose(radii, np.sqrt(np.diag(terms @ np.linalg.inv(M) @ terms.T)))


@pytest.mark.parametrize("recipe", RECIPES)
def test_influence_knows_the_weight_of_answers(recipe: str) -> None:
    agent = RECIPES[recipe](CATALOG, answer_weight=0.5, schedule=cl.Linear(1))
    user = agent.new_user()
    question = asked(agent, user, 3)
    agent.hear(user, question, 2.0)
    agent.learn(user, 5, 1.0)
    for arm in range(4):
        found = agent.influence(user, arm)
        parts = 2.0 * question.probe @ found.term + 1.0 * CATALOG.arms[5] @ found.arm
        assert parts == pytest.approx(CATALOG.arms[arm] @ user.theta, abs=1e-12)


@pytest.mark.parametrize("recipe", RECIPES)
def test_the_loop_knows_the_weight_of_answers(recipe: str) -> None:
    people = cl.LinearUsers(np.random.default_rng(3).normal(size=(2, 4)), pool_size=8)
    weights = (0.1, 1.0, 20.0)
    agents = {
        str(w): RECIPES[recipe](CATALOG, answer_weight=w, schedule=cl.Linear(1)) for w in weights
    }
    results = assert_met_alike(agents, people, 50)
    assert len({float(results.metric(str(w), "error")[0, 0, -1]) for w in weights}) == 3


def test_the_weight_of_answers_is_part_of_what_a_state_is_of() -> None:
    plain, heavy = cl.conlinucb(CATALOG), cl.conlinucb(CATALOG, answer_weight=2.0)
    assert "answer_weight" not in plain.parameters()
    assert heavy.parameters()["answer_weight"] == 2.0
    with pytest.raises(cl.IncompatibleState, match="answer_weight"):
        plain.load_user(heavy.new_user().to_arrays())


@pytest.mark.parametrize("weight", [0.0, -1.0, np.nan, np.inf, "2", None])
def test_a_weight_must_be_positive(weight: Any) -> None:
    agent = cl.conlinucb(CATALOG, schedule=cl.Linear(1))
    user = agent.new_user()
    question = agent.ask(user)
    assert question is not None
    refused_unchanged(user, lambda: agent.learn(user, 0, 1.0, weight=weight), "weight")
    refused_unchanged(user, lambda: agent.hear(user, question, 1.0, weight=weight), "weight")
    for recipe in RECIPES.values():
        with pytest.raises(cl.InvalidInput, match="answer_weight"):
            recipe(CATALOG, answer_weight=weight)
