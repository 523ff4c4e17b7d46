"""The choices of a fit, checked."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass
from typing import Any

from conlinucb.errors import InvalidInput
from conlinucb.numerics.validation import number, positive, seed_of, whole


@dataclass(frozen=True)
class Settings:
    """Everything but the data that decides the numbers of a fit."""

    range: tuple[float, float] | None
    base: float
    pull: float | None
    """None: chosen by people held out."""
    cap: float
    negatives: int
    least: int
    unknown: str
    leave_out: bool
    answers: bool
    held_out: bool
    tolerance: float
    rounds: int
    seed: int

    def __post_init__(self) -> None:
        _check_range(self.range)
        number("base", self.base, low=0.01, high=0.99)
        if self.pull is not None:
            positive("pull", self.pull)
        positive("cap", self.cap)
        whole("negatives", self.negatives)
        whole("least", self.least)
        positive("tolerance", self.tolerance)
        whole("rounds", self.rounds, low=1)
        seed_of(self.seed)
        if self.unknown not in ("error", "skip"):
            raise InvalidInput(f"unknown must be 'error' or 'skip', got {self.unknown!r}.")

    def to_json(self) -> dict[str, Any]:
        """As plain values, by name."""
        return asdict(self)


def _check_range(given: Any) -> None:
    if given is None:
        return
    if not isinstance(given, (tuple, list)) or len(given) != 2:
        raise InvalidInput(f"range must be None or two numbers (low, high), got {given!r}.")
    low, high = (number("range", each) for each in given)
    if not low < high:
        raise InvalidInput(f"range must be two numbers, the second above the first, got {given!r}.")


def usable_threads(threads: int | None) -> int:
    """As many as asked for, or as there are processors to use."""
    if threads is not None:
        return whole("threads", threads, low=1)
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else None
    return usable or os.cpu_count() or 1
