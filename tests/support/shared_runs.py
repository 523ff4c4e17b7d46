"""Simulations of people who share, by the plain reference and in the same order of visits."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

import conlinucb as cl
from conlinucb.randomness import VISIT, derive, uniform
from support.reference import Estimate, Floats, OneStep, Reference, TwoSteps, linear
from support.sharing import ByMeans, ByPhases, Crowd

PEOPLE = 9
SLOPE = 0.4
KINDS = np.arange(PEOPLE) % 3
RECIPES: dict[str, tuple[Any, dict[str, Any], str | None]] = {
    "linucb": (cl.linucb, {"beta": 0.7, "alpha": 0.4}, None),
    "arm_con": (cl.arm_con, {"beta": 0.7, "alpha": 0.4}, "arm"),
    "conucb": (cl.conucb, {"mix": 0.4, "term_beta": 0.6}, "optimal-greedy"),
    "max-radius": (cl.conlinucb, {"beta": 0.3, "alpha": 0.4}, "max-radius"),
    "ucb": (cl.conlinucb, {"beta": 0.3, "alpha": 0.4, "strategy": "ucb"}, "ucb"),
}
SHARINGS: dict[str, cl.Sharing] = {
    "clusters": cl.Clusters(a=0.5),
    "k-means": cl.KMeans(3, every=50),
    "groups": cl.Groups(KINDS.tolist()),
    "answers": cl.Groups(KINDS.tolist(), what="answers"),
}


@dataclass(frozen=True, eq=False)
class World:
    """A random catalogue, and people of three kinds."""

    arms: Floats
    weights: Floats
    tastes: Floats
    catalog: cl.Catalog = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "catalog", cl.Catalog(self.arms, self.weights))

    @property
    def people(self) -> cl.LinearUsers:
        return cl.LinearUsers(self.tastes, pool_size=8, offered_size=9)


def world(d: int = 5, seed: int = 0) -> World:
    rng = np.random.default_rng([seed, 18])
    arms = rng.normal(size=(40, d))
    arms /= np.linalg.norm(arms, axis=1, keepdims=True)
    weights = np.where(rng.random((40, 12)) < 0.2, rng.uniform(0.1, 1.0, (40, 12)), 0.0)
    weights[rng.integers(40, size=12), np.arange(12)] += 0.5
    near = rng.normal(size=(3, d))[KINDS] + 0.02 * rng.normal(size=(PEOPLE, d))
    return World(arms, weights, near / np.linalg.norm(near, axis=1, keepdims=True))


def agent_of(recipe: str, sharing: cl.Sharing | None, here: World) -> cl.Agent:
    make, options, strategy = RECIPES[recipe]
    asks = {} if strategy is None else {"schedule": cl.Linear(SLOPE)}
    agent: cl.Agent = make(here.catalog, **options, **asks, sharing=sharing)
    return agent


def reference_of(recipe: str, sharing: str, here: World, seeds: list[int]) -> Crowd:
    _, options, strategy = RECIPES[recipe]
    d = here.arms.shape[1]

    def estimate() -> Estimate:
        if recipe == "conucb":
            return TwoSteps(d, options["mix"], options["term_beta"], 0.25, 0.25)
        return OneStep(d, options["beta"], options["alpha"])

    b = linear(0 if strategy is None else SLOPE)
    people = [Reference(here.arms, here.weights, estimate(), strategy, b, seed) for seed in seeds]
    rules: dict[str, Any] = {"clusters": ByPhases(0.5), "k-means": ByMeans(3, 50)}
    rule = rules.get(sharing)
    first = KINDS.copy() if rule is None else np.zeros_like(KINDS)
    what = "answers" if sharing == "answers" else "everything"
    return Crowd(people, first, rule, what)


def order(people: cl.LinearUsers, seed: int, repeat: int, rounds: int) -> list[tuple[int, int]]:
    """(person, round from 1), all of them in the order of interleaved visits."""
    plan = []
    for user in range(len(people)):
        own, t, starts = np.uint64(people.user_seed(seed, repeat, user)), 1, []
        while t <= rounds:
            starts.append(t)
            t += 1 + int(4 * uniform(derive(derive(own, t), VISIT), 0))
        times = sorted(uniform(derive(derive(own, t), VISIT), 1) for t in starts)
        for i, (at, first) in enumerate(zip(times, starts, strict=True)):
            end = starts[i + 1] if i + 1 < len(starts) else rounds + 1
            plan += [(at, user, t) for t in range(first, end)]
    return [(user, t) for _, user, t in sorted(plan)]


@dataclass
class Told:
    """What everyone was recommended and asked, and who was with whom after each round."""

    arms: list[list[int]]
    asked: list[list[int]]
    groups: list[list[int]]
    errors: list[float]
    """How far what decides for each was off after the person's last round."""
    crowd: Crowd


def told(recipe: str, sharing: str, here: World, rounds: int, seed: int, repeat: int) -> Told:
    """A whole repeat by the plain reference."""
    people, catalog = here.people, here.catalog
    seeds = [people.user_seed(seed, repeat, user) for user in range(PEOPLE)]
    crowd = reference_of(recipe, sharing, here, seeds)
    found = Told([[] for _ in seeds], [[] for _ in seeds], [], [np.nan] * PEOPLE, crowd)
    rows = here.arms if recipe == "arm_con" else crowd.everyone[0].terms
    for user, t in order(people, seed, repeat, rounds):
        chance = people.draw(seed, repeat, user, t, questions=4, catalog=catalog)
        noises = chance.arm_noise if recipe == "arm_con" else chance.term_noise
        assert chance.offered is not None
        for i in range(crowd.questions_due(user)):
            found.asked[user].append(crowd.ask(user, chance.pool, chance.offered))
            about = found.asked[user][-1]
            crowd.hear(user, about, float(rows[about] @ here.tastes[user] + noises[i]))
        arm = crowd.recommend(user, chance.pool)
        found.arms[user].append(arm)
        crowd.learn(user, arm, float(here.arms[arm] @ here.tastes[user] + chance.noise))
        found.groups.append(crowd.groups.tolist())
        if t == rounds:
            away = crowd.arrive(user).estimate.theta - here.tastes[user]
            found.errors[user] = float(np.sqrt(np.sum(away**2)))
    return found
