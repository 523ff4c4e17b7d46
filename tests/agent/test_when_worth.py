"""A question only while it is worth what it costs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import conlinucb as cl
from conlinucb.agent.among import offered_of, pool_of
from conlinucb.agent.asking import decided
from conlinucb.agent.gates import GO
from conlinucb.agent.schedule import questions
from conlinucb.simulation.prepared import can_be_compiled
from support.matrices import positive_definite
from support.worlds import refused, small_catalog

D = 4
CATALOG = small_catalog(arms=30, terms=9, d=D)
RNG = np.random.default_rng(3)
PRIOR = cl.Gaussian(RNG.normal(size=D), positive_definite(RNG, D) / 3, 0.1)


def agent_of(cost: float, **options: Any) -> cl.Agent:
    strategy = options.pop("strategy", "informative")
    schedule = cl.WhenWorth(cost, **options)
    return cl.conlinucb(CATALOG, prior=PRIOR, strategy=strategy, schedule=schedule)


def asked_in_a_round(agent: cl.Agent, user: cl.User, **where: Any) -> list[float]:
    """What each question was worth when it was asked."""
    values: list[float] = []
    while True:
        value = agent.value(user, **where)
        due = agent.questions_due(user, **where)
        question = agent.ask(user, **where)
        assert (question is None) == (due == 0)
        if question is None:
            return values
        assert agent.questions_due(user) > 0  # it is open: no second look
        values.append(value)
        agent.hear(user, question, 0.3)


@pytest.mark.parametrize("strategy", ["valuable", "informative", "random"])
def test_questions_end_where_they_are_not_worth_it(strategy: str) -> None:
    agent = agent_of(0.05, strategy=strategy, most=9)
    user = agent.new_user()
    values = asked_in_a_round(agent, user)
    assert values
    assert min(values) > 0.05
    assert len(values) == 9 or agent.value(user) <= 0.05


def test_the_pool_and_the_offered_decide() -> None:
    agent = agent_of(0.0)
    user = agent.new_user()
    assert agent.ask(user, pool=[3]) is None  # one arm: nothing to gain
    assert agent.questions_due(user, pool=[3]) == 0
    assert agent.ask(user, pool=[3, 4], offered=[2]) is not None


def test_at_most_so_many_a_round_and_only_in_the_first() -> None:
    agent = agent_of(0.0, most=2, first=3)
    user, counts = agent.new_user(), []
    for _ in range(5):
        counts.append(len(asked_in_a_round(agent, user)))
        agent.recommend(user)
    assert counts == [2, 2, 2, 0, 0]
    assert [questions(agent.schedule, t) for t in range(1, 6)] == [2, 2, 2, 0, 0]


def test_too_dear_a_question_is_never_asked() -> None:
    agent = agent_of(1e6)
    assert agent.ask(agent.new_user()) is None
    assert agent.questions_left(agent.new_user()) == 3
    assert agent.questions_due(agent.new_user()) == 0


def test_valuable_is_looked_for_once() -> None:
    """The gate itself says what that strategy would ask; of others it says whether."""
    agent = agent_of(0.0, strategy="valuable")
    user = agent.new_user()
    everything = pool_of(CATALOG, None), offered_of(CATALOG, None)
    found = decided(agent, user, *everything)
    question = agent.ask(user)
    assert question is not None
    assert agent.ask(user) == question
    assert question.index == found
    plain = cl.conlinucb(CATALOG, prior=PRIOR, strategy="valuable", schedule=cl.Linear(3))
    assert plain.ask(plain.new_user()) == question
    other = agent_of(0.0, strategy="random")
    assert decided(other, other.new_user(), *everything) == GO


def people() -> cl.LinearUsers:
    return cl.LinearUsers(np.random.default_rng(2).normal(size=(3, D)), pool_size=8)


@pytest.mark.parametrize("strategy", ["valuable", "informative"])
def test_a_cost_of_nothing_asks_as_a_schedule_does(strategy: str) -> None:
    """And the trace of one that stops earlier ends with -1."""
    agents = {
        "worth": agent_of(0.0, strategy=strategy, most=2, first=6),
        "dear": agent_of(0.02, strategy=strategy, most=2, first=6),
        "always": cl.conlinucb(
            CATALOG, prior=PRIOR, strategy=strategy, schedule=lambda t: 2 * min(t, 6)
        ),
    }
    assert all(can_be_compiled(each) for each in agents.values())
    results = cl.simulate(agents, people(), rounds=10, trace=True)
    fewer = 0
    for user in range(3):
        assert _same(results.trace("worth", 0, user), results.trace("always", 0, user))
        asked = results.trace("dear", 0, user)[1]
        count = int(results.metric("dear", "questions")[0, user, -1])
        assert (asked[:count] >= 0).all()
        assert (asked[count:] == -1).all()
        fewer += asked.size - count
    assert fewer > 0


def _same(one: tuple[Any, Any], other: tuple[Any, Any]) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


BAD: dict[str, Callable[[], Any]] = {
    "cost": lambda: cl.WhenWorth(-0.1),
    "most": lambda: cl.WhenWorth(0.1, most=-1),
    "first": lambda: cl.WhenWorth(0.1, first=-2),
    "about arms": lambda: cl.arm_con(CATALOG, schedule=cl.WhenWorth(0.1)),
}


@pytest.mark.parametrize("named", BAD)
def test_bad_input_is_refused(named: str) -> None:
    refused(BAD[named], named, cl.InvalidInput)


def test_nothing_to_ask_about_is_nothing_due() -> None:
    agent = cl.Agent(CATALOG, cl.Ridge(), schedule=cl.WhenWorth(0.0))
    assert agent.questions_due(agent.new_user()) == 0
    assert agent.ask(agent.new_user()) is None
