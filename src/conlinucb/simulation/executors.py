"""Where units are played: threads here, or a Ray cluster. The numbers are the same."""

from __future__ import annotations

import os
import pickle
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from functools import lru_cache
from typing import Any, Protocol

from conlinucb.errors import InvalidInput, MissingExtra, nearest
from conlinucb.numerics.validation import whole
from conlinucb.simulation.job import Job, Unit
from conlinucb.simulation.unit import Played, play_units


class Executor(Protocol):
    """Plays units in any order and yields each one when it is done."""

    def run(self, job: Job, units: list[Unit]) -> Iterator[tuple[Unit, Played]]:
        """Play all units; stop at the first error."""
        ...


def together(job: Job, units: list[Unit]) -> list[list[Unit]]:
    """Units of the same people, whose rounds are made once for all their agents.

    Of an agent that shares, a unit is by itself: people come in an order of their own.
    """
    groups: dict[tuple[Any, ...], list[Unit]] = {}
    for unit in units:
        key = unit if job.shares(unit.agent) else unit[1:]
        groups.setdefault(key, []).append(unit)
    return list(groups.values())


class Threads:
    """The kernels release the GIL, so threads fill the cores of one machine."""

    def __init__(self, threads: int | None = None) -> None:
        usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else None
        self.threads = (usable or os.cpu_count() or 1) if threads is None else whole(
            "threads", threads, low=1
        )  # fmt: skip

    def run(self, job: Job, units: list[Unit]) -> Iterator[tuple[Unit, Played]]:
        """Keep a few units waiting, not all: results are handed on before memory fills."""
        todo = iter(together(job, units))
        with ThreadPoolExecutor(self.threads) as pool:
            running: dict[Any, list[Unit]] = {}
            try:
                while True:
                    for some in todo:
                        running[pool.submit(play_units, job, some)] = some
                        if len(running) >= 2 * self.threads:
                            break
                    if not running:
                        return
                    for done in wait(running, return_when=FIRST_COMPLETED).done:
                        yield from zip(running.pop(done), done.result(), strict=True)
            finally:
                pool.shutdown(wait=True, cancel_futures=True)


@lru_cache(maxsize=1)
def _received(job: bytes) -> Job:
    return pickle.loads(job)  # type: ignore[no-any-return]  # from our own driver, by Ray


def _play_sent(job: bytes, units: list[Unit]) -> list[Played]:
    return play_units(_received(job), units)


class Ray:
    """A Ray cluster, or a local one if none is running. A lost worker's units run again."""

    def __init__(self, threads: int | None = None) -> None:
        try:
            import ray
        except ImportError:
            raise MissingExtra("ray", "the executor 'ray'") from None
        self.ray = ray
        self.threads = None if threads is None else whole("threads", threads, low=1)

    def run(self, job: Job, units: list[Unit]) -> Iterator[tuple[Unit, Played]]:
        """One task for each unit; Ray retries a task whose worker or node is gone."""
        ray = self.ray
        if not ray.is_initialized():
            ray.init(num_cpus=self.threads, log_to_driver=False, include_dashboard=False)
        # As bytes: arrays in Ray's shared memory are read-only, which kernels do not take.
        shared = ray.put(ray.cloudpickle.dumps(job))
        task = ray.remote(num_cpus=1, max_retries=-1)(_play_sent)
        running = {task.remote(shared, some): some for some in together(job, units)}
        try:
            while running:
                done, _ = ray.wait(list(running), num_returns=1)
                for each in done:
                    yield from zip(running.pop(each), ray.get(each), strict=True)
        finally:
            for each in running:
                ray.cancel(each, force=False)


EXECUTORS: dict[str, type[Threads] | type[Ray]] = {"threads": Threads, "ray": Ray}


def executor_of(given: Any, threads: int | None) -> Executor:
    """The executor with this name, or the object itself."""
    if isinstance(given, str):
        if given not in EXECUTORS:
            raise InvalidInput(f"No executor is called {given!r}.{nearest(given, EXECUTORS)}")
        return EXECUTORS[given](threads)
    if not hasattr(given, "run"):
        raise InvalidInput(f"executor must be 'threads', 'ray' or have run(), got {given!r}.")
    return given  # type: ignore[no-any-return]
