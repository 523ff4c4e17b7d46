"""What a run on logged people came to: every number that its tables and pictures are made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from conlinucb.experiments.outcome import Machine
from conlinucb.experiments.people.figures import Figure
from conlinucb.experiments.typed_json import decoded, encoded

FORMAT = 1
"""Of the file. Raised when a field changes its meaning."""


@dataclass(frozen=True, kw_only=True)
class Versus:
    """Points more than another contender, of the same people."""

    first: Figure
    all: Figure


@dataclass(frozen=True, kw_only=True)
class ContenderOutcome:
    """How one recommender did."""

    group: str
    first: Figure
    """Of the first rounds."""
    all: Figure
    by_round: tuple[float, ...]
    """Percent in each round."""
    asked: float
    """Questions a person."""
    answered: float | None
    """Percent of questions that were answered."""
    yes: float | None
    """Percent of answers that were a yes."""
    versus: dict[str, Versus]


@dataclass(frozen=True, kw_only=True)
class CurvePoint:
    """A contender where so many people are logged."""

    people: int
    contender: str
    first: Figure
    all: Figure


@dataclass(frozen=True, kw_only=True)
class Calibration:
    """How much of held-out rewards 90 % intervals hold, and what the fit found."""

    before: float
    """Percent, before the person said anything."""
    after: float
    """Percent, after half of their items."""
    noise: float
    slope: float


@dataclass(frozen=True, kw_only=True)
class PeopleOutcome:
    """One data set."""

    task: str
    strategy: str
    """The one that stands for all."""
    measure: str
    counts: dict[str, int]
    rounds: int
    first: int
    splits: int
    tested: int
    """People in the figures, of all splits but the one that settings are fixed on."""
    quick: bool
    seed: int
    chosen: dict[str, dict[str, Any]]
    """Settings found on the first split, for those that are tuned."""
    trials: int
    contenders: dict[str, ContenderOutcome]
    curve: tuple[CurvePoint, ...]
    calibration: Calibration
    seconds: float
    command: str
    versions: dict[str, str]
    machine: Machine

    @classmethod
    def from_json(cls, content: Any) -> PeopleOutcome:
        """What ``to_json`` wrote."""
        return decoded(cls, content)

    def to_json(self) -> dict[str, Any]:
        """As the file holds it."""
        return {"format": FORMAT, **encoded(self)}
