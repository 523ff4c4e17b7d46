"""A new person gets useful recommendations within the steps of a minute, on the demo films."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

import conlinucb as cl
from conlinucb import datasets
from conlinucb.agent.spec import agent_of
from conlinucb.service.settings import DEFAULT_AGENT

FILMS = datasets.demo().catalog
TAGGED = FILMS.weights.toarray() > 0
PEOPLE, ROUNDS, SHOWN = 60, 6, 3
"""A question and three films take some ten seconds: six rounds a minute."""


def fitting(agent: cl.Agent, taste: NDArray[np.int64], seed: int) -> list[float]:
    """The share of fitting films in each round, for someone who likes these topics alone."""
    fits = TAGGED[:, taste].any(axis=1)
    user = agent.new_user(seed)
    seen: list[int] = []
    shares: list[float] = []
    for _ in range(ROUNDS):
        while (question := agent.ask(user)) is not None:
            agent.hear(user, question, float(question.index in taste))
        arms = agent.recommend(user, k=SHOWN, exclude=seen or None).arms.tolist()
        for arm in arms:
            agent.learn(user, arm, float(fits[arm]))
        seen += arms
        shares.append(float(fits[arms].mean()))
    return shares


@pytest.mark.parametrize(("topics", "least"), [(1, 3.0), (2, 2.5), (4, 2.0), (8, 1.4)])
def test_films_fit_more_often_than_by_chance(topics: int, least: float) -> None:
    rng = np.random.default_rng(0)
    agent = agent_of(DEFAULT_AGENT, FILMS)
    tastes = [rng.choice(TAGGED.shape[1], topics, replace=False) for _ in range(PEOPLE)]
    chance = np.mean([TAGGED[:, taste].any(axis=1).mean() for taste in tastes])
    shares = np.mean([fitting(agent, taste, seed) for seed, taste in enumerate(tastes)], axis=0)
    assert shares[ROUNDS // 2 :].mean() > least * chance
