"""A run as plain data: what is to be played, and the units it is made of."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numba
import numpy as np
import scipy

from conlinucb._version import __version__
from conlinucb.agent import schedule as schedules
from conlinucb.agent.agent import Agent
from conlinucb.catalog.catalog import Catalog
from conlinucb.errors import InvalidInput
from conlinucb.numerics.validation import Indices, indices, number, seed_of, whole
from conlinucb.people import People
from conlinucb.people.base import checked_people
from conlinucb.simulation.four_verbs import rounds_of
from conlinucb.simulation.loop import clock
from conlinucb.simulation.loop.inputs import Output
from conlinucb.simulation.own_rounds import (
    NEEDED,
    AnyAgent,
    CompiledRounds,
    OwnRounds,
    is_agent,
)
from conlinucb.simulation.visits import Arrivals, checked_arrivals

LOGGED = 200
"""How many rounds are logged unless told otherwise."""
HIT = 0.5
"""The least reward that counts as a hit unless told otherwise: a click is one."""


class Unit(NamedTuple):
    """The smallest piece of work: one agent, one repeat, users first .. last - 1."""

    agent: str
    repeat: int
    first: int
    last: int


@dataclass(frozen=True, eq=False)
class Job:
    """Everything that decides the numbers of a run; how it is spread does not."""

    agents: dict[str, AnyAgent]
    people: People
    rounds: int
    repeats: int
    seed: int
    logged: Indices
    trace: bool
    timed: bool
    lazy: bool
    hit: float = HIT
    """The least reward that counts as a hit."""
    arrivals: Arrivals = "one by one"
    """In which order people come: for agents that share."""
    prepared: dict[str, Callable[[Output], CompiledRounds] | None] = field(default_factory=dict)
    """Each agent's compiled rounds, prepared by the first unit that plays it."""

    @property
    def catalog(self) -> Catalog:
        """The catalogue that all agents share."""
        return next(iter(self.agents.values())).catalog

    @cached_property
    def rounds_of(self) -> dict[str, OwnRounds]:
        """What plays each agent's rounds."""
        return {name: rounds_of(agent, name) for name, agent in self.agents.items()}

    def shares(self, name: str) -> bool:
        """Whether what this agent learns of one person decides for others."""
        return getattr(self.agents[name], "sharing", None) is not None

    def units(self, shard: int) -> list[Unit]:
        """All units, in the order they should be started: repeat by repeat.

        Of an agent that shares, a whole repeat is one.
        """
        users = len(self.people)
        return [
            Unit(name, repeat, first, users if self.shares(name) else min(first + shard, users))
            for repeat in range(self.repeats)
            for first in range(0, users, shard)
            for name in self.agents
            if first == 0 or not self.shares(name)
        ]

    def spec(self) -> dict[str, Any]:
        """What a stored result must agree on to be the same run, as plain values."""
        return {
            "conlinucb": __version__,  # for information: stores compare formats
            "agents": {name: describe(agent, self.rounds) for name, agent in self.agents.items()},
            "catalog": self.catalog.version,
            "people": {**self.people.parameters(), **_fingerprint(self.people)},
            "rounds": self.rounds,
            "repeats": self.repeats,
            "seed": self.seed,
            "logged": self.logged.tolist(),
            "trace": self.trace,
            "timed": self.timed,
            # Said only where it was: folders from before hits were counted go on.
            **({} if self.hit == HIT else {"hit": self.hit}),
            **({} if self.arrivals == "one by one" else {"arrivals": self.arrivals}),
        }


def make_job(
    agents: Mapping[str, AnyAgent],
    people: People,
    *,
    rounds: int,
    repeats: int,
    seed: int,
    log: Any,
    trace: bool,
    timed: bool,
    lazy: bool,
    hit: float = HIT,
    arrivals: Arrivals = "one by one",
) -> Job:
    """Check everything before any work starts."""
    _check_agents(agents, people)
    if timed and not clock.AVAILABLE:
        raise InvalidInput("timed=True needs clock_gettime, which this platform does not have.")
    rounds = whole("rounds", rounds, low=1)
    seed_of(seed)
    for name, agent in agents.items():
        rounds_of(agent, name).check(people, rounds)
    return Job(
        dict(agents),
        people,
        rounds,
        whole("repeats", repeats, low=1),
        int(seed),
        _logged(log, rounds),
        trace,
        timed,
        lazy,
        number("hit", hit),
        checked_arrivals(arrivals),
    )


def _check_agents(agents: Mapping[str, AnyAgent], people: People) -> None:
    if not isinstance(agents, Mapping) or not agents:
        raise InvalidInput(f"agents must be a dictionary name -> agent, got {agents!r}.")
    checked_people(people)
    for name, agent in agents.items():
        if not isinstance(name, str) or not name or not is_agent(agent):
            raise InvalidInput(
                f"agents must map names to agents, got {name!r}: {agent!r}. An agent of your own "
                f"has a catalog, {', '.join(NEEDED)}."
            )
    first = next(iter(agents.values())).catalog
    for name, agent in agents.items():
        if agent.catalog is not first and agent.catalog.version != first.version:
            raise InvalidInput(
                f"Agents of one run share one catalogue, but {name!r} has version "
                f"{agent.catalog.version} and the first agent {first.version}."
            )
    people.check(first)


def _logged(log: Any, rounds: int) -> Indices:
    """The rounds to log: a list of them, how many, or None for at most ``LOGGED``."""
    if log is None or isinstance(log, (int, np.integer)):
        count = min(rounds, LOGGED if log is None else whole("log", log, low=1))
        return np.unique(np.linspace(rounds / count, rounds, count).round().astype(np.int64))
    chosen = np.sort(indices("log", log, size=np.iinfo(np.int64).max))
    if not chosen.size or chosen[0] < 1 or chosen[-1] > rounds:
        raise InvalidInput(f"log must hold rounds from 1 to {rounds}, got {log!r}.")
    return chosen


def _fingerprint(people: People) -> dict[str, str]:
    """What people say of their data, and for a stranger's class what its functions are."""
    own: Any = getattr(people, "fingerprint", dict)
    ours = type(people).__module__.startswith("conlinucb.")
    return {**own(), **({} if ours else {"people_code": _code_of(people)})}


def describe(agent: AnyAgent, rounds: int) -> dict[str, Any]:
    """An agent's parameters as JSON can hold them.

    A schedule may be any function, so the questions it asks are part of the description.
    """
    if not isinstance(agent, Agent):
        return {"agent": type(agent).__name__, **agent.parameters(), **_code([("agent", agent)])}
    asked = np.array([schedules.asked_by(agent.schedule, t) for t in range(1, rounds + 1)])
    parts = [
        (name, getattr(agent, name)) for name in ("strategy", "estimator", "select", "sharing")
    ]
    gate = None if agent.gate is None else agent.gate.strategy
    return {
        **agent.parameters(),
        "questions": int(asked[-1]),
        "asked": hashlib.sha256(asked.tobytes()).hexdigest()[:16],
        **_code([*parts, ("gate", gate)]),
    }


def fingerprint_of(function: Any) -> str:
    """A function's name and, for a stranger's, a hash of what it does itself."""
    name = getattr(function, "__qualname__", type(function).__qualname__)
    if str(getattr(function, "__module__", "")).startswith("conlinucb."):
        return str(name)
    return f"{name} {hashlib.sha256(_bytecode(function).encode()).hexdigest()[:16]}"


def _code(parts: list[tuple[str, Any]]) -> dict[str, str]:
    """A hash of what a stranger's parts do; ours are known by the version."""
    return {
        f"{name}_code": _code_of(part)
        for name, part in parts
        if part is not None and not type(part).__module__.startswith("conlinucb.")
    }


def _code_of(part: Any) -> str:
    """It sees an object's own functions, not what those call."""
    functions = [getattr(type(part), each, None) for each in sorted(dir(type(part)))]
    codes = [_bytecode(getattr(each, "py_func", each)) for each in functions]
    digest = hashlib.sha256("".join(codes).encode()).hexdigest()[:16]
    return f"{type(part).__qualname__} {digest}"


def _bytecode(function: Any) -> str:
    code = getattr(function, "__code__", None)
    if code is None:
        return ""
    constants = [each for each in code.co_consts if isinstance(each, (int, float, str, tuple))]
    return f"{code.co_code.hex()}{constants}{code.co_names}"


def versions() -> dict[str, str]:
    """Versions of what computed a result; kept with it, not compared."""
    return {
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "numba": numba.__version__,
        "platform": platform.platform(),
    }
