"""Bad input is refused with the value in the message, and changes nothing about the user."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import conlinucb as cl
from support.worlds import RECIPES, played, refused, refused_unchanged, shown, small_catalog

NAN, INF = math.nan, math.inf
HUGE = 10**400
NOT_NUMBERS: list[Any] = [NAN, INF, -INF, "much", "1", "", [1.0], {}, 1j, 1e200, HUGE]
BAD_INDICES: list[tuple[Any, str]] = [
    ([-1], "-1"),
    ([3, 99], "99"),
    ([2**63], str(2**63)),
    ([2**70], "object"),
    ([1, 2, 1], "1 more than once"),
    ([0.0, 1.0], "float64"),
    ([1.5], "float64"),
    ([True, False], "bool"),
    (["a"], "'a'"),
    ([None], "object"),
    ([[0, 1]], "(1, 2)"),
    ([[0], [0, 1]], ""),
    (2, "()"),
    ("ab", "<U2"),
    ({0, 1}, "object"),
]


@pytest.fixture(params=sorted(RECIPES))
def agent(request: pytest.FixtureRequest) -> cl.Agent:
    return RECIPES[request.param](small_catalog())


@pytest.fixture(params=["arm_con", "conucb", "conlinucb"])
def asking(request: pytest.FixtureRequest) -> cl.Agent:
    return RECIPES[request.param](small_catalog())


def test_refused_unchanged_sees_a_change() -> None:
    agent = cl.linucb(small_catalog())
    user = agent.new_user()

    def spoil_then_fail() -> None:
        agent.learn(user, 0, 1.0)
        agent.learn(user, 0, NAN)

    with pytest.raises(AssertionError):
        refused_unchanged(user, spoil_then_fail, "nan")


# Rewards and answers


@pytest.mark.parametrize("reward", [*NOT_NUMBERS, None], ids=shown)
def test_bad_reward(agent: cl.Agent, reward: Any) -> None:
    user = played(agent)
    refused_unchanged(user, lambda: agent.learn(user, 0, reward), shown(reward))


@pytest.mark.parametrize("answer", NOT_NUMBERS, ids=shown)
def test_bad_answer_leaves_the_question_open(asking: cl.Agent, answer: Any) -> None:
    user = played(asking)
    question = user.open
    assert question is not None
    refused_unchanged(user, lambda: asking.hear(user, question, answer), shown(answer))
    asking.hear(user, question, 1.0)
    assert user.open is None


@pytest.mark.parametrize("arm", [-1, 12, 99, "a", None, True, 1.5, NAN, INF, [0], HUGE], ids=shown)
def test_unknown_arm(agent: cl.Agent, arm: Any) -> None:
    user = played(agent)
    refused_unchanged(user, lambda: agent.learn(user, arm, 1.0), shown(arm))


def test_an_arm_that_was_never_recommended_can_be_learned(agent: cl.Agent) -> None:
    user = agent.new_user()
    agent.learn(user, np.int32(5), np.float32(0.5))  # type: ignore[arg-type]
    assert user.theta.any()
    assert user.rounds == 0


# Questions


@pytest.mark.parametrize("question", [None, "term", 3, ("term", 0, 1, 1)], ids=shown)
def test_not_a_question(asking: cl.Agent, question: Any) -> None:
    user = played(asking)
    refused_unchanged(user, lambda: asking.hear(user, question, 1.0), repr(question))


@pytest.mark.parametrize("answer", [1.0, None])
def test_answering_twice(asking: cl.Agent, answer: float | None) -> None:
    user = played(asking)
    question = user.open
    assert question is not None
    asking.hear(user, question, answer)
    refused_unchanged(
        user, lambda: asking.hear(user, question, 1.0), repr(question), cl.QuestionClosed
    )


def test_answering_a_question_never_asked(asking: cl.Agent) -> None:
    user = asking.new_user()
    kind = asking.asks
    never = cl.Question(kind, 0, 1, 1)
    refused_unchanged(user, lambda: asking.hear(user, never, 1.0), repr(never), cl.QuestionClosed)


def test_answering_another_users_question(asking: cl.Agent) -> None:
    user, other = played(asking, rounds=1), played(asking, rounds=3)
    question = other.open
    assert question is not None
    refused_unchanged(
        user, lambda: asking.hear(user, question, 1.0), repr(question), cl.QuestionClosed
    )


def test_an_old_question_is_closed_while_the_next_is_open(asking: cl.Agent) -> None:
    user = asking.new_user()
    old = asking.ask(user)
    assert old is not None
    asking.hear(user, old, 0.5)
    now = asking.ask(user)
    refused_unchanged(user, lambda: asking.hear(user, old, 0.5), repr(now), cl.QuestionClosed)


# Pools and offered terms


@pytest.mark.parametrize(
    ("indices", "received"), BAD_INDICES, ids=[shown(i) for i, _ in BAD_INDICES]
)
@pytest.mark.parametrize("name", ["pool", "exclude"])
def test_bad_indices_to_recommend(agent: cl.Agent, name: str, indices: Any, received: str) -> None:
    user = played(agent)
    refused_unchanged(user, lambda: agent.recommend(user, **{name: indices}), received)


@pytest.mark.parametrize(
    ("indices", "received"), BAD_INDICES, ids=[shown(i) for i, _ in BAD_INDICES]
)
@pytest.mark.parametrize("name", ["pool", "offered"])
def test_bad_indices_to_ask(asking: cl.Agent, name: str, indices: Any, received: str) -> None:
    user = asking.new_user()
    refused_unchanged(user, lambda: asking.ask(user, **{name: indices}), received)


@pytest.mark.parametrize(
    "choice",
    [{"pool": []}, {"exclude": range(12)}, {"pool": [3, 4], "exclude": [4, 3]}],
    ids=["empty pool", "all excluded", "pool excluded"],
)
def test_nothing_to_recommend(agent: cl.Agent, choice: dict[str, Any]) -> None:
    user = played(agent)
    refused_unchanged(user, lambda: agent.recommend(user, **choice), "empty", cl.InvalidInput)


@pytest.mark.parametrize("name", ["pool", "offered"])
def test_nothing_to_ask(asking: cl.Agent, name: str) -> None:
    user = asking.new_user()
    refused_unchanged(user, lambda: asking.ask(user, **{name: []}), "empty", cl.InvalidInput)


def test_excluding_nothing_is_fine(agent: cl.Agent) -> None:
    assert agent.recommend(agent.new_user(), exclude=[], k=20).arms.size == 12


@pytest.mark.parametrize("k", [0, -1, 1.5, NAN, INF, "2", None, True], ids=shown)
def test_bad_k(agent: cl.Agent, k: Any) -> None:
    user = played(agent)
    refused_unchanged(user, lambda: agent.recommend(user, k=k), shown(k))


@pytest.mark.parametrize("k", [3, 4, 100])
def test_k_above_the_pool_returns_what_there_is(agent: cl.Agent, k: int) -> None:
    advice = agent.recommend(agent.new_user(), pool=[7, 2, 9], k=k)
    assert sorted(advice.arms.tolist()) == [2, 7, 9]
    assert advice.scores.size == advice.means.size == advice.radii.size == 3


def test_a_removed_arm_in_the_pool(agent: cl.Agent) -> None:
    smaller = agent.on(agent.catalog.remove_arms([4]))
    user = played(smaller)
    refused_unchanged(user, lambda: smaller.recommend(user, pool=[3, 4, 5]), "arm 4")
    assert 4 not in smaller.recommend(user, k=12).arms


def test_a_removed_arm_in_the_pool_of_a_question(asking: cl.Agent) -> None:
    smaller = asking.on(asking.catalog.remove_arms([4]))
    user = smaller.new_user()
    refused_unchanged(user, lambda: smaller.ask(user, pool=[3, 4, 5]), "arm 4")


def test_a_retired_term_cannot_be_offered() -> None:
    catalog = cl.Catalog(np.eye(2), [[1.0, 0.0], [0.0, 1.0]]).remove_arms([1])
    agent = cl.conlinucb(catalog, schedule=cl.Every(1))
    user = agent.new_user()
    refused_unchanged(user, lambda: agent.ask(user, offered=[0, 1]), "key-term 1")


def test_the_spanner_refuses_a_subset() -> None:
    agent = cl.conlinucb(small_catalog(), strategy="spanner", schedule=cl.Every(1))
    user = agent.new_user()
    refused_unchanged(user, lambda: agent.ask(user, offered=[0, 1, 2]), "3 of 6", cl.InvalidInput)
    assert agent.ask(user, offered=[5, 4, 3, 2, 1, 0]) is not None


# Users


@pytest.mark.parametrize("user", [None, "me", 3, {}], ids=shown)
def test_not_a_user(agent: cl.Agent, user: Any) -> None:
    calls: list[Callable[[], Any]] = [
        lambda: agent.questions_due(user),
        lambda: agent.ask(user),
        lambda: agent.hear(user, cl.Question("term", 0, 1, 1), 1.0),
        lambda: agent.recommend(user),
        lambda: agent.learn(user, 0, 1.0),
    ]
    for call in calls:
        refused(call, repr(user))


STRANGERS: dict[str, Callable[[], cl.Agent]] = {
    "two-step": lambda: cl.conucb(small_catalog(), schedule=cl.Every(1)),
    "beta": lambda: cl.conlinucb(small_catalog(), beta=2.0, schedule=cl.Every(1)),
    '"d = 5': lambda: cl.conlinucb(small_catalog(d=5), schedule=cl.Every(1)),
}


@pytest.mark.parametrize("named", sorted(STRANGERS))
def test_a_user_of_another_kind_of_agent(named: str) -> None:
    user = played(STRANGERS[named]())
    agent = cl.conlinucb(small_catalog(), schedule=cl.Every(1))
    question = user.open
    assert question is not None
    calls: list[Callable[[], Any]] = [
        lambda: agent.questions_due(user),
        lambda: agent.ask(user),
        lambda: agent.hear(user, question, 1.0),
        lambda: agent.recommend(user),
        lambda: agent.learn(user, 0, 1.0),
    ]
    for call in calls:
        refused_unchanged(user, call, named.strip('"'))


@pytest.mark.parametrize("seed", [1.0, 0.5, "1", None, True, NAN], ids=shown)
def test_bad_seed(agent: cl.Agent, seed: Any) -> None:
    refused(lambda: agent.new_user(seed=seed), repr(seed))


def test_any_integer_is_a_seed(agent: cl.Agent) -> None:
    for seed in (-1, 2**64 - 1, 2**70, np.int8(3)):
        assert agent.new_user(seed=int(seed)).seed == np.uint64(int(seed) % 2**64)
