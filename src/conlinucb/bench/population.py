"""How long a population takes to fit, and in how much memory."""

from __future__ import annotations

import importlib
import resource
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from conlinucb.agent.priors import Population
from conlinucb.bench.problem import Setting
from conlinucb.catalog.catalog import Catalog

PART = 20_000
"""People in one parquet part."""
NOISE = 0.04


@dataclass(frozen=True)
class Crowd:
    """People whose tastes are normal, and their rewards for random arms."""

    people: int
    events: int = 50
    d: int = 50

    @property
    def catalog(self) -> Catalog:
        """Unit arms; the same for every crowd of these sizes."""
        return Setting(d=self.d, users=1).catalog

    def parts(self) -> Iterator[dict[str, Any]]:
        """Their feedback, some people at a time."""
        arms = self.catalog.arms
        for first in range(0, self.people, PART):
            yield self._feedback(arms, first, min(first + PART, self.people))

    def _feedback(self, arms: Any, first: int, last: int) -> dict[str, Any]:
        rng = np.random.default_rng([7, first])
        mean, root = self._tastes()
        tastes = mean + rng.normal(size=(last - first, self.d)) @ root.T
        arm = rng.integers(len(arms), size=(last - first, self.events))
        value = np.empty(arm.shape)
        for i, taste in enumerate(tastes):
            value[i] = arms[arm[i]] @ taste
        value += np.sqrt(NOISE) * rng.normal(size=arm.shape)
        person = np.repeat(np.arange(first, last), self.events)
        return {"person": person, "id": arm.ravel(), "value": value.ravel()}

    def _tastes(self) -> tuple[Any, Any]:
        rng = np.random.default_rng(7)
        mixed = rng.normal(size=(self.d, self.d)) / np.sqrt(self.d)
        covariance = 0.3 * mixed @ mixed.T + 0.02 * np.eye(self.d)
        return rng.normal(size=self.d) * 0.5, np.linalg.cholesky(covariance)

    def table(self) -> dict[str, Any]:
        """All of it in memory."""
        parts = list(self.parts())
        return {name: np.concatenate([each[name] for each in parts]) for name in parts[0]}

    def write(self, folder: Path) -> Path:
        """All of it as parquet parts."""
        arrow = importlib.import_module("pyarrow")
        parquet = importlib.import_module("pyarrow.parquet")
        for i, part in enumerate(self.parts()):
            parquet.write_table(arrow.table(part), folder / f"part-{i:05d}.parquet")
        return folder


def measure(crowd: Crowd, feedback: Any, threads: int | None = None) -> dict[str, Any]:
    """Seconds and peak memory of one fit, and how well it found what was there."""
    warm = Crowd(20, crowd.events, crowd.d)
    Population.fit(warm.catalog, warm.table(), range=None)
    before = peak_memory()
    start, busy = time.perf_counter(), time.process_time()
    found = Population.fit(crowd.catalog, feedback, range=None, threads=threads)
    seconds, busy = time.perf_counter() - start, time.process_time() - busy
    told = found.summary()
    return {
        "people": crowd.people,
        "events": crowd.events,
        "d": crowd.d,
        "seconds": seconds,
        "processor_seconds": busy,
        "memory_before": before,
        "memory": peak_memory(),
        "noise": found.noise,
        "noise_was": NOISE,
        **{name: told[name] for name in ("rounds", "converged", "held_out_likelihood", "coverage")},
    }


def peak_memory() -> float:
    """Of this process so far, in GB."""
    unit = 1.0 if sys.platform == "darwin" else 1024.0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e9


def line(row: dict[str, Any]) -> str:
    """One measurement in words."""
    return (
        f"{row['people']:,} people x {row['events']} events, d = {row['d']}: "
        f"{row['seconds']:.1f} s ({row['processor_seconds']:.1f} s of processors), "
        f"{row['rounds']} rounds of EM"
        f"{'' if row['converged'] else ' (not converged)'}, peak memory {row['memory']:.2f} GB "
        f"({row['memory_before']:.2f} GB before the fit); noise {row['noise']:.4f} "
        f"(true {row['noise_was']}), {row['coverage']:.1%} of held-out rewards in 90 % intervals"
    )
