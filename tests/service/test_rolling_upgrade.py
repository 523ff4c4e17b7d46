"""Two versions side by side on one PostgreSQL, while its schema takes a step under them."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from io import BytesIO
from pathlib import Path

import httpx2 as httpx
import pytest
from alembic import command
from alembic.config import Config

from conlinucb.service.storage import Storage, migrate
from support.crowd import CLIENTS, STAYING, Common, Member, built, check_logs
from support.service_world import Postgres, wait_until_ready
from support.soak import SOAK, Drained, check_database, check_state, sizes, wait_for

pytestmark = pytest.mark.more
BEFORE = "c1f7581"
"""The last commit whose code knows migration 0002 as the last one."""
ROOT = Path(__file__).parents[2]
LATER = """
import sqlalchemy as sa
from alembic import op

revision = "{number}"
down_revision = "{before}"


def upgrade() -> None:
    op.add_column("events", sa.Column("note", sa.String(length=20)))
    op.add_column("catalogues", sa.Column("note", sa.String(length=20)))
    op.create_table("notes", sa.Column("id", sa.Integer(), primary_key=True))
    op.execute("UPDATE compatible SET oldest = '{before}'")
"""
SERVE_LATER = """
import sys
from pathlib import Path
import uvicorn
from conlinucb.service.config import read_config
from conlinucb.service.http.app import create_app
from conlinucb.service.http.connections import Connection
from conlinucb.service.storage import migrate

migrate.SCRIPTS = Path(sys.argv[1])
config = read_config(None, database=sys.argv[3], port=int(sys.argv[5]))
uvicorn.run(create_app(config), port=config.port, http=Connection, log_level="warning")
"""
"""A replica of a package that has one migration more."""


def _scripts(folder: Path) -> Path:
    """Our migrations and a later one, which adds a column to tables in use and a table."""
    there = folder / "migrations"
    shutil.copytree(migrate.SCRIPTS, there, ignore=shutil.ignore_patterns("__pycache__"))
    before = migrate.wanted()
    text = LATER.format(number=f"{int(before) + 1:04d}", before=before)
    (there / "versions" / "v9999_later.py").write_text(text)
    return there


def test_a_later_schema_comes_under_a_running_replica(postgres: Postgres, tmp_path: Path) -> None:
    """The schema first: the older replica stays ready and serves on, beside a newer one."""
    url, scripts = postgres.new_database(), _scripts(tmp_path)
    older, newer = Drained(url), None
    try:
        older.wait()
        newer = Drained(url, command=("-c", SERVE_LATER, str(scripts)))
        with newer.client() as client:
            wait_for(lambda: _says(client, "migrations"), "a replica that waits for the schema")

        def upgrade() -> None:
            _upgrade(url, scripts)
            with newer.client() as client:
                wait_until_ready(client)

        _crowd(url, older, newer, upgrade)
        with older.client() as client:
            assert client.get("/readyz").status_code == 200
    finally:
        _stop(older, newer)
    check_database(url)


@pytest.mark.skipif(not SOAK, reason="compiles another version's kernels: part of make soak")
def test_code_of_before_serves_beside_ours(postgres: Postgres, tmp_path: Path) -> None:
    """The new code first, once: the old one is no longer ready then, and goes on serving."""
    url, source = postgres.new_database(), _code_of_before(tmp_path)
    older, newer = Drained(url, PYTHONPATH=str(source)), None
    try:
        _wait_long(older)
        newer = Drained(url)
        with newer.client() as client:
            wait_for(lambda: _says(client, "migrations"), "a replica that waits for the schema")

        def upgrade() -> None:
            done = [sys.executable, "-m", "conlinucb", "db", "upgrade", "--database", url]
            subprocess.run(done, check=True, timeout=120)
            with newer.client() as client:
                wait_until_ready(client)

        _crowd(url, older, newer, upgrade)
        with older.client() as client:
            assert client.get("/readyz").status_code == 503
            assert client.post("/v1/users/ann/next").status_code == 200
    finally:
        _stop(older, newer)
    check_database(url)


def _crowd(url: str, older: Drained, newer: Drained, upgrade: Callable[[], None]) -> None:
    """Half of a crowd talks to the one, and once the schema is there, half to the other."""
    with older.client() as client:
        for user in STAYING:
            assert client.put(f"/v1/users/{user}").status_code == 204
    common = Common(time.monotonic() + sizes(60.0, 120.0))
    half = CLIENTS // 2
    members = [Member(older.base, number, common) for number in range(half)]
    late = [Member(newer.base, number, common) for number in range(half, CLIENTS)]
    with ThreadPoolExecutor(CLIENTS) as pool:
        runs = [pool.submit(each.run) for each in members]
        time.sleep(1.0)
        try:
            upgrade()
            runs += [pool.submit(each.run) for each in late]
            common.end = time.monotonic() + sizes(3.0, 30.0)
        finally:
            common.end = min(common.end, time.monotonic() + sizes(3.0, 30.0))
        for each in runs:
            each.result()
    with newer.client() as client:
        wait_for(lambda: built(client), "the last version")
        check_logs(client, [*members, *late], common)
    for server in (older, newer):
        with server.client() as client:
            wait_for(lambda: _is_current(client, url), "the last version in this replica")
            for user in STAYING:
                check_state(client, url, user)


def _is_current(client: httpx.Client, url: str) -> bool:
    with closing(Storage(url)) as storage:
        entry = storage.catalogue_log.find("films")
    assert entry is not None
    return bool(client.get("/v1/catalogues/films").json()["version"] == entry.serving)


def _upgrade(url: str, scripts: Path) -> None:
    config = Config()
    config.set_main_option("script_location", str(scripts))
    with closing(Storage(url)) as storage:
        config.attributes["database"] = storage.database
        command.upgrade(config, "head")


def _says(client: httpx.Client, check: str) -> bool:
    """Whether it is alive and says that this is not as it should be."""
    try:
        found = client.get("/readyz")
    except httpx.TransportError:
        return False
    return found.status_code == 503 and found.json()["checks"].get(check) not in (None, "ok")


def _code_of_before(folder: Path) -> Path:
    """The source of the version before, from the history; skipped where that is not there."""
    archive = subprocess.run(
        ["git", "-C", str(ROOT), "archive", BEFORE, "src"], capture_output=True, check=False
    )
    if archive.returncode:
        pytest.skip("the history is not here")
    with tarfile.open(fileobj=BytesIO(archive.stdout)) as found:
        found.extractall(folder / "before", filter="data")
    return folder / "before" / "src"


def _wait_long(server: Drained) -> None:
    """Until it is ready, with all kernels compiled for the first time."""

    def is_ready() -> bool:
        try:
            with server.client() as client:
                return client.get("/readyz").status_code == 200
        except httpx.TransportError:
            return False

    wait_for(is_ready, "the version before", within=900)


def _stop(*servers: Drained | None) -> None:
    for each in servers:
        if each is not None and each.process.poll() is None:
            each.stop()
