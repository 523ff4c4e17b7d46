"""Logs of made-up people who like some tags, small enough to be played in a test."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from conlinucb.datasets import Interactions, interactions
from conlinucb.experiments.people.benchmark import Benchmark, Size
from conlinucb.experiments.people.task import Log, Task, own_task
from conlinucb.experiments.people.world import World

PEOPLE, ITEMS, TAGS = 60, 80, 15
LEAST = 20
SMALL = Size(splits=2, people=4, trials=1, quick=True)


def tables(
    implicit: bool, people: int = PEOPLE, items: int = ITEMS, seed: int = 0
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Who met what, and the items' tags: everybody likes some tags, and some items are known
    to everybody."""
    rng = np.random.default_rng(seed)
    has = rng.random((items, TAGS)) < 0.2
    has[np.arange(items), np.arange(items) % TAGS] = True
    tastes = rng.normal(0.0, 1.0, (people, TAGS)) * (rng.random((people, TAGS)) < 0.4)
    liking = tastes @ has.T / np.sqrt(has.sum(axis=1)) + rng.normal(0.0, 0.7, items)
    noisy = liking + 0.3 * rng.gumbel(size=liking.shape)
    met = np.argsort(-noisy if implicit else rng.random(liking.shape), axis=1)
    counts = rng.integers(LEAST, 31, people) if implicit else rng.integers(42, 60, people)
    rows = [(u, i) for u in range(people) for i in met[u, : counts[u]]]
    who, what = np.array(rows).T
    log: dict[str, Any] = {"person": who, "item": [f"item {i}" for i in what]}
    if not implicit:
        stars = np.round(3 + liking[who, what] + 0.5 * rng.normal(size=who.size))
        log["value"] = np.clip(stars, 1, 5)
    item, tag = np.nonzero(has)
    return log, {"item": [f"item {i}" for i in item], "tag": [f"tag {k}" for k in tag]}


def some_log(implicit: bool, **sizes: int) -> Interactions:
    name = "plays" if implicit else "stars"
    return interactions(*tables(implicit, **sizes), name=name, implicit=implicit)


def some_task(implicit: bool, **changes: Any) -> Task:
    given: dict[str, Any] = {"people_directions": 5, "tag_directions": 8, "draws": 1, **changes}
    task = own_task(some_log(implicit), LEAST)
    return Task(**{**vars(task), **given})


def some_world(implicit: bool, split: int = 1) -> World:
    task = some_task(implicit)
    return World(Log(task.data()), task, split)


def some_benchmark(implicit: bool, out: Path, size: Size = SMALL, **changes: Any) -> Benchmark:
    return Benchmark(some_task(implicit, **changes), out, size)
