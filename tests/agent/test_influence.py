"""What each reward and answer did to a mean, and what is believed of the key-terms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import conlinucb as cl
from support.reference import Estimate, OneStep, TwoSteps, radii
from support.worlds import (
    RECIPES,
    films,
    played,
    refused,
    refused_unchanged,
    same_state,
    shown,
    small_catalog,
)

Floats = NDArray[np.float64]
Agents = Callable[[cl.Catalog], cl.Agent]

D, ROUNDS = 5, 250
MIX, TERM_BETA, BETA = 0.3, 0.4, 0.2


def of_strategy(name: str, recipe: str) -> Agents:
    def agent(on: cl.Catalog) -> cl.Agent:
        b = cl.Linear(1.3)
        if recipe == "conlinucb":
            return cl.conlinucb(on, strategy=name, beta=BETA, schedule=b)
        return cl.conucb(on, strategy=name, mix=MIX, term_beta=TERM_BETA, schedule=b)

    return agent


AGENTS: dict[str, Agents] = {
    "linucb": lambda on: cl.linucb(on, beta=BETA),
    "arm_con": lambda on: cl.arm_con(on, beta=BETA, schedule=cl.Linear(1.3)),
    **{
        f"{recipe} {name}": of_strategy(name, recipe)
        for recipe in ("conlinucb", "conucb")
        for name in cl.STRATEGIES
    },
}


def reference_of(agent: cl.Agent) -> Estimate:
    if isinstance(agent.estimator, cl.TwoStep):
        return TwoSteps(D, MIX, TERM_BETA, alpha=0.25, term_alpha=0.25)
    return OneStep(D, BETA, alpha=0.5)


class Heard:
    """A conversation, and the sums of y z over the rewards, arms and answers in it."""

    def __init__(self, agent: cl.Agent, rounds: int = ROUNDS, seed: int = 4) -> None:
        self.agent, self.user = agent, agent.new_user(seed=seed)
        self.by_arm, self.by_term = np.zeros(D), np.zeros(D)
        self.twin = reference_of(agent)
        self.answers, rng = 0, np.random.default_rng(seed)
        for _ in range(rounds):
            pool = rng.permutation(len(agent.catalog))[:8]
            while (question := agent.ask(self.user, pool)) is not None:
                answer = float(rng.normal()) if rng.random() < 0.9 else None
                agent.hear(self.user, question, answer)
                if answer is not None:
                    self.note(question.kind, question.indices, answer)
                    self.answers += 1
            arm, reward = int(agent.recommend(self.user, pool).arms[0]), float(rng.normal())
            agent.learn(self.user, arm, reward)
            self.note("arm", (arm,), reward)

    def note(self, kind: str, indices: tuple[int, ...], value: float) -> None:
        if kind == "arm":
            self.by_arm += value * self.agent.catalog.arms[indices[0]]
            self.twin.learn_arm(self.agent.catalog.arms[indices[0]], value)
        else:
            parts = self.agent.catalog.terms[list(indices)]
            x = parts[0] - parts[1] if kind == "pair" else parts.mean(axis=0)
            self.by_term += value * x
            self.twin.learn_term(x, value)


@pytest.mark.parametrize("name", AGENTS)
def test_the_parts_of_all_feedback_add_up_to_the_mean(name: str) -> None:
    agent = AGENTS[name](small_catalog(arms=30, terms=9, d=D))
    heard = Heard(agent)
    assert name == "linucb" or heard.answers > ROUNDS
    for arm, mean in enumerate(agent.catalog.arms @ heard.user.theta):
        found = agent.influence(heard.user, arm)
        assert heard.by_arm @ found.arm + heard.by_term @ found.term == pytest.approx(
            mean, abs=1e-9
        )


@pytest.mark.parametrize(
    "estimator",
    [cl.Ridge(beta=0.05), cl.Ridge(beta=3.0), cl.TwoStep(mix=0.9, term_beta=0.05)],
    ids=repr,
)
def test_parts_add_up_after_thousands_of_updates(estimator: Any) -> None:
    rng = np.random.default_rng(5)
    rows, values = rng.normal(size=(3500, D)) / np.sqrt(D), rng.normal(size=3500)
    term = rng.random(3500) < 0.4
    state = estimator.new_state(D)
    for x, y, about_term in zip(rows, values, term, strict=True):
        (estimator.learn_term if about_term else estimator.learn_arm)(state, x, float(y))
    by_arm, by_term = values[~term] @ rows[~term], values[term] @ rows[term]
    for x in np.vstack([np.eye(D), rows[:20]]):
        found = estimator.influence(state, x)
        assert by_arm @ found.arm + by_term @ found.term == pytest.approx(x @ state.theta, abs=1e-9)


@pytest.mark.parametrize("kind", ["arm", "term"])
@pytest.mark.parametrize("estimator", [cl.Ridge(beta=0.2), cl.TwoStep(mix=MIX)], ids=repr)
def test_a_value_larger_by_one_moves_the_mean_by_its_part(estimator: Any, kind: str) -> None:
    """Every piece of feedback by itself, not only their sum."""
    rng = np.random.default_rng(6)
    rows, values = rng.normal(size=(60, D)), rng.normal(size=60)
    term, x = np.arange(60) % 3 == 0, rng.normal(size=D)

    def learned(heard: Floats) -> Any:
        state = estimator.new_state(D)
        for row, value, about_term in zip(rows, heard, term, strict=True):
            (estimator.learn_term if about_term else estimator.learn_arm)(state, row, float(value))
        return state

    before = learned(values)
    part = getattr(estimator.influence(before, x), kind)
    for i in np.flatnonzero(term == (kind == "term")):
        moved = x @ learned(values + np.eye(60)[i]).theta - x @ before.theta
        assert moved == pytest.approx(rows[i] @ part, abs=1e-9)


def test_influence_of_one_reward_and_one_answer_by_hand() -> None:
    agent = cl.conucb(films(), mix=0.5, term_beta=1.0, schedule=cl.Never())
    found = agent.influence(agent.new_user(), 2)
    assert np.allclose(found.arm, [0.6, 0.8])
    assert np.allclose(found.term, [0.6, 0.8])
    ridge = cl.conlinucb(films(), beta=0.5)
    user = ridge.new_user()
    ridge.learn(user, 0, 3.0)
    assert np.allclose(ridge.influence(user, 2).arm, [0.4, 1.6])


@pytest.mark.parametrize("recipe", sorted(RECIPES))
def test_looking_changes_nothing(recipe: str) -> None:
    agent = RECIPES[recipe](small_catalog())
    user = played(agent)
    before, twin = user.to_arrays(), agent.load_user(user.to_arrays())
    estimates = agent.estimates(user)
    influence = agent.influence(user, 3)
    for found in (influence.arm, influence.term, estimates.means, estimates.radii):
        found[:] = 99.0
    assert same_state(before, user.to_arrays())
    assert np.array_equal(agent.recommend(user).scores, agent.recommend(twin).scores)


def test_a_removed_arm_still_has_an_influence() -> None:
    agent = cl.conlinucb(films())
    user = played(agent)
    smaller = agent.on(films().remove_arms([0]))
    assert np.array_equal(smaller.influence(user, 0).arm, agent.influence(user, 0).arm)


@pytest.mark.parametrize("arm", [4, -1, "Amelie", None, 0.5, [1], True, 10**400], ids=shown)
def test_no_such_arm(arm: Any) -> None:
    agent = cl.conlinucb(films())
    user = played(agent)
    refused_unchanged(user, lambda: agent.influence(user, arm), "arm", cl.InvalidInput)


def test_a_stranger_is_refused() -> None:
    agent, other = cl.conlinucb(films(), beta=0.5), cl.conucb(films())
    for user in (None, other.new_user(), cl.conlinucb(films(), beta=0.6).new_user()):
        refused(lambda user=user: agent.influence(user, 0), "ser", cl.InvalidInput)  # type: ignore[misc]
        refused(lambda user=user: agent.estimates(user), "ser", cl.InvalidInput)  # type: ignore[misc]


# Estimates


@pytest.mark.parametrize("name", AGENTS)
def test_estimates_equal_a_direct_computation(name: str) -> None:
    agent = AGENTS[name](small_catalog(arms=30, terms=9, d=D))
    heard = Heard(agent)
    found, terms = agent.estimates(heard.user), np.asarray(agent.catalog.terms)
    np.testing.assert_allclose(found.means, terms @ heard.twin.theta, rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(found.radii, radii(heard.twin.term_M, terms), rtol=1e-9)


@pytest.mark.parametrize("name", ["linucb", "conlinucb ucb", "conucb ucb"])
def test_of_someone_who_has_said_nothing(name: str) -> None:
    agent = AGENTS[name](small_catalog(arms=30, terms=9, d=D))
    found = agent.estimates(agent.new_user())
    strength = TERM_BETA if name.startswith("conucb") else BETA
    assert not found.means.any()
    assert np.allclose(found.radii, np.linalg.norm(agent.catalog.terms, axis=1) / np.sqrt(strength))


def test_a_retired_term_is_estimated_too() -> None:
    catalog = films().remove_arms([1])
    agent = cl.conlinucb(catalog, beta=1.0)
    user = agent.new_user()
    agent.learn(user, 1, 1.0)
    assert catalog.live_terms.tolist() == [0, 2]
    assert agent.estimates(user).means[1] == pytest.approx(catalog.terms[1] @ user.theta)
    assert agent.estimates(user).means[1] > 0
