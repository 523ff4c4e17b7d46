"""Schedules that look before each question: compiled, by hand and as the plain reference has it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pytest

import conlinucb as cl
from conlinucb.agent.strategies import Smoothed
from conlinucb.checks.common import ByHand
from conlinucb.simulation.prepared import can_be_compiled
from support.reference import Estimate, OneStep, TwoSteps
from support.runs import same_bits, same_traces
from support.when_reference import Looking, Opens, always, thin, told, worth

D, ROUNDS, USERS, SEED = 6, 250, 4, 5


@cache
def catalog() -> cl.Catalog:
    """Some key-terms belong to one arm alone."""
    rng = np.random.default_rng(8)
    weights = np.where(rng.random((60, 25)) < 0.1, rng.uniform(0.2, 1.0, (60, 25)), 0.0)
    weights[rng.integers(60, size=25), np.arange(25)] += 0.5
    return cl.Catalog(rng.normal(size=(60, D)) / np.sqrt(D), weights)


def people(offered: int | None) -> cl.LinearUsers:
    tastes = np.random.default_rng(9).normal(size=(USERS, D))
    return cl.LinearUsers(tastes, noise=0.3, pool_size=12, offered_size=offered)


@dataclass(frozen=True)
class Case:
    """An agent, and the same as the reference has it."""

    schedule: Any
    opens: Opens
    strategy: Any = "valuable"
    recipe: Callable[..., cl.Agent] = cl.conlinucb
    offered: int | None = None

    @property
    def agent(self) -> cl.Agent:
        widths = {"alpha": 0.3, "term_alpha": 0.2, "mix": 0.4, "term_beta": 0.7}
        given = {"beta": 0.5, "alpha": 0.3} if self.recipe is cl.conlinucb else widths
        return self.recipe(catalog(), strategy=self.strategy, schedule=self.schedule, **given)

    def twin(self, seed: int) -> Looking:
        room = 1 + ROUNDS + int(self.schedule(ROUNDS))
        estimate: Estimate = OneStep(D, 0.5, 0.3)
        if self.recipe is not cl.conlinucb:
            estimate = TwoSteps(D, 0.4, 0.7, 0.3, 0.2)
        for history in (each for each in vars(estimate).values() if hasattr(each, "rows")):
            history.rows, history.values = np.zeros((room, D)), np.zeros(room)
        weights = catalog().weights.toarray()
        name = getattr(self.strategy, "name", self.strategy)
        perturbed = getattr(self.strategy, "learns", "term") == "perturbed"
        return Looking(
            catalog().arms, weights, estimate, name, self.schedule, seed,
            opens=self.opens, perturbed=perturbed,
        )  # fmt: skip


CASES = {
    "worth, valuable": Case(cl.WhenWorth(0.02), worth(0.02)),
    "worth, valuable, some offered": Case(cl.WhenWorth(0.005, most=2), worth(0.005), offered=7),
    "worth, valuable, two steps": Case(cl.WhenWorth(0.002), worth(0.002), recipe=cl.conucb),
    "worth, max-radius": Case(cl.WhenWorth(0.01, first=90), worth(0.01), "max-radius"),
    "worth, informative, two steps": Case(
        cl.WhenWorth(0.001), worth(0.001), "informative", cl.conucb, 9
    ),
    "thin": Case(cl.WhereThin(0.05, every=3, most=4), thin(0.05), "thinnest"),
    "thin, some offered": Case(cl.WhereThin(0.15), thin(0.15), "thinnest", offered=6),
    "thin, two steps": Case(
        cl.WhereThin(0.02, every="doubling", most=30), thin(0.02), "thinnest", cl.conucb
    ),
    "smoothed": Case(cl.Linear(0.3), always, "smoothed"),
    "smoothed, perturbed, some offered": Case(
        cl.Logarithmic(5), always, Smoothed(learns="perturbed"), offered=5
    ),
    "thin, smoothed, perturbed, two steps": Case(
        cl.WhereThin(0.02, every="doubling", most=30),
        thin(0.02),
        Smoothed(learns="perturbed"),
        cl.conucb,
    ),
    "thin, max-radius": Case(cl.WhereThin(0.05, every=10), thin(0.05), "max-radius"),
}


FIRST = ("worth, valuable, some offered", "thin", "thin, two steps", "smoothed")
"""The others are in the second tier: the reference takes its time."""


@pytest.mark.parametrize(
    "name",
    [each if each in FIRST else pytest.param(each, marks=pytest.mark.more) for each in CASES],
)
def test_decisions_are_those_of_the_reference(name: str) -> None:
    case = CASES[name]
    agents, some = {"looks": case.agent}, people(case.offered)
    assert can_be_compiled(agents["looks"])
    results = cl.simulate(agents, some, rounds=ROUNDS, seed=SEED, trace=True)
    counts = results.metric("looks", "questions")[0, :, -1]
    most = case.schedule(ROUNDS)
    assert (counts > 5).all()
    assert (counts < most).all() or case.opens is always
    for user in range(USERS):
        twin = case.twin(some.user_seed(SEED, 0, user))
        story = told(twin, some, catalog(), ROUNDS, user, SEED)
        arms, asked = results.trace("looks", 0, user)
        assert asked[asked >= 0].tolist() == story.asked
        assert arms.tolist() == story.arms
        assert counts[user] == len(story.asked)


@pytest.mark.parametrize("name", CASES)
def test_compiled_is_by_hand(name: str) -> None:
    case = CASES[name]
    agents, some = {"looks": case.agent}, people(case.offered)
    loop, eager, hand = (
        cl.simulate(agents, each, rounds=ROUNDS, seed=SEED, trace=True, lazy=lazy)
        for each, lazy in ((some, True), (some, False), (ByHand(some), True))
    )
    assert same_traces(loop, hand)
    assert same_traces(loop, eager)
    one = cl.simulate(agents, some, rounds=ROUNDS, seed=SEED, trace=True, threads=1, shard=1)
    assert same_bits(loop, one)
