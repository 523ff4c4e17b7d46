"""The search on the first split: as many trials for each of those that have constants."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice, product
from pathlib import Path

from conlinucb.experiments.algorithms import Parameters
from conlinucb.experiments.people.baselines import Factorisation, Neighbours
from conlinucb.experiments.people.contenders import (
    FACTORISATION,
    NEIGHBOURS,
    PUBLISHED,
    Contender,
    published,
)
from conlinucb.experiments.people.figures import share
from conlinucb.experiments.people.run import scored
from conlinucb.experiments.people.talk import Start, Unasked
from conlinucb.experiments.people.task import ROUNDS
from conlinucb.experiments.people.world import World
from conlinucb.experiments.tuning import trials
from conlinucb.numerics.validation import Indices
from conlinucb.progress import Progress

TRIALS = 12
SHRINKS, PULLS = (3.0, 10.0, 30.0, 100.0), (0.3, 1.0, 3.0)
FACTORS, RIDGES = (5, 10, 20, 40), (3.0, 10.0, 30.0)


def candidates(count: int) -> Iterator[tuple[str, Parameters, Callable[[World], Start]]]:
    """Every trial: whose it is, its settings, and how it enters."""
    for name in PUBLISHED:
        for point in trials(name, "real", count, seed=0):
            yield name, point, partial(published, name, point)
    for shrink, pull in islice(product(SHRINKS, PULLS), count):
        yield NEIGHBOURS, {"shrink": shrink, "pull": pull}, partial(_near, shrink, pull)
    for factors, pull in islice(product(FACTORS, RIDGES), count):
        yield FACTORISATION, {"factors": factors, "pull": pull}, partial(_factors, factors, pull)


def chosen_settings(
    world: World, tested: Indices, folder: Path, bar: Progress, count: int = TRIALS
) -> dict[str, Parameters]:
    """For each that is tuned the settings with the most in all rounds."""
    best: dict[str, tuple[float, Parameters]] = {}
    for place, (name, point, enter) in enumerate(candidates(count)):
        contender = Contender(f"{name} {place}", "tuned", enter)
        scores = scored(world, contender, tested, folder / f"trial-{place}.npz", bar)
        gains, most = share(scores, ROUNDS, world.log.data.implicit)
        reached = float(gains.sum() / most.sum())
        if name not in best or reached > best[name][0]:
            best[name] = reached, point
    return {name: point for name, (_, point) in best.items()}


def _near(shrink: float, pull: float, world: World) -> Start:
    made = Neighbours(world.table, shrink, pull)
    return lambda person: Unasked(made)


def _factors(factors: int, pull: float, world: World) -> Start:
    made = Factorisation(world.table, factors, pull)
    return lambda person: Unasked(made)
