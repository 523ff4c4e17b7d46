"""Questions about groups: pick any of these, or the one you like best."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

import conlinucb as cl
from conlinucb.agent.question import question_about
from conlinucb.agent.strategies import BestOf, PickAny
from conlinucb.agent.strategies.base import TermStrategy
from conlinucb.checks import check_strategy
from support.groups import GroupReference, picks
from support.reference import Estimate, OneStep, TwoSteps, linear
from support.worlds import films, refused, refused_unchanged, same_state, small_catalog

K, D = 14, 6
CATALOG = small_catalog(arms=40, terms=K, d=D, seed=5)
WEIGHTS = np.asarray(CATALOG.weights.todense())
ANY = question_about(films(), "group", (0, 2, 1), 1, 1)
BEST = question_about(films(), "group", (0, 2, 1), 1, 1, "best")

GROUPS: dict[str, tuple[Any, str, dict[str, Any]]] = {
    "any": (PickAny(), "informative", {"size": 6}),
    "any of two, silence is nothing": (
        PickAny(size=2, unpicked=0.0, by="max-radius"),
        "max-radius",
        {"size": 2, "unpicked": 0.0},
    ),
    "best": (BestOf(teaches="winner"), "ucb", {"size": 3, "best": True}),
    "best, differences": (
        BestOf(size=4, teaches="differences", unpicked=1.0, by="optimal-greedy"),
        "optimal-greedy",
        {"size": 4, "best": True, "differences": True, "unpicked": 1.0},
    ),
    "best, at random": (
        BestOf(by="random"),
        "random",
        {"size": 3, "best": True, "differences": True},
    ),
    "any, valuable": (PickAny(by="valuable", size=3), "valuable", {"size": 3}),
}
FIRST = {("ridge", "any"), ("ridge", "best"), ("two-step", "best, differences")}
"""What is in the first tier."""


def estimates(name: str, strategy: Any, twin: dict[str, Any]) -> tuple[cl.Agent, Estimate]:
    if name == "two-step":
        agent = cl.conucb(
            CATALOG, strategy=strategy, mix=0.4, term_beta=0.7, alpha=0.3, term_alpha=0.2,
            schedule=cl.Linear(1),
        )  # fmt: skip
        return agent, TwoSteps(D, 0.4, 0.7, 0.3, 0.2)
    agent = cl.conlinucb(CATALOG, strategy=strategy, beta=0.6, alpha=0.3, schedule=cl.Linear(1))
    return agent, OneStep(D, 0.6, 0.3)


@pytest.mark.parametrize(
    ("estimator", "name"),
    [
        pytest.param(*each, marks=() if each in FIRST else pytest.mark.more)
        for each in product(("ridge", "two-step"), GROUPS)
    ],
)
def test_decisions_equal_the_reference(estimator: str, name: str) -> None:
    strategy, rule, options = GROUPS[name]
    agent, estimate = estimates(estimator, strategy, options)
    twin = GroupReference(CATALOG.arms, WEIGHTS, estimate, rule, linear(1), seed=11, **options)
    rng, user, said = np.random.default_rng(8), agent.new_user(seed=11), []
    taste = rng.normal(size=D)
    for t in range(1, 201):
        pool = rng.permutation(40)[: rng.integers(3, 12)]
        offered = rng.permutation(K)[: rng.integers(2, K + 1)]
        question = agent.ask(user, pool, offered)
        assert question is not None
        assert (question.kind, question.pick) == ("group", "best" if twin.best else "any")
        assert question.indices == twin.ask_group(pool, offered), t
        thought = CATALOG.terms[list(question.indices)] @ taste + 0.1 * rng.normal(
            size=len(question.indices)
        )
        found = picks([("yes-no", 0.0)], 11, t, 0, thought.tolist(), best=twin.best)
        assert found is not None
        which = [question.indices[i] for i in found]
        said.append(len(which))
        agent.hear(user, question, which)
        twin.hear_picks(question.indices, which)
        arm = int(agent.recommend(user, pool).arms[0])
        assert arm == twin.recommend(pool), t
        reward = float(CATALOG.arms[arm] @ taste)
        agent.learn(user, arm, reward)
        twin.learn(arm, reward)
    np.testing.assert_allclose(user.theta, twin.estimate.theta, rtol=1e-8, atol=1e-10)
    assert min(said) == 0  # none of these was said, too
    assert (max(said) > 1) == (name in ("any", "any, valuable"))


def direct(rows: list[tuple[Any, float, float]], beta: float = 0.15) -> Any:
    M = beta * np.eye(2) + sum(weight * np.outer(x, x) for x, _, weight in rows)
    return np.linalg.solve(M, sum(weight * y * np.asarray(x) for x, y, weight in rows))


X = films().terms
TAUGHT: dict[str, tuple[Any, Any, list[tuple[Any, float, float]]]] = {
    "any": (PickAny(size=3), [2, 0], [(X[0], 1, 1), (X[2], 1, 1), (X[1], 0, 0.5)]),
    "by id": (PickAny(size=3), ["calm"], [(X[0], 1, 1), (X[2], 0, 0.5), (X[1], 0, 0.5)]),
    "none": (PickAny(size=3), [], [(x, 0, 0.5) for x in X]),
    "all": (PickAny(size=3), np.array([0, 1, 2]), [(x, 1, 1) for x in X]),
    "silence is nothing": (PickAny(size=3, unpicked=0), {1}, [(X[1], 1, 1)]),
    "a range of its own": (
        PickAny(size=3, unpicked=1),
        cl.Picked((1,), no=-1.0, yes=3.0),
        [(X[0], -1, 1), (X[2], -1, 1), (X[1], 3, 1)],
    ),
    "the winner": (BestOf(teaches="winner"), ("tense",), [(X[1], 1, 1)]),
    "none is the best": (BestOf(unpicked=0.25), (), [(x, 0, 0.25) for x in X]),
    "differences": (
        BestOf(teaches="differences"),
        cl.Picked((2,), no=1.0, yes=5.0),
        [(X[2] - X[0], 4, 0.5), (X[2] - X[1], 4, 0.5)],
    ),
    "none by differences": (BestOf(teaches="differences"), [], [(x, 0, 0.5) for x in X]),
    "on the whole": (PickAny(size=3), 0.7, [(X.mean(axis=0), 0.7, 1)]),
}


@pytest.mark.parametrize("name", TAUGHT)
def test_what_an_answer_teaches(name: str) -> None:
    strategy, answer, rows = TAUGHT[name]
    agent = cl.conlinucb(films(), strategy=strategy, schedule=cl.Every(1))
    user = agent.new_user()
    question = agent.ask(user)
    assert question is not None
    assert sorted(question.indices) == [0, 1, 2]
    np.testing.assert_allclose(question.probe, X.mean(axis=0))
    agent.hear(user, question, answer, weight=2.0)
    assert user.open is None
    heavier = [(x, y, 2.0 * weight) for x, y, weight in rows]
    np.testing.assert_allclose(user.theta, direct(heavier), rtol=1e-9, atol=1e-12)


def test_a_skip_teaches_nothing() -> None:
    agent = cl.conlinucb(films(), strategy="pick-any", schedule=cl.Every(1))
    user = agent.new_user()
    question = agent.ask(user)
    assert question is not None
    agent.hear(user, question, None)
    assert not user.theta.any()
    assert user.times == {0: 1, 1: 1, 2: 1}
    assert agent.ask(user) is None


BAD: dict[str, tuple[str, Any, str]] = {
    "not of the group": ("pick-any", [K - 1], "which is not of the group"),
    "not of the catalogue": ("pick-any", [99], "99"),
    "no such id": ("pick-any", ["opera"], "opera"),
    "twice": ("pick-any", "first twice", "more than once"),
    "a word": ("pick-any", "yes", "'yes'"),
    "not a number": ("pick-any", np.nan, "nan"),
    "half": ("pick-any", [0.5], "0.5"),
    "two are best": ("best-of", "all", "one of the group at most"),
    "infinite": ("best-of", cl.Picked((), yes=np.inf), "inf"),
    "of a term": ("max-radius", [1], "only of a group one picks, and this is a term"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_answers_change_nothing(name: str) -> None:
    strategy, answer, message = BAD[name]
    agent = cl.conlinucb(CATALOG, strategy=strategy, schedule=cl.Every(1))
    user = agent.new_user()
    question = agent.ask(user)
    assert question is not None
    others = [k for k in range(K) if k not in question.indices]
    if answer == "first twice":
        answer = [question.index, question.index]
    elif answer == "all":
        answer = list(question.indices)
    elif answer == [K - 1]:
        answer = [others[-1]]
    refused_unchanged(user, lambda: agent.hear(user, question, answer), message, cl.InvalidInput)
    assert user.open == question


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: PickAny(size=1), "size"),
        (lambda: BestOf(size=17), "from 2 to 16, got 17"),
        (lambda: PickAny(unpicked=-0.1), "-0.1"),
        (lambda: BestOf(unpicked=2.0), "2.0"),
        (lambda: BestOf(teaches="all"), "'all'"),  # type: ignore[arg-type]
        (lambda: PickAny(by="spanner"), "'spanner'"),
        (lambda: PickAny(by="best-of"), "'best-of'"),
        (lambda: PickAny(by="informativ"), "informative"),
    ],
)
def test_bad_options(make: Any, message: str) -> None:
    refused(make, message, cl.InvalidInput)


@pytest.mark.parametrize(
    ("kind", "which", "pick", "message"),
    [
        ("group", (0,), None, "cannot be about"),
        ("group", range(17), None, "cannot be about"),
        ("group", (0, 1), "most", "'most'"),
        ("pair", (0, 1), "best", "of a pair"),
        ("group", (0, 0), None, "different"),
    ],
)
def test_what_cannot_be_asked(kind: Any, which: Any, pick: Any, message: str) -> None:
    catalog = small_catalog(terms=20)
    refused(lambda: question_about(catalog, kind, tuple(which), 1, 1, pick), message)


def test_a_question_tells_how_to_pick() -> None:
    assert repr(BEST).endswith("others=(2, 1), pick='best')")
    assert ANY.pick == "any"
    assert ANY != BEST
    np.testing.assert_array_equal(ANY.parts, X[[0, 2, 1]])


@pytest.mark.parametrize("strategy", ["pick-any", "best-of"])
def test_an_open_group_survives_save_and_load(strategy: str) -> None:
    agent = cl.conlinucb(CATALOG, strategy=strategy, schedule=cl.Every(1))
    user = agent.new_user()
    question = agent.ask(user)
    assert question is not None
    twin = agent.load_user(user.to_arrays())
    assert twin.open == question
    for each in (user, twin):
        agent.hear(each, question, [question.others[0]])
    assert same_state(user.to_arrays(), twin.to_arrays())


@pytest.mark.parametrize("strategy", ["pick-any", "best-of"])
def test_there_is_no_group_of_one(strategy: str) -> None:
    agent = cl.conlinucb(CATALOG, strategy=strategy, schedule=cl.Every(1))
    user = agent.new_user()
    assert agent.ask(user, offered=[3]) is None
    question = agent.ask(user, offered=[3, 5])
    assert question is not None
    assert sorted(question.indices) == [3, 5]


class Own(TermStrategy):
    """All at once, from plain Python."""

    name, kind, size, pick = "own", "group", 3, "best"

    def choose(self, view: cl.View) -> Any:
        return tuple(int(k) for k in view.offered[:3])


class OneByOne(Own):
    """The last that is left, again and again."""

    name = "one-by-one"

    def choose(self, view: cl.View) -> Any:
        return view.offered[-1]


def test_a_strategy_of_ones_own() -> None:
    for strategy, expected in ((Own(), (2, 4, 7)), (OneByOne(), (9, 7, 4))):
        agent = cl.conlinucb(CATALOG, strategy=strategy, schedule=cl.Every(1))
        question = agent.ask(agent.new_user(), offered=[9, 4, 2, 7])
        assert question is not None
        assert (question.indices, question.pick) == (expected, "best")
        check_strategy(strategy, rounds=6)
    grouped = cl.conlinucb(CATALOG, strategy=PickAny(by=Last(), size=2), schedule=cl.Every(1))
    question = grouped.ask(grouped.new_user(), offered=[9, 4, 2])
    assert question is not None
    assert question.indices == (9, 4)


class Last:
    name = "last"

    def choose(self, view: cl.View) -> Any:
        return view.offered[-1]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"choose": lambda self, view: (1, 1)}, "a group of the same, 1"),
        ({"choose": lambda self, view: (1, 2, 3, 4)}, "a group must be of 2 to 3"),
        ({"choose": lambda self, view: (1, 99)}, "chose term 99"),
        ({"choose": lambda self, view: 1}, "chose term 1"),
        ({"choose": lambda self, view: "space"}, "'own' failed in round 1"),
    ],
)
def test_broken_strategies_are_named(changes: dict[str, Any], message: str) -> None:
    agent = cl.conlinucb(CATALOG, strategy=type("Broken", (Own,), changes)(), schedule=cl.Every(1))
    refused(lambda: agent.ask(agent.new_user()), message, cl.StrategyError)


@pytest.mark.parametrize("changes", [{"size": 1}, {"size": 17}, {"pick": "most"}])
def test_groups_must_be_groups(changes: dict[str, Any]) -> None:
    odd = type("Odd", (Own,), changes)()
    refused(lambda: cl.conlinucb(CATALOG, strategy=odd), "'own'", cl.InvalidInput)


@pytest.mark.parametrize("teaches", ["winner", "differences"])
def test_the_parts_of_picks_add_up(teaches: Any) -> None:
    """Also on answers that are on a scale of their own."""
    strategies = (BestOf(teaches=teaches), PickAny(size=3))
    for strategy in strategies:
        agent = cl.conucb(CATALOG, strategy=strategy, answer_weight=0.4, schedule=cl.Linear(1))
        user, told = agent.new_user(), []
        for t in range(6):
            question = agent.ask(user)
            assert question is not None
            said = cl.Picked(question.indices[: t % 2], no=-0.5, yes=2.0)
            agent.hear(user, question, said, weight=0.8)
            told.append((question, said))
            agent.recommend(user)
        found = agent.influence(user, 4)
        total = found.prior + sum(found.of_answer(*each, 0.8) for each in told)
        assert total == pytest.approx(CATALOG.arms[4] @ user.theta, abs=1e-10)


def test_a_questionnaire_is_a_group_for_everybody() -> None:
    agent = cl.conlinucb(CATALOG, strategy=PickAny(size=8), schedule=cl.Every(1))
    question = agent.ask(agent.new_user())
    assert question is not None
    assert list(question.indices) == agent.questionnaire(8, alike=None)
