"""What a setting came to: every number that figures, tables and claims are made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from conlinucb.errors import InvalidInput
from conlinucb.experiments import ITEMS
from conlinucb.experiments.analysis import Analysis
from conlinucb.experiments.item import BASELINE, Item, Kind
from conlinucb.experiments.typed_json import decoded, encoded

FORMAT = 1
"""Of an outcome's file. Raised when a field changes its meaning, or when the same run comes to
other numbers; a field that is only added has a default instead."""

NEEDED: dict[Kind, str] = {"theory": "analysis", "sweep": "at"}
"""What may be None but for one kind."""
OWN = "own"
"""The protocol of a comparison of one's own, whatever it is called."""


@dataclass(frozen=True, kw_only=True)
class Curve:
    """Mean regret over people at each logged round; no interval for a single person."""

    rounds: tuple[int, ...]
    mean: tuple[float, ...]
    low: tuple[float | None, ...]
    high: tuple[float | None, ...]


@dataclass(frozen=True, kw_only=True)
class Last:
    """Means at the last round."""

    regret: float
    error: float | None
    """None where people have no taste that an estimate could be wrong of."""
    questions: float
    repeated: float
    arm_seconds: float
    term_seconds: float


@dataclass(frozen=True, kw_only=True)
class Improvement:
    """Percent less regret than another agent's; None where that cannot be said."""

    measured: float | None
    low: float | None
    high: float | None
    p_value: float | None


@dataclass(frozen=True, kw_only=True)
class AgentOutcome:
    """One agent's parameters and how it did."""

    parameters: dict[str, Any]
    curve: Curve
    last: Last
    versus: dict[str, Improvement]
    """Against each of the others."""
    improvement: Improvement | None
    """Against the baseline, where that takes part."""


@dataclass(frozen=True, kw_only=True)
class Trial:
    """A point of the search, and the mean regret it brought."""

    parameters: dict[str, float]
    regret: float


@dataclass(frozen=True, kw_only=True)
class Search:
    """What the search of ``fair`` tried and chose for each algorithm."""

    trials: dict[str, tuple[Trial, ...]]
    chosen: dict[str, dict[str, float]]
    edges: dict[str, tuple[str, ...]]
    """Chosen parameters that lie at an end of their range."""
    ranges: dict[str, tuple[float, ...]]
    users: int


@dataclass(frozen=True, kw_only=True)
class Machine:
    """Where it ran."""

    processor: str
    cores: int | None


@dataclass(frozen=True, kw_only=True)
class Ran:
    """What was run, as a reader of the results wants to know it."""

    item: str
    protocol: str
    setting: str
    point: str
    at: float | None
    variant: str
    data: dict[str, Any]
    constants: str
    schedule: str
    quick: bool
    tuning: Search | None
    tuning_seconds: float
    command: str
    title: str | None = None
    """What a comparison of one's own is called."""
    baseline: str | None = None
    """What a comparison of one's own is measured against."""
    recipes: dict[str, str] | None = None
    """The recipe of each agent of a comparison of one's own."""

    @property
    def compared_with(self) -> str:
        """The agent that improvements are measured against."""
        return self.baseline or BASELINE

    def recipe(self, agent: str) -> str | None:
        """The recipe that an agent was made by, where that was kept."""
        return (self.recipes or {}).get(agent)


@dataclass(frozen=True, kw_only=True)
class Outcome(Ran):
    """What was run, and what came out."""

    runs: int
    users: int
    rounds: int
    seed: int
    agents: dict[str, AgentOutcome]
    analysis: Analysis | None
    seconds: float
    resumed: bool
    versions: dict[str, str]
    machine: Machine
    spec: dict[str, Any]
    """What must agree for it to be the same run."""
    together: int = 1
    """How many comparisons' intervals hold together at 95 %; 1: each on its own."""

    @classmethod
    def from_json(cls, content: Any) -> Outcome:
        """What ``to_json`` wrote; a field that is missing or wrong is named."""
        made = decoded(cls, content)
        needed = NEEDED.get(made.kind)
        if needed is not None and getattr(made, needed) is None:
            raise InvalidInput(f"{needed} must be there for the kind {made.kind}, got None")
        return made

    def to_json(self) -> dict[str, Any]:
        """As the file holds it."""
        return {"format": FORMAT, **encoded(self)}

    @property
    def declared(self) -> Item | None:
        """The item as the package declares it; None for a comparison of one's own."""
        return None if self.protocol == OWN else ITEMS.get(self.item)

    @property
    def own(self) -> bool:
        """Whether it is a comparison of one's own: nothing of the paper is about it."""
        return self.declared is None

    @property
    def kind(self) -> Kind:
        """What decides how it is drawn; a comparison of one's own is drawn as curves."""
        return self.declared.kind if self.declared else "curves"

    @property
    def heading(self) -> str:
        """What it is called in words."""
        return self.declared.title if self.declared else self.title or self.item

    def headed(self, text: str) -> str:
        """The heading before a text; after a question no colon follows."""
        return f"{self.heading}{' ' if self.heading.endswith(('?', '!', '.')) else ': '}{text}"

    @property
    def theory(self) -> Analysis:
        """The analysis, which every outcome of the kind ``theory`` has."""
        assert self.analysis is not None
        return self.analysis

    @property
    def choosing_seconds(self) -> dict[str, tuple[float, float]]:
        """Each agent's seconds for choosing arms and for choosing key-terms."""
        return {
            name: (each.last.arm_seconds, each.last.term_seconds)
            for name, each in self.agents.items()
        }

    def regret(self, agent: str) -> float:
        """An agent's mean regret at the end."""
        return self.agents[agent].last.regret
