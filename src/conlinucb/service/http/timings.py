"""How long this worker's requests took, and how they ended: a small record in memory."""

from __future__ import annotations

import os
from collections import Counter

import numpy as np

from conlinucb.service.dashboard.window import stamp
from conlinucb.service.schemas.dashboard import LatencyOut, RequestsOut
from conlinucb.service.storage import now

LATEST = 10_000
"""Requests of each kind whose times are kept."""
KINDS = ("all", "next", "steps", "answers", "rewards", "picture", "best", "dashboard")
"""Told apart by the last word of the address; every request is among all."""


class Timings:
    """Counts since the worker started, and the times of the latest requests of each kind."""

    def __init__(self) -> None:
        self.since = now()
        self._statuses: Counter[int] = Counter()
        self._counts: Counter[str] = Counter()
        self._seconds = {each: np.zeros(LATEST, dtype=np.float32) for each in KINDS}

    def add(self, path: str, status: int, seconds: float) -> None:
        """Note one request. One thread does, that of the event loop; others may look meanwhile."""
        self._statuses[status] += 1
        last = path.rpartition("/")[2]
        for kind in ("all", last) if last in KINDS[1:] else ("all",):
            self._seconds[kind][self._counts[kind] % LATEST] = seconds
            self._counts[kind] += 1

    def found(self) -> RequestsOut:
        """What was noted so far."""
        statuses = dict(self._statuses)
        return RequestsOut(
            worker=os.getpid(),
            since=stamp(self.since),
            requests=sum(statuses.values()),
            statuses={str(each): statuses[each] for each in sorted(statuses)},
            latencies=[self._latency(each) for each in KINDS if self._counts[each]],
        )

    def _latency(self, kind: str) -> LatencyOut:
        count = self._counts[kind]
        times = 1000.0 * np.quantile(self._seconds[kind][: min(count, LATEST)], [0.5, 0.95, 0.99])
        p50, p95, p99 = (round(float(each), 3) for each in times)
        return LatencyOut(what=kind, requests=count, p50=p50, p95=p95, p99=p99)
