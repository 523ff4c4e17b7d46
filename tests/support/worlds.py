"""Small catalogues, agents and users that several test files share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import conlinucb as cl

State = Mapping[str, NDArray[Any]]

RECIPES: dict[str, Callable[[cl.Catalog], cl.Agent]] = {
    "linucb": cl.linucb,
    "arm_con": lambda catalog: cl.arm_con(catalog, schedule=cl.Linear(2)),
    "conucb": lambda catalog: cl.conucb(catalog, schedule=cl.Linear(2)),
    "conlinucb": lambda catalog: cl.conlinucb(catalog, schedule=cl.Linear(2)),
}


ARMS = np.array([[1.0, 0.0], [0.0, 1.0], [0.6, 0.8], [-0.8, 0.6]])
WEIGHTS = np.array([[1.0, 0.0, 0.5], [0.0, 2.0, 0.5], [3.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
ARM_IDS: list[str | int] = ["Amélie", 7, "7", "映画 🎬"]
TERM_IDS: list[str | int] = ["calm", "tense", 3]


def films() -> cl.Catalog:
    """Four arms and three key-terms with ids of every kind; the last arm has no term."""
    return cl.Catalog(ARMS, WEIGHTS, ARM_IDS, TERM_IDS)


def means(arms: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """The key-terms' features, by the definition and one number at a time."""
    found = np.zeros((weights.shape[1], arms.shape[1]))
    for k in range(weights.shape[1]):
        for i in range(arms.shape[1]):
            products = [weights[a, k] * arms[a, i] for a in range(len(arms))]
            found[k, i] = sum(products) / sum(weights[a, k] for a in range(len(arms)))
    return found


def small_catalog(arms: int = 12, terms: int = 6, d: int = 3, seed: int = 0) -> cl.Catalog:
    """Unit-size features, and about half of all weights zero; every term has an arm."""
    rng = np.random.default_rng(seed)
    weights = rng.uniform(0.1, 1.0, size=(arms, terms)) * (rng.random((arms, terms)) < 0.5)
    weights[np.arange(terms) % arms, np.arange(terms)] += 0.5
    return cl.Catalog(rng.normal(size=(arms, d)) / np.sqrt(d), weights)


def settle(agent: cl.Agent, user: cl.User, answer: float = 0.5) -> None:
    """Answer every question that is due."""
    while (question := agent.ask(user)) is not None:
        agent.hear(user, question, answer)


def played(agent: cl.Agent, rounds: int = 2, seed: int = 3) -> cl.User:
    """A user after a few rounds who, where the agent asks, has an open question."""
    user = agent.new_user(seed=seed)
    for _ in range(rounds):
        settle(agent, user)
        agent.learn(user, int(agent.recommend(user).arms[0]), 1.0)
    agent.ask(user)
    return user


def same_state(one: State, other: State) -> bool:
    """Whether two users' arrays are equal in every bit."""
    return one.keys() == other.keys() and all(
        np.array_equal(one[name], other[name]) and one[name].dtype == other[name].dtype
        for name in one
    )


def shown(value: Any) -> str:
    """The beginning of a value as messages show it; also a test's id."""
    return repr(value)[:20]


def refused(call: Callable[[], Any], received: str, error: Any = cl.ConlinucbError) -> None:
    """Assert that the call raises an error of the package that names what it received."""
    with pytest.raises(error) as caught:
        call()
    assert received in str(caught.value)


def refused_unchanged(
    user: cl.User, call: Callable[[], Any], received: str, error: Any = cl.ConlinucbError
) -> None:
    """The same, and that the user is afterwards as before, bit for bit."""
    before = user.to_arrays()
    refused(call, received, error)
    assert same_state(before, user.to_arrays())
