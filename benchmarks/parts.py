"""Where the time of a compiled round goes: each part alone, ``python -m benchmarks.parts``.

Microseconds of the processor at d = 50, pools of 50 of 5,000 arms, after 500 updates.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numba import njit

import conlinucb as cl
from conlinucb.agent.estimators.kernels import LEARNS, SCORES
from conlinucb.agent.estimators.state import STATE
from conlinucb.numerics.compile import FLOAT, INDEX, INT, MATRIX, SHORTS, SINGLES, VECTOR, VOID
from conlinucb.simulation.loop.pick import rough_products
from conlinucb.simulation.prepared import make_world, prepare

TIMES = 20_000


def least(work: Callable[[int], Any], times: int = TIMES) -> float:
    """Microseconds of one of ``times``, the least of five runs."""
    work(10)
    found = []
    for _ in range(5):
        start = time.thread_time()
        work(times)
        found.append((time.thread_time() - start) / times * 1e6)
    return min(found)


@njit(VOID(INT, LEARNS, STATE, VECTOR, MATRIX, VECTOR))
def learn_often(n: int, learn: Any, state: Any, constants: Any, arms: Any, v: Any) -> None:
    """Updates by one arm after the other."""
    for i in range(n):
        learn(state, constants, 0, arms[(i * 37) % arms.shape[0]], 0.3, 1.0, v)


@njit(VOID(INT, SCORES, STATE, VECTOR, MATRIX, INDEX, INT, VECTOR, VECTOR, MATRIX))
def score_often(
    n: int,
    score: Any,
    state: Any,
    width: Any,
    arms: Any,
    which: Any,
    k: int,
    r: Any,
    e: Any,
    s: Any,
) -> None:
    """Radii and exploration of k arms."""
    for _ in range(n):
        score(state, width, arms, which, k, r, e, s)


@njit(VOID(INT, SINGLES, FLOAT, INDEX, VECTOR, SHORTS, VECTOR))
def rough_often(n: int, arms: Any, longest: float, pool: Any, theta: Any, v: Any, out: Any) -> None:
    """Means of one pool after the other."""
    for i in range(n):
        start = (i % 100) * 50
        rough_products(arms, longest, pool[start : start + 50], theta, v, out)


def main() -> None:
    """Print a line for each part."""
    catalog = cl.datasets.synthetic(seed=0).catalog
    taste = np.random.default_rng(1).normal(size=(1, catalog.d))
    met = cl.LinearUsers(taste).meet(catalog, 5, 0)
    print(f"pools, values and noise  {least(lambda n: met.rounds(1, n), 1000):6.2f}")
    for name, agent in (("one matrix", cl.linucb(catalog)), ("two steps", cl.conucb(catalog))):
        for part, seconds in parts_of(agent):
            print(f"{name + ', ' + part:30s} {seconds:6.2f}")


def parts_of(agent: cl.Agent) -> Iterator[tuple[str, float]]:
    """The parts that depend on the estimator."""
    world, ready = make_world(agent.catalog), prepare(agent, 1000, lazy=True, timed=False)
    state, work = ready.newcomer(), ready.workspace(world, 50)
    learn, score = ready.kernels[2:4]
    learning = learn, state, ready.algorithm.learning, world.arms, work.v
    learn_often(500, *learning)
    pool = np.random.default_rng(0).permutation(5000)
    rough = world.short_arms, world.longest, pool, state.vectors[0], work.short, work.scores
    radii, extras = work.found[:4], work.found[4:]
    look = score, state, ready.algorithm.widths[0], world.arms, pool[:4].copy(), 4
    yield "50 rough means", least(lambda n: rough_often(n, *rough))
    yield "four radii", least(lambda n: score_often(n, *look, radii, extras, work.scratch))
    yield "one update", least(lambda n: learn_often(n, *learning))


if __name__ == "__main__":
    main()
