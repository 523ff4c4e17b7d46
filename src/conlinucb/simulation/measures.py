"""What is measured: the metrics' names, which way is better, and metrics of one's own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from conlinucb.errors import InvalidInput, UnknownName, nearest
from conlinucb.numerics.validation import Floats, Indices
from conlinucb.simulation.loop.inputs import METRICS

MORE = frozenset(("reward", "answered", "hits"))
"""Metrics of which more is better; of all others less is."""
WORDS = {
    "regret": "cumulative regret",
    "error": "distance of the estimate from the taste",
    "questions": "questions asked",
    "repeated": "questions asked again",
    "arm_seconds": "seconds choosing arms",
    "term_seconds": "seconds choosing questions",
    "reward": "cumulative reward",
    "answered": "questions answered",
    "hits": "hits",
    "rewards_asked": "rewards asked for",
}
"""What each metric is called along an axis."""
COLUMNS = ("agent", "repeat", "user", "round")
"""What a row of a table is about."""
KEPT = ("arms", "asked")
"""What a trace is made of."""
Traces = Mapping[str, Indices]
"""An agent's arms, (repeats, users, rounds), and what it asked, (repeats, users, questions)."""


@dataclass(frozen=True, eq=False)
class OwnMetric:
    """A metric that was computed from others: its values by agent."""

    more_is_better: bool
    values: dict[str, Floats]


@dataclass(frozen=True, eq=False)
class AgentLog:
    """What was logged of one agent: ``log["regret"]`` is (repeats, users, logged rounds)."""

    agent: str
    rounds: Indices
    """The logged rounds, (L,)."""
    metrics: Mapping[str, Floats]
    traces: Traces
    """Empty unless the run was made with trace=True."""

    def __getitem__(self, name: str) -> Floats:
        if name not in self.metrics:
            raise UnknownName(f"No metric is called {name!r}.{nearest(name, self.metrics)}")
        return self.metrics[name]

    @property
    def arms(self) -> Indices:
        """Every recommended arm, (repeats, users, rounds); needs trace=True."""
        return self._trace("arms")

    @property
    def asked(self) -> Indices:
        """Every question, (repeats, users, questions), -1 for none; needs trace=True.

        A pair is first * K + second; a group takes as many places as it may have key-terms.
        """
        return self._trace("asked")

    def _trace(self, kind: str) -> Indices:
        if kind not in self.traces:
            raise not_traced()
        return self.traces[kind]


def not_traced() -> InvalidInput:
    """What to say where a trace is wanted that was not kept."""
    return InvalidInput("Arms and questions were not kept; run simulate with trace=True.")


def succeeded(log: AgentLog, turns: int) -> Floats:
    """1 from the round on in which the first hit came, if within so many turns; 0 else.

    A turn is a question or a recommendation.
    """
    needed = np.arange(1, min(turns, int(log.rounds[-1])) + 1)
    if not np.isin(needed, log.rounds).all():
        raise InvalidInput(
            f"Success within {turns} turns needs every round from 1 to {needed[-1]} in the log, "
            f"got {log.rounds.tolist()}: run simulate with log={int(log.rounds[-1])}."
        )
    taken = log.rounds + log["questions"]
    hit = log["hits"] > 0
    first = hit & ~np.concatenate([np.zeros_like(hit[..., :1]), hit[..., :-1]], axis=-1)
    return np.asarray(np.cumsum(first & (taken <= turns), axis=-1), dtype=np.float64)


def own_metric(
    name: str,
    function: Callable[[AgentLog], Any],
    better: str,
    logs: Iterable[AgentLog],
) -> OwnMetric:
    """The metric that ``function`` computes from each agent's log."""
    if not callable(function):
        raise InvalidInput(f"Metric {name!r} is computed by a function of a log, got {function!r}.")
    return OwnMetric(is_more(better), {log.agent: _computed(name, function, log) for log in logs})


def is_more(better: str) -> bool:
    """Whether more of a metric is better, as was said."""
    if better not in ("less", "more"):
        raise InvalidInput(f"better must be 'less' or 'more', got {better!r}.")
    return better == "more"


def _computed(name: str, function: Callable[[AgentLog], Any], log: AgentLog) -> Floats:
    shape = log.metrics["regret"].shape
    found = np.asarray(function(log))
    if found.shape != shape or found.dtype.kind not in "biuf":
        raise InvalidInput(
            f"Metric {name!r} must come as numbers (repeats, users, logged rounds) = {shape}; for "
            f"agent {log.agent!r} it came as {found.dtype} of shape {found.shape}."
        )
    return found.astype(np.float64)


def checked_name(name: Any, taken: Iterable[str]) -> str:
    """A name that a further metric can have."""
    if not isinstance(name, str) or not name.isidentifier():
        raise InvalidInput(f"A metric's name is one word of letters, digits and _, got {name!r}.")
    if name in (*COLUMNS, *KEPT, *taken):
        raise InvalidInput(f"There is a column {name!r} already; give the metric another name.")
    return name


def all_metrics(values: Floats) -> dict[str, Floats]:
    """The logged metrics of one agent by name, from an array with one column for each."""
    return {name: values[..., i] for i, name in enumerate(METRICS)}
