"""LinUCB against an implementation that others published: coba's LinUCBLearner."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from coba.learners import LinUCBLearner
from numpy.typing import NDArray

import conlinucb as cl

Floats = NDArray[np.float64]


def unit_catalog(rng: np.random.Generator, arms: int, d: int) -> cl.Catalog:
    return cl.Catalog(rng.normal(size=(arms, d)) / np.sqrt(d), np.ones((arms, 1)))


def published_scores(learner: Any, rows: Floats, alpha: float) -> Floats:
    """Upper confidence bounds from the learner's own estimate; it starts at the identity."""
    theta, inverse = learner._theta, learner._A_inv
    return np.asarray(rows @ theta + alpha * np.sqrt(np.diag(rows @ inverse @ rows.T)))


@pytest.mark.parametrize("alpha", [0.1, 0.5, 2.0])
def test_linucb_chooses_and_scores_as_coba_does(alpha: float) -> None:
    rng = np.random.default_rng(int(10 * alpha))
    catalog, person = unit_catalog(rng, 60, 7), rng.normal(size=7)
    agent = cl.linucb(catalog, beta=1.0, alpha=alpha)
    user, learner = agent.new_user(), LinUCBLearner(alpha=alpha, features=["a"])
    chosen = set()
    for _ in range(300):
        pool = rng.permutation(60)[:12]
        actions = [tuple(row) for row in catalog.arms[pool].tolist()]
        theirs, probability = learner.predict(None, actions)
        advice = agent.recommend(user, pool, k=12)
        assert probability == 1.0
        assert advice.arms[0] == pool[actions.index(theirs)]
        expected = published_scores(learner, catalog.arms[advice.arms], alpha)
        np.testing.assert_allclose(advice.scores, expected, rtol=1e-10)
        reward = float(np.dot(theirs, person) + 0.1 * rng.normal())
        agent.learn(user, int(advice.arms[0]), reward)
        learner.learn(None, theirs, reward, probability)
        chosen.add(theirs)
    assert len(chosen) > 3
