"""A full disk: a clear answer, nothing half written, and recovery by itself."""

from __future__ import annotations

import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Engine, event, text

from support import service_outage
from support.service_outage import Interruptible, accepted, meet_ann, refused, unready
from support.service_world import client_of, engine_of, wait_until_ready
from support.soak import Entry, check_database, check_log, check_state, code_of, log_of

pytestmark = pytest.mark.more
own_postgres = service_outage.own_postgres
place = service_outage.place


class Limit:
    """A file that may not grow: SQLite says that the disk is full."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._pages: int | None = None
        event.listen(engine, "connect", self._limit)

    def _limit(self, connection: sqlite3.Connection, record: Any) -> None:
        if self._pages is not None:
            connection.execute(f"PRAGMA max_page_count = {self._pages}")

    def fill(self) -> None:
        with self._engine.connect() as connection:
            self._pages = connection.scalar(text("PRAGMA page_count"))
        self._engine.dispose()

    def free(self) -> None:
        self._pages = None
        self._engine.dispose()


def test_full_sqlite(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'service.db'}"
    with client_of(url) as client:
        limit = Limit(engine_of(client))
        _survives_a_full_disk(client, url, limit.fill, limit.free)


def test_full_disk_under_sqlite(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "2m") as disk:
        url = f"sqlite:///{disk / 'service.db'}"
        with client_of(url) as client:
            ballast = disk / "ballast"
            _survives_a_full_disk(client, url, lambda: _fill(ballast), ballast.unlink)
        _fill(ballast)
        with unready(url) as client:  # nor can it start on a full disk
            refused(
                client,
                [("POST", "/v1/users/zoe/next", None)],
                *("503 starting", "503 store_unavailable", "507 store_refuses"),
            )
            assert client.get("/healthz").status_code == 200
            ballast.unlink()
            wait_until_ready(client)
            accepted(client, [("POST", "/v1/users/zoe/next", None)])


def test_full_disk_under_postgres(own_postgres: Interruptible, place: Path) -> None:
    with small_disk(place / "disk", "24m") as disk:
        tables = disk / "tables"
        tables.mkdir()
        if own_postgres.server.system_user is not None:
            subprocess.run(["chown", own_postgres.server.system_user, tables], check=True)
        own_postgres.server.psql(f"CREATE TABLESPACE small LOCATION '{tables}';")
        own_postgres.server.psql("CREATE DATABASE small TABLESPACE small;")
        url = str(own_postgres.server.get_uri(database="small"))
        with client_of(url) as client:
            ballast = disk / "ballast"
            _survives_a_full_disk(client, url, lambda: _fill(ballast), ballast.unlink)
        own_postgres.halt("immediate")  # before the disk goes


@contextmanager
def small_disk(folder: Path, size: str) -> Iterator[Path]:
    """A file system of its own, where we may make one."""
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={size},mode=755", "tmpfs", str(folder)]
    try:
        subprocess.run(command, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"no file system can be made here: {error}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def _fill(ballast: Path) -> None:
    """Write until nothing more goes on the disk."""
    with ballast.open("ab", buffering=0) as file:
        for size in (65536, 4096, 1):
            try:
                while True:
                    file.write(b"x" * size)
            except OSError:
                continue


def _survives_a_full_disk(
    client: TestClient, url: str, fill: Callable[[], None], free: Callable[[], object]
) -> None:
    ann = meet_ann(client)
    fill()
    last = len(log_of(client, "ann")) + _write_until_refused(client)
    before = log_of(client, "ann"), client.get("/v1/users/ann").json()
    check_log(before[0])
    assert len(before[0]) == last
    refused(client, [("PUT", "/v1/catalogues/other", _large_catalogue())], "507 store_refuses")
    for _ in range(3):  # what is refused changes nothing, however often it is tried
        refused(client, [("POST", "/v1/users/ann/next", _large_wish())], "507 store_refuses")
    accepted(client, ann.reads)
    assert (log_of(client, "ann"), client.get("/v1/users/ann").json()) == before
    assert client.get("/healthz").status_code == 200
    free()
    accepted(client, ann.writes[:2])
    assert [each["event"] for each in log_of(client, "ann")[-2:]] == [last + 1, last + 2]
    accepted(client, ann.writes[2:-1])
    check_log(log_of(client, "ann"))
    check_state(client, url, "ann")
    accepted(client, ann.writes[-1:])
    check_database(url)


def _large_wish() -> Entry:
    return {"ask": "never", "k": 100}


def _large_catalogue() -> Entry:
    items = [{"id": f"item {i} {'x' * 180}", "tags": [f"tag {i % 9}"]} for i in range(3000)]
    return {"items": items, "d": 9}


def _write_until_refused(client: TestClient) -> int:
    """Write large events until the disk is full; how many were taken."""
    for taken in range(3000):
        response = client.post("/v1/users/ann/next", json=_large_wish())
        if response.status_code != 200:
            assert response.status_code == 507, response.text
            assert code_of(response) == "store_refuses"
            return taken
    raise AssertionError("the disk was never full")
