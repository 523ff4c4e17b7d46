"""Groups in the compiled loop: by hand, and beside the plain reference from first to last."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import conlinucb as cl
from conlinucb.agent.strategies import BestOf, PickAny
from support.groups import GroupReference, noise, picks
from support.meetings import assert_met_alike
from support.reference import OneStep, TwoSteps, linear
from support.worlds import refused, small_catalog

K, D = 11, 5
EVERY_ROUND = cl.Linear(1)
CATALOG = small_catalog(arms=30, terms=K, d=D)
WEIGHTS = np.asarray(CATALOG.weights.todense())
RNG = np.random.default_rng(4)
TASTES = RNG.normal(size=(2, D)) / 2
SAID = np.where(RNG.random((2, K)) < 0.8, RNG.random((2, K)), np.nan)
PEOPLE: dict[str, cl.People] = {
    "linear": cl.LinearUsers(TASTES, pool_size=8, offered_size=4),
    "clicks": cl.ClickUsers(TASTES, pool_size=8),
    "logged": cl.LoggedPeople(
        np.where(RNG.random((2, 30)) < 0.5, RNG.random((2, 30)), np.nan), SAID, pool_size=6
    ),
    "changed": cl.Lies(cl.Refuses(cl.YesNo(cl.LinearUsers(TASTES, pool_size=8), 0.1), 0.2), 0.2),
}


def agents(schedule: Any = EVERY_ROUND) -> dict[str, cl.Agent]:
    return {
        "any": cl.conlinucb(CATALOG, strategy="pick-any", schedule=schedule),
        "best": cl.conlinucb(CATALOG, strategy="best-of", schedule=schedule),
        "pool": cl.conlinucb(CATALOG, strategy=PickAny(by="valuable", size=2), schedule=schedule),
        "two-step": cl.conucb(
            CATALOG,
            strategy=BestOf(by="optimal-greedy", size=5, teaches="differences"),
            schedule=schedule,
        ),
        "random": cl.conucb(CATALOG, strategy=PickAny(by="random", size=3), schedule=schedule),
    }


@pytest.mark.parametrize("name", PEOPLE)
def test_by_hand_and_compiled_are_the_same(name: str) -> None:
    results = assert_met_alike(agents(), PEOPLE[name], 40)
    asked = results.trace("best", 0, 0)[1].reshape(-1, 3)
    assert len({tuple(sorted(row)) for row in asked.tolist()}) > 2
    assert all(len(set(row)) == 3 for row in asked.tolist())
    if name in ("clicks", "changed"):
        assert results.metric("two-step", "repeated").max() > 0
    if name == "changed":
        assert results.metric("any", "answered").max() < 40


def by_reference(agent: cl.Agent, twin: GroupReference, rounds: int, user: int) -> tuple[Any, Any]:
    """All rounds of someone who says yes or no, refuses and lies, as plainly as possible."""
    people = PEOPLE["changed"]
    changes = [("yes-no", 0.1), ("refuses", 0.2), ("lies", 0.2)]
    arms, asked = list[int](), list[int]()
    for t in range(1, rounds + 1):
        place = people.place(CATALOG, 4, 0, user, t)
        pool = people.round(place).pool
        group = twin.ask_group(pool, np.arange(K))
        thought = [
            float(twin.terms[k] @ TASTES[user]) + noise(twin.seed, t, 0, i, 0.1, shared=False)
            for i, k in enumerate(group)
        ]
        found = picks(changes, twin.seed, t, 0, thought, best=twin.best)
        if found is not None:
            twin.hear_picks(group, [group[i] for i in found])
        arms.append(twin.recommend(pool))
        reward = people.reward(place, arms[-1])
        assert reward is not None
        twin.learn(arms[-1], reward)
        asked += group
    return arms, asked


OPTIONS: dict[str, tuple[Any, str, dict[str, Any]]] = {
    "any": (PickAny(), "informative", {"size": 6}),
    "best": (BestOf(teaches="winner"), "ucb", {"size": 3, "best": True}),
    "differences": (
        BestOf(teaches="differences", by="max-radius", unpicked=0.3),
        "max-radius",
        {"size": 3, "best": True, "differences": True, "unpicked": 0.3},
    ),
}


@pytest.mark.parametrize("name", OPTIONS)
@pytest.mark.parametrize("estimator", ["ridge", "two-step"])
def test_the_loop_equals_the_reference(estimator: str, name: str) -> None:
    strategy, rule, options = OPTIONS[name]
    people, rounds = PEOPLE["changed"], 250
    if estimator == "ridge":
        agent = cl.conlinucb(CATALOG, strategy=strategy, beta=0.3, schedule=cl.Linear(1))
    else:
        agent = cl.conucb(CATALOG, strategy=strategy, schedule=cl.Linear(1))
    results = cl.simulate({"one": agent}, people, rounds=rounds, seed=4, trace=True)
    for user in range(2):
        estimate: Any = OneStep(D, 0.3, 0.1)
        if estimator == "two-step":
            estimate = TwoSteps(D, 0.5, 1.0, 0.25, 0.25)
        seed = people.user_seed(4, 0, user)
        parts = CATALOG.arms, WEIGHTS, estimate, rule, linear(1), seed
        arms, asked = by_reference(agent, GroupReference(*parts, **options), rounds, user)
        assert results.trace("one", 0, user)[0].tolist() == arms
        assert results.trace("one", 0, user)[1].tolist() == asked


def test_groups_of_what_is_offered() -> None:
    """Of two a group of two, with -1 behind them; of one there is none."""
    two = cl.LinearUsers(TASTES, pool_size=5, offered_size=2)
    results = cl.simulate({"best": agents()["best"]}, two, rounds=6, trace=True)
    asked = results.trace("best", 0, 0)[1].reshape(-1, 3)
    assert (asked[:, :2] >= 0).all()
    assert (asked[:, 2] == -1).all()
    one = cl.LinearUsers(TASTES, pool_size=5, offered_size=1)
    results = cl.simulate({"best": agents()["best"]}, one, rounds=6, trace=True)
    assert results.metric("best", "questions").max() == 0
    assert (results.trace("best", 0, 0)[1] == -1).all()


@cl.strategy_kernel
def nowhere(view: cl.View) -> int:
    return int(view.offered[0]) if view.asked % 3 < 2 else 99


class Nowhere:
    name, kind, size, kernel = "nowhere", "group", 3, staticmethod(nowhere)


def test_what_was_not_offered_is_refused() -> None:
    agent = cl.conlinucb(CATALOG, strategy=Nowhere(), schedule=cl.Linear(1))
    refused(lambda: agent.ask(agent.new_user()), "chose term 99", cl.StrategyError)
    refused(
        lambda: cl.simulate({"one": agent}, PEOPLE["clicks"], rounds=2),
        "round 1: chose term 99, which was not offered",
        cl.StrategyError,
    )


def test_a_schedule_may_ask_several_groups_a_round() -> None:
    results = assert_met_alike(agents(cl.Logarithmic(3)), PEOPLE["clicks"], 12)
    assert results.metric("any", "questions")[0, 0, -1] == 6
