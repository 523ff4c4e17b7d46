"""Large catalogues of many kinds, and one person met with and without short lists."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import conlinucb as cl
from conlinucb.numerics.shortlist import BLOCK
from support.worlds import settle

Floats = NDArray[np.float64]
Features = Callable[[np.random.Generator], Floats]

N, D, ROUNDS = BLOCK + 404, 6, 9
KS = (1, 7, 100)


def normal(rng: np.random.Generator) -> Floats:
    return np.asarray(rng.normal(size=(N, D)) / np.sqrt(D))


def unit(rng: np.random.Generator) -> Floats:
    rows = normal(rng)
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True))


def repeated(rng: np.random.Generator) -> Floats:
    return unit(rng)[rng.integers(40, size=N)]


def turned(rng: np.random.Generator) -> Floats:
    """Spread from 1e-6 to 1, along directions that are no single feature's."""
    turn = np.linalg.qr(rng.normal(size=(D, D)))[0]
    return np.asarray(normal(rng) * np.logspace(-6, 0, D) @ turn)


FEATURES: dict[str, Features] = {
    "normal": normal,
    "unit": unit,
    "repeated": repeated,
    "equal up to the margin": lambda rng: repeated(rng) * (1 + 3e-9 * rng.random((N, 1))),
    "times 1e6": lambda rng: 1e6 * normal(rng),
    "times 1e-6": lambda rng: 1e-6 * normal(rng),
    "mixed lengths": lambda rng: normal(rng) * 10.0 ** rng.uniform(-6, 6, (N, 1)),
    "ill-conditioned": turned,
    "nearly parallel": lambda rng: unit(rng)[0] + 1e-7 * normal(rng),
}
THEORY = cl.TheoryAlpha(delta=0.1)
EACH: Any = cl.Linear(1)
AGENTS: dict[str, Callable[[cl.Catalog], cl.Agent]] = {
    "linucb": cl.linucb,
    "linucb greedy": lambda on: cl.linucb(on, alpha=0.0),
    "linucb by theory": lambda on: cl.linucb(on, alpha=THEORY),
    "conlinucb": lambda on: cl.conlinucb(on, schedule=EACH),
    "conlinucb by theory": lambda on: cl.conlinucb(on, alpha=THEORY, schedule=EACH),
    "conucb": lambda on: cl.conucb(on, schedule=EACH),
    "conucb by theory": lambda on: cl.conucb(on, alpha=THEORY, term_alpha=THEORY, schedule=EACH),
}


@cache
def catalog(features: str) -> cl.Catalog:
    rng = np.random.default_rng(7)
    arms = FEATURES[features](rng)
    return cl.Catalog(arms, (rng.random((N, 8)) < 0.01) + np.eye(N, 8))


@contextmanager
def without_short_lists() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("conlinucb.agent.advice.LARGE", 10**9)
        yield


def assert_same(one: cl.Advice, other: cl.Advice) -> None:
    for name in ("arms", "scores", "means", "radii", "exploring"):
        assert np.array_equal(getattr(one, name), getattr(other, name)), name


class Twins:
    """One person twice: to the second the agent recommends without short lists."""

    def __init__(self, agent: cl.Agent) -> None:
        self.agent = agent
        self.user, self.twin = agent.new_user(seed=1), agent.new_user(seed=1)
        arms = np.asarray(agent.catalog.arms)
        taste = np.random.default_rng(2).normal(size=arms.shape[1])
        self.rewards = arms @ taste / max(np.abs(arms).max(), 1e-300)

    def recommend(self, k: int, **pool: Any) -> cl.Advice:
        """What is recommended, once it is the same both ways."""
        advice = self.agent.recommend(self.user, k=k, **pool)
        with without_short_lists():
            assert_same(advice, self.agent.recommend(self.twin, k=k, **pool))
        return advice

    def round(self, k: int, **pool: Any) -> cl.Advice:
        answer = float(np.sin(self.user.rounds))
        for each in (self.user, self.twin):
            settle(self.agent, each, answer)
        advice = self.recommend(k, **pool)
        for arm in advice.arms[:2].tolist():
            for each in (self.user, self.twin):
                self.agent.learn(each, arm, self.rewards[arm] + 0.1 * answer)
        return advice
