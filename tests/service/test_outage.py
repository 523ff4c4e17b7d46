"""PostgreSQL down, read-only or cut off: a clear answer, and recovery by itself."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import closing
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import event

from conlinucb.service.conversations.loader import SNAPSHOT_EVERY
from conlinucb.service.storage import Storage
from support import service_outage
from support.service_outage import Interruptible, accepted, answers, meet_ann, refused
from support.service_world import Postgres, client_of, engine_of, wait_until_ready
from support.soak import (
    Drained,
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

pytestmark = pytest.mark.more
own_postgres = service_outage.own_postgres
place = service_outage.place


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
            wait_for(lambda: answers(client), "an answer")
            assert client.get("/readyz").status_code == 503
            for call in (
                ("POST", "/v1/users/ann/next", None),
                ("GET", "/v1/users/ann/export", None),
            ):
                refused(client, [call], "503 store_unavailable")
            own_postgres.resume()
            wait_until_ready(client)
            meet_ann(client)
    finally:
        server.stop()


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
        for _ in range(SNAPSHOT_EVERY):  # of shorter logs no state is kept
            client.post("/v1/users/ann/next", json={"ask": "never"}).raise_for_status()
        version = client.app.state.use_cases.catalogues.serving("films")  # type: ignore[attr-defined]
        person = storage.people.find(version.id, "ann")
        assert person is not None
        cut.set(lambda statement: statement.startswith("INSERT INTO snapshots"))
        accepted(client, [("DELETE", f"/v1/users/ann/events/{ann.rewarded}", None)])
        wait_for(lambda: cut._at is None, "the snapshot that is lost")
        accepted(client, [("DELETE", f"/v1/users/ann/events/{ann.answered}", None)])
        wait_for(lambda: storage.snapshots.bases(person.id), "the next snapshot")
