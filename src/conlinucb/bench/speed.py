"""How fast the engine is, always as a ratio to something measured in the same run."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from conlinucb.agent.agent import Agent
from conlinucb.bench import later
from conlinucb.bench.baselines import BATCHED, all_users, one_user
from conlinucb.bench.problem import ALGORITHMS, Setting
from conlinucb.bench.shared import SHARED
from conlinucb.simulation.job import versions
from conlinucb.simulation.simulate import simulate

GROWTH: dict[str, tuple[int, ...]] = {
    "d": (10, 50, 100, 200),
    "pool": (25, 50, 100, 200, 500),
    "terms": (125, 500, 2000),
    "users": (40, 400),
}


def best_of(times: int, work: Callable[[], Any]) -> float:
    """The least of several wall times: what the machine can do when left alone."""
    least = float("inf")
    for _ in range(times):
        start = time.perf_counter()
        work()
        least = min(least, time.perf_counter() - start)
    return least


def engine_rate(setting: Setting, algorithm: str, rounds: int = 1000, times: int = 3) -> float:
    """User-rounds a second of ``simulate`` with all threads."""
    return agent_rate(setting, setting.agent(algorithm), rounds, times)


def agent_rate(setting: Setting, agent: Agent, rounds: int, times: int = 3) -> float:
    """The same of any agent; people come interleaved, which matters where they share."""
    agents, people = {"it": agent}, setting.people
    play = partial(simulate, agents, people, log=1, progress=False, arrivals="interleaved")
    play(rounds=2)
    seconds = best_of(times, lambda: play(rounds=rounds))
    return setting.users * rounds / seconds


def loop_rate(setting: Setting, algorithm: str, rounds: int, *, tuned: bool) -> float:
    """Rounds a second of the NumPy loop over one user."""
    return rounds / best_of(2, lambda: one_user(setting, algorithm, rounds, tuned=tuned))


def batched_rate(setting: Setting, algorithm: str, rounds: int = 40) -> float:
    """User-rounds a second of NumPy batched over users; about as many questions a round."""
    people = replace(setting, users=min(setting.users, 100))
    return people.users * rounds / best_of(2, lambda: all_users(people, algorithm, rounds))


def product_rate(n: int = 1500) -> float:
    """Multiply-adds a second of a large matrix product."""
    a = np.random.default_rng(0).normal(size=(n, n))
    return float(n**3 / best_of(3, lambda: a @ a))


def multiply_adds(setting: Setting) -> float:
    """Multiply-adds of one round of LinUCB by its definition, every radius included.

    The pool's means and radii, v = Px, and the updates of P and M.
    """
    d = setting.d
    return setting.pool * (d + d * d) + 3 * d * d


def measure(quick: bool = False) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield (part, row) as they are measured; ``quick`` leaves out growth with size."""
    setting, rounds = Setting(), 200 if quick else 1000
    product = product_rate()
    yield "machine", {"product_multiply_adds": product, **versions()}
    for algorithm in ALGORITHMS:
        row: dict[str, Any] = {"algorithm": algorithm}
        row["engine"] = engine_rate(setting, algorithm, rounds)
        for name, tuned in (("loop", False), ("tuned", True)):
            row[name] = loop_rate(setting, algorithm, rounds, tuned=tuned)
            row[f"times_{name}"] = row["engine"] / row[name]
        row["batched"] = batched_rate(setting, algorithm) if algorithm in BATCHED else None
        row["times_batched"] = row["engine"] / row["batched"] if row["batched"] else None
        row["of_product"] = row["engine"] * multiply_adds(setting) / product
        yield "algorithms", row
    for name, build in SHARED.items():
        rate = agent_rate(setting, build(setting), rounds // 5, times=2)
        yield "shared", {"algorithm": name, "engine": rate}
    yield from later.measure(setting, rounds)
    if not quick:
        yield from _growth(setting)
    yield "paper", paper_setting(2 if quick else 10)


def _growth(setting: Setting) -> Iterator[tuple[str, dict[str, Any]]]:
    for size, values in GROWTH.items():
        for value in values:
            changed = replace(setting, **{"users": 40, size: value})
            for algorithm in ALGORITHMS:
                rate = engine_rate(changed, algorithm, rounds=500, times=2)
                yield (
                    "growth",
                    {
                        "size": size,
                        "value": value,
                        "algorithm": algorithm,
                        "seconds": changed.users * 500 / rate,
                        "microseconds": 1e6 / rate,
                        "bytes": _memory(changed, algorithm),
                    },
                )


def _memory(setting: Setting, algorithm: str) -> int:
    """Most bytes that a run holds beyond the catalogue and the people."""
    agents, people = {algorithm: setting.agent(algorithm)}, setting.people
    tracemalloc.start()
    simulate(agents, people, rounds=60, log=1, progress=False)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most


def paper_setting(repeats: int) -> dict[str, Any]:
    """Six algorithms, 200 users, 1,000 rounds, in one call."""
    setting = Setting()
    agents = {name: setting.agent(name) for name in ALGORITHMS}
    start = time.perf_counter()
    results = simulate(agents, setting.people, rounds=1000, repeats=repeats, progress=False)
    seconds = time.perf_counter() - start
    regrets = {name: float(results.final_regret(name).mean()) for name in ALGORITHMS}
    return {"repeats": repeats, "seconds": seconds, "regret": regrets}
