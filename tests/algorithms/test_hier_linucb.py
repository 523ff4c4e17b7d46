"""Hier-LinUCB: decisions equal a plain reference, compiled and by hand; the switch, its verbs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import conlinucb as cl
from conlinucb.agent.question import question_about
from conlinucb.algorithms.spec import agent_of
from conlinucb.checks import check_agent
from support.hier_reference import HierReference
from support.worlds import films, refused, refused_unchanged, same_state, small_catalog

D, K = 5, 9
CATALOG = small_catalog(arms=30, terms=K, d=D)
RNG = np.random.default_rng(6)
TASTES = RNG.normal(size=(3, D))
PEOPLE: dict[str, cl.People] = {
    "linear": cl.LinearUsers(TASTES, pool_size=8),
    "clicks": cl.ClickUsers(TASTES, pool_size=8, offered_size=5),
    "logged": cl.LoggedPeople(np.where(RNG.random((3, 30)) < 0.7, RNG.random((3, 30)), np.nan)),
}
PEOPLE["logged"].pool_size = 8


def compare(agent: Any, people: cl.People, rounds: int) -> int:
    """Every arm, question, regret and reward; how many questions there were."""
    results = cl.simulate({"it": agent}, people, rounds=rounds, seed=4, trace=True, log=rounds)
    many = 0
    for user in range(len(people)):
        twin = HierReference(
            np.asarray(CATALOG.arms), CATALOG.weights.toarray(), 0.4, 0.3, agent.kappa, rounds + 1
        )
        arms, asked, regret, got = [], [], [], []
        for t in range(1, rounds + 1):
            place = people.place(CATALOG, 4, 0, user, t)
            pool, offered = people.round(place)
            arm, k = twin.next(pool, np.arange(K) if offered is None else offered)
            worth = people.values(place, pool)
            arms.append(arm)
            if k is None:
                reward = people.reward(place, arm)
                twin.recommended(arm, reward)
                regret.append(worth.max() - worth[pool.tolist().index(arm)])
            else:
                asked.append(k)
                best = twin.best_of(k, pool, worth)
                brings = people.reward(place, int(pool[best]))
                reward = None if brings is None else brings / 2
                twin.heard(arm, k, reward)
                regret.append(worth.max() - worth[best] / 2)
            got.append(reward or 0.0)
        found, questions = results.trace("it", 0, user)
        assert found.tolist() == arms
        assert questions[questions >= 0].tolist() == asked
        for metric, each in (("regret", regret), ("reward", got)):
            told = results.metric("it", metric)[0, user]
            np.testing.assert_allclose(told, np.cumsum(each), rtol=1e-9, atol=1e-9)
        many += len(asked)
    return many


@pytest.mark.parametrize("name", PEOPLE)
@pytest.mark.parametrize("kappa", [0.0, 0.1, 0.4])
def test_decisions_equal_the_reference(name: str, kappa: float) -> None:
    agent = cl.hier_linucb(CATALOG, beta=0.4, alpha=0.3, kappa=kappa)
    asked = compare(agent, PEOPLE[name], 150)
    assert asked < 450 or (name, kappa) == ("logged", 0.4)
    assert asked > 10 or kappa < 0.4


@pytest.mark.more
def test_over_thousands_of_rounds() -> None:
    agent = cl.hier_linucb(CATALOG, beta=0.4, alpha=0.3, kappa=0.2)
    assert 10 < compare(agent, PEOPLE["linear"], 3000) < 9000


@pytest.mark.parametrize("name", PEOPLE)
def test_the_shipped_checks_pass(name: str) -> None:
    """Compiled is as by hand, and a person can be saved at any time."""
    check_agent(cl.hier_linucb(CATALOG, kappa=0.3), PEOPLE[name])


def test_a_round_asks_or_recommends() -> None:
    agent = cl.hier_linucb(CATALOG, kappa=5.0)
    user = agent.new_user()
    question = agent.ask(user)
    assert question is not None
    assert question == agent.ask(user)
    stands = agent.stands_for(user)
    assert CATALOG.weights.toarray()[stands, question.index] > 0
    agent.hear(user, question, 0.4)
    assert user.rounds == 1
    x = CATALOG.arms[stands]
    np.testing.assert_allclose(user.theta, 0.8 * x / (1.0 + x @ x))
    advice = agent.recommend(user)
    assert (advice.round, user.rounds) == (2, 2)


def test_wider_bounds_ask_more_and_none_for_long() -> None:
    agents = {f"{kappa}": cl.hier_linucb(CATALOG, kappa=kappa) for kappa in (0.0, 0.1, 0.5)}
    results = cl.simulate(agents, PEOPLE["linear"], rounds=200)
    counts = [results.metric(name, "questions")[0, :, -1].mean() for name in agents]
    assert counts[0] < counts[1] < counts[2] < 200


def test_arms_without_offered_key_terms_are_recommended() -> None:
    agent = cl.hier_linucb(films(), kappa=100.0)
    user = agent.new_user()
    assert agent.ask(user, pool=[3]) is None
    assert agent.ask(user, pool=[0], offered=[1]) is None
    assert agent.ask(user, pool=[0], offered=[0, 1]) is not None


def test_what_is_said_by_others_than_open_questions_is_refused() -> None:
    agent = cl.hier_linucb(CATALOG, kappa=5.0)
    user = agent.new_user()
    question, other = agent.ask(user), question_about(CATALOG, "term", (0,), 7, 7)
    assert question is not None
    refused_unchanged(user, lambda: agent.hear(user, other, 1.0), "not open")
    refused_unchanged(user, lambda: agent.hear(user, question, np.nan), "nan")
    refused_unchanged(user, lambda: agent.learn(user, 99, 1.0), "99")
    for stranger in (None, cl.conlinucb(CATALOG).new_user(), cl.hier_linucb(films()).new_user()):
        refused(lambda stranger=stranger: agent.ask(stranger), "ser")  # type: ignore[misc]
    agent.hear(user, question, None)
    assert not user.theta.any()
    refused(lambda: agent.hear(user, question, 1.0), "not open", cl.QuestionClosed)


def test_a_person_can_be_stored() -> None:
    agent = cl.hier_linucb(CATALOG, kappa=5.0)
    user = agent.new_user(seed=5)
    question = agent.ask(user)
    assert question is not None
    arrays = user.to_arrays()
    assert same_state(agent.load_user(arrays).to_arrays(), arrays)
    arrays["state_times"] = arrays["state_times"] - 5
    refused(lambda: agent.load_user(arrays), "times", cl.IncompatibleState)
    refused(lambda: cl.hier_linucb(films()).load_user(user.to_arrays()), "", cl.IncompatibleState)


@pytest.mark.parametrize(
    "options",
    [
        *({"kappa": each} for each in (-1.0, np.nan, "wide", None)),
        *({"alpha": each} for each in (-1.0, np.nan)),
        *({"beta": each} for each in (0.0, -1.0)),
        {"beta": 1.0, "prior": cl.Gaussian(np.zeros(D), np.eye(D))},
    ],
)
def test_bad_parameters(options: Any) -> None:
    refused(lambda: cl.hier_linucb(CATALOG, **options), "", cl.InvalidInput)


def test_as_a_recipe_by_name() -> None:
    agent = agent_of({"recipe": "hier_linucb", "kappa": 0.3, "alpha": 0.2}, CATALOG)
    told = agent.parameters()
    assert (told["kappa"], told["alpha"]) == (0.3, 0.2)
    assert "HierLinUCB(" in repr(agent)
    prior = cl.Gaussian(np.ones(D), np.eye(D))
    assert cl.hier_linucb(CATALOG, prior=prior).parameters()["alpha"] == 1.0


def test_without_key_terms_it_only_recommends() -> None:
    agent = cl.hier_linucb(cl.Catalog(CATALOG.arms))
    user = agent.new_user()
    assert agent.ask(user) is None
    assert agent.recommend(user, k=3).arms.size == 3
