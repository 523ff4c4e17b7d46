"""Crowds by hand: every question, arm and group equals the plain reference's."""

from __future__ import annotations

import numpy as np
import pytest

import conlinucb as cl
from support.reference import Floats, Indices
from support.shared_runs import PEOPLE, RECIPES, SHARINGS, World, agent_of, reference_of, world
from support.sharing import ByMeans, ByPhases, Crowd


def draw(t: int, person: int, here: World) -> tuple[Indices, Indices, Floats]:
    rng = np.random.default_rng([t, person, 7])
    pool = rng.permutation(len(here.arms))[:8]
    return pool, np.sort(rng.permutation(12)[:9]), 0.1 * rng.normal(size=4)


def play(crowd: cl.Crowd, twin: Crowd, here: World, person: int, t: int) -> None:
    pool, offered, noise = draw(t, person, here)
    for i in range(twin.questions_due(person)):
        question = crowd.ask(person, pool, offered)
        assert question is not None
        assert question.index == twin.ask(person, pool, offered), (t, person)
        rows = here.arms if question.kind == "arm" else twin.everyone[0].terms
        answer = rows[question.index] @ here.tastes[person] + noise[i]
        crowd.hear(person, question, answer)
        twin.hear(person, question.index, answer)
    arm = int(crowd.recommend(person, pool).arms[0])
    assert arm == twin.recommend(person, pool), (t, person)
    reward = here.arms[arm] @ here.tastes[person] + noise[-1]
    crowd.learn(person, arm, reward)
    twin.learn(person, arm, reward)
    assert (crowd.groups == twin.groups).all(), (t, person)


def compare(recipe: str, sharing: str, visits: int) -> Crowd:
    here = world()
    crowd = cl.Crowd(agent_of(recipe, SHARINGS[sharing], here), people=PEOPLE, seed=5)
    seeds = [int(crowd.user(person).seed) for person in range(PEOPLE)]
    twin = reference_of(recipe, sharing, here, seeds)
    rng, times = np.random.default_rng(3), [0] * PEOPLE
    for _ in range(visits):
        person = int(rng.integers(PEOPLE))
        for _ in range(int(rng.integers(1, 5))):
            times[person] += 1
            play(crowd, twin, here, person, times[person])
    for person in range(PEOPLE):
        together = sharing != "answers"
        seen = twin.of_group(int(twin.groups[person])) if together else twin.own[person]
        np.testing.assert_allclose(crowd.user(person).theta, seen.theta, rtol=1e-8, atol=1e-10)
        np.testing.assert_allclose(crowd.theta(person), twin.own[person].theta, atol=1e-10)
    return twin


@pytest.mark.parametrize(("recipe", "sharing"), [
    ("conucb", "clusters"), ("ucb", "k-means"), ("max-radius", "answers"), ("linucb", "groups"),
])  # fmt: skip
def test_decisions_and_groups_equal_the_reference(recipe: str, sharing: str) -> None:
    rule = compare(recipe, sharing, visits=120).rule
    assert not isinstance(rule, ByPhases) or min(rule.splits, rule.merges) >= 3
    assert not isinstance(rule, ByMeans) or rule.times == 5


@pytest.mark.more
@pytest.mark.parametrize("sharing", SHARINGS)
@pytest.mark.parametrize("recipe", RECIPES)
def test_all_of_them_equal_the_reference_for_longer(recipe: str, sharing: str) -> None:
    compare(recipe, sharing, visits=400)
