"""What Prometheus reads: the service's counts, of all its workers together.

Each worker writes its own into a file in a common folder, where `conlinucb serve` says which, and
whichever worker is asked adds them up. An application without that folder has its own alone.
"""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Any

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    Summary,
    generate_latest,
)
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead

from conlinucb.service.config import METRICS
from conlinucb.service.observe import MEASURES, Measure

MOST_CATALOGUES = 50
"""Catalogues told apart, by their names; all others count as one."""
OTHER = "(other)"
SECONDS = (
    *(0.001, 0.002, 0.003, 0.005, 0.0075, 0.01, 0.015, 0.02, 0.03, 0.05, 0.075, 0.1, 0.15, 0.2),
    *(0.3, 0.5, 0.75, 1.0, 2.0, 5.0, 10.0, 30.0),
)
"""Where histograms of times are cut."""
ALL: dict[str, Measure] = {
    "requests": Measure(
        "count", "Requests answered, by route, method and status.", ("route", "method", "status")
    ),
    "request_seconds": Measure("time", "Time until the answer was whole, by route.", ("route",)),
    "build_info": Measure("level", "1, with the version as a label.", ("version",), (), "min"),
    **MEASURES,
}


def full_name(name: str) -> str:
    """What Prometheus calls it.

    >>> full_name("requests"), full_name("request_seconds")
    ('conlinucb_requests_total', 'conlinucb_request_seconds')
    """
    return f"conlinucb_{name}" + ("_total" if ALL[name].kind == "count" else "")


class Metrics:
    """Keeps what is reported, as an observer of the layers below and of every request."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._families = {name: self._made(name, each) for name, each in ALL.items()}
        self._children: dict[tuple[str, ...], Any] = {}
        self._catalogues: set[str] = set()
        self._lock = threading.Lock()

    def _made(self, name: str, measure: Measure) -> Any:
        given = (f"conlinucb_{name}", measure.text, measure.labels)
        match measure.kind:
            case "count":
                return Counter(*given, registry=self._registry)
            case "level":
                mode: Any = f"live{measure.across}"
                return Gauge(*given, registry=self._registry, multiprocess_mode=mode)
            case "time":
                return Histogram(*given, registry=self._registry, buckets=SECONDS)
            case "measure" if measure.buckets:
                return Histogram(*given, registry=self._registry, buckets=measure.buckets)
        return Summary(*given, registry=self._registry)

    def count(self, name: str, value: float = 1, **labels: str) -> None:
        """`value` more of something."""
        self._of(name, labels).inc(value)

    def time(self, name: str, seconds: float, **labels: str) -> None:
        """Something just ended that took this long."""
        self._of(name, labels).observe(seconds)

    def measure(self, name: str, value: float, **labels: str) -> None:
        """One value of many."""
        self._of(name, labels).observe(value)

    def level(self, name: str, value: float, **labels: str) -> None:
        """How high something stands now, in this process."""
        self._of(name, labels).set(value)

    def _of(self, name: str, labels: dict[str, str]) -> Any:
        key = (name, *labels.values())
        found = self._children.get(key)
        if found is None:
            told = self._bounded(labels)
            found = self._families[name].labels(**told) if told else self._families[name]
            if told == labels:  # names beyond the limit are not kept here either
                self._children[key] = found
        return found

    def _bounded(self, labels: dict[str, str]) -> dict[str, str]:
        name = labels.get("catalogue")
        if name is None:
            return labels
        with self._lock:
            if len(self._catalogues) < MOST_CATALOGUES:
                self._catalogues.add(name)
            return labels if name in self._catalogues else {**labels, "catalogue": OTHER}

    def text(self) -> bytes:
        """All of it, as Prometheus reads it."""
        folder = os.environ.get(METRICS)
        if folder is None:
            return generate_latest(self._registry)
        _forget_dead(Path(folder))
        registry = CollectorRegistry()
        MultiProcessCollector(registry, folder)
        return generate_latest(registry)


def _forget_dead(folder: Path) -> None:
    """Levels of workers that are gone no longer count; what they counted does."""
    for pid in {int(each.stem.rpartition("_")[2]) for each in folder.glob("gauge_live*.db")}:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            mark_process_dead(pid, str(folder))
        except PermissionError:
            pass  # there, of someone else
