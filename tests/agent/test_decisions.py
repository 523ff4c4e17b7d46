"""Every question and every arm equals the plain reference's, over 300 rounds on 20 catalogues."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
import pytest
from scipy import sparse

import conlinucb as cl
from support.reference import (
    STRATEGIES,
    Estimate,
    Floats,
    Indices,
    OneStep,
    Reference,
    TwoSteps,
    linear,
    logarithmic,
)

ROUNDS = 300
DIMENSIONS = (2, 2, 3, 3, 4, 5, 5, 6, 7, 8, 8, 10, 12, 15, 18, 20, 25, 32, 45, 60)
PARTS = tuple(tuple(range(first, len(DIMENSIONS), 5)) for first in range(5))
"""The numbers of the catalogues in five parts, each from few dimensions to many."""
ALGORITHMS = (
    "linucb",
    "arm_con",
    *(f"{recipe} {name}" for recipe in ("conucb", "conlinucb") for name in STRATEGIES),
)


@dataclass(frozen=True, eq=False)
class World:
    """A random catalogue, the parameters to run on it, and the person to answer."""

    number: int
    arms: Floats
    weights: Floats
    person: Floats
    beta: float
    term_beta: float
    mix: float
    alpha: float
    term_alpha: float
    delta: float | None
    slope: float

    @property
    def widths(self) -> dict[str, float | cl.TheoryAlpha]:
        if self.delta is None:
            return {"alpha": self.alpha, "term_alpha": self.term_alpha}
        theory = cl.TheoryAlpha(delta=self.delta)
        return {"alpha": theory, "term_alpha": theory}

    @property
    def b(self) -> tuple[Callable[[int], float], Callable[[int], float]]:
        """The schedule as the package and as the reference has it."""
        if self.number % 2:
            return cl.Linear(self.slope), linear(self.slope)
        return cl.Logarithmic(5), logarithmic(5)


@cache
def world(number: int) -> World:
    """Catalogue ``number``: unit arms in two of three, Eq. 8's alpha in one of four."""
    rng = np.random.default_rng([number, 2023])
    d = DIMENSIONS[number]
    n, k = 2 * d + 12, d + 6
    arms = rng.normal(size=(n, d))
    if number % 3:
        arms /= np.linalg.norm(arms, axis=1, keepdims=True)
    weights = np.where(rng.random((n, k)) < 0.15, rng.uniform(0.1, 1.0, (n, k)), 0.0)
    weights[rng.integers(n, size=k), np.arange(k)] += 0.5
    return World(
        number,
        arms,
        weights,
        person=rng.normal(size=d) / np.sqrt(d),
        beta=float(rng.uniform(0.05, 3.0)),
        term_beta=float(rng.uniform(0.05, 3.0)),
        mix=float(rng.uniform(0.1, 0.9)),
        alpha=float(rng.uniform(0.05, 1.0)),
        term_alpha=float(rng.uniform(0.05, 1.0)),
        delta=None if number % 4 else float(rng.uniform(0.01, 0.2)),
        slope=float(rng.choice([0.1, 0.29, 0.3])),
    )


@cache
def catalog(number: int) -> cl.Catalog:
    here = world(number)
    return cl.Catalog(here.arms, sparse.csr_array(here.weights))


def agent_of(algorithm: str, here: World) -> cl.Agent:
    on, width, b = catalog(here.number), here.widths, here.b[0]
    recipe, _, strategy = algorithm.partition(" ")
    if recipe == "linucb":
        return cl.linucb(on, beta=here.beta, alpha=width["alpha"])
    if recipe == "arm_con":
        return cl.arm_con(on, beta=here.beta, alpha=width["alpha"], schedule=b)
    if recipe == "conlinucb":
        return cl.conlinucb(on, strategy=strategy, beta=here.beta, alpha=width["alpha"], schedule=b)
    return cl.conucb(
        on,
        strategy=strategy,
        mix=here.mix,
        term_beta=here.term_beta,
        schedule=b,
        alpha=width["alpha"],
        term_alpha=width["term_alpha"],
    )


def reference_of(algorithm: str, here: World, seed: int) -> Reference:
    recipe, _, strategy = algorithm.partition(" ")
    d = here.arms.shape[1]
    estimate: Estimate = OneStep(d, here.beta, here.alpha, here.delta)
    if recipe == "conucb":
        estimate = TwoSteps(d, here.mix, here.term_beta, here.alpha, here.term_alpha, here.delta)
    rule = {"linucb": None, "arm_con": "arm"}.get(recipe, strategy)
    b = linear(0) if rule is None else here.b[1]
    return Reference(here.arms, here.weights, estimate, rule, b, seed)


def draw(here: World, t: int, fixed_terms: bool) -> tuple[Indices, Indices, Floats]:
    """Pool, offered terms, both in no order, and noise of round t."""
    rng = np.random.default_rng([here.number, t])
    n, k = here.weights.shape
    pool = rng.permutation(n)[: rng.integers(2, min(n, 16))]
    offered = rng.permutation(k)
    if not fixed_terms and t % 3:
        offered = offered[: rng.integers(1, k)]
    return pool, offered, 0.1 * rng.normal(size=16)


def play(agent: cl.Agent, twin: Reference, here: World) -> None:
    user = agent.new_user(seed=twin.seed)
    for t in range(1, ROUNDS + 1):
        where = f"catalogue {here.number}, round {t}"
        pool, offered, noise = draw(here, t, fixed_terms=twin.strategy == "spanner")
        due = twin.questions_due()
        assert agent.questions_due(user) == due, where
        for i in range(due):
            question = agent.ask(user, pool, offered)
            assert question is not None, where
            assert question.index == twin.ask(pool, offered), where
            features = here.arms if question.kind == "arm" else twin.terms
            answer = features[question.index] @ here.person + noise[i]
            agent.hear(user, question, answer)
            twin.hear(question.index, answer)
        assert agent.ask(user, pool, offered) is None, where
        arm = int(agent.recommend(user, pool).arms[0])
        assert arm == twin.recommend(pool), where
        reward = here.arms[arm] @ here.person + noise[-1]
        agent.learn(user, arm, reward)
        twin.learn(arm, reward)


@pytest.mark.sliced
@pytest.mark.parametrize("numbers", PARTS, ids=str)
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_decisions_equal_the_reference(algorithm: str, numbers: tuple[int, ...]) -> None:
    for number in numbers:
        here = world(number)
        play(
            agent_of(algorithm, here), reference_of(algorithm, here, seed=number * 1_000_003), here
        )


def test_scores_equal_the_reference() -> None:
    here = world(15)
    for algorithm in ("linucb", "conucb ucb"):
        agent, twin = agent_of(algorithm, here), reference_of(algorithm, here, seed=0)
        user = agent.new_user()
        for t in range(1, 61):
            pool, offered, noise = draw(here, t, fixed_terms=False)
            if algorithm != "linucb":
                term = int(offered[0])
                agent.estimator.learn_term(user.state, twin.terms[term], noise[0])
                twin.hear(term, noise[0])
            expected = np.sort(twin.scores(pool))[::-1]
            advice = agent.recommend(user, pool, k=pool.size)
            np.testing.assert_allclose(advice.scores, expected, rtol=1e-10, atol=1e-12)
            np.testing.assert_allclose(user.theta, twin.estimate.theta, rtol=1e-10, atol=1e-12)
            twin.t += 1
            agent.learn(user, int(pool[0]), noise[1])
            twin.learn(int(pool[0]), noise[1])
