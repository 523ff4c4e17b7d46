"""Crowds at their edges: who never comes, late rewards, one person, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import conlinucb as cl
from support.worlds import refused, small_catalog

CATALOG = small_catalog()


def crowd_of(sharing: cl.Sharing, people: int, **options: Any) -> cl.Crowd:
    return cl.Crowd(cl.linucb(CATALOG, sharing=sharing, **options), people)


def visit(crowd: cl.Crowd, person: int, reward: float = 1.0, times: int = 1) -> int:
    """Rounds that all bring the same reward; the last arm."""
    arm = -1
    for _ in range(times):
        arm = int(crowd.recommend(person).arms[0])
        crowd.learn(person, arm, reward)
    return arm


def rewarded(agent: cl.Agent, arms: list[int]) -> cl.User:
    user = agent.new_user()
    for arm in arms:
        agent.learn(user, arm, 1.0)
    return user


@pytest.mark.parametrize("sharing", [
    cl.Clusters(a=0.3), cl.KMeans(4, every=3), cl.Groups([0]), cl.Groups(["one"], what="answers"),
])  # fmt: skip
def test_one_person_is_served_as_by_the_agent_alone(sharing: cl.Sharing) -> None:
    agent = cl.conucb(CATALOG, schedule=cl.Linear(0.5), sharing=sharing)
    crowd = cl.Crowd(agent, people=1, seed=9)
    alone = agent.new_user(int(crowd.user(0).seed))
    for _ in range(60):
        while (question := agent.ask(alone)) is not None:
            assert crowd.ask(0) == question
            agent.hear(alone, question, 0.4)
            crowd.hear(0, question, 0.4)
        arm = int(agent.recommend(alone).arms[0])
        assert crowd.recommend(0).arms.tolist() == [arm]
        agent.learn(alone, arm, 0.1 * arm)
        crowd.learn(0, arm, 0.1 * arm)
    assert (crowd.user(0).theta == alone.theta).all()
    assert (crowd.theta(0) == alone.theta).all()


def test_a_user_of_the_agent_itself_shares_with_nobody() -> None:
    agent = cl.linucb(CATALOG, sharing=cl.Groups([0, 0]))
    crowd = cl.Crowd(agent, people=2)
    crowd.learn(0, 3, 1.0)
    assert crowd.user(1).theta.any()
    assert not agent.new_user().theta.any()


def test_with_a_of_0_everyone_who_came_is_soon_alone_and_a_large_a_parts_nobody() -> None:
    apart, together = crowd_of(cl.Clusters(a=0.0), 4), crowd_of(cl.Clusters(a=100.0), 4)
    for crowd in (apart, together):
        for t in range(40):
            visit(crowd, t % 4, reward=float(t % 4))
    assert len(set(apart.groups.tolist())) == 4
    assert set(together.groups.tolist()) == {0}


def test_more_groups_than_people_are_as_many_as_people_differ() -> None:
    crowd = crowd_of(cl.KMeans(50, every=1), 4)
    for t in range(12):
        visit(crowd, t % 3, reward=float(t % 3))
    assert crowd.groups.tolist() == [0, 1, 2, 0]  # 0 learned nothing, and 3 never came


def test_who_never_comes_stays_and_learns_with_the_group() -> None:
    crowd = crowd_of(cl.Clusters(a=0.2), 3)
    for t in range(60):
        visit(crowd, t % 2, reward=float(t % 2))
    assert crowd.groups[0] != crowd.groups[1]
    assert crowd.company.rounds.tolist() == [30, 30, 0]
    own = cl.linucb(CATALOG).new_user()
    assert (crowd.theta(2) == own.theta).all()


def test_a_late_reward_counts_for_all_and_is_no_visit() -> None:
    crowd = crowd_of(cl.KMeans(2, every=1), 3)
    visit(crowd, 0)
    before = crowd.groups
    crowd.learn(2, 5, 1.0)
    assert (crowd.groups == before).all()
    assert crowd.user(1).theta.any()
    visit(crowd, 1)
    assert crowd.groups.tolist() == [0, 0, 1]


def test_what_the_others_say_of_an_arm_is_theirs_where_only_answers_are_shared() -> None:
    agent = cl.arm_con(CATALOG, schedule=cl.Every(1), sharing=cl.Groups([0, 0, 1], what="answers"))
    crowd = cl.Crowd(agent, people=3)
    question = crowd.ask(0)
    assert question is not None
    crowd.hear(0, question, 1.0)
    expected = rewarded(cl.linucb(CATALOG, beta=1.0), [question.index]).theta
    assert (crowd.user(1).theta == expected).all()
    assert not crowd.user(2).theta.any()
    crowd.learn(0, 4, 1.0)
    assert (crowd.user(1).theta == expected).all()


def test_what_someone_volunteers_is_an_answer() -> None:
    agent = cl.conlinucb(CATALOG, sharing=cl.Groups(["a", "a"], what="answers"))
    crowd = cl.Crowd(agent, people=2)
    crowd.volunteer(1, 2, 1.0)
    assert (crowd.user(0).theta == crowd.user(1).theta).all()
    assert crowd.user(0).theta.any()
    assert crowd.user(0).times == {}


def test_a_group_with_a_prior_starts_at_it_and_counts_it_once() -> None:
    rng = np.random.default_rng(2)
    root = rng.normal(size=(3, 3))
    prior = cl.Gaussian(rng.normal(size=3), root @ root.T + np.eye(3), noise=0.25)
    for make in (cl.linucb, cl.conucb):
        crowd = cl.Crowd(make(CATALOG, prior=prior, sharing=cl.Groups([0, 0, 0])), people=3)
        alone = make(CATALOG, prior=prior)
        user = alone.new_user()
        for arm in range(6):
            crowd.learn(arm % 3, arm, 0.3 * arm)
            alone.learn(user, arm, 0.3 * arm)
        assert (crowd.user(0).theta == user.theta).all()
        company = crowd.company
        split = company.split(1)
        company.merge(split, 0)
        np.testing.assert_allclose(crowd.user(2).theta, user.theta, atol=1e-12)


class OwnPairs(cl.Sharing):
    """Neighbours by number, changed once by regrouping."""

    def first(self, people: int) -> Any:
        return np.arange(people) // 2

    def course(self, company: Any) -> Any:
        return lambda person: company.regroup(np.arange(len(company.own)) % 2)


def test_a_way_of_ones_own() -> None:
    crowd = crowd_of(OwnPairs(), 4)
    crowd.learn(0, 3, 1.0)
    assert crowd.user(1).theta.any()
    visit(crowd, 0)
    assert crowd.groups.tolist() == [0, 0, 1, 1]
    visit(crowd, 3)
    assert crowd.groups.tolist() == [0, 1, 0, 1]
    assert (crowd.user(2).theta == crowd.user(0).theta).all()


class Wrong(cl.Sharing):
    def __init__(self, labels: Any) -> None:
        self.labels = labels

    def first(self, people: int) -> Any:
        return self.labels


def anything(value: Any) -> Any:
    return value


class Nothing(cl.Estimator):
    name = "nothing"


REFUSED: list[tuple[Callable[[], Any], str]] = [
    (lambda: cl.Clusters(a=-0.1), "-0.1"),
    (lambda: cl.Clusters(a=float("nan")), "nan"),
    (lambda: cl.Clusters(a=anything("wide")), "wide"),
    (lambda: cl.KMeans(0), "0"),
    (lambda: cl.KMeans(anything(2.5)), "2.5"),
    (lambda: cl.KMeans(3, every=0), "0"),
    (lambda: cl.Groups([]), "[]"),
    (lambda: cl.Groups("ab"), "'ab'"),
    (lambda: cl.Groups([0.5, 1.0]), "0.5"),
    (lambda: cl.Groups([[0], [1]]), "[[0], [1]]"),
    (lambda: cl.Groups([0, 1], what=anything("rewards")), "'rewards'"),
    (lambda: cl.linucb(CATALOG, sharing=anything("clusters")), "'clusters'"),
    (lambda: cl.linucb(CATALOG, sharing=anything(cl.Clusters)), "Clusters"),
    (lambda: cl.linucb(CATALOG, alpha=cl.TheoryAlpha(), sharing=cl.KMeans(2)), "TheoryAlpha"),
    (lambda: cl.conucb(CATALOG, term_alpha=cl.TheoryAlpha(), sharing=cl.KMeans(2)), "TheoryAlpha"),
    (lambda: cl.Agent(CATALOG, Nothing(), schedule=cl.Never(), sharing=cl.KMeans(2)), "'nothing'"),
    (lambda: crowd_of(cl.Groups([0, 1]), 3), "3"),
    (lambda: crowd_of(cl.KMeans(2), 0), "0"),
    (lambda: crowd_of(Wrong(np.array([0, -1])), 2), "-1"),
    (lambda: crowd_of(Wrong(np.array([0.0, 1.0])), 2), "1."),
    (lambda: crowd_of(Wrong(np.array([0])), 2), "[0]"),
    (lambda: cl.Crowd(cl.linucb(CATALOG), 2), "sharing"),
    (lambda: crowd_of(cl.KMeans(2), 3).recommend(3), "3"),
    (lambda: crowd_of(cl.KMeans(2), 3).learn(-1, 0, 1.0), "-1"),
    (lambda: crowd_of(cl.KMeans(2), 3).ask(anything("me")), "'me'"),
]


@pytest.mark.parametrize(("call", "received"), REFUSED)
def test_refused(call: Callable[[], Any], received: str) -> None:
    refused(call, received, cl.InvalidInput)


def test_what_is_refused_teaches_nobody() -> None:
    crowd = crowd_of(cl.Groups([0, 0]), 2)
    visit(crowd, 0)
    before = crowd.user(1).theta, crowd.theta(0)
    refused(lambda: crowd.learn(0, 1, float("nan")), "nan")
    refused(lambda: crowd.learn(0, 99, 1.0), "99")
    assert (crowd.user(1).theta == before[0]).all()
    assert (crowd.theta(0) == before[1]).all()


def test_sharing_is_a_parameter_like_any_other() -> None:
    agent = cl.conucb(CATALOG, sharing=cl.Clusters(a=1.0))
    assert agent.replace(a=2.0).sharing == cl.Clusters(a=2.0)
    assert agent == cl.conucb(CATALOG, sharing=cl.Clusters(a=1.0))
    assert agent != agent.replace(sharing=None) == cl.conucb(CATALOG)
    assert agent.parameters()["sharing"] == "Clusters(a=1.0)"
    assert "sharing" not in cl.conucb(CATALOG).parameters()
    many = cl.Groups(["a", "b"] * 50, what="answers")
    assert agent.replace(sharing=many).parameters()["sharing"].endswith("what='answers')")
    assert len(repr(many)) < 80
    other = cl.Groups(["b", "a"] * 50, what="answers")
    assert repr(many) != repr(other)
    assert many == cl.Groups(list(many.of), what="answers") != other
