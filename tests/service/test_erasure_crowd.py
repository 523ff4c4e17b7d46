"""Two hundred people deleted under load, with readers open: afterwards they are in no file."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from uuid import uuid4

import httpx2 as httpx
import pytest

from support.erased import found_in_files, reading
from support.soak import check_database, code_of, drained, talking, wait_for

pytestmark = pytest.mark.more
PEOPLE = 200
READER = """
import sqlite3, sys, time
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
while True:
    connection.execute("BEGIN")
    connection.execute("SELECT count(*) FROM events").fetchone()
    time.sleep(1.0)
    connection.execute("COMMIT")
    time.sleep(0.5)
"""


@contextmanager
def another_reader(file: Path) -> Iterator[None]:
    """A program that reads the file, a second at a time, for as long as this lasts."""
    process = subprocess.Popen([sys.executable, "-c", READER, str(file)])
    try:
        yield
    finally:
        process.kill()
        process.wait()


def speak(base: str, users: Sequence[str]) -> None:
    """Someone who says a few things, under ids that tell who it is."""
    with httpx.Client(base_url=base, timeout=60.0) as client:
        for user in users:
            asked = {"k": 2, "ask": "never", "event": f"{user}-next"}
            shown = client.post(f"/v1/users/{user}/next", json=asked).json()
            item = shown["items"][0]["item"]
            said = {"decision": shown["decision"], "item": item, "reward": 1, "event": f"{user}-1"}
            assert client.post(f"/v1/users/{user}/rewards", json=said).status_code == 200


def leave(base: str, users: Sequence[str], statuses: Counter[int]) -> None:
    with httpx.Client(base_url=base, timeout=60.0) as client:
        for user in users:
            statuses[client.delete(f"/v1/users/{user}").status_code] += 1
            assert client.get(f"/v1/users/{user}").status_code == 404
            late = {"decision": "d1", "item": "Alien (1979)", "reward": 1, "event": f"{user}-2"}
            refused = client.post(f"/v1/users/{user}/rewards", json=late)
            assert (refused.status_code, code_of(refused)) == (404, "unknown_user")


def test_two_hundred_people_deleted_under_load_are_in_no_file(tmp_path: Path) -> None:
    file = tmp_path / "service.db"
    users = [f"leaving-{uuid4().hex}" for _ in range(PEOPLE)]
    statuses: Counter[int] = Counter()
    with drained(f"sqlite:///{file}", workers=2) as server:
        with talking(server.base, 3) as talkers, ThreadPoolExecutor(4) as pool:
            list(pool.map(lambda n: speak(server.base, users[n::4]), range(4)))
            assert found_in_files(tmp_path, users)
            with another_reader(file):
                shares = [users[n:-1:4] for n in range(4)]
                list(pool.map(lambda share: leave(server.base, share, statuses), shares))
            talkers.go_on(20)
            wait_for(lambda: not found_in_files(tmp_path, users[:-1]), "no id in any file")
            leave(server.base, users[-1:], last := Counter[int]())
            assert last == {204: 1}, "nobody else is reading"
            assert found_in_files(tmp_path, users) == {}, "204 means that it is in no file"
        with server.client() as client:
            talkers.check_whole(client)
        written = server.stop()
    assert statuses.total() == PEOPLE - 1
    assert set(statuses) <= {202, 204}
    assert not any(each in written for each in users), "no id in a log"
    assert found_in_files(tmp_path, users) == {}
    check_database(f"sqlite:///{file}")


def test_a_server_killed_before_it_swept_leaves_that_to_the_next(tmp_path: Path) -> None:
    file, user = tmp_path / "service.db", f"leaving-{uuid4().hex}"
    url = f"sqlite:///{file}"
    with ExitStack() as stack:
        server = stack.enter_context(drained(url))
        speak(server.base, [user])
        with reading(file):
            with server.client() as client:
                assert client.delete(f"/v1/users/{user}").status_code == 202
                assert client.get(f"/v1/users/{user}").status_code == 404
            server.kill()
            stack.enter_context(drained(url))
            assert found_in_files(tmp_path, [user])
        wait_for(lambda: not found_in_files(tmp_path, [user]), "no id in any file")
