"""Servers to measure: real processes on loopback, stopped in the end."""

from __future__ import annotations

import contextlib
import http.client
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator

from conlinucb.errors import ConlinucbError

START = 120.0
"""Seconds until a server must be ready."""


class BenchFailed(ConlinucbError, RuntimeError):
    """The server or the clients did not do their part."""


@contextlib.contextmanager
def running(command: list[str], port: int, **environment: str) -> Iterator[int]:
    """A server in processes of its own, ready; stopped in the end. Yields its process id."""
    process = subprocess.Popen(
        [sys.executable, *command],
        env={
            **os.environ,
            "OPENBLAS_NUM_THREADS": "1",
            "CONLINUCB_LAME_DUCK_SECONDS": "0",
            **environment,
        },
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        _wait(port, process)
        yield process.pid
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        process.wait(timeout=60)


def _wait(port: int, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + START
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise BenchFailed(f"The server ended with code {process.returncode}.")
        if _is_ready(port):
            return
        time.sleep(0.1)
    raise BenchFailed(f"The server was not ready within {START:g} seconds.")


def _is_ready(port: int) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    with contextlib.closing(connection):
        try:
            connection.request("GET", "/readyz")
            return connection.getresponse().status == 200
        except (OSError, http.client.HTTPException):
            return False


def free_port() -> int:
    """A port that no one listens on."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])
