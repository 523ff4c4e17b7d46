"""A trial: one point of a search, and what it came to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conlinucb.errors import UnknownName, nearest
from conlinucb.simulation.frames import frame_of


@dataclass(frozen=True, kw_only=True)
class Trial:
    """A point that was tried, on how many people and rounds, and its score."""

    agent: str
    """Whose it is."""
    number: int
    """Which of the algorithm's trials, from 0."""
    stage: int
    """In which batch it was asked for; points of a batch do not know of one another."""
    parameters: dict[str, Any]
    score: float
    """Mean of the metric at the last round it played."""
    loss: float
    """The score where less is better, otherwise its negative."""
    people: int
    rounds: int
    finished: bool = True
    """False where it was stopped early; only what is finished can be chosen."""


def best_of(trials: Sequence[Trial]) -> Trial:
    """The finished trial with the least loss, the first of equals."""
    return min((each for each in trials if each.finished), key=lambda each: each.loss)


class Trials:
    """Every trial of a search, algorithm by algorithm, in the order they were tried."""

    def __init__(self, rows: dict[str, list[Trial]]) -> None:
        self._rows = rows

    def of(self, agent: str) -> list[Trial]:
        """One algorithm's trials."""
        if agent not in self._rows:
            raise UnknownName(f"No trials of {agent!r}.{nearest(agent, self._rows)}")
        return list(self._rows[agent])

    def __iter__(self) -> Iterator[Trial]:
        return (trial for rows in self._rows.values() for trial in rows)

    def __len__(self) -> int:
        return sum(map(len, self._rows.values()))

    def to_columns(self) -> dict[str, NDArray[Any]]:
        """One row for each trial: whose, its score, whether it is the best, its parameters."""
        best = {id(best_of(rows)) for rows in self._rows.values()}
        rows = list(self)
        kept = ("agent", "number", "stage", "score", "people", "rounds", "finished")
        columns: dict[str, NDArray[Any]] = {
            name: _column([getattr(row, name) for row in rows]) for name in kept
        }
        columns["best"] = np.array([id(row) in best for row in rows])
        for name in dict.fromkeys(name for row in rows for name in row.parameters):
            column = f"parameter {name}" if name in columns else name
            columns[column] = _column([row.parameters.get(name) for row in rows])
        return columns

    def to_frame(self, library: str | None = None) -> Any:
        """The table of ``to_columns`` in pandas or polars."""
        return frame_of(self.to_columns(), library)

    def __repr__(self) -> str:
        counts = ", ".join(f"{name}: {len(rows)}" for name, rows in self._rows.items())
        return f"Trials({counts})"


def _column(values: list[Any]) -> NDArray[Any]:
    """Numbers as numbers, NaN where an algorithm has no such parameter; all else as objects."""
    kinds = {type(each) for each in values}
    if kinds <= {int, float, type(None)} and kinds != {int}:
        return np.array([np.nan if each is None else float(each) for each in values])
    return np.array(values, dtype=None if kinds in ({int}, {bool}) else object)
