"""What so many people and items need, calculated from measured costs.

``python -m benchmarks.capacity --people 100000000 --items 10000`` prints machines, memory, disk
and times, and what breaks first. The costs are in ``costs.json``, each with the command that
measured it; ``python -m benchmarks.sharded`` checks the model on real servers.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from benchmarks.costs import Costs

BUSY = 0.5
"""How busy processors may be: above it, times of a request grow."""
PATIENCE_MS = 250.0
"""How long a ``next`` may take."""
BLOB_GB = 1.0
"""A version of a catalogue is one field of a row: PostgreSQL and SQLite take about this much."""
SNAPSHOT_FROM = 100
"""Events after which a state is kept, so that no more than these are folded."""
INDICES = 0.5
"""The part of the database's bytes that is indices."""


@dataclass(frozen=True)
class Demand:
    """Who comes, and how often."""

    people: int = 1_000_000
    items: int = 10_000
    events: int = 50
    """Of each person, all told."""
    active: float = 0.1
    """The part of the people who come on a day."""
    requests: float = 20.0
    """Of each of them on that day: half of them ``next``."""
    peak: float = 3.0
    """The busiest hour against the mean of the day."""

    @property
    def rate(self) -> float:
        """Requests a second in the busiest hour."""
        return self.people * self.active * self.requests * self.peak / 86_400

    @property
    def at_hand(self) -> float:
        """People who come in the busiest hour."""
        return self.people * self.active * self.peak / 24


@dataclass(frozen=True)
class Machine:
    """What one machine has; the service and each database have machines of their own."""

    cores: int = 16
    memory_gb: float = 64.0
    disk_gb: float = 4_000.0


@dataclass(frozen=True)
class Limit:
    """Something that ends: how many times over it is asked for, and what to do then."""

    name: str
    times: float
    remedy: str


@dataclass(frozen=True)
class Plan:
    """What a demand needs, by the costs, on machines of this size."""

    demand: Demand
    costs: Costs
    machine: Machine = Machine()

    @property
    def warm_ms(self) -> float:
        """``next`` over the whole catalogue of someone at hand."""
        return self.costs.next_ms + self.costs.item_us * self.demand.items / 1e3

    @property
    def cold_ms(self) -> float:
        """The same of someone whose state must be made from the log first."""
        folded = min(self.demand.events, SNAPSHOT_FROM)
        return self.warm_ms + self.costs.cold_ms + self.costs.fold_us * folded / 1e3

    @property
    def workers(self) -> int:
        """Processes of the service, none of them busier than it may be."""
        half = self.costs.item_us * self.demand.items / 2e3  # one request in two is a ``next``
        busy = self.demand.rate * (self.costs.request_ms + half) / 1e3
        return max(1, math.ceil(busy / BUSY))

    @property
    def worker_gb(self) -> float:
        """Memory of each, with its part of the people of the busiest hour."""
        people = self.demand.at_hand / self.workers * self.costs.state_bytes
        return (
            self.costs.worker_mb * 1e6 + self.demand.items * self.costs.item_bytes + people
        ) / 1e9

    @property
    def machines(self) -> int:
        """Of the service: by processors or by memory, whatever asks for more."""
        by_memory = self.workers * self.worker_gb / self.machine.memory_gb
        return math.ceil(max(self.workers / self.machine.cores, by_memory))

    @property
    def rows(self) -> int:
        """In all databases."""
        return self.demand.people * (1 + self.demand.events)

    @property
    def disk_gb(self) -> float:
        """Of all databases, without backups."""
        return disk_bytes(self.costs, self.demand.people, self.demand.events) / 1e9

    @property
    def database_cores(self) -> float:
        """Processors that all databases keep busy."""
        return self.demand.rate * self.costs.database_ms / 1e3

    @property
    def databases(self) -> int:
        """Each with its own people: by the limit that asks for most of them."""
        return max(1, math.ceil(max(each.times for each in self._database_limits())))

    @property
    def refold_hours(self) -> float:
        """One core, every state from its log: what a new kind of state costs all told."""
        return self.demand.people * self.demand.events * self.costs.fold_us / 3.6e9

    @property
    def check_hours(self) -> float:
        """``db check`` of each database, all at once."""
        scale = self.demand.people * self.demand.events / 10 / self.databases
        return scale * self.costs.check_ms / 3.6e6

    @property
    def fit_hours(self) -> float:
        """One core, a population learned of everybody; the service takes the last 50,000."""
        return self.demand.people * self.demand.events * self.costs.fit_us / 3.6e9

    def limits(self) -> list[Limit]:
        """What one machine and one database have against what is asked, the worst first."""
        machine, items = self.machine, self.demand.items
        held = machine.cores * (self.costs.worker_mb * 1e6 + items * self.costs.item_bytes) / 1e9
        found = [
            Limit(
                "processors of the service",
                self.workers / machine.cores,
                "more replicas, each person to one of them",
            ),
            Limit(
                "a catalogue in each worker's memory",
                held / machine.memory_gb,
                "fewer workers a machine with more memory each; a catalogue for each region",
            ),
            Limit(
                "the time of a next over the whole catalogue",
                self.warm_ms / PATIENCE_MS,
                "`pool`: a few thousand candidates, from an index of nearest neighbours",
            ),
            Limit(
                "a catalogue's version in one field of a row",
                items * self.costs.item_blob_bytes / 1e9 / BLOB_GB,
                "several catalogues; the library's own arrays outside the service",
            ),
            *self._database_limits(),
        ]
        return sorted(found, key=lambda each: -each.times)

    def _database_limits(self) -> Iterator[Limit]:
        split = "several databases, each with its own people, routed by their ids"
        machine = self.machine
        yield Limit("processors of the database", self.database_cores / machine.cores / BUSY, split)
        yield Limit("disk of the database", self.disk_gb / machine.disk_gb, split)
        yield Limit(
            "indices in the database's memory",
            self.disk_gb * INDICES / machine.memory_gb,
            f"more memory for it, or {split}",
        )


def disk_bytes(costs: Costs, people: float, events: float) -> float:
    """Of so many people with so many events each."""
    kept = costs.snapshot_bytes if events >= SNAPSHOT_FROM else 0.0
    return people * (costs.person_bytes + kept + events * costs.event_bytes)


def memory_bytes(costs: Costs, workers: int, people: float, items: int) -> float:
    """Of so many workers that together have so many people at hand."""
    return workers * (costs.worker_mb * 1e6 + items * costs.item_bytes) + people * costs.state_bytes


def throughput(alone: float, workers: int, cores: float, request_s: float) -> float:
    """Requests a second of workers on shared processors.

    Of one worker ``alone`` each, until all processors are busy with what a request costs on this
    machine: of the worker, and of the database and the clients where these are on it as well.

    >>> [throughput(700.0, n, 2.0, 0.002) for n in (1, 2, 3)]
    [700.0, 1000.0, 1000.0]
    """
    return min(workers * alone, cores / request_s)


def table(plans: list[Plan]) -> list[list[str]]:
    """A line for each thing, a column for each plan."""
    lines: list[tuple[str, Any]] = [
        ("requests a second, busiest hour", lambda p: f"{p.demand.rate:,.0f}"),
        ("people at hand then", lambda p: f"{p.demand.at_hand:,.0f}"),
        ("workers of the service", lambda p: f"{p.workers:,}"),
        ("memory of each, GB", lambda p: f"{p.worker_gb:.1f}"),
        ("machines of the service", lambda p: f"{p.machines:,}"),
        ("`next`, at hand, ms", lambda p: f"{p.warm_ms:,.0f}"),
        ("`next`, from the log, ms", lambda p: f"{p.cold_ms:,.0f}"),
        ("rows", lambda p: f"{p.rows:,.0f}"),
        ("disk, GB", lambda p: f"{p.disk_gb:,.0f}"),
        ("processors of the databases", lambda p: f"{p.database_cores:,.1f}"),
        ("databases", lambda p: f"{p.databases:,}"),
        ("`db check` of each at once, hours", lambda p: f"{p.check_hours:,.1f}"),
        ("all states from the log, core hours", lambda p: f"{p.refold_hours:,.1f}"),
        ("a population of everybody, core hours", lambda p: f"{p.fit_hours:,.1f}"),
    ]
    head = ["", *(f"{p.demand.people:,} people" for p in plans)]
    return [head, *([name, *(show(plan) for plan in plans)] for name, show in lines)]


def verdict(plan: Plan) -> list[str]:
    """What breaks, the worst first; what comes next where nothing does."""
    limits = plan.limits()
    over = [each for each in limits if each.times > 1]
    if not over:
        first = limits[0]
        return [f"nothing breaks; nearest is: {first.name}, {first.times:.0%} of one machine"]
    return [f"{each.name}: {each.times:,.1f} times over; {each.remedy}" for each in over]


def main() -> None:
    """Print the plan for what the command line says."""
    given = _arguments()
    demand = Demand(given.people, given.items, given.events, given.active, given.requests)
    plan = Plan(demand, Costs.load(), Machine(given.cores, given.memory, given.disk))
    for name, value in table([plan]):
        print(f"{name:40s}{value:>24s}")
    print("\n".join(["", "against one machine of the service and one database:", *verdict(plan)]))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    for name, default, told in (
        ("people", Demand.people, "all who ever came"),
        ("items", Demand.items, "in the catalogue"),
        ("events", Demand.events, "of each person"),
        ("active", Demand.active, "the part of the people who come on a day"),
        ("requests", Demand.requests, "of each of them on that day"),
        ("cores", Machine.cores, "of a machine"),
        ("memory", Machine.memory_gb, "GB of a machine"),
        ("disk", Machine.disk_gb, "GB of a machine"),
    ):
        parser.add_argument(f"--{name}", type=type(default), default=default, help=told)
    given = parser.parse_args()
    wrong = [f"--{name} {value:g}" for name, value in vars(given).items() if not value > 0]
    if wrong:
        parser.error(f"expected numbers above 0, got {', '.join(wrong)}")
    return given


if __name__ == "__main__":
    main()
