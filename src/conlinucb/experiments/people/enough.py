"""Whether a log is large enough for newcomers to be played on it."""

from __future__ import annotations

from collections.abc import Mapping

from conlinucb.errors import InvalidInput
from conlinucb.experiments.people.task import FEWEST, OWN, POOL, SPLITS, Log, Task
from conlinucb.numerics.validation import Indices


def refuse_too_little(log: Log, task: Task, tested: Mapping[int, Indices]) -> None:
    """An error where a pool cannot be filled or a split has nobody to test."""
    items = len(log.data.item_ids)
    if items < POOL:
        raise InvalidInput(
            f"A pool takes {POOL} items, and {task.name} has {items}: newcomers cannot be played "
            f"on it."
        )
    empty = [split + 1 for split, people in tested.items() if not people.size]
    if empty:
        raise InvalidInput(
            f"Nobody in split {empty[0]} of {SPLITS} of {task.name} can be tested: "
            f"{_wanted(log, task)}. Pass a smaller least, from {FEWEST}, or a log of more people."
        )


def _wanted(log: Log, task: Task) -> str:
    least, sizes = max(task.least, FEWEST), log.sizes
    unmet = f" and has not met {POOL - OWN} others" if log.data.implicit else ""
    return (
        f"a tested person has at least {least} items{unmet}, and of {sizes.size} people "
        f"{int((sizes >= least).sum())} have so many (the most: {int(sizes.max())})"
    )
