"""Growing clusters: the question is ConUCB's among the present partition's groups, no others."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import conlinucb as cl
from support.reference import OneStep, Reference, TwoSteps, logarithmic

pytestmark = pytest.mark.filterwarnings("ignore::conlinucb.RankWarning")
ROUNDS, ARMS, D, MOST = 500, 80, 5, 30
ITEMS = cl.Catalog(np.random.default_rng(3).normal(size=(ARMS, D)) / np.sqrt(D))
MADE: dict[str, Any] = {
    "conucb": lambda delta: cl.ctof_conucb(ITEMS, rounds=ROUNDS, delta=delta, most=MOST),
    "conlinucb": lambda delta: cl.ctof_conlinucb(ITEMS, rounds=ROUNDS, delta=delta, most=MOST),
    "conlinucb by credit": lambda delta: cl.ctof_conlinucb(
        ITEMS, rounds=ROUNDS, delta=delta, most=MOST, by="optimal-greedy"
    ),
}


def wanted_groups(t: int, delta: float) -> int:
    grown = ARMS * math.log(1 + delta * (t - 1) / ROUNDS) / math.log(2)
    return min(int(grown) + 1, ARMS, MOST)


def present(catalog: cl.Catalog, n: int) -> np.ndarray[Any, Any]:
    """The columns of the partition into n groups: the sizes of partitions are all different."""
    weights, first = catalog.weights.toarray(), 0
    while first < weights.shape[1]:
        many = next(m for m in range(1, ARMS + 1) if weights[:, first : first + m].sum() == ARMS)
        if many == n:
            return np.arange(first, first + many)
        first += many
    raise AssertionError(f"no partition into {n}")


def reference(name: str, catalog: cl.Catalog, seed: int) -> Reference:
    estimate = OneStep(D, 0.15, 0.1) if "lin" in name else TwoSteps(D, 0.5, 1.0, 0.25, 0.25)
    rule = "max-radius" if name == "conlinucb" else "optimal-greedy"
    arms, weights = np.array(catalog.arms), catalog.weights.toarray()
    return Reference(arms, weights, estimate, rule, logarithmic(5), seed)


@pytest.mark.parametrize("delta", [0.2, 5.0])
@pytest.mark.parametrize("name", MADE)
def test_decisions_equal_the_reference(name: str, delta: float) -> None:
    agent: cl.Agent = MADE[name](delta)
    catalog = agent.catalog
    people = cl.LinearUsers(np.random.default_rng(7).normal(size=(2, D)), pool_size=12)
    results = cl.simulate({name: agent}, people, rounds=ROUNDS, seed=5, trace=True, progress=False)
    for user in range(len(people)):
        arms, asked = (each.tolist() for each in results.trace(name, 0, user))
        seed = people.user_seed(5, 0, user)
        twin, mine = reference(name, catalog, seed), agent.new_user(seed)
        for t in range(1, ROUNDS + 1):
            place = people.place(catalog, 5, 0, user, t)
            pool = people.round(place).pool
            for number in range(twin.questions_due()):
                question = agent.ask(mine, pool)
                assert question is not None
                offered = present(catalog, wanted_groups(t, delta))
                assert question.index == twin.ask(pool, offered) == asked.pop(0), t
                answer = people.answer(place, question, number)
                assert answer is not None
                agent.hear(mine, question, answer)
                twin.hear(question.index, answer)
            arm = int(agent.recommend(mine, pool).arms[0])
            assert arm == twin.recommend(pool) == arms[t - 1], t
            reward = people.reward(place, arm)
            assert reward is not None
            agent.learn(mine, arm, reward)
            twin.learn(arm, reward)
        assert not asked


def test_an_answer_is_the_mean_reward_of_the_group() -> None:
    agent = cl.ctof_conucb(ITEMS, rounds=100, most=9)
    rated = np.random.default_rng(0).random((1, ARMS))
    people = cl.LoggedPeople(rated)
    user = agent.new_user()
    agent.recommend(user)
    question = agent.ask(user)
    assert question is not None
    members = agent.catalog.weights.toarray()[:, question.index] > 0
    place = people.place(agent.catalog, 0, 0, 0, 2)
    assert people.answer(place, question, 0) == pytest.approx(rated[0, members].mean())


def test_groups_grow_to_the_limit() -> None:
    growing = cl.Growing(delta=1.0, rounds=100, most=50)
    found = [growing.groups(t, arms=80) for t in range(1, 300)]
    assert (found[0], found[-1]) == (1, 50)
    assert (np.diff(found) >= 0).all()
    assert cl.Growing(delta=1e9, most=1000).groups(2, arms=80) == 80
    one = cl.Growing().catalogue(cl.Catalog([[1.0, 2.0]]), cl.Every(1))
    assert one.terms.tolist() == [[1.0, 2.0]]
    same = cl.ctof_conucb(cl.Catalog(np.ones((5, 2))), rounds=10, schedule=cl.Every(1))
    assert len(same.catalog.term_ids) == 1


BAD: dict[str, tuple[Any, str]] = {
    "delta": (lambda: cl.Growing(delta=0.0), "delta must be .* got 0"),
    "nan": (lambda: cl.Growing(delta=np.nan), "delta must be .* got nan"),
    "rounds": (lambda: cl.Growing(rounds=0), "rounds must be .* got 0"),
    "most": (lambda: cl.Growing(most=0), "most must be .* got 0"),
    "by": (lambda: cl.Growing(by="max-radios"), "Did you mean 'max-radius'"),
    "tags": (
        lambda: cl.conucb(cl.Catalog(np.eye(3), [[1, 0], [1, 1], [0, 1]]), strategy=cl.Growing()),
        "partitions side by side",
    ),
    "shrinks": (
        lambda: cl.conucb(ITEMS.with_clusters([5, 2]), strategy=cl.Growing()),
        "from few groups to many",
    ),
    "no catalogue": (lambda: cl.ctof_conucb(np.eye(3)), "must be a Catalog"),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("case", BAD)
def test_bad_arguments_are_refused(case: str) -> None:
    made, told = BAD[case]
    with pytest.raises((cl.InvalidInput, cl.UnknownName), match=told):
        made()
