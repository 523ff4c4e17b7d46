"""Agents and people in a Coba experiment, beside Coba's own learners."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest
from coba import Experiment
from coba.learners import LinUCBLearner, RandomLearner

import conlinucb as cl
from conlinucb.adapters.coba import AgentLearner, PersonEnvironment, environments
from support.worlds import small_catalog

CATALOG = small_catalog(arms=40, terms=8, d=4)
PEOPLE = cl.LinearUsers(np.random.default_rng(1).normal(size=(3, 4)), pool_size=6)


def played(learner: Any, user: int, rounds: int = 40) -> list[float]:
    """Coba's loop of one person, written out."""
    rewards = []
    for round_ in PersonEnvironment(CATALOG, PEOPLE, user=user, rounds=rounds, seed=3).read():
        action, probability = learner.predict(round_["context"], round_["actions"])
        rewards.append(round_["rewards"][round_["actions"].index(action)])
        learner.learn(round_["context"], action, rewards[-1], probability)
    return rewards


def test_a_learner_is_its_agent() -> None:
    agent = cl.conucb(CATALOG, schedule=cl.Never())
    mine = [sum(played(AgentLearner(agent), user)) for user in range(3)]
    np.testing.assert_allclose(mine, [_reward(agent, user) for user in range(3)], rtol=1e-12)


def _reward(agent: cl.Agent, person: int) -> float:
    """The same by hand, with the package's own rounds."""
    user, total = agent.new_user(0), 0.0
    for t in range(1, 41):
        place = PEOPLE.place(CATALOG, 3, 0, person, t)
        total += cl.play_round(agent, user, PEOPLE, place).reward or 0.0
    return total


def test_coba_finds_what_its_own_linucb_finds() -> None:
    """The same algorithm, theirs and ours, on the same rounds, in one experiment of theirs."""
    learners = [
        AgentLearner(cl.linucb(CATALOG, beta=1.0, alpha=0.5)),
        LinUCBLearner(alpha=0.5, features=["a"]),
        RandomLearner(),
    ]
    found = Experiment(environments(CATALOG, PEOPLE, rounds=60), learners).run(quiet=True)
    table = found.interactions.to_pandas()
    sums = table.groupby(["learner_id", "environment_id"])["reward"].sum().unstack()
    np.testing.assert_allclose(sums.loc[0], sums.loc[1], rtol=1e-9)
    assert sums.loc[0].sum() > sums.loc[2].sum()
    told = found.learners.to_pandas()
    assert told["family"][0] == "conlinucb"
    assert told["beta"][0] == 1.0
    assert found.environments.to_pandas()["user"].tolist() == [0, 1, 2]


def test_actions_by_features_id_and_index() -> None:
    catalog = cl.Catalog(np.eye(3), np.ones((3, 1)), ["a", "b", "c"])
    for actions in ([(1.0, 0, 0), [0, 1.0, 0], (0, 0, 1)], ["a", "b", "c"], [0, 1, 2]):
        learner = AgentLearner(cl.linucb(catalog))
        learner.learn(None, actions[2], 1.0, 1.0)
        assert learner.predict(None, actions) == (actions[2], 1.0)


def test_the_context_is_who_the_person_is() -> None:
    catalog = cl.Catalog(np.eye(2), np.ones((2, 1)), ["a", "b"])
    learner = AgentLearner(cl.linucb(catalog))
    learner.learn("ann", "b", 1.0, 1.0)
    assert learner.predict("ann", ["a", "b"])[0] == "b"
    assert learner.predict("bob", ["a", "b"])[0] == "a"
    other = copy.deepcopy(learner)
    other.learn("bob", "b", 1.0, 1.0)
    assert learner.predict("bob", ["a", "b"])[0] == "a"


def test_where_arms_are_drawn_the_probability_is_unknown() -> None:
    learner = AgentLearner(cl.linucb(CATALOG, select="thompson"))
    assert learner.predict(None, [0, 1, 2])[1] is None


def test_equal_arms_are_one_action() -> None:
    catalog = cl.Catalog([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]], np.ones((3, 1)))
    learner = AgentLearner(cl.linucb(catalog))
    actions = [tuple(row) for row in catalog.arms.tolist()]
    learner.learn(None, actions[1], 1.0, 1.0)
    assert learner.predict(None, actions) == (actions[0], 1.0)


@pytest.mark.parametrize("action", [(9.0, 9.0, 9.0, 9.0), "no such", {"x": 1}, 1.5, None])
def test_an_action_that_is_no_arm(action: Any) -> None:
    with pytest.raises(cl.UnknownName, match="arm"):
        AgentLearner(cl.linucb(CATALOG)).predict(None, [action])


def test_bad_input() -> None:
    with pytest.raises(cl.InvalidInput, match="got 3"):
        PersonEnvironment(CATALOG, PEOPLE, user=3, rounds=5)
    log = np.full((1, 40), np.nan)
    log[0, :2] = 1.0
    unknown = cl.LoggedPeople(log, pool_size=5, own=1, unknown=None)
    with pytest.raises(cl.InvalidInput, match="no reward in round 1"):
        next(PersonEnvironment(CATALOG, unknown, user=0, rounds=5).read())
