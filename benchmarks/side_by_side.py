"""MABWiser, river, Coba and this package on one problem, in turns on one machine:
``OPENBLAS_NUM_THREADS=1 python -m benchmarks.side_by_side``.

Rewards are z'x plus noise, z a person's features and x an item's. MABWiser and river are told z and
learn a model for each item; Coba's learner and ours are told x and learn one for each person. Every
round someone comes, is recommended one of all items, and gives a reward that is learned from. Time
is the processor's, on one thread. Libraries that are not installed are left out:
``pip install mabwiser river coba``.
"""

from __future__ import annotations

import importlib
import os
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import conlinucb as cl
from conlinucb.numerics.validation import Floats

PEOPLE, ITEMS, FEATURES, ROUNDS = 20, 50, 10, 2000
ALPHA = 0.5
TURNS = 3


class Problem:
    """Who comes when, and what every item would bring."""

    def __init__(self, seed: int = 0) -> None:
        rng = np.random.default_rng(seed)
        self.people = _unit(rng.normal(size=(PEOPLE, FEATURES)))
        self.items = _unit(rng.normal(size=(ITEMS, FEATURES)))
        self.comes = np.arange(ROUNDS) % PEOPLE
        self.expected: Floats = (self.people @ self.items.T)[self.comes]
        self.rewards: Floats = self.expected + 0.1 * rng.normal(size=(ROUNDS, ITEMS))


def _unit(rows: Floats) -> Floats:
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True))


def by_mabwiser(problem: Problem) -> float:
    """Mean reward; the first round is the fit that MABWiser asks for."""
    module = importlib.import_module("mabwiser.mab")
    policy = module.LearningPolicy.LinUCB(alpha=ALPHA, l2_lambda=1.0)
    mab, total = module.MAB(list(range(ITEMS)), policy), 0.0
    for t, person in enumerate(problem.comes):
        context = problem.people[[person]]
        item = mab.predict(context) if t else 0
        reward = problem.rewards[t, item]
        (mab.partial_fit if t else mab.fit)([item], [reward], context)
        total += reward
    return total / ROUNDS


def by_river(problem: Problem) -> float:
    """Mean reward."""
    policy = importlib.import_module("river.bandit").LinUCBDisjoint(seed=0)
    contexts = [dict(enumerate(map(float, row))) for row in problem.people]
    items, total = list(range(ITEMS)), 0.0
    for t, person in enumerate(problem.comes):
        item = policy.pull(items, context=contexts[person])
        policy.update(item, contexts[person], float(problem.rewards[t, item]))
        total += problem.rewards[t, item]
    return total / ROUNDS


def by_coba(problem: Problem) -> float:
    """Mean reward; a learner for each person."""
    learner = importlib.import_module("coba.learners").LinUCBLearner
    learners = [learner(alpha=ALPHA, features=["a"]) for _ in range(PEOPLE)]
    actions, total = [tuple(row) for row in problem.items.tolist()], 0.0
    places = {action: item for item, action in enumerate(actions)}
    for t, person in enumerate(problem.comes):
        action, probability = learners[person].predict(None, actions)
        reward = problem.rewards[t, places[action]]
        learners[person].learn(None, action, reward, probability)
        total += reward
    return total / ROUNDS


def by_conlinucb(problem: Problem) -> float:
    """Mean reward: the same LinUCB by recommend and learn, without questions."""
    agent = cl.linucb(cl.Catalog(problem.items, np.ones((ITEMS, 1))), beta=1.0, alpha=ALPHA)
    users, total = [agent.new_user(seed) for seed in range(PEOPLE)], 0.0
    for t, person in enumerate(problem.comes):
        item = int(agent.recommend(users[person]).arms[0])
        agent.learn(users[person], item, problem.rewards[t, item])
        total += problem.rewards[t, item]
    return total / ROUNDS


def by_simulate(problem: Problem) -> float:
    """Mean reward of the same people in the compiled loop, with noise of its own."""
    agent = cl.linucb(cl.Catalog(problem.items, np.ones((ITEMS, 1))), beta=1.0, alpha=ALPHA)
    people = cl.LinearUsers(problem.people, noise=0.1, pool_size=ITEMS)
    rounds = ROUNDS // PEOPLE
    results = cl.simulate({"LinUCB": agent}, people, rounds=rounds, threads=1, progress=False)
    return float(results.curve("LinUCB", "reward").mean[-1]) / rounds


PLAYERS: dict[str, Callable[[Problem], float]] = {
    "mabwiser": by_mabwiser,
    "river": by_river,
    "coba": by_coba,
    "conlinucb": by_conlinucb,
    "conlinucb, simulate": by_simulate,
}


def measured() -> Iterator[tuple[str, float, float]]:
    """Name, least microseconds a round over the turns, and mean reward."""
    problem = Problem()
    found: dict[str, list[float]] = {}
    rewards: dict[str, float] = {}
    for _ in range(TURNS):
        for name, play in PLAYERS.items():
            start = time.process_time()
            try:
                rewards[name] = play(problem)
            except ModuleNotFoundError as error:
                print(f"{name} is left out: {error}")
                continue
            found.setdefault(name, []).append(time.process_time() - start)
    for name, seconds in found.items():
        yield name, min(seconds) / ROUNDS * 1e6, rewards[name]


def version_of(name: str) -> str:
    """The version that is measured."""
    module: Any = importlib.import_module("importlib.metadata")
    return cl.__version__ if name.startswith("conlinucb") else str(module.version(name))


def main() -> None:
    """Print one row for each."""
    if os.environ.get("OPENBLAS_NUM_THREADS") != "1":
        print("OPENBLAS_NUM_THREADS is not 1: small products may wait for threads.")
    warnings.simplefilter("ignore")
    problem = Problem()
    print(f"{PEOPLE} people, {ITEMS} items, d = {FEATURES}, {ROUNDS} rounds, best of {TURNS} turns")
    any_item, best = problem.expected.mean(), problem.expected.max(axis=1).mean()
    print(f"mean reward of any item {any_item:.3f}, of the best {best:.3f}")
    for name, microseconds, reward in measured():
        speed = f"{microseconds:8.1f} us a round"
        print(f"{name:20} {version_of(name):8} {speed}, mean reward {reward:.3f}")


if __name__ == "__main__":
    main()
