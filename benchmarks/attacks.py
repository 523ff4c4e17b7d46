"""What others feel while a server is attacked: ``python -m benchmarks.attacks [NAME…] [--seconds
N]``.

Each attack runs against a fresh server of one worker, while someone else goes on asking for
``next`` and a probe for ``/healthz`` on a new connection each time. The table says how long those
took beside the calm before it, and how much memory the server came to have. It ends with what was
more than it may be, and with exit code 1 where anything was: on a machine that does nothing else.
"""

from __future__ import annotations

import http.client
import json
import math
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from sqlalchemy import insert

from benchmarks.attackers import ATTACKS
from benchmarks.server import free_port, running
from conlinucb.service.storage import Event, RewardBody, Storage
from conlinucb.service.storage.log import _row
from conlinucb.service.storage.schema import events

CALM = 3.0
LONG_LOG = 20_000
"""Events of the person whose profile is read."""
ITEM = "Alien (1979)"
MOST_TIMES = 5.0
"""What the slowest percent of others' ``next`` may take, in times of the calm."""
HEALTH_SECONDS = 1.0
"""Within which ``/healthz`` answers."""
MOST_GROWN = 600_000_000
"""Bytes that a worker may come to have beside what it has in the calm: 256 MB of bodies, 64 MB of
unread answers, an upload and an export."""


@dataclass
class Found:
    """Seconds of each request of others, and the server's memory in bytes.

    A probe of ``/healthz`` that was not answered with 200 has taken for ever.
    """

    next: list[float] = field(default_factory=list)
    health: list[float] = field(default_factory=list)
    refused: int = 0
    memory: int = 0

    @property
    def p99(self) -> float:
        """Of ``next``."""
        return float(np.quantile(self.next, 0.99)) if self.next else float("inf")


@dataclass
class Row:
    """One attack."""

    name: str
    calm: Found
    attacked: Found
    statuses: dict[str, int]

    def line(self) -> str:
        """As it stands in the table."""
        calm, now = self.calm, self.attacked
        return (
            f"{self.name:13} {1e3 * calm.p99:8.0f} {1e3 * now.p99:9.0f} {now.p99 / calm.p99:6.1f}"
            f" {len(now.next):6} {now.refused:7} {1e3 * max(now.health, default=0):9.0f}"
            f" {calm.memory / 1e6:8.0f} {now.memory / 1e6:8.0f}  {self.statuses}"
        )

    def missed(self) -> list[str]:
        """What others felt of it that they must not, in words."""
        calm, now = self.calm, self.attacked
        health, grown = max(now.health, default=0.0), now.memory - calm.memory
        bounds = {
            f"next took {now.p99 / calm.p99:.1f} times the calm": now.p99 < MOST_TIMES * calm.p99,
            f"/healthz took {health:.2f} s": health < HEALTH_SECONDS,
            f"{now.refused} of others were refused": now.refused == 0,
            f"memory grew by {grown / 1e6:.0f} MB": grown < MOST_GROWN,
        }
        return [f"{self.name}: {what}" for what, is_held in bounds.items() if not is_held]


HEAD = (
    "attack        calm p99  attacked  times   next refused health max   MB calm  MB most"
    "  what the attackers were told"
)


class Others:
    """Someone who asks for ``next``, a health probe, and a look at the server's memory."""

    def __init__(self, port: int, process: int) -> None:
        self._port, self._process = port, process
        self._people = 0

    def watch(self, seconds: float) -> Found:
        """What they saw within these seconds."""
        found, end = Found(), time.monotonic() + seconds
        work = (self._ask, self._probe, self._weigh)
        threads = [threading.Thread(target=each, args=(found, end)) for each in work]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        return found

    def _ask(self, found: Found, end: float) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=120)
        while time.monotonic() < end:
            self._people += 1
            path = f"/v1/users/other-{self._people}/next"
            started = time.perf_counter()
            try:
                found.refused += _status(connection, path) != 200
            except (OSError, http.client.HTTPException):
                found.refused += 1
                connection.close()
            found.next.append(time.perf_counter() - started)
            time.sleep(0.005)
        connection.close()

    def _probe(self, found: Found, end: float) -> None:
        while time.monotonic() < end:
            connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=120)
            started = time.perf_counter()
            try:
                connection.request("GET", "/healthz")
                fine = connection.getresponse().status == 200
            except (OSError, http.client.HTTPException):
                fine = False
            found.health.append(time.perf_counter() - started if fine else math.inf)
            connection.close()
            time.sleep(0.05)

    def _weigh(self, found: Found, end: float) -> None:
        while time.monotonic() < end:
            found.memory = max(found.memory, memory_of(self._process))
            time.sleep(0.1)


def _status(connection: http.client.HTTPConnection, path: str) -> int:
    """What is answered; an idle connection that had to make room is opened once more."""
    headers = {"content-type": "application/json"}
    was_open = connection.sock is not None
    try:
        connection.request("POST", path, b"{}", headers)
        answer = connection.getresponse()
    except ConnectionError:
        connection.close()
        if not was_open:
            raise
        return _status(connection, path)
    answer.read()
    return answer.status


def memory_of(process: int) -> int:
    """Bytes in memory of a process and all those it started."""
    try:
        told = Path(f"/proc/{process}/status").read_text()
        children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    except OSError:  # it has ended
        return 0
    own = next((line.split()[1] for line in told.splitlines() if line.startswith("VmRSS")), "0")
    return 1024 * int(own) + sum(memory_of(int(each)) for each in children)


@contextmanager
def server(folder: Path, *, long_log: int = LONG_LOG) -> Iterator[tuple[int, int]]:
    """A server of the demo films with one long log in it: its port and its process."""
    port, url = free_port(), f"sqlite:///{folder / 'service.db'}"
    command = ["-m", "conlinucb", "serve", "--port", str(port), "--database", url]
    with running(command, port) as process:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        connection.request("PUT", "/v1/users/long")
        assert connection.getresponse().status == 204
        connection.close()
        _lengthen(url, long_log)
        yield port, process


def _lengthen(url: str, many: int) -> None:
    """Many rewards of one item, as if they had come one after another."""
    storage = Storage(url)
    entry = storage.catalogue_log.find("films")
    assert entry is not None
    person = storage.people.find(entry.id, "long")
    assert person is not None
    body = RewardBody(item=ITEM, reward=0.5)
    rows = [_row(person.id, Event(seq, body)) for seq in range(1, many + 1)]
    with storage.database.transaction() as connection:
        connection.execute(insert(events), rows)
    storage.close()


def attacked(name: str, port: int, process: int, seconds: float, calm: float = CALM) -> Row:
    """One attack on a server that is ready."""
    others = Others(port, process)
    others.watch(1.0)  # who comes first waits for what is made once
    before = others.watch(calm)
    command = [sys.executable, "-m", "benchmarks.attackers", str(port), name, str(seconds)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as attacker:
        now = others.watch(seconds)
        told, _ = attacker.communicate(timeout=600)
    return Row(name, before, now, json.loads(told or "{}"))


def main(names: list[str], seconds: float) -> list[str]:
    """Print the table; what was more than it may be."""
    print(f"{seconds:g} seconds of each attack; milliseconds and MB\n{HEAD}", flush=True)
    missed = []
    for name in names:
        with (
            tempfile.TemporaryDirectory() as folder,
            server(Path(folder)) as (port, process),
        ):
            row = attacked(name, port, process, seconds)
        print(row.line(), flush=True)
        missed += row.missed()
    print("\n".join(missed or ["all bounds are held"]))
    return missed


if __name__ == "__main__":
    given = sys.argv[1:]
    wanted = float(given[given.index("--seconds") + 1]) if "--seconds" in given else 10.0
    chosen = [each for each in given if each in ATTACKS]
    sys.exit(1 if main(chosen or list(ATTACKS), wanted) else 0)
