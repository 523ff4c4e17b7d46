"""What the item ``theory`` computes beside regret, as types."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class InsideByDelta:
    """How much lies within Eq. 8's width for a delta."""

    delta: float
    share: float
    """Of all (person, round, arm)."""
    people_always_inside: float
    """The share of people for whom every checked round and arm is inside."""


@dataclass(frozen=True, kw_only=True)
class InsideByAlpha:
    """How much lies within the width of a fixed alpha."""

    alpha: float
    share: float
    people_always_inside: float


@dataclass(frozen=True, kw_only=True)
class Coverage:
    """Lemma 2 for one agent, at some rounds."""

    people: int
    rounds: tuple[int, ...]
    arms: int
    by_delta: tuple[InsideByDelta, ...]
    practice: InsideByAlpha
    alpha: tuple[float, ...]
    """Eq. 8's, at each of the rounds."""
    needed_max: tuple[float, ...]
    """The least alpha that would have covered everyone."""
    needed_median: tuple[float, ...]


@dataclass(frozen=True, kw_only=True)
class Analysis:
    """Coverage of Lemma 2, and the bounds at each logged round."""

    coverage: dict[str, Coverage]
    lambda_B: float
    delta: float
    b: float
    rounds: tuple[int, ...]
    bounds: dict[str, tuple[float, ...]]
    t0: float | None = None
    """From which round Theorem 1 says something; None where it never does."""
