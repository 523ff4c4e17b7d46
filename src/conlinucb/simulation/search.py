"""The search itself: batch after batch of points, asked for and told together."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

from conlinucb.progress import Progress
from conlinucb.simulation.batch import Batch, Plan
from conlinucb.simulation.space import Point, Space
from conlinucb.simulation.trial import Trial

APART = 1_000_003
"""How far the seed of a search lies from that of the score."""


class Searcher(Protocol):
    """One algorithm's search: asked for points, told what they came to."""

    def ask(self, stage: int, count: int) -> list[Point]:
        """So many points to try next."""
        ...

    def tell(self, trials: list[Trial]) -> None:
        """What the points that were asked for last came to, in their order."""
        ...


class Sampler(Protocol):
    """A way to search. Its decisions follow from the space, the seed and what it was told."""

    def stages(self, budget: int) -> list[int]:
        """The sizes of the batches that a budget is spent in."""
        ...

    def start(self, space: Space, seed: int) -> Searcher:
        """The search of one algorithm."""
        ...


def search(
    spaces: Mapping[str, Space],
    plan: Plan,
    sampler: Sampler,
    budget: int,
    *,
    store: Path | None = None,
    progress: Progress | None = None,
    **how: Any,
) -> dict[str, list[Trial]]:
    """Every algorithm's trials, in their order.

    Points of a batch are played together and told together, so the numbers depend neither on
    threads nor on interruptions: what is in ``store`` is found again, batch by batch.
    """
    found: dict[str, list[Trial]] = {name: [] for name in spaces}
    searchers = {name: sampler.start(space, plan.seed) for name, space in spaces.items()}
    for stage, count in enumerate(sampler.stages(budget)):
        asked = {name: each.ask(stage, plan.points(count)) for name, each in searchers.items()}
        batch = Batch(spaces, plan, asked, stage)
        batch.play(store, progress=progress, **how)
        for name, searcher in searchers.items():
            told = batch.told(name, len(found[name]))
            searcher.tell(told)
            found[name] += told
    return found
