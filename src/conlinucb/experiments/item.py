"""What an experiment is: data, agents, a sweep, and what the paper says comes out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from conlinucb.agent.recipes import B
from conlinucb.catalog.catalog import Catalog
from conlinucb.experiments.algorithms import PAPER
from conlinucb.experiments.analysis import Analysis
from conlinucb.simulation.visits import Arrivals

Schedule = tuple[Literal["logarithmic", "linear"], float]
BASELINE = "ConUCB"
"""What improvements are measured against."""
DATA_NAMES = {"synthetic": "synthetic data", "lastfm": "Last.FM", "movielens": "MovieLens"}
PeopleKind = Literal["linear", "clicks", "logistic clicks", "duels"]
"""Rewards linear in taste with noise; clicks by a clipped chance, who compare pairs; clicks by a
logistic chance; linear rewards, who compare pairs and items with a logistic chance."""
Kind = Literal["curves", "sweep", "seconds", "theory", "crossed"]
"""Regret over rounds; regret at the end along an axis; time for choosing; coverage and bounds
beside regret; both estimates with the same strategies. Figures, tables and claims go by it."""


@dataclass(frozen=True, kw_only=True)
class Point:
    """One point of a sweep: what it is called, where it lies on the axis, what it changes."""

    label: str
    at: float | None = None
    pool_size: int = 50
    offered_size: int | None = None
    schedule: Schedule = ("logarithmic", 5)
    noise: float = 0.1
    lazy: bool = True
    most_runs: int | None = None
    """Fewer runs than asked for where more would only cost time."""


@dataclass(frozen=True)
class Claim:
    """What the paper says of an agent at a point of the sweep."""

    point: str
    agent: str
    improvement: float | Literal["better", "best"]
    """Percent less regret than ConUCB; or only that it is better than ConUCB, or best of all."""


@dataclass(frozen=True, kw_only=True)
class Item:
    """A figure or table, declared."""

    name: str
    kind: Kind
    title: str
    data: Literal["synthetic", "lastfm", "movielens"]
    rounds: int
    users: int
    points: tuple[Point, ...] = (Point(label=""),)
    agents: tuple[str, ...] = PAPER
    extra: tuple[str, ...] = ()
    """Agents that ``fair`` adds to the paper's."""
    axis: str = ""
    """What a sweep varies."""
    below: str = ""
    """The agent from whose regret a sweep is drawn downwards; "" to draw everyone's own."""
    headline: bool = False
    """Whether the findings tell of it first."""
    claims: tuple[Claim, ...] = ()
    most_runs: int | None = None
    timed: bool = False
    trace: bool = False
    logged: int = 0
    """People whose feedback a population is learned from; they are not scored."""
    constants: Literal["protocol", "theory"] = "protocol"
    analyse: Callable[..., Analysis] | None = None
    """What else to compute from a setting's results."""
    family: str = ""
    """What it is asked for by together with others."""
    protocols: tuple[str, ...] = ("authors", "paper", "fair")
    readings: tuple[str, ...] | None = None
    """Of a protocol's readings those that are run; None for all."""
    people: PeopleKind = "linear"
    made: Callable[[Catalog, B, int], Catalog] | None = None
    """Other key-terms on the same items, from a schedule and how many rounds there are."""
    arrivals: Arrivals = "one by one"
    kinds: int = 0
    """Of how many kinds people are, who differ little within a kind; 0: everybody is their own."""
    about: str = ""
    """What a reader should know before looking at the numbers."""
