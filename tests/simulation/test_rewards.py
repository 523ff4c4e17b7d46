"""Rewards on a budget: as a plain reference has it, compiled and by hand; budgets, bad input."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import conlinucb as cl
from conlinucb.agent.spec import agent_of
from conlinucb.checks.common import ByHand
from conlinucb.simulation.prepared import can_be_compiled
from support.reference import OneStep, Reference
from support.rewards_reference import Wants, at_first, drawn, told, uncertain, worth
from support.runs import same_bits, same_traces
from support.worlds import refused, same_state, small_catalog

D, USERS, SEED = 5, 3, 6
CATALOG = small_catalog(arms=40, terms=12, d=D)
PEOPLE = cl.LinearUsers(np.random.default_rng(2).normal(size=(USERS, D)), noise=0.3, pool_size=9)
WAYS: dict[str, tuple[Any, Wants]] = {
    "sometimes": (cl.Sometimes(0.3), drawn(0.3)),
    "first": (cl.FirstRounds(40), at_first(40)),
    "uncertain": (cl.Uncertain(0.3, step=0.2), uncertain(0.3, 0.2)),
    "worth": (cl.WorthLearning(0.01), worth(0.01)),
}
RECIPES: dict[str, Any] = {
    "linucb": lambda **given: cl.linucb(CATALOG, **given),
    "arm_con": lambda **given: cl.arm_con(CATALOG, **given),
    "conucb": lambda **given: cl.conucb(CATALOG, **given),
    "thompson": lambda **given: cl.conlinucb(CATALOG, select="thompson", **given),
    "pairs, worth": lambda **given: cl.conlinucb(
        CATALOG, strategy="max-radius-pairs", schedule=cl.Linear(0.3), **given
    ),
    "worth": lambda **given: cl.conlinucb(
        CATALOG, strategy="valuable", schedule=cl.WhenWorth(0.02), **given
    ),
    "sharing": lambda **given: cl.linucb(CATALOG, sharing=cl.Groups(["a", "b", "a"]), **given),
}


def compare(name: str, rounds: int, strategy: str | None = "max-radius") -> None:
    """Arms, questions and rewards asked for equal those of the reference."""
    way, wants = WAYS[name]
    schedule = cl.Linear(0.2)
    if strategy is None:
        agent = cl.linucb(CATALOG, beta=0.5, alpha=0.3, rewards=way)
    else:
        given: Any = {"strategy": strategy, "schedule": schedule, "rewards": way}
        agent = cl.conlinucb(CATALOG, beta=0.5, alpha=0.3, **given)
    results = cl.simulate({"it": agent}, PEOPLE, rounds=rounds, seed=SEED, trace=True, log=rounds)
    for user in range(USERS):
        estimate = OneStep(D, 0.5, 0.3)
        room = 2 * rounds + 9
        estimate.both.rows, estimate.both.values = np.zeros((room, D)), np.zeros(room)
        seed, weights = PEOPLE.user_seed(SEED, 0, user), CATALOG.weights.toarray()
        twin = Reference(CATALOG.arms, weights, estimate, strategy, schedule, seed)
        story, wanted = told(twin, wants, PEOPLE, CATALOG, rounds, user, SEED)
        arms, asked = results.trace("it", 0, user)
        assert arms.tolist() == story.arms
        assert asked.tolist() == story.asked
        counted = results.metric("it", "rewards_asked")[0, user]
        assert counted.tolist() == np.cumsum(wanted)[results.rounds - 1].tolist()
        assert 10 < counted[-1] < rounds


@pytest.mark.parametrize("name", WAYS)
def test_decisions_equal_the_reference(name: str) -> None:
    compare(name, 250)


@pytest.mark.more
@pytest.mark.parametrize("name", WAYS)
def test_over_thousands_of_rounds(name: str) -> None:
    compare(name, 2500, None)


@pytest.mark.parametrize("recipe", RECIPES)
def test_compiled_is_by_hand_with_every_part(recipe: str) -> None:
    agents = {name: RECIPES[recipe](rewards=way) for name, (way, _) in WAYS.items()}
    assert all(can_be_compiled(agent) for agent in agents.values())
    given: Any = {"rounds": 60, "seed": SEED, "trace": True, "arrivals": "interleaved"}
    loop, hand = (cl.simulate(agents, each, **given) for each in (PEOPLE, ByHand(PEOPLE)))
    assert same_traces(loop, hand)
    for name in agents:
        counts = loop.metric(name, "rewards_asked")
        np.testing.assert_array_equal(counts, hand.metric(name, "rewards_asked"))
        np.testing.assert_allclose(
            loop.metric(name, "regret"), hand.metric(name, "regret"), rtol=1e-8, atol=1e-8
        )
    assert same_bits(loop, cl.simulate(agents, PEOPLE, threads=1, shard=1, **given))


def test_all_rewards_are_as_none_said_and_no_rewards_teach_nothing() -> None:
    agents = {
        "plain": cl.linucb(CATALOG),
        "all": cl.linucb(CATALOG, rewards=cl.Sometimes(1.0)),
        "all, uncertain": cl.linucb(CATALOG, rewards=cl.Uncertain(1.0)),
        "none": cl.linucb(CATALOG, rewards=cl.Sometimes(0.0)),
        "none, uncertain": cl.linucb(CATALOG, rewards=cl.Uncertain(0.0)),
        "none, first": cl.linucb(CATALOG, rewards=cl.FirstRounds(0)),
    }
    results = cl.simulate(agents, PEOPLE, rounds=80, seed=SEED, trace=True)
    for name in ("all", "all, uncertain"):
        np.testing.assert_array_equal(results.final_regret(name), results.final_regret("plain"))
        assert (results.metric(name, "rewards_asked")[..., -1] == 80).all()
    for name in ("none", "none, uncertain", "none, first"):
        assert (results.metric(name, "rewards_asked") == 0).all()
        assert (results.final_regret(name) > results.final_regret("plain")).all()
        lengths = np.linalg.norm(PEOPLE.thetas, axis=1)
        np.testing.assert_allclose(results.metric(name, "error")[0, :, -1], lengths)
        assert (results.metric(name, "reward")[..., -1] != 0).all()


def test_uncertain_keeps_its_budget() -> None:
    share = 0.15
    agent = cl.conlinucb(CATALOG, rewards=cl.Uncertain(share))
    results = cl.simulate({"it": agent}, PEOPLE, rounds=300, log=300)
    counts = results.metric("it", "rewards_asked")
    assert (counts <= np.ceil(share * results.rounds)).all()
    assert (counts[..., -1] > 25).all()


def test_by_hand_an_advice_says_whether_its_reward_is_wanted() -> None:
    agent = cl.linucb(CATALOG, rewards=cl.FirstRounds(2))
    user = agent.new_user()
    assert [agent.recommend(user).wanted for _ in range(4)] == [True, True, False, False]
    assert user.notes[0] == 2
    other, more = agent.new_user(), agent.new_user()
    for _ in range(3):
        told_ = [advice.wanted for advice in agent.recommend_many([other, more])]
    assert told_ == [False, False]
    assert cl.linucb(CATALOG).recommend(cl.linucb(CATALOG).new_user()).wanted


def test_a_person_can_be_stored() -> None:
    agent = cl.linucb(CATALOG, rewards=cl.Uncertain(0.4))
    one, other = agent.new_user(3), agent.new_user(3)
    for _ in range(12):
        other = agent.load_user(other.to_arrays())
        assert agent.recommend(one).wanted == agent.recommend(other).wanted
    assert same_state(one.to_arrays(), other.to_arrays())
    arrays = one.to_arrays()
    arrays["rewards"] = np.array([np.nan])
    refused(lambda: agent.load_user(arrays), "rewards", cl.IncompatibleState)
    plain = cl.linucb(CATALOG).new_user()
    assert "rewards" not in plain.to_arrays()
    assert agent.recommend(agent.load_user(plain.to_arrays())).wanted


@dataclass(frozen=True)
class InEvenRounds:
    """A way of one's own."""

    @property
    def kernel(self) -> Any:
        return even


@cl.rewards_kernel
def even(now: cl.Recommended) -> int:
    return 1 - now.round % 2


def test_a_way_of_ones_own() -> None:
    agent = cl.conucb(CATALOG, rewards=InEvenRounds())
    results = cl.simulate({"it": agent}, PEOPLE, rounds=31)
    assert (results.metric("it", "rewards_asked")[..., -1] == 15).all()


def test_it_is_a_parameter_like_any_other() -> None:
    agent = cl.linucb(CATALOG, rewards=cl.Sometimes(0.2))
    assert agent.parameters()["rewards"] == "Sometimes(share=0.2)"
    assert "rewards" not in cl.linucb(CATALOG).parameters()
    assert agent != cl.linucb(CATALOG)
    assert agent.replace(rewards=None) == cl.linucb(CATALOG)
    assert agent.replace(share=0.5).rewards == cl.Sometimes(0.5)


@pytest.mark.parametrize(
    ("name", "made"),
    [
        ({"name": "sometimes", "share": 0.1}, cl.Sometimes(0.1)),
        ({"name": "first-rounds", "n": 7}, cl.FirstRounds(7)),
        ({"name": "uncertain", "share": 0.1, "step": 0.5}, cl.Uncertain(0.1, 0.5)),
        ({"name": "worth-learning", "cost": 0.1}, cl.WorthLearning(0.1)),
    ],
)
def test_by_plain_values(name: Any, made: Any) -> None:
    assert agent_of({"recipe": "conlinucb", "rewards": name}, CATALOG).rewards == made


@pytest.mark.parametrize("share", [-0.1, 1.1, np.nan, "half", None])
def test_a_budget_out_of_range(share: Any) -> None:
    for way in (cl.Sometimes, cl.Uncertain):
        refused(lambda way=way: way(share), "share", cl.InvalidInput)  # type: ignore[misc]


def test_other_bad_input() -> None:
    refused(lambda: cl.FirstRounds(-1), "n", cl.InvalidInput)
    refused(lambda: cl.Uncertain(0.2, step=0.0), "step", cl.InvalidInput)
    refused(lambda: cl.WorthLearning(-1.0), "cost", cl.InvalidInput)
    for wrong in (0.2, "sometimes", cl.Sometimes, object()):
        refused(lambda wrong=wrong: cl.linucb(CATALOG, rewards=wrong), "rewards", cl.InvalidInput)  # type: ignore[misc]
    refused(
        lambda: agent_of({"recipe": "linucb", "rewards": {"name": "often"}}, CATALOG),
        "often",
        cl.UnknownName,
    )
