"""A stored user goes on exactly as the one that stayed; what does not fit is refused."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import conlinucb as cl

Arrays = dict[str, NDArray[Any]]
AGENTS = (
    "linucb",
    "arm_con",
    *(f"{recipe} {name}" for recipe in ("conucb", "conlinucb") for name in cl.STRATEGIES),
)


def catalog(d: int = 4) -> cl.Catalog:
    rng = np.random.default_rng(6)
    weights = np.where(rng.random((25, 9)) < 0.3, rng.random((25, 9)), 0.0) + np.eye(25, 9)
    return cl.Catalog(rng.normal(size=(25, d)), weights)


def agent_of(name: str) -> cl.Agent:
    recipe, _, strategy = name.partition(" ")
    if recipe == "linucb":
        return cl.linucb(catalog(), beta=0.4)
    options: dict[str, Any] = {"strategy": strategy} if strategy else {}
    make: Callable[..., cl.Agent] = getattr(cl, recipe)
    return make(catalog(), schedule=cl.Linear(1.5), **options)


def decide(agent: cl.Agent, user: cl.User, steps: int) -> list[tuple[str, int]]:
    """The next decisions, each followed by feedback; a step is a question or a round."""
    made: list[tuple[str, int]] = []
    while len(made) < steps:
        rng = np.random.default_rng([user.rounds, len(made) % 7])
        pool = rng.permutation(25)[:8]
        question = agent.ask(user, pool)
        if question is not None:
            made.append((question.kind, question.index))
            agent.hear(user, question, None if question.number % 5 == 0 else rng.normal())
        else:
            arm = int(agent.recommend(user, pool).arms[0])
            made.append(("recommended", arm))
            agent.learn(user, arm, rng.normal())
    return made


def stored(user: cl.User, path: Path) -> Arrays:
    np.savez(path, allow_pickle=False, **user.to_arrays())
    with np.load(path, allow_pickle=False) as file:
        return {name: file[name] for name in file.files}


def same(first: Mapping[str, NDArray[Any]], second: Mapping[str, NDArray[Any]]) -> bool:
    return list(first) == list(second) and all(
        first[name].dtype == second[name].dtype and np.array_equal(first[name], second[name])
        for name in first
    )


@pytest.mark.sliced
@pytest.mark.parametrize("steps", [0, 1, 2, 3, 700])
@pytest.mark.parametrize("name", AGENTS)
def test_a_stored_user_makes_the_same_decisions(name: str, steps: int, tmp_path: Path) -> None:
    agent = agent_of(name)
    user = agent.new_user(seed=2**63 + 5)
    decide(agent, user, steps)
    twin = agent.load_user(stored(user, tmp_path / "user.npz"))
    assert same(user.to_arrays(), twin.to_arrays())
    assert decide(agent, user, 1000) == decide(agent, twin, 1000)
    assert same(user.to_arrays(), twin.to_arrays())


@pytest.mark.parametrize("name", [name for name in AGENTS if name != "linucb"])
def test_stored_between_ask_and_hear(name: str, tmp_path: Path) -> None:
    agent = agent_of(name)
    user = agent.new_user(seed=9)
    decide(agent, user, 31)
    while (asked := agent.ask(user)) is None:
        decide(agent, user, 1)
    twin = agent.load_user(stored(user, tmp_path / "user.npz"))
    assert twin.open == asked
    assert agent.ask(twin) == asked
    for each in (user, twin):
        agent.hear(each, asked, 0.3)
    assert decide(agent, user, 1000) == decide(agent, twin, 1000)


def test_other_users_decide_otherwise() -> None:
    """The comparison above can fail: another seed gives other decisions."""
    agent = agent_of("conlinucb random")
    assert decide(agent, agent.new_user(seed=1), 50) != decide(agent, agent.new_user(seed=2), 50)


@pytest.mark.parametrize("name", ["conlinucb ucb", "conucb ucb"])
def test_arrays_are_copies(name: str) -> None:
    agent = agent_of(name)
    user = agent.new_user()
    decide(agent, user, 20)
    taken, kept = user.to_arrays(), user.to_arrays()
    decide(agent, user, 20)
    assert same(taken, kept)
    twin = agent.load_user(taken)
    decide(agent, twin, 20)
    assert same(taken, kept)
    theta = user.theta
    for array in (*taken.values(), theta):
        if array.flags.writeable:
            array[...] = 0
    assert same(user.to_arrays(), twin.to_arrays())


def good_arrays() -> Arrays:
    agent = agent_of("conlinucb ucb")
    user = agent.new_user()
    decide(agent, user, 10)
    while agent.ask(user) is None:
        decide(agent, user, 1)
    return user.to_arrays()


def test_another_estimator_prior_or_dimension_is_refused() -> None:
    arrays = good_arrays()
    others = (
        cl.conucb(catalog()),
        cl.conlinucb(catalog(), beta=0.5),
        cl.conlinucb(catalog(d=5)),
    )
    for other in others:
        with pytest.raises(cl.IncompatibleState):
            other.load_user(arrays)
    with pytest.raises(cl.IncompatibleState):
        cl.conucb(catalog(), mix=0.4).load_user(cl.conucb(catalog()).new_user().to_arrays())


def test_alpha_and_strategy_are_no_part_of_a_state() -> None:
    arrays = good_arrays()
    other = cl.conlinucb(catalog(), strategy="random", alpha=3.0)
    assert same(other.load_user(arrays).to_arrays(), arrays)


DAMAGE: dict[str, tuple[str, Any]] = {
    "a later format": ("format", np.array(2)),
    "no number as format": ("format", np.array("one")),
    "two formats": ("format", np.array([1, 1])),
    "an unknown kind": ("kind", np.frombuffer(b"{}", dtype=np.uint8)),
    "a kind that is no text": ("kind", np.array([255, 254], dtype=np.uint8)),
    "too few counts": ("counts", np.array([1, 2])),
    "too many counts": ("counts", np.array([1, 2, 3, 4])),
    "counts without axis": ("counts", np.array(1)),
    "negative counts": ("counts", np.array([-1, 2, 0])),
    "counts that are not whole": ("counts", np.array([1.5, 2.0, 0.0])),
    "counts that are not finite": ("counts", np.array([np.nan, 2.0, 0.0])),
    "an open question of three numbers": ("open", np.array([0, 1, 2])),
    "an open question of five numbers": ("open", np.array([0, 1, 2, 3, 4])),
    "an open question of an unknown kind": ("open", np.array([2, 1, 2, 3])),
    "an open question of a negative kind": ("open", np.array([-1, 1, 2, 3])),
    "an open question about a negative index": ("open", np.array([0, -1, 2, 3])),
    "an open question about a term that is not there": ("open", np.array([0, 99, 2, 3])),
    "two seeds": ("seed", np.array([1, 2], dtype=np.uint64)),
    "a seed that is no number": ("seed", np.array("x")),
    "a negative seed": ("seed", np.array(-1)),
    "P of another shape": ("state_P", np.eye(3)),
    "P of another type": ("state_P", np.eye(4, dtype=np.float32)),
    "P that is not finite": ("state_P", np.full((4, 4), np.nan)),
    "theta that is infinite": ("state_theta", np.full(4, np.inf)),
    "P that is negative": ("state_P", -np.eye(4)),
    "M that is zero": ("state_M", np.zeros((4, 4))),
    "counts beyond all use": ("counts", np.array([2**62, 0, 0])),
    "update counts that are no integers": ("state_counts", np.zeros(3)),
    "more pending than there is room for": ("state_counts", np.array([0, 10**9, 0])),
    "fewer pending than none": ("state_counts", np.array([0, -3, 0])),
    "an unknown condition": ("state_counts", np.array([0, 0, 2])),
    "a key-term that is not there": ("times", np.array([[10**6, 1]])),
    "a count below 0": ("times", np.array([[0, -1]])),
    "times of another shape": ("times", np.array([0, 1])),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_damaged_arrays_are_refused(damage: str) -> None:
    name, array = DAMAGE[damage]
    with pytest.raises(cl.IncompatibleState):
        agent_of("conlinucb ucb").load_user({**good_arrays(), name: array})


def test_how_often_terms_came_up_may_be_missing() -> None:
    """Arrays of before it was noted can still be loaded."""
    arrays, agent = good_arrays(), agent_of("conlinucb ucb")
    assert agent.load_user(arrays).times == {int(k): int(n) for k, n in arrays.pop("times")} != {}
    assert agent.load_user(arrays).times == {}


@pytest.mark.parametrize("name", sorted(set(good_arrays()) - {"times"}))
def test_missing_arrays_are_refused(name: str) -> None:
    arrays = good_arrays()
    del arrays[name]
    with pytest.raises(cl.IncompatibleState, match=name):
        agent_of("conlinucb ucb").load_user(arrays)
