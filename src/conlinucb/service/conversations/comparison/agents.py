"""Who can be compared: the service's own agent, the paper's, and the baselines."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from conlinucb.agent.agent import Agent
from conlinucb.agent.spec import agent_of
from conlinucb.agent.strategies import STRATEGIES
from conlinucb.catalog.catalog import Catalog
from conlinucb.errors import UnknownName, nearest
from conlinucb.service.catalogues.version import CatalogueVersion
from conlinucb.service.settings import DEFAULT_AGENT

FOR_NEWCOMERS = "for-newcomers"
OWN = "own"
"""Each agent asks as often as it was made to."""
_SAME = {"beta": 0.15, "alpha": 0.1}
"""Alike for all that estimate alike, so that they differ in what they ask and in nothing else."""
_OTHERS: dict[str, dict[str, Any]] = {
    **{name: {"recipe": "conlinucb", "strategy": name, **_SAME} for name in STRATEGIES},
    "linucb": {"recipe": "linucb", **_SAME},
    "arm_con": {"recipe": "arm_con", **_SAME},
    "conucb": {"recipe": "conucb"},
}
AGENTS: tuple[str, ...] = (FOR_NEWCOMERS, *_OTHERS)
"""What can be compared: as people are served here, ConLinUCB with every strategy, baselines."""
SCHEDULES: dict[str, dict[str, Any]] = {
    OWN: {"name": "logarithmic", "f": 5},
    "logarithmic": {"name": "logarithmic", "f": 5},
    "linear": {"name": "linear", "b": 1},
    "every": {"name": "every", "n": 5},
    "never": {"name": "never"},
}


@dataclass(frozen=True, eq=False)
class Contender:
    """An agent, and how it may ask."""

    name: str
    agent: Agent
    once: bool = False
    """Whether it asks nobody the same twice, as the service does."""
    most: int | None = None
    """Questions it may ask of one person."""


def contender(name: str, schedule: str, version: CatalogueVersion) -> Contender:
    """An agent by name on a catalogue, asking by the schedule of that name."""
    for what, given, known in (("agent", name, AGENTS), ("schedule", schedule, SCHEDULES)):
        if given not in known:
            raise UnknownName(f"No {what} is called {given!r}.{nearest(given, known)}")
    asking = {} if name == "linucb" else {"schedule": SCHEDULES[schedule]}
    if name != FOR_NEWCOMERS:
        return Contender(name, agent_of({**_OTHERS[name], **asking}, version.catalog))
    served = as_served(version).agent
    if schedule == OWN:
        return Contender(name, served, once=True, most=version.settings.max_questions)
    return Contender(name, served.replace(schedule=_schedule(schedule, version.catalog)), once=True)


def as_served(version: CatalogueVersion) -> CatalogueVersion:
    """The version with an agent for newcomers: its own, or the default where it has another."""
    if version.settings.agent.get("recipe") == DEFAULT_AGENT["recipe"]:
        return version
    settings = version.settings.under(DEFAULT_AGENT)
    return replace(version, settings=settings)


def _schedule(name: str, catalog: Catalog) -> Any:
    return agent_of({"recipe": "conlinucb", "schedule": SCHEDULES[name]}, catalog).schedule
