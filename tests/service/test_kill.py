"""kill -9 in the middle of load: what was acknowledged is there, once, and service goes on."""

from __future__ import annotations

import os
import random
import signal
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest

from conlinucb.service.catalogues.uploads import from_file
from support import service_world
from support.service_films import let_wait
from support.service_world import Server, client_of, free_port, opened
from support.soak import (
    Drained,
    check_database,
    check_state,
    drained,
    sizes,
    talking,
    wait_for,
    workers_of,
)

pytestmark = pytest.mark.more


def test_kill_of_the_whole_server(lasting_url: str) -> None:
    chance, port = random.Random(0), free_port()
    server = Drained(lasting_url, port=port)
    try:
        with talking(server.base) as talkers, server.client() as client:
            for count in range(1, sizes(2, 50) + 1):
                server.wait()
                talkers.check(client)
                talkers.go_on(chance.randint(20, 60))
                time.sleep(chance.random() / 20)
                server.kill()
                if count % 10 == 0:
                    check_database(lasting_url)
                server = Drained(lasting_url, port=port)
            server.wait()
            talkers.go_on(20)
            talkers.stop()
            talkers.check_whole(client)
            for user in ("shared", talkers.all[0].own):
                check_state(client, lasting_url, user)
        assert talkers.interrupted
    finally:
        if server.process.poll() is None:
            server.kill()
    check_database(lasting_url)


def test_kill_of_one_worker(lasting_url: str) -> None:
    chance = random.Random(1)
    with drained(lasting_url, workers=2) as server:
        with talking(server.base) as talkers, server.client() as client:
            for _ in range(sizes(1, 50)):
                oldest, _ = sorted(workers_of(server))
                talkers.go_on(chance.randint(20, 60))
                os.kill(oldest, signal.SIGKILL)
                wait_for(lambda gone=oldest: _replaced(server, gone), "a new worker")  # type: ignore[misc]
                talkers.go_on(20)
                talkers.check(client)
            talkers.stop()
            talkers.check_whole(client)
        assert server.process.poll() is None
    check_database(lasting_url)


def test_kill_of_a_worker_that_is_being_asked_whether_it_lives(tmp_path: Path) -> None:
    """The parent waits a minute for a worker that is slow to answer, not for one that is dead."""
    with drained(f"sqlite:///{tmp_path / 'service.db'}", workers=2) as server:
        worker, _ = workers_of(server)
        os.kill(worker, signal.SIGSTOP)
        time.sleep(2.0)  # by now it is being asked
        os.kill(worker, signal.SIGKILL)
        wait_for(lambda: _replaced(server, worker), "a new worker", within=40.0)


def _replaced(server: Server, gone: int) -> bool:
    now = workers_of(server)
    return len(now) == 2 and gone not in now


def test_kill_while_states_are_rebuilt(lasting_url: str) -> None:
    server = Drained(lasting_url)
    try:
        with server.wait().client() as client:
            for user in ("ann", "bob"):
                question = client.post(f"/v1/users/{user}/next").json()["question"]
                answer = {"question": question, "answer": "yes"}
                assert client.post(f"/v1/users/{user}/answers", json=answer).status_code == 200
            settings = client.get("/v1/catalogues/films/settings").json()
            settings["agent"]["base"] = 0.4
            put = client.put("/v1/catalogues/films/settings", json=settings)
            assert put.status_code in (200, 202), put.text
    finally:
        server.kill()
    with client_of(lasting_url) as another:
        wait_for(lambda: _base(another) == 0.4, "the build")
        for user in ("ann", "bob"):
            check_state(another, lasting_url, user)


def _base(client: httpx.Client) -> float | None:
    found: float | None = client.get("/v1/catalogues/films/settings").json()["agent"].get("base")
    return found


TABLES = (
    "item,tag\nAlien,space\nHeat,heist\nSolaris,space\n",
    "item,tag\nAlien,space\nHeat,heist\n",
)


@pytest.fixture
def ready_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels are compiled in this process: what is not ready soon never will be."""
    monkeypatch.setattr(service_world, "READY_WITHIN", 60.0)


def test_start_on_a_version_of_the_changed_file_that_was_left_unbuilt(
    lasting_url: str, tmp_path: Path, ready_soon: None
) -> None:
    """A server died between writing the new version and building it."""
    file = tmp_path / "films.csv"
    catalogues = {"films": {"file": file}}
    _serve_once(lasting_url, file, catalogues)
    _write_unbuilt(lasting_url, file)
    with client_of(lasting_url, catalogues=catalogues) as client:
        wait_for(lambda: _items(client) == 2, "the build")
        check_state(client, lasting_url, "ann")


def test_start_where_file_and_settings_changed(
    lasting_url: str, tmp_path: Path, ready_soon: None
) -> None:
    file = tmp_path / "films.csv"
    catalogues: dict[str, Any] = {"films": {"file": file}}
    _serve_once(lasting_url, file, catalogues)
    catalogues["films"]["settings"] = {"max_questions": 7}
    with (
        client_of(lasting_url, catalogues=catalogues) as client,
        client_of(lasting_url, catalogues=catalogues) as another,
    ):
        for each in (client, another):
            wait_for(lambda at=each: _items(at) == 2 and _most(at) == 7, "the build")  # type: ignore[misc]
            check_state(each, lasting_url, "ann")


def _serve_once(url: str, file: Path, catalogues: Any) -> None:
    """Someone has talked about the first version of the file, and now there is another one."""
    file.write_text(TABLES[0])
    with client_of(url, catalogues=catalogues) as client:
        assert client.post("/v1/users/ann/next").status_code == 200
    file.write_text(TABLES[1])


def _write_unbuilt(url: str, file: Path) -> None:
    """As the release before did: a version that waited until everyone's state was built."""
    with closing(opened(url)) as storage:
        let_wait(storage, "films", "replace", from_file(file, d=50).to_bytes())


def _items(client: httpx.Client) -> int:
    return int(client.get("/v1/catalogues/films").json()["items"])


def _most(client: httpx.Client) -> int:
    return int(client.get("/v1/catalogues/films/settings").json()["max_questions"])


def test_uploaded_catalogue_outlives_a_restart(lasting_url: str) -> None:
    """Every worker that is started looks at the configuration; that did not change."""
    items = [{"id": "Alien", "tags": ["space"]}, {"id": "Heat", "tags": ["heist"]}]
    with client_of(lasting_url) as client:
        put = client.put("/v1/catalogues/films", json={"items": items})
        assert put.status_code == 200, put.text
        assert _items(client) == 2
    with client_of(lasting_url) as client:
        assert _items(client) == 2
