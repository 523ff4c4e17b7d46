"""How much less regret than ConUCB, in percent, when one thing about Figure 1a is changed."""

from __future__ import annotations

from typing import Any

import numpy as np

import conlinucb as cl
from conlinucb.datasets import synthetic
from conlinucb.experiments.algorithms import authors_constants, build

NAMES = ("ConUCB", "UCB", "BS", "MCR")
AUTHORS: dict[str, Any] = {
    "seed": 0,
    "zero_based": True,
    "shared_noise": True,
    "noise": 0.1,
    "changed": {},
}
CHANGES: dict[str, dict[str, Any]] = {
    "as it stands": {},
    **{f"data drawn with seed {seed}": {"seed": seed} for seed in range(1, 8)},
    "rounds counted from 1": {"zero_based": False},
    "independent noise": {"shared_noise": False},
    "no noise at all": {"noise": 0.0},
    "beta 0.15 for UCB": {"changed": {"UCB": {"beta": 0.15}}},
}


def improvements(*, seed: int, zero_based: bool, changed: Any, noise: float, **chance: Any) -> str:
    """Play 100 people twice for 1,000 rounds and compare."""
    data = synthetic(graph="dense", normalized=False, seed=seed, users=100)
    schedule = cl.Logarithmic(5, zero_based=zero_based)
    agents = {
        name: build(
            name,
            data.catalog,
            {**authors_constants(name, "synthetic"), **changed.get(name, {})},
            schedule,
        )
        for name in NAMES
    }
    thetas = np.asarray(data.thetas)
    people = cl.LinearUsers(thetas, noise=noise, term_noise=noise, **chance)
    results = cl.simulate(agents, people, rounds=1000, repeats=2, seed=seed)
    gains = {name: 100 * results.compare(name, "ConUCB").improvement for name in NAMES[1:]}
    return ", ".join(f"{name} {gain:.1f}" for name, gain in gains.items())


if __name__ == "__main__":
    for label, change in CHANGES.items():
        print(f"{label}: {improvements(**{**AUTHORS, **change})}")
