"""SQLite read-only, locked, damaged or not there: a clear answer, and recovery by itself."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from pathlib import Path

import httpx2 as httpx
import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Engine

from conlinucb.service.storage import Storage, database, schema
from support.service_outage import accepted, answers, meet_ann, refused, unready
from support.service_world import Server, client_of, engine_of, wait_until_ready
from support.soak import Drained, check_database, check_log, check_state, code_of, log_of, wait_for

pytestmark = pytest.mark.more


def test_read_only_sqlite(tmp_path: Path) -> None:
    path = tmp_path / "service.db"
    with client_of(f"sqlite:///{path}") as client:
        ann = meet_ann(client)
        before = log_of(client, "ann")
    with client_of(f"sqlite:///file:{path}?mode=ro&uri=true") as client:
        refused(client, ann.writes, "507 store_refuses")
        accepted(client, ann.reads)
        repeated = client.post("/v1/users/ann/next").json()
        assert repeated["question"] == ann.question
        assert log_of(client, "ann") == before
    with client_of(f"sqlite:///{path}") as client:
        accepted(client, ann.writes)


LOCKER = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=60)
connection.execute("BEGIN IMMEDIATE")
print("locked", flush=True)
sys.stdin.readline()
connection.execute("ROLLBACK")
"""


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Another process holds the lock for writing."""
    command = [sys.executable, "-c", LOCKER, str(path)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "locked\n"
        try:
            yield
        finally:
            process.communicate("\n")


def test_sqlite_locked_by_another_process(tmp_path: Path) -> None:
    path = tmp_path / "service.db"
    url = f"sqlite:///{path}"
    with client_of(url) as client:
        ann = meet_ann(client)
        before = log_of(client, "ann")
    with client_of(url, database_wait_seconds=0.2) as client, locked(path):
        refused(client, ann.writes, "503 store_unavailable")
        accepted(client, ann.reads)
        assert log_of(client, "ann") == before
        assert client.get("/healthz").status_code == 200
    with client_of(url) as client:
        accepted(client, ann.writes[:-1])
        check_log(log_of(client, "ann"))
        check_state(client, url, "ann")


def test_alive_while_all_wait_for_the_store(tmp_path: Path) -> None:
    """A process that only waits for its database is not to be taken for dead."""
    path = tmp_path / "service.db"
    with client_of(f"sqlite:///{path}") as client, ThreadPoolExecutor(21) as pool:
        engine = engine_of(client)
        with locked(path):
            waiting = [pool.submit(client.post, f"/v1/users/u{i}/next") for i in range(20)]
            wait_for(lambda: _all_out(engine), "all connections wait for the lock")
            alive = pool.submit(client.get, "/healthz")
            done = wait([alive, *waiting], return_when=FIRST_COMPLETED).done
            assert alive in done
            assert alive.result().status_code == 200
        _all_answered(waiting)


def _all_out(engine: Engine) -> bool:
    return bool(engine.pool.checkedout() >= database.CONNECTIONS)  # type: ignore[attr-defined]


def _all_answered(waiting: list[Future[httpx.Response]]) -> None:
    for each in waiting:
        response = each.result()
        assert response.status_code in (200, 503), response.text


def test_sqlite_replaced_by_garbage(tmp_path: Path) -> None:
    path = tmp_path / "service.db"
    with client_of(f"sqlite:///{path}") as client:
        ann = meet_ann(client)
        before = log_of(client, "ann")
        with engine_of(client).connect() as connection:
            connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
        good = path.read_bytes()
        _overwrite(client, path, os.urandom(len(good)))
        for _ in range(2):
            refused(client, ann.writes + ann.reads, "500 damaged", "503 store_unavailable")
        assert client.get("/healthz").status_code == 200
        assert client.get("/readyz").status_code == 503
        _overwrite(client, path, good)
        wait_until_ready(client)
        assert log_of(client, "ann") == before
        accepted(client, ann.writes)
    check_database(f"sqlite:///{path}")


def _overwrite(client: TestClient, path: Path, content: bytes) -> None:
    with path.open("r+b") as file:
        file.write(content)
    engine_of(client).dispose()  # connections have good pages in memory


def test_start_on_garbage(tmp_path: Path) -> None:
    path = tmp_path / "service.db"
    path.write_bytes(os.urandom(100_000))
    server = Drained(f"sqlite:///{path}")
    try:
        with server.client() as client:
            wait_for(lambda: answers(client), "an answer")
            workers = _children(server)
            for _ in range(20):
                assert client.get("/healthz").status_code == 200
                assert client.get("/readyz").status_code == 503
            refused(client, [("POST", "/v1/users/ann/next", None)], "500 damaged")
            refused(client, [("GET", "/v1/users/ann/export", None)], "500 damaged")
            path.unlink()
            wait_until_ready(client)
            meet_ann(client)
            assert _children(server) == workers, "no process had to be started anew"
    finally:
        written = server.stop()
    assert "not a database" in written


def _children(server: Server) -> list[str]:
    command = ["pgrep", "-P", str(server.process.pid)]
    return subprocess.run(command, capture_output=True, text=True).stdout.split()


def test_start_while_the_folder_of_sqlite_is_not_there(tmp_path: Path) -> None:
    path = tmp_path / "not yet" / "service.db"
    with unready(f"sqlite:///{path}") as client:
        refused(client, [("GET", "/v1/users/ann/export", None)], "503 store_unavailable")
        assert client.get("/readyz").status_code == 503
        path.parent.mkdir()
        wait_until_ready(client)
        meet_ann(client)


def test_tables_gone_under_a_running_server(lasting_url: str) -> None:
    """Someone dropped the database and made an empty one."""
    with client_of(lasting_url) as client:
        ann = meet_ann(client)
        storage = Storage(lasting_url)
        with storage.database.connect() as connection:
            schema.metadata.drop_all(connection)
        storage.close()
        for method, path, body in ann.writes + ann.reads:
            response = client.request(method, path, json=body)
            assert response.status_code in (500, 503), (method, path, response.text)
            assert code_of(response) in ("store_unavailable", "damaged", "store_outdated")
        assert client.get("/healthz").status_code == 200
