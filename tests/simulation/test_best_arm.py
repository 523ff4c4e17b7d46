"""The loop's choice of an arm, lazy or not, beside one that computes every score."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

import conlinucb as cl
from conlinucb.agent.estimators.kernels import SCORES
from conlinucb.agent.estimators.state import STATE
from conlinucb.numerics.compile import FLOAT, INDEX, INT, VECTOR, Kernel
from conlinucb.simulation.loop.inputs import WORLD, World
from conlinucb.simulation.loop.pick import best_arm, rough_products
from conlinucb.simulation.loop.workspace import WORKSPACE, Workspace, new_workspace
from support.matrices import Floats, close, lower, positive_definite

N = 40


def _harness(
    world: Any, state: Any, score: Any, direction: Any, width: Any, bound: float, pool: Any,
    work: Any, lazy: int,
) -> int:  # fmt: skip
    return best_arm(
        world.arms, world.short_arms, world.longest, state, score, direction, width, bound, pool,
        work.bounds, work.scores, work.true, work.few, work.found, work.scratch, work.short, lazy,
    )  # fmt: skip


choose: Kernel[Any, int] = Kernel(
    _harness,
    INT(WORLD, STATE, SCORES, VECTOR, VECTOR, FLOAT, INDEX, WORKSPACE, INT),
    cached=False,
)


class Case(NamedTuple):
    world: World
    estimator: cl.Estimator
    state: cl.State
    width: Floats
    ratio: float
    """The exploration is at most this times the radius."""
    scores: Floats
    """(N,), by NumPy."""
    radii: Floats


def make_world(arms: Floats) -> World:
    longest = float(np.linalg.norm(arms, axis=1).max())
    wide = np.pad(arms / longest, ((0, 0), (0, -arms.shape[1] % 16)))
    none = np.empty(0, dtype=np.int64)
    return World(arms, wide.astype(np.float32), longest, arms[:0], none, none, np.empty(0))


def case(seed: int, two_steps: bool, *, alpha: float = 1.0) -> Case:
    rng = np.random.default_rng(seed)
    d = int(rng.integers(1, 20))
    arms = rng.normal(size=(N, d))
    arms[N // 2 :] = arms[: N // 2]  # ties
    P, term_P, theta = positive_definite(rng, d), positive_definite(rng, d), rng.normal(size=d)
    estimator: cl.Estimator = cl.TwoStep() if two_steps else cl.Ridge()
    state = estimator.new_state(d)
    state.matrices[0], state.vectors[0] = lower(P), theta
    radii = np.sqrt(np.diag(arms @ P @ arms.T))
    extras, ratio = alpha * radii, alpha
    width = np.array([alpha, 0.5 * alpha])
    if two_steps:
        state.matrices[2] = lower(term_P)
        second = np.sqrt(np.diag(arms @ P @ term_P @ P @ arms.T))
        extras = extras + 0.5 * alpha * second
        ratio += 0.5 * alpha * np.sqrt(np.linalg.norm(P, 2) * np.linalg.norm(term_P, 2))
    world = make_world(arms)
    return Case(world, estimator, state, width, ratio, arms @ theta + extras, radii)


def workspace(of: Case, rng: np.random.Generator) -> Workspace:
    """With bounds that are too large by any amount."""
    bounds = of.radii * (1 + rng.exponential(0.3, size=N))
    d = of.world.arms.shape[1]
    return new_workspace(bounds, np.empty(0), N, 0, d, of.world.short_arms.shape[1])


def first_of_the_best(scores: Floats) -> int:
    best = scores.max()
    return int(np.flatnonzero(scores >= best - 1e-9 * max(1.0, abs(best)))[0])


def chosen(of: Case, pool: NDArray[np.int64], work: Workspace, lazy: int) -> int:
    assert of.estimator.kernels is not None
    score = of.estimator.kernels.score.compiled
    now = of.state, score, of.state.theta, of.width, of.ratio
    return choose(of.world, *now, pool, work, lazy)


@pytest.mark.parametrize("lazy", [0, 1])
@pytest.mark.parametrize("two_steps", [False, True])
def test_the_best_arm(two_steps: bool, lazy: int) -> None:
    looked = 0
    for seed in range(200):
        of = case(seed, two_steps)
        rng = np.random.default_rng(seed)
        pool = rng.permutation(N)[: rng.integers(1, N + 1)]
        work = workspace(of, rng)
        before = work.bounds.copy()
        assert chosen(of, pool, work, lazy) == first_of_the_best(of.scores[pool])
        true = pool[work.true[: pool.size] == 1]
        close(work.bounds[true], of.radii[true])
        others = np.setdiff1d(np.arange(N), true)
        assert np.array_equal(work.bounds[others], before[others])
        looked += true.size
        assert lazy or true.size == pool.size
    assert not lazy or looked < 0.75 * 200 * N / 2


@pytest.mark.parametrize("lazy", [0, 1])
def test_without_exploration_the_bounds_are_left_alone(lazy: int) -> None:
    for seed in range(100):
        of = case(seed, two_steps=False, alpha=0.0)
        rng = np.random.default_rng(seed)
        work, pool = workspace(of, rng), rng.permutation(N)[:17]
        before = work.bounds.copy()
        assert chosen(of, pool, work, lazy) == first_of_the_best(of.scores[pool])
        assert np.array_equal(work.bounds, before)


@pytest.mark.parametrize("size", [1e-8, 1.0, 1e8])
def test_rough_products_are_as_near_as_they_say(size: float) -> None:
    for seed in range(50):
        rng = np.random.default_rng(seed)
        d = int(rng.integers(1, 70))
        world, theta = make_world(size * rng.normal(size=(N, d))), rng.normal(size=d) / size
        pool, width = rng.permutation(N)[:11], world.short_arms.shape[1]
        out = np.empty(11)
        short = np.zeros(width, dtype=np.float32)
        error = rough_products(world.short_arms, world.longest, pool, theta, short, out)
        exact = world.arms[pool] @ theta
        assert (np.abs(out - exact) <= error).all()
        assert error < 1e-4 * world.longest * np.linalg.norm(theta)
    nothing = np.zeros(d)
    assert rough_products(world.short_arms, world.longest, pool, nothing, short, out) == 0.0
    assert not out.any()
