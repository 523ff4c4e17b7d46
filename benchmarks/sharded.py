"""The model of ``benchmarks.capacity`` against real servers, at small scale.

``python -m benchmarks.sharded`` starts some servers, each with a database of its own, sends people
to them by a hash of their names, and measures on one shard what the model then predicts for two
and three: requests a second, memory, disk, and the people of each shard. Servers, databases and
clients share this machine's processors, and the model counts that in.
"""

from __future__ import annotations

import argparse
import contextlib
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from benchmarks import load
from benchmarks.capacity import disk_bytes, memory_bytes, throughput
from benchmarks.costs import Costs
from benchmarks.service import Place, empty_database, footprint, made_catalog, served
from conlinucb.service.storage import Storage
from conlinucb.service.storage.schema import events, people

ITEMS = 1_000
TURNS = 3
CLIENTS = 8
TICK = os.sysconf("SC_CLK_TCK")
SPIN = """
import sys, time
wanted = float(sys.argv[1])
end, begun = time.perf_counter() + wanted, time.process_time()
while time.perf_counter() < end:
    pass
print((time.process_time() - begun) / wanted)
"""
"""Work without an end: the part of a processor that it gets."""
Row = dict[str, Any]


@dataclass(frozen=True)
class Shard:
    """A server of one worker, its database, and where both of them are."""

    place: Place
    port: int
    process: int
    folder: Path

    def seconds(self) -> tuple[float, float]:
        """Of processors, so far: the server's and its database's."""
        pid = next(iter(self.folder.glob("*/data/postmaster.pid")), None)
        database = _seconds(int(pid.read_text().split()[0])) if pid else 0.0
        return _seconds(self.process), database

    def names(self) -> set[str]:
        """Everybody of whom there are events here."""
        query = sa.select(people.c.name).where(people.c.id.in_(sa.select(events.c.person)))
        storage = Storage(self.place.url)
        with contextlib.closing(storage), storage.database.connect() as connection:
            return set(connection.scalars(query))


def _seconds(process: int) -> float:
    """Of processors, of a process, its group and its children."""
    found = 0
    for each in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError, ValueError, IndexError):
            fields = each.read_text().rpartition(")")[2].split()
            if process in (int(each.parent.name), int(fields[1]), int(fields[2])):
                found += int(fields[11]) + int(fields[12])
    return found / TICK


@contextlib.contextmanager
def started(kind: str, count: int, folder: Path) -> Iterator[list[Shard]]:
    """So many shards, ready; gone in the end."""
    catalog = folder / "items.npz"
    made_catalog(ITEMS).save(catalog)
    with contextlib.ExitStack() as stack:
        shards = []
        for number in range(count):
            own = folder / f"shard-{number}"
            own.mkdir(mode=0o700)  # PostgreSQL keeps its socket there
            place = stack.enter_context(empty_database(kind, own, None))
            port, process = stack.enter_context(served(place, 1, catalog))
            shards.append(Shard(place, port, process, own))
        yield shards


def free_cores(processes: int, seconds: float = 0.5) -> float:
    """How many processors so many processes get beside this machine's other work."""
    command = [sys.executable, "-S", "-c", SPIN, str(seconds)]
    spinning = [
        subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True)
        for _ in range(processes)
    ]  # each in a session, as servers are: Linux shares processors among sessions first
    return sum(float(each.communicate()[0]) for each in spinning)


@dataclass
class Measured:
    """What was seen of so many shards, in all turns together."""

    requests: int = 0
    seconds: float = 0.0
    server: float = 0.0
    database: float = 0.0
    clients: float = 0.0
    cores: list[float] = field(default_factory=list)
    people: list[int] = field(default_factory=list)
    events: int = 0
    disk: int = 0
    memory: int = 0

    @property
    def rate(self) -> float:
        """Requests a second."""
        return self.requests / self.seconds

    def each(self, used: float) -> float:
        """Seconds of something for each request."""
        return used / max(self.requests, 1)


def play(shards: list[Shard], name: str, seconds: float, found: Measured) -> None:
    """One turn: people talk to these shards for so long."""
    found.cores.append(free_cores(len(shards) + 1))  # the clients are a process, too
    catalog = shards[0].folder.parent / "items.npz"
    order = {"ports": [each.port for each in shards], "seconds": seconds, "catalog": str(catalog)}
    order |= {"clients": CLIENTS, "pause": 0.0, "name": name}
    before, sizes = [each.seconds() for each in shards], _sizes(shards)
    begun, own = time.perf_counter(), time.process_time()
    times = load.run(order)
    found.seconds += time.perf_counter() - begun
    found.clients += time.process_time() - own
    found.requests += sum(map(len, times.values()))
    after, grown = [each.seconds() for each in shards], _sizes(shards)
    found.server += sum(new[0] - old[0] for new, old in zip(after, before, strict=True))
    found.database += sum(new[1] - old[1] for new, old in zip(after, before, strict=True))
    came = [new["people"] - old["people"] for new, old in zip(grown, sizes, strict=True)]
    found.people = [a + b for a, b in zip(found.people or [0] * len(came), came, strict=True)]
    for what in ("events", "disk", "memory"):
        more = sum(new[what] - old[what] for new, old in zip(grown, sizes, strict=True))
        setattr(found, what, getattr(found, what) + more)


def _sizes(shards: list[Shard]) -> list[Row]:
    return [footprint(each.place, each.process) for each in shards]


@dataclass(frozen=True)
class Played:
    """All numbers of shards, in turns; what the servers took before, and what is there after."""

    found: dict[int, Measured]
    base: float
    """Bytes of memory of a server before people came."""
    people: int
    memory: int
    wrong: list[str]
    """People who are in two shards, or not in the one that their name says."""

    def costs(self) -> Costs:
        """The repository's costs, with what was seen of one shard in their place."""
        one = self.found[1]
        return replace(
            Costs.load(),
            worker_mb=self.base / 1e6,
            item_bytes=0.0,  # in what a worker takes
            request_ms=1e3 * one.each(one.server),
            database_ms=1e3 * one.each(one.database),
            state_bytes=one.memory / max(sum(one.people), 1),
            person_bytes=0.0,  # in what an event takes
            event_bytes=one.disk / max(one.events, 1),
        )

    def compared(self) -> Iterator[Row]:
        """What the model says and what was measured, for each number of shards."""
        one, costs, most = self.found[1], self.costs(), max(self.found)
        request = one.each(one.server + one.database + one.clients)
        for number, seen in self.found.items():
            cores, met = statistics.fmean(seen.cores), sum(seen.people)
            disk = disk_bytes(costs, met, seen.events / max(met, 1))
            rate = throughput(one.rate, number, cores, request)
            yield _row(number, "requests a second", rate, seen.rate, cores)
            yield _row(number, "disk grown, MB", disk / 1e6, seen.disk / 1e6, cores)
            largest = float(max(seen.people))
            yield _row(number, "people of the largest shard", met / number, largest, cores)
        memory = memory_bytes(costs, most, self.people, 0)
        yield _row(most, "memory of all, MB", memory / 1e6, self.memory / 1e6, 0.0)


def _row(shards: int, what: str, model: float, measured: float, cores: float) -> Row:
    ratio = model / measured if measured else math.nan
    row = {"shards": shards, "what": what, "predicted": model, "measured": measured}
    return {**row, "ratio": ratio, "cores": cores}


def misplaced(names: list[set[str]]) -> list[str]:
    """Who is in two shards, or not where a name such as "of2-..." belongs of two shards.

    >>> misplaced([{"of1-ann"}, {"of1-ann", "of1-bo"}])
    ['of1-ann', 'of1-bo']
    """
    wrong = []
    for shard, mine in enumerate(names):
        others = set().union(*(each for i, each in enumerate(names) if i != shard))
        wrong += [
            name
            for name in mine
            if name in others or load.shard_of(name, int(name[2 : name.index("-")])) != shard
        ]
    return sorted(set(wrong))


def played(kind: str, most: int, seconds: float) -> Played:
    """One shard, two, and so on, in turns: what slows the machine down slows all of them."""
    with tempfile.TemporaryDirectory() as name, started(kind, most, Path(name)) as shards:
        play(shards, f"of{most}-warm", 1.0, Measured())
        before = _sizes(shards)
        found = {number: Measured() for number in range(1, most + 1)}
        for turn in range(TURNS):
            for number, seen in found.items():
                play(shards[:number], f"of{number}-turn-{turn}", seconds / TURNS, seen)
        after = _sizes(shards)
        return Played(
            found,
            _sum(before, "memory") / most,
            _sum(after, "people") - _sum(before, "people"),
            _sum(after, "memory"),
            misplaced([each.names() for each in shards]),
        )


def _sum(sizes: list[Row], what: str) -> int:
    return sum(int(each[what]) for each in sizes)


def lines(seen: Played) -> Iterator[str]:
    """All that was measured, in words."""
    one = seen.found[1]
    yield (
        f"one shard: a request takes {1e3 * one.each(one.server):.2f} ms of a processor in the "
        f"server, {1e3 * one.each(one.database):.2f} in the database's own processes and "
        f"{1e3 * one.each(one.clients):.2f} in the client"
    )
    for row in seen.compared():
        cores = f"  ({row['cores']:.1f} cores free)" if row["cores"] else ""
        yield (
            f"{row['shards']} shards  {row['what']:28s} predicted {row['predicted']:9,.1f}  "
            f"measured {row['measured']:9,.1f}  ratio {row['ratio']:.2f}{cores}"
        )
    yield f"people whose events are in two shards, or in a wrong one: {len(seen.wrong)}"


def main() -> None:
    """Measure what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--database", choices=("sqlite", "postgresql"), default="sqlite")
    parser.add_argument("--shards", type=int, choices=(1, 2, 3), default=3)
    parser.add_argument("--seconds", type=float, default=8.0, help="of each number of shards")
    given = parser.parse_args()
    if not 0.5 <= given.seconds <= 30:
        parser.error(f"expected --seconds from 0.5 to 30, got {given.seconds:g}")
    for line in lines(played(given.database, given.shards, given.seconds)):
        print(line)


if __name__ == "__main__":
    main()
