"""Estimators of one's own: plain Python by hand, a learning kernel in the loop."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import conlinucb as cl
from conlinucb.agent.estimators import empty
from conlinucb.checks import check_estimator
from conlinucb.numerics.linalg import dot, times
from conlinucb.simulation.prepared import can_be_compiled
from support.meetings import assert_met_alike
from support.worlds import refused, same_state, small_catalog

CATALOG = small_catalog(arms=60, terms=9, d=5)
PEOPLE = cl.LinearUsers(np.random.default_rng(4).normal(size=(2, 5)) / 2, pool_size=9)


class Plain(cl.Estimator):
    """Ridge regression with nothing but new_state and learn_arm: M is inverted every time."""

    name = "plain"

    def new_state(self, d: int) -> cl.State:
        state = empty(d, matrices=2, vectors=2)
        state.matrices[:] = np.eye(d)
        return state

    def learn_arm(self, state: cl.State, x: Any, value: float, weight: float = 1.0) -> None:
        state.matrices[1] += weight * np.outer(x, x)
        state.vectors[1] += weight * value * x
        state.matrices[0] = np.linalg.inv(state.matrices[1])
        state.vectors[0] = state.matrices[0] @ state.vectors[1]


@cl.learn_kernel
def recursive(
    state: Any, constants: Any, source: int, x: Any, value: float, weight: float, scratch: Any
) -> int:
    """Sherman and Morrison."""
    P, theta = state.matrices[0], state.vectors[0]
    times(P, x, scratch)
    gain = weight / (1.0 + weight * dot(x, scratch))
    step = gain * (value - dot(x, theta))
    for i in range(x.shape[0]):
        theta[i] += step * scratch[i]
        for j in range(x.shape[0]):
            P[i, j] -= gain * scratch[i] * scratch[j]
    return 0


class Fast(cl.Estimator):
    """The same with a kernel, and nothing else."""

    name = "fast"
    kernels = cl.Kernels(recursive)

    def new_state(self, d: int) -> cl.State:
        state = empty(d)
        state.matrices[0] = np.eye(d)
        return state


def agents(estimator: cl.Estimator, **options: Any) -> dict[str, cl.Agent]:
    ways: dict[str, dict[str, Any]] = {
        "LinUCB": {"schedule": cl.Never()},
        "Arm-Con": {"schedule": cl.Linear(0.5), "asks": "arm"},
        "MCR": {"schedule": cl.Linear(1), "strategy": "max-radius"},
        "greed": {"schedule": cl.Linear(1), "strategy": "optimal-greedy"},
    }
    return {name: cl.Agent(CATALOG, estimator, **way, **options) for name, way in ways.items()}


@pytest.mark.parametrize("own", [Plain, Fast])
def test_an_estimator_of_ones_own_conforms(own: type[cl.Estimator]) -> None:
    check_estimator(own())
    check_estimator(own(alpha=0.3), d=8)


@pytest.mark.parametrize("select", ["ucb", "thompson", "greedy"])
@pytest.mark.parametrize("own", [Plain, Fast])
def test_it_gives_the_same_as_ridge(own: type[cl.Estimator], select: str) -> None:
    mine = agents(own(alpha=0.4), select=select)
    assert {can_be_compiled(each) for each in mine.values()} == {own is Fast}
    found = assert_met_alike(mine, PEOPLE, 60, users=1)
    ours = agents(cl.Ridge(beta=1.0, alpha=0.4), select=select)
    expected = cl.simulate(ours, PEOPLE, rounds=60, seed=4, trace=True)
    for name in mine:
        for user in range(2):
            for one, other in zip(
                found.trace(name, 0, user), expected.trace(name, 0, user), strict=True
            ):
                assert np.array_equal(one, other)
        np.testing.assert_allclose(
            found.metric(name, "error")[..., -1], expected.metric(name, "error")[..., -1], rtol=1e-9
        )


@pytest.mark.parametrize("own", [Plain, Fast])
def test_it_can_be_saved_and_named(own: type[cl.Estimator]) -> None:
    agent = agents(own(alpha=0.4))["MCR"]
    user = agent.new_user()
    for arm in range(9):
        agent.learn(user, arm, 0.3, weight=2.0)
    arrays = user.to_arrays()
    assert same_state(agent.load_user(arrays).to_arrays(), arrays)
    assert agent.parameters()["estimator"] == own.name
    assert agent.parameters()["alpha"] == 0.4
    other = cl.conlinucb(CATALOG)
    refused(lambda: other.load_user(arrays), own.name, cl.IncompatibleState)
    spec = cl.simulate({"mine": agent}, PEOPLE, rounds=1).spec
    assert own.__name__ in spec["agents"]["mine"]["estimator_code"]


def test_a_large_pool_is_the_same_too() -> None:
    from support.large_pools import Twins, catalog

    twins = Twins(cl.Agent(catalog("normal"), Fast(alpha=0.4), schedule=cl.Never()))
    for k in (1, 7, 100):
        twins.round(k)
    listed = twins.agent._ranking(twins.user)._shortlist(twins.agent.catalog.live_arms, 3)
    assert listed is not None


# Learning that is overridden


class Halved(Fast):
    """Answers count half: a subclass without a kernel of its own."""

    def learn_term(self, state: cl.State, x: Any, value: float, weight: float = 1.0) -> None:
        super().learn_term(state, x, value, weight / 2)


def test_learning_that_is_overridden_is_not_ignored() -> None:
    mine = agents(Halved(alpha=0.4))
    assert not can_be_compiled(mine["MCR"])
    found = assert_met_alike({"MCR": mine["MCR"]}, PEOPLE, 40)
    weighed = cl.Ridge(beta=1.0, alpha=0.4, answer_weight=0.5)
    expected = cl.simulate({"MCR": agents(weighed)["MCR"]}, PEOPLE, rounds=40, seed=4)
    np.testing.assert_allclose(
        found.metric("MCR", "error")[..., -1], expected.metric("MCR", "error")[..., -1], rtol=1e-9
    )


# Radii that grow


@cl.learn_kernel
def forgets(
    state: Any, constants: Any, source: int, x: Any, value: float, weight: float, scratch: Any
) -> int:
    """Sherman and Morrison; now and then everything is half forgotten."""
    recursive(state, constants, source, x, value, weight, scratch)
    state.counts[0] += 1
    if state.counts[0] % constants[0] != 0:
        return 0
    state.matrices[0] *= 1.8
    return 1


class Forgetful(Fast):
    name = "forgetful"
    kernels = cl.Kernels(forgets)

    def __init__(self, every: int) -> None:
        super().__init__(alpha=0.7)
        self.every = every

    def constants(self) -> Any:
        return np.array([float(self.every)])

    def new_state(self, d: int) -> cl.State:
        return super().new_state(d)._replace(counts=np.zeros(1, dtype=np.int64))


@pytest.mark.parametrize("every", [1, 2, 5])
def test_radii_that_grow_now_and_then_are_seen(every: int) -> None:
    """Pools differ from round to round: what is known of arms that are not there is stale, too."""
    mine = agents(Forgetful(every))
    found = assert_met_alike(mine, PEOPLE, 150)
    full = cl.simulate(mine, PEOPLE, rounds=150, seed=4, trace=True, lazy=False)
    for name in mine:
        for user in range(2):
            assert np.array_equal(found.trace(name, 0, user)[0], full.trace(name, 0, user)[0])


def test_what_an_estimator_lacks_is_said() -> None:
    class Nothing(cl.Estimator):
        name = "nothing"

    class Deaf(cl.Estimator):
        name = "deaf"

        def new_state(self, d: int) -> cl.State:
            return empty(d)

    refused(lambda: agents(Nothing())["LinUCB"].new_user(), "new_state", cl.InvalidInput)
    deaf = agents(Deaf())["LinUCB"]
    refused(lambda: deaf.learn(deaf.new_user(), 0, 1.0), "learn_arm", cl.InvalidInput)
    user = deaf.new_user()
    refused(lambda: deaf.influence(user, 0), "deaf", cl.InvalidInput)
    refused(lambda: deaf.take_over(user, deaf), "deaf", cl.InvalidInput)
    refused(lambda: cl.Agent(CATALOG, cl.Ridge, schedule=cl.Never()), "Estimator", cl.InvalidInput)  # type: ignore[arg-type]
