"""Comparisons for those who ask again and again: new once a minute."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import get_args

from conlinucb.errors import InvalidInput, nearest
from conlinucb.service.catalogues.version import CatalogueVersion
from conlinucb.service.experiments.compare import Asked, compare
from conlinucb.service.experiments.experiments import Experiment
from conlinucb.service.schemas.experiments import LiveComparison, Metric
from conlinucb.service.storage import Storage

FRESH = 60.0
"""Seconds for which a comparison is good."""
KEPT = 32
LAST_ROUND = 1_000


class Looks:
    """What was found lately, by what was asked."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self._found: dict[tuple[int, int, Asked], tuple[float, LiveComparison]] = {}

    def report(
        self,
        version: CatalogueVersion,
        experiment: Experiment,
        asked: Asked,
        check: Callable[[], None] = lambda: None,
    ) -> LiveComparison:
        """The comparison; everyone's log is read for it, and ``check`` may put an end to that."""
        key = version.id, experiment.number, asked
        known = self._found.get(key)
        if known is not None and time.monotonic() - known[0] < FRESH:
            return known[1]
        found = compare(self._storage, version, experiment, asked, lambda people: check())
        if len(self._found) >= KEPT:
            self._found.clear()
        self._found[key] = time.monotonic(), found.report
        return found.report


def metric_of(text: str) -> Metric:
    """The metric of this name.

    >>> metric_of("likes")
    'likes'
    """
    known: tuple[Metric, ...] = get_args(Metric)
    for each in known:
        if each == text:
            return each
    raise InvalidInput(f"No metric is called {text!r}.{nearest(text, known)}")


def rounds_of(text: str) -> tuple[int, int]:
    """The first and the last round that count.

    >>> rounds_of("1-5"), rounds_of("3")
    ((1, 5), (3, 3))
    """
    first, dash, last = text.partition("-")
    ends = (first, last if dash else first)
    if not all(each.isascii() and each.isdigit() and len(each) < 9 for each in ends):
        raise InvalidInput(f"rounds must be such as 1-5, got {text!r}.")
    found = int(ends[0]), int(ends[1])
    if not 1 <= found[0] <= found[1] <= LAST_ROUND:
        raise InvalidInput(f"rounds must rise, from 1 to at most {LAST_ROUND}, got {text!r}.")
    return found
