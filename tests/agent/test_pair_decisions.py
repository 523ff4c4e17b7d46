"""Every pair and every arm equals the plain reference's, by hand and in the compiled loop."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import conlinucb as cl
from conlinucb.agent.question import question_about
from conlinucb.agent.relative import PAIR_UPDATES
from conlinucb.agent.strategies import RelativeDifference
from support.meetings import meet
from support.pairs import PairReference
from support.reference import Estimate, OneStep, TwoSteps, linear

ROUNDS, SEED = 150, 4
SIZES = ((3, 7), (6, 12), (15, 18))
"""Features and key-terms of the catalogues."""
WAYS: dict[str, Any] = {
    "relative-greedy": "relative-greedy",
    "relative-difference": "relative-difference",
    "one and the other": RelativeDifference(exact=False),
    "max-radius-pairs": "max-radius-pairs",
    "informative-pairs": "informative-pairs",
}


@cache
def world(number: int) -> tuple[Any, Any, cl.People]:
    """Arms, weights and two people who compare, the odd ones with "both" and "neither"."""
    rng = np.random.default_rng([number, 31])
    d, k = SIZES[number]
    arms = rng.normal(size=(3 * k, d))
    arms /= np.linalg.norm(arms, axis=1, keepdims=True)
    weights = np.where(rng.random((3 * k, k)) < 0.15, rng.uniform(0.1, 1.0, (3 * k, k)), 0.0)
    weights[rng.integers(3 * k, size=k), np.arange(k)] += 0.5
    tastes = rng.normal(size=(2, d)) / np.sqrt(d)
    inner = cl.ClickUsers(tastes, link="clip", pool_size=9, offered_size=k - 2)
    return arms, weights, cl.Compares(inner, near=0.1 * (number % 2), liked=0.0)


def agent_of(estimate: str, update: Any, way: str, number: int) -> cl.Agent:
    arms, weights, _ = world(number)
    catalog, strategy, b = cl.Catalog(arms, weights), WAYS[way], cl.Linear(0.8)
    if estimate == "ridge":
        return cl.conlinucb(catalog, strategy=strategy, pair_update=update, schedule=b)
    return cl.relative_conucb(catalog, strategy=strategy, pair_update=update, schedule=b)


def twin_of(estimate: str, update: str, way: str, number: int) -> PairReference:
    arms, weights, _ = world(number)
    d = arms.shape[1]
    own: Estimate = OneStep(d, 0.15, 0.1)
    if estimate == "two-step":
        own = TwoSteps(d, 0.5, 1.0, 0.25, 0.25)
    return PairReference(arms, weights, own, way, linear(0.8), 0, update=update)


def lived(twin: PairReference, people: cl.People, catalog: cl.Catalog) -> tuple[Any, Any]:
    """Arms and pairs of the first person under the reference."""
    arms, asked = [], []
    for t in range(1, ROUNDS + 1):
        place = people.place(catalog, SEED, 0, 0, t)
        pool, offered = people.round(place)
        assert offered is not None
        for number in range(twin.questions_due()):
            pair = twin.ask_pair(pool, offered)
            asked.append(pair)
            about = question_about(catalog, "pair", pair, 1, t)
            twin.hear_pair(pair, people.answer(place, about, number))
        arm = twin.recommend(pool)
        arms.append(arm)
        twin.learn(arm, people.reward(place, arm))  # type: ignore[arg-type]
    return arms, [one * len(catalog.term_ids) + other for one, other in asked]


@pytest.mark.sliced
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("update", PAIR_UPDATES)
@pytest.mark.parametrize("estimate", ["ridge", "two-step"])
def test_decisions_equal_the_reference(estimate: str, update: str, way: str) -> None:
    for number in range(len(SIZES)):
        agent, people = agent_of(estimate, update, way, number), world(number)[2]
        arms, asked = lived(twin_of(estimate, update, way, number), people, agent.catalog)
        hand = meet(agent, people, ROUNDS, seed=SEED)
        assert (hand.arms, [code for (code,) in hand.asked]) == (arms, asked), number
        results = cl.simulate({"it": agent}, people, rounds=ROUNDS, seed=SEED, trace=True)
        found = results.trace("it", 0, 0)
        assert (found[0].tolist(), found[1].tolist()) == (arms, asked), number
        assert len(set(asked)) > 3


def test_the_recipe_is_theirs() -> None:
    catalog = cl.Catalog(*world(0)[:2])
    wanted = {"difference": "relative-difference", "winner": "relative-greedy"}
    for update, strategy in {**wanted, "both": "relative-greedy"}.items():
        agent = cl.relative_conucb(catalog, pair_update=update)  # type: ignore[arg-type]
        told = agent.parameters()
        assert told["strategy"] == strategy
        assert told.get("pair_update", "difference") == update
        assert (told["mix"], told["term_beta"]) == (0.5, 1.0)
        assert (told["alpha"], told["term_alpha"]) == (0.25, 0.25)
