"""A server that is told to stop while people talk: nobody is cut off, nothing is lost."""

from __future__ import annotations

import http.client
import json
import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from conlinucb.service.http.temporary import own_folder, remove_left_behind
from conlinucb.service.storage import Storage
from support.service_world import Server
from support.soak import wait_for

pytestmark = pytest.mark.more
LAME_DUCK = 1.5


class Someone:
    """Asks for recommendations, each of them logged, until nobody listens any more."""

    def __init__(self, port: int, name: str, *, stay: bool) -> None:
        self.name, self._port, self._stay = name, port, stay
        self.acknowledged: list[str] = []
        self.told_to_close = 0
        self.failed: list[str] = []
        self.refused = False

    def run(self) -> None:
        connection, sent = None, 0
        while not self.refused and not self.failed and sent < 100_000:
            if connection is None:
                connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=30)
                try:
                    connection.connect()
                except ConnectionRefusedError:  # said before anything was sent: that is fine
                    self.refused = True
                    return
            sent += 1
            if not self._ask(connection, f"{self.name}-{sent}"):
                connection.close()
                connection = None

    def _ask(self, connection: http.client.HTTPConnection, event: str) -> bool:
        """Whether the connection can be used again."""
        body = json.dumps({"ask": "never", "event": event})
        headers = {"content-type": "application/json"}
        try:
            connection.request("POST", f"/v1/users/{self.name}/next", body, headers)
            answer = connection.getresponse()
            told = answer.read()
        except (OSError, http.client.HTTPException) as error:
            self.failed.append(f"{event}: {error!r}")
            return False
        if answer.status != 200:
            self.failed.append(f"{event}: {answer.status} {told.decode()[:200]}")
            return False
        self.acknowledged.append(event)
        closes = answer.headers.get("connection") == "close"
        self.told_to_close += closes
        return self._stay and not closes


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    url = f"sqlite:///{tmp_path / 'service.db'}"
    found = Server(url, workers=2, CONLINUCB_LAME_DUCK_SECONDS=str(LAME_DUCK))
    try:
        yield found.wait()
    finally:
        if found.process.poll() is None:
            found.kill()
        found.process.communicate()


@pytest.mark.parametrize("everyone", [False, True], ids=["to the parent", "to all processes"])
def test_nobody_is_cut_off_and_nothing_is_lost(
    server: Server, tmp_path: Path, everyone: bool
) -> None:
    people = [Someone(server.port, f"p{each}", stay=each % 2 == 0) for each in range(8)]
    threads = [threading.Thread(target=each.run) for each in people]
    for each in threads:
        each.start()
    wait_for(lambda: all(each.acknowledged for each in people), "something is said to everybody")
    time.sleep(0.5)
    stopped = time.monotonic()
    (os.killpg if everyone else os.kill)(server.process.pid, signal.SIGTERM)
    said = _readiness(server)
    for each in threads:
        each.join(timeout=60)
    closed = time.monotonic() - stopped
    assert server.process.wait(timeout=60) == 0 or everyone
    assert [each.failed for each in people if each.failed] == []
    assert all(each.refused and each.acknowledged for each in people)
    assert all(each.told_to_close for each in people if each._stay)
    assert 503 in said, said
    assert closed >= LAME_DUCK
    with closing(Storage(f"sqlite:///{tmp_path / 'service.db'}")) as storage:
        entry = storage.catalogue_log.find("films")
        assert entry is not None
        for one in people:
            person = storage.people.find(entry.id, one.name)
            assert person is not None
            there = {getattr(row, "client_id", None) for row in storage.log.after(person.id)}
            assert set(one.acknowledged) <= there


def _readiness(server: Server) -> list[int]:
    """What ``/readyz`` says from now on until nobody listens."""
    found: list[int] = []
    while True:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
        try:
            connection.connect()
        except ConnectionRefusedError:
            return found
        connection.request("GET", "/readyz")
        found.append(connection.getresponse().status)
        connection.close()
        time.sleep(0.1)


def test_what_a_killed_server_left_is_removed_by_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "temporary"
    strange = folder / "conlinucb-serve-of-someone-else"
    strange.mkdir(parents=True)  # without the lock of an owner: not ours
    server = Server(f"sqlite:///{tmp_path / 'service.db'}", TMPDIR=str(folder)).wait()
    (left,) = set(folder.iterdir()) - {strange}
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    assert remove_left_behind() == []  # its owner is there
    server.kill()
    assert left.exists()
    with own_folder() as own:
        assert set(folder.iterdir()) == {strange, own}
        assert remove_left_behind() == []
    assert set(folder.iterdir()) == {strange}
