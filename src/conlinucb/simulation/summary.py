"""How each agent did, in one small table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conlinucb.numerics.validation import Floats
from conlinucb.shown import Table, interval, people_text, rounded

BESIDE = ("regret", "reward", "hits", "questions")
"""What stands beside the metric that was asked for."""


@dataclass(frozen=True)
class Line:
    """One agent: the mean of each metric over people, with the half-width of its interval."""

    agent: str
    means: dict[str, tuple[float, float]]


@dataclass(frozen=True, repr=False)
class Summary:
    """Each agent's mean over people with its interval, the best first; other means beside it."""

    metric: str
    round: int
    level: float
    people: int
    repeats: int
    lines: tuple[Line, ...]

    def to_columns(self) -> dict[str, NDArray[Any]]:
        """One row for each agent, as a dictionary of equally long arrays."""
        mean, half = (self._values(self.metric)[:, i] for i in (0, 1))
        return {
            "agent": np.array([line.agent for line in self.lines], dtype=object),
            "mean": mean,
            "low": mean - half,
            "high": mean + half,
            **{name: self._values(name)[:, 0] for name in self._beside()},
        }

    def _values(self, name: str) -> Floats:
        return np.array([line.means[name] for line in self.lines])

    def _beside(self) -> list[str]:
        """What is known of somebody."""
        shown = [name for name in BESIDE if name != self.metric]
        return [name for name in shown if np.isfinite(self._values(name)).any()]

    def _table(self) -> Table:
        beside = self._beside()
        people = people_text(self.people)
        often = f", {self.repeats} repeats each" if self.repeats > 1 else ""
        said = f"{100 * self.level:g} % interval" if self.people > 1 else "no interval"
        rows = [
            (line.agent, self._first(line), *(rounded(*line.means[name]) for name in beside))
            for line in self.lines
        ]
        return Table(
            f"after {self.round} rounds, mean over {people}{often}, {said}",
            ("agent", self.metric, *beside),
            rows,
        )

    def _first(self, line: Line) -> str:
        mean, half = line.means[self.metric]
        return interval(mean, mean - half, mean + half)

    def __repr__(self) -> str:
        return self._table().to_text()

    def _repr_html_(self) -> str:
        return self._table().to_html()
