"""Logs by the thousand with a known truth: many people, pools of five, two softmax policies."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

import conlinucb as cl

Floats = NDArray[np.float64]

ARMS, POOL, ROUNDS = 20, 5, 10
FEATURES: Floats = np.random.default_rng(5).normal(size=(ARMS, 3)) / np.sqrt(3)
CATALOG = cl.Catalog(FEATURES, np.ones((ARMS, 1)))
MEAN_TASTE = np.array([0.5, 0.2, -0.3])
LOGS, WANTS = np.array([0.3, -0.4, 0.6]), np.array([1.2, 0.9, -0.75])
"""What the logging policy and the target's like."""


def softmax(scores: Floats) -> Floats:
    exp = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.asarray(exp / exp.sum(axis=-1, keepdims=True))


def expected(features: Floats, curve: float = 0.0) -> Floats:
    """What people give on average; linear in the features but for ``curve``."""
    return np.asarray(features @ MEAN_TASTE + curve * (features @ WANTS) ** 2)


def truth(curve: float = 0.0, wants: Floats = WANTS) -> float:
    """The target's mean reward over all people and all pools, by going through every pool."""
    pools = np.array(list(combinations(range(ARMS), POOL)))
    chances = softmax(FEATURES[pools] @ wants)
    return float(np.einsum("nk,nk->n", chances, expected(FEATURES[pools], curve)).mean())


def log(
    seed: int, people: int = 200, curve: float = 0.0, wants: Floats = WANTS
) -> tuple[dict[str, Any], Floats]:
    """A table, and the target's probabilities (decisions, arms). Everybody has their own taste."""
    rng, n = np.random.default_rng(seed), people * ROUNDS
    person = np.repeat(np.arange(people), ROUNDS)
    own = 0.4 * rng.normal(size=(people, 3))
    pools = np.argsort(rng.random((n, ARMS)), axis=1)[:, :POOL]
    logged = softmax(FEATURES[pools] @ LOGS)
    place = (logged.cumsum(axis=1) > rng.random((n, 1))).argmax(axis=1)
    action = pools[np.arange(n), place]
    taste = np.einsum("nd,nd->n", FEATURES[action], own[person])
    reward = expected(FEATURES[action], curve) + taste + 0.3 * rng.normal(size=n)
    table = {
        "person": person,
        "action": action,
        "reward": reward,
        "propensity": logged[np.arange(n), place],
    }
    target = np.zeros((n, ARMS))
    np.put_along_axis(target, pools, softmax(FEATURES[pools] @ wants), axis=1)
    return table, target


def covered(logs: int, people: int = 200, curve: float = 0.0, **how: Any) -> dict[str, float]:
    """In which share of the logs each estimator's 95 % interval holds the truth."""
    counts, known = Counter[str](), truth(curve)
    for seed in range(logs):
        table, target = log(seed, people, curve)
        found = cl.evaluate(table, target, catalog=CATALOG, **how)
        counts.update(name for name in cl.offline.ESTIMATORS if found[name].covers(known))
    return {name: counts[name] / logs for name in cl.offline.ESTIMATORS}
