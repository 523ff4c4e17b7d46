"""How much worse it gets when one parameter moves and the others stay at their best.

Played on the people of the search, after it: nothing is chosen by it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from conlinucb.simulation.batch import Batch, Plan
from conlinucb.simulation.halving import Halving
from conlinucb.simulation.space import Point, Space
from conlinucb.simulation.trial import Trial


@dataclass(frozen=True)
class Sensitivity:
    """Percent worse once a parameter is divided, or multiplied, by a factor; others stay best.

    None where that would leave the range, or where the parameter is no number.
    """

    divided: float | None
    multiplied: float | None


def sensitivities(
    spaces: Mapping[str, Space],
    best: Mapping[str, Trial],
    plan: Plan,
    factor: float,
    stage: int,
    **how: Any,
) -> dict[str, dict[str, Sensitivity]]:
    """By algorithm and parameter; ``stage`` is the number of the batch that is played for it."""
    asked = {name: _moved(space, best[name].parameters, factor) for name, space in spaces.items()}
    points = {name: list(each.values()) for name, each in asked.items()}
    if any(points.values()):
        batch = Batch(spaces, replace(plan, halving=Halving(rungs=1)), points, stage)
        batch.play(**how)
        told = {name: batch.told(name, 0) for name in spaces}
    else:
        told = {name: [] for name in spaces}
    found = {}
    for name, space in spaces.items():
        worse = {
            place: percent_above(trial.loss, best[name].loss)
            for place, trial in zip(asked[name], told[name], strict=True)
        }
        found[name] = {
            each: Sensitivity(worse.get((each, 1 / factor)), worse.get((each, factor)))
            for each in space.ranges
        }
    return found


def _moved(space: Space, best: Point, factor: float) -> dict[tuple[str, float], Point]:
    """Points by the parameter that moves and what it is multiplied with."""
    return {
        (name, by): {**best, name: value}
        for name, each in space.ranges.items()
        for by in (1 / factor, factor)
        if (value := each.moved(best[name], by)) is not None
    }


def percent_above(loss: float, best: float) -> float:
    """How many percent a loss lies above the best.

    >>> percent_above(3.0, 2.0), percent_above(-1.0, -2.0)
    (50.0, 50.0)
    """
    if not best:
        return float("inf") if loss > 0 else 0.0
    return 100 * (loss - best) / abs(best)
