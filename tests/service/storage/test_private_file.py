"""The database file is its owner's alone, from the first moment."""

from __future__ import annotations

import logging
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from conlinucb.service.storage import Storage, private
from support.service_world import client_of, opened


def _modes(folder: Path) -> dict[str, str]:
    return {path.name: oct(path.stat().st_mode & 0o777) for path in folder.glob("service.db*")}


def test_a_new_file_and_its_journals(tmp_path: Path) -> None:
    with client_of(f"sqlite:///{tmp_path / 'service.db'}") as client:
        client.put("/v1/users/kim").raise_for_status()
        found = _modes(tmp_path)
    assert found == dict.fromkeys(("service.db", "service.db-wal", "service.db-shm"), "0o600")


def test_who_connects_while_it_is_made_waits_for_that(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, make = threading.Event(), private._make

    def slowly(path: Path) -> None:
        begun.set()
        time.sleep(0.3)  # whoever does not wait has the file made by SQLite by then
        make(path)

    monkeypatch.setattr(private, "_make", slowly)
    database = Storage(f"sqlite:///{tmp_path / 'service.db'}").database

    def connect() -> None:
        with database.connect() as connection:
            connection.exec_driver_sql("CREATE TABLE IF NOT EXISTS it (a INTEGER)")

    with ThreadPoolExecutor(2) as threads:
        first = threads.submit(connect)
        begun.wait(10)
        second = threads.submit(connect)
        first.result(), second.result()
    assert set(_modes(tmp_path).values()) == {"0o600"}


@pytest.mark.parametrize(("mode", "warned"), [(0o644, True), (0o600, False)])
def test_one_that_others_can_read_is_told_of(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, mode: int, warned: bool
) -> None:
    path = tmp_path / "service.db"
    opened(f"sqlite:///{path}").close()
    path.chmod(mode)
    with caplog.at_level(logging.WARNING):
        opened(f"sqlite:///{path}").close()
    assert ("chmod 600" in caplog.text) == warned
    assert str(tmp_path) not in caplog.text
