"""Measure what one person, item, event and request costs, for ``benchmarks.capacity``.

``OPENBLAS_NUM_THREADS=1 python -m benchmarks.measure_costs --write`` writes ``costs.json`` anew;
without ``--write`` it only prints. Times are of processors, not of the clock, so that other work
on the machine changes little. It takes some minutes and, for a million items, 6 GB of memory.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import gc
import itertools
import json
import math
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from benchmarks import sharded
from benchmarks.costs import COSTS
from conlinucb import __version__
from conlinucb.bench import population
from conlinucb.catalog.catalog import Catalog
from conlinucb.service.catalogues.registry import Catalogues
from conlinucb.service.catalogues.version import Content
from conlinucb.service.conversations.cache import StateCache
from conlinucb.service.conversations.decide import NextRequest
from conlinucb.service.conversations.loader import StateLoader
from conlinucb.service.conversations.use_cases import UseCases
from conlinucb.service.storage import (
    Person,
    QuestionBody,
    RecommendationBody,
    Storage,
    migrate,
    pack,
)

D, TERMS, TAGS = 50, 300, 4
SIZES = (10_000, 100_000, 1_000_000)
NAME = "bench"
STEPS, EVENTS = 30, 200
HERE = "python -m benchmarks.measure_costs"
MILLION = "python -m benchmarks.million --people 1000000 --events 10"
Measured = Iterator[tuple[str, float, str, str]]
"""A field of ``Costs``, its value, its unit, and the command."""


def large_catalog(items: int) -> Catalog:
    """Items with drawn features and four key-terms each, however many."""
    rng = np.random.default_rng(0)
    arms = rng.standard_normal((items, D))
    arms /= np.linalg.norm(arms, axis=1, keepdims=True)
    rows = np.repeat(np.arange(items), TAGS)
    terms = (np.arange(items)[:, None] + np.array([0, 71, 142, 213])) % TERMS
    tags = sparse.csr_array((np.ones(rows.size), (rows, terms.ravel())), shape=(items, TERMS))
    return Catalog(arms, tags, [f"item {n}" for n in range(items)])


class Conversations:
    """The service's own code without HTTP, on a file of its own."""

    def __init__(self, folder: Path, items: int) -> None:
        before = memory()
        content = Content(large_catalog(items))
        self.blob = len(content.to_bytes())
        self.storage = Storage(f"sqlite:///{folder / 'costs.db'}")
        migrate.upgrade(self.storage.database)
        self.catalogues = Catalogues(self.storage)
        self.catalogues.opened = True
        self.catalogues.replace(NAME, content)
        self.loader, self.cache = StateLoader(self.storage), StateCache(1_000_000_000)
        parts = (self.storage, self.catalogues, self.cache, self.loader)
        self.talk = UseCases(*parts, lambda state, person: None)
        self.step("warm")
        gc.collect()
        self.memory = memory() - before

    def step(self, name: str) -> float:
        """A question and its answer, or a recommendation and its reward; ms of ``next``."""
        begun = time.process_time()
        came = self.talk.next(NAME, name, NextRequest()).event
        taken = time.process_time() - begun
        if isinstance(came.body, QuestionBody):
            self.talk.answer(NAME, name, f"q{came.seq}", 1.0, None)
            return math.nan
        assert isinstance(came.body, RecommendationBody)
        self.talk.reward(NAME, name, f"d{came.seq}", came.body.items[0].item, 1.0, None)
        return 1e3 * taken

    def person(self, events: int) -> Person:
        """Somebody with so many events."""
        name = f"with {events}"
        person = self.talk.meet(NAME, name, None)
        while self.storage.log.last(person.id) < events:
            self.step(name)
        return person

    def rebuild_ms(self, person: Person) -> float:
        """A state from the whole log."""
        version = self.catalogues.serving(NAME)
        return _processor_ms(lambda: self.loader.rebuild(version, person))


@contextlib.contextmanager
def conversations(items: int) -> Iterator[Conversations]:
    """Ready to talk about so many items; gone in the end."""
    with tempfile.TemporaryDirectory() as folder:
        found = Conversations(Path(folder), items)
        with contextlib.closing(found.storage):
            yield found


def memory() -> float:
    """Resident bytes of this process."""
    pages = Path("/proc/self/statm").read_text().split()[1]
    return float(pages) * os.sysconf("SC_PAGE_SIZE")


def _processor_ms(work: Callable[[], Any], times: int = 15) -> float:
    found = []
    for _ in range(times):
        begun = time.process_time()
        work()
        found.append(time.process_time() - begun)
    return 1e3 * statistics.median(found)


def of_items() -> Measured:
    """What an item adds; it is shown whether that is the same at each size."""
    took, held, kept = {}, {}, {}
    for items in SIZES:
        with conversations(items) as talk:
            took[items] = float(np.nanmedian([talk.step("someone") for _ in range(STEPS)]))
            held[items], kept[items] = talk.memory, talk.blob
        print(f"next over {items:9,} items: {took[items]:8.2f} ms", flush=True)
    few, many = SIZES[0], SIZES[-1]
    each = (took[many] - took[few]) / (many - few)
    yield "item_us", 1e3 * each, "us", HERE
    yield "next_ms", took[few] - each * few, "ms", HERE
    yield "item_bytes", (held[many] - held[few]) / (many - few), "bytes", HERE
    yield "item_blob_bytes", (kept[many] - kept[few]) / (many - few), "bytes", HERE


def of_states() -> Measured:
    """A state at hand, kept, and made again from a short log and a long one."""
    with conversations(SIZES[0]) as talk:
        person = talk.person(EVENTS)
        short, long = talk.rebuild_ms(talk.person(10)), talk.rebuild_ms(person)
        entry = talk.cache.entry((person.catalogue, person.name))
        assert entry.conversation is not None
        event = (long - short) / (EVENTS - 10)
        yield "fold_us", 1e3 * event, "us", HERE
        yield "cold_ms", max(short - 10 * event, 0.0), "ms", HERE
        yield "state_bytes", float(entry.bytes), "bytes", HERE
        kept = pack(entry.conversation.snapshot().arrays)
        yield "snapshot_bytes", float(len(kept)), "bytes", HERE


def of_requests(seconds: float) -> Measured:
    """One worker on a PostgreSQL, with clients as fast as it answers."""
    seen = sharded.played("postgresql", 1, seconds)
    costs = seen.costs()
    yield "request_ms", costs.request_ms, "ms", HERE
    yield "database_ms", costs.database_ms, "ms", HERE
    yield "worker_mb", costs.worker_mb, "MB", HERE


def of_populations() -> Measured:
    """A fit of people with 50 rewards each, on one thread."""
    crowd = population.Crowd(10_000, 50, D)
    seen = population.measure(crowd, crowd.table(), threads=1)
    each = 1e6 * seen["processor_seconds"] / (crowd.people * crowd.events)
    yield "fit_us", each, "us", HERE


def of_a_million() -> Measured:
    """What is in docs/operations.md: too long to measure each time."""
    yield "person_bytes", 272.0, "bytes", MILLION
    yield "event_bytes", 338.0, "bytes", MILLION
    yield "check_ms", 0.386, "ms", MILLION


def measure(seconds: float) -> dict[str, Any]:
    """All costs, as the file has them."""
    parts = (of_items(), of_states(), of_requests(seconds), of_populations(), of_a_million())
    costs = {}
    for name, value, unit, command in itertools.chain(*parts):
        print(f"{name:18s}{value:12,.3f} {unit}", flush=True)
        costs[name] = {"value": float(f"{value:.4g}"), "unit": unit, "measured": command}
    about = {"day": str(datetime.date.today()), "version": __version__, "cores": os.cpu_count()}
    return {**about, "d": D, "costs": costs}


def main() -> None:
    """Measure, and write where that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="Into costs.json.")
    parser.add_argument("--seconds", type=float, default=10.0, help="Of requests.")
    given = parser.parse_args()
    found = measure(given.seconds)
    if given.write:
        COSTS.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
        print(f"written: {COSTS}")


if __name__ == "__main__":
    main()
