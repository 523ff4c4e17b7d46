"""Playing everybody with everybody: split by split, each contender kept and found again."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import numpy as np

from conlinucb import atomic
from conlinucb.errors import RankWarning
from conlinucb.experiments.people.contenders import Contender
from conlinucb.experiments.people.talk import Played, Start, play
from conlinucb.experiments.people.world import World
from conlinucb.numerics.validation import Floats, Indices
from conlinucb.progress import Progress

THREADS = 2


@dataclass(frozen=True, eq=False)
class Scores:
    """One contender's tested people, (people, rounds) or (people,) each."""

    people: Indices
    rewards: Floats
    means: Floats
    bests: Floats
    asked: Floats
    answered: Floats
    yes: Floats

    def joined(self, others: Sequence[Scores]) -> Scores:
        """With the people of other splits after these."""
        all_of = [self, *others]
        return Scores(
            **{name: np.concatenate([vars(each)[name] for each in all_of]) for name in vars(self)}
        )


def scored(
    world: World, contender: Contender, tested: Indices, path: Path | None, bar: Progress
) -> Scores:
    """Play all tested people, or read what was kept."""
    if path is not None and path.exists():
        bar.skip(tested.size)
        with np.load(path) as kept:
            return Scores(**kept)
    start = _entered(contender, world)
    with ThreadPoolExecutor(THREADS) as pool:
        done = list(pool.map(lambda number: _played(world, start, int(number), bar), tested))
    found = _scores(tested, done)
    if path is not None:
        _keep(path, found)
    return found


def _entered(contender: Contender, world: World) -> Start:
    """Made ready; that key-terms span less than people's choices do is no news here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RankWarning)
        return contender.enter(world)


def _played(world: World, start: Start, number: int, bar: Progress) -> Played:
    """The mean over a person's draws."""
    log, task = world.log, world.task
    each = [play(log, log.person(number, draw), start, task.yes) for draw in range(task.draws)]
    bar.add(1)
    return Played(*(np.mean(part, axis=0) for part in zip(*each, strict=True)))


def _scores(tested: Indices, done: list[Played]) -> Scores:
    return Scores(tested, *(np.array(each) for each in zip(*done, strict=True)))


def _keep(path: Path, scores: Scores) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    buffer = BytesIO()
    np.savez(buffer, **vars(scores))
    atomic.write(path, buffer.getvalue())
