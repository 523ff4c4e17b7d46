"""Fixtures that many test files need.

Those of a few files are in a module beside them, and each file names the ones that it takes, as in
``talk = service_films.talk``.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from conlinucb.service.storage import MEMORY
from support import log_scan, tiers
from support.service_world import Postgres, client_of


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Files of the second tier are not even imported for the first: some take seconds."""
    quick = config.option.markexpr == tiers.QUICK
    return True if quick and tiers.is_whole_more(collection_path) else None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Before they are selected by their marks."""
    tiers.leave_slices(items)
    tiers.leave_databases(items)


@pytest.fixture(scope="session", autouse=True)
def no_key_and_nobody_in_logs() -> Iterator[None]:
    """Of each test process, at its end: the logs of the whole run name no key and no person."""
    log_scan.collect()
    yield
    found = log_scan.leaks()
    assert not found, f"{len(found)} lines of the logs leak: " + "\n".join(found[:20])


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """A real PostgreSQL, one for each test process.

    It has a folder of its own: started by root it runs as another user, whom the next run of
    pytest would lock out of pytest's folders.
    """
    with tempfile.TemporaryDirectory(prefix="conlinucb-", ignore_cleanup_errors=True) as folder:
        server = Postgres(Path(folder))
        yield server
        server.stop()


@pytest.fixture(params=["memory", "sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of an empty database, of each kind."""
    if request.param == "memory":
        return MEMORY
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'service.db'}"
    server: Postgres = request.getfixturevalue("postgres")
    return server.new_database()


@pytest.fixture(params=["sqlite", "postgres"])
def lasting_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The same, without the one that is gone with its process."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'service.db'}"
    server: Postgres = request.getfixturevalue("postgres")
    return server.new_database()


@pytest.fixture(scope="module")
def memory() -> Iterator[TestClient]:
    """A client of a service in memory, one for all tests of a file."""
    with client_of() as client:
        yield client
