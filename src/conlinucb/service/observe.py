"""How the layers below HTTP report what happens, without knowing who listens.

`observer.count("conflicts")`, `observer.time("store_seconds", 0.002, operation="append")`: each
name stands in `MEASURES` with its labels, and nothing else is taken. Whoever listens (metrics,
traces) is added by the HTTP layer; with nobody listening a report costs a look-up. Labels have few
values: never a person, never what somebody wrote.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from time import perf_counter
from typing import Literal, ParamSpec, Protocol, TypeVar

Given = ParamSpec("Given")
Result = TypeVar("Result")
Kind = Literal["count", "time", "measure", "level"]


@dataclass(frozen=True)
class Measure:
    """One thing that is reported: how, with which labels, and in plain words what it is."""

    kind: Kind
    text: str
    labels: tuple[str, ...] = ()
    buckets: tuple[float, ...] = ()
    """Of a measure: where its histogram is cut; without, only its count and sum are kept."""
    across: Literal["sum", "min"] = "sum"
    """Of a level: what those of all workers come to."""


MEASURES: dict[str, Measure] = {
    "questions": Measure("count", "Questions asked.", ("catalogue",)),
    "answers": Measure(
        "count", "Answers taken in: yes, no, number, unknown or skip.", ("catalogue", "answer")
    ),
    "recommendations": Measure("count", "Recommendations made.", ("catalogue",)),
    "shown_value": Measure(
        "measure", "Reward expected of what is shown: the mean over its items.", ("catalogue",)
    ),
    "rewards": Measure("measure", "Rewards taken in.", ("catalogue",)),
    "retractions": Measure("count", "Answers and rewards taken back.", ("catalogue",)),
    "conflicts": Measure("count", "Writes that met another writer and were tried again."),
    "store_seconds": Measure("time", "Time in the database, by what was done.", ("operation",)),
    "snapshot_age_events": Measure(
        "measure",
        "Events read beyond the snapshot when a person was loaded.",
        buckets=(0, 10, 100, 200, 500, 1_000, 10_000),
    ),
    "cache_lookups": Measure(
        "count", "People looked for in memory, by result (hit, miss).", ("result",)
    ),
    "cache_people": Measure("level", "People held in memory."),
    "cache_bytes": Measure("level", "Memory the people at hand are reckoned to take."),
    "pool_waiting": Measure("level", "Calls waiting for a place in a pool.", ("pool",)),
    "pool_wait_seconds": Measure("time", "Time a call waited for its place in a pool.", ("pool",)),
    "pool_refused": Measure("count", "Calls turned away because a pool was full.", ("pool",)),
    "turned_away": Measure("count", "Requests refused at the edge, by reason.", ("reason",)),
    "rate_limited": Measure(
        "count", "Requests refused by a rate limit, by who called (key, visitor).", ("caller",)
    ),
    "catalogue_version": Measure(
        "level", "Version served, in the worker that is furthest behind.", ("catalogue",), (), "min"
    ),
    "population_version": Measure(
        "level",
        "Population in use, 0 for none; the lowest of all workers.",
        ("catalogue",),
        (),
        "min",
    ),
    "workers": Measure("level", "Worker processes at work."),
    "memory_bytes": Measure("level", "Memory of all workers, as far as it is in use (Linux)."),
}


class Observer(Protocol):
    """Someone who is told what happens."""

    def count(self, name: str, value: float = 1, **labels: str) -> None:
        """`value` more of something."""

    def time(self, name: str, seconds: float, **labels: str) -> None:
        """Something just ended that took this long."""

    def measure(self, name: str, value: float, **labels: str) -> None:
        """One value of many, such as a size."""

    def level(self, name: str, value: float, **labels: str) -> None:
        """How high something stands now, in this process."""


class Observers:
    """Passes every report on to all who listen, and refuses what `MEASURES` does not have."""

    def __init__(self) -> None:
        self.listening: list[Observer] = []

    def add(self, observer: Observer) -> None:
        """From now on, tell this one, too."""
        if observer not in self.listening:
            self.listening.append(observer)

    def remove(self, observer: Observer) -> None:
        """No longer tell this one."""
        if observer in self.listening:
            self.listening.remove(observer)

    def count(self, name: str, value: float = 1, **labels: str) -> None:
        """`value` more of something."""
        _check(name, "count", labels)
        for each in self.listening:
            each.count(name, value, **labels)

    def time(self, name: str, seconds: float, **labels: str) -> None:
        """Something just ended that took this long."""
        _check(name, "time", labels)
        for each in self.listening:
            each.time(name, seconds, **labels)

    def measure(self, name: str, value: float, **labels: str) -> None:
        """One value of many, such as a size."""
        _check(name, "measure", labels)
        for each in self.listening:
            each.measure(name, value, **labels)

    def level(self, name: str, value: float, **labels: str) -> None:
        """How high something stands now, in this process."""
        _check(name, "level", labels)
        for each in self.listening:
            each.level(name, value, **labels)


_allowed: set[tuple[str, ...]] = set()
"""What was checked before: a look-up takes a tenth of the time."""


def _check(name: str, kind: Kind, labels: dict[str, str]) -> None:
    key = (name, kind, *labels)
    if key in _allowed:
        return
    measure = MEASURES.get(name)
    if measure is not None and measure.kind == kind and labels.keys() == set(measure.labels):
        _allowed.add(key)
    else:
        raise ValueError(
            f"{kind} of {name!r} with labels {sorted(labels)} is not in observe.MEASURES; "
            f"there it is {measure}."
        )


observer = Observers()


def timed(name: str, **labels: str) -> Callable[[Callable[Given, Result]], Callable[Given, Result]]:
    """Report how long each call of a function takes, however it ends."""

    def wrap(function: Callable[Given, Result]) -> Callable[Given, Result]:
        @wraps(function)
        def call(*args: Given.args, **more: Given.kwargs) -> Result:
            started = perf_counter()
            try:
                return function(*args, **more)
            finally:
                observer.time(name, perf_counter() - started, **labels)

        return call

    return wrap
