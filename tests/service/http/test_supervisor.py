"""The workers' parent sees at once that one of them died, however that one came to be."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator

import pytest
import uvicorn
from uvicorn.supervisors import multiprocess

from conlinucb.service.http.supervisor import Supervisor

LONGEST_WAIT = 60.0
"""Seconds for which a worker that lives may let the parent wait."""


@pytest.fixture
def supervisor() -> Iterator[Supervisor]:
    """With one worker, of an application that does nothing."""
    handlers = {each: signal.getsignal(each) for each in multiprocess.SIGNALS}
    config = uvicorn.Config(
        "fastapi:FastAPI",
        factory=True,
        port=0,
        workers=1,
        lifespan="off",
        log_level="critical",
        timeout_worker_healthcheck=int(LONGEST_WAIT),
    )
    socket = config.bind_socket()
    found = Supervisor(config, sockets=[socket])
    try:
        found.init_processes()
        yield found
    finally:
        for process in found.processes:
            process.kill()
            process.join()
        socket.close()
        for each, handler in handlers.items():
            signal.signal(each, handler)


def assert_is_missed_at_once(process: multiprocess.Process) -> None:
    """It dies while the parent waits to hear whether it lives."""
    assert process.ping(LONGEST_WAIT)
    assert process.pid is not None
    os.kill(process.pid, signal.SIGSTOP)  # so that it cannot answer before
    os.waitpid(process.pid, os.WUNTRACED)
    threading.Timer(0.5, os.kill, (process.pid, signal.SIGKILL)).start()
    asked = time.monotonic()
    assert not process.ping(LONGEST_WAIT)
    assert time.monotonic() - asked < LONGEST_WAIT / 2


def test_a_first_worker_and_the_one_that_replaces_it(
    supervisor: Supervisor, caplog: pytest.LogCaptureFixture
) -> None:
    (first,) = supervisor.processes
    assert_is_missed_at_once(first)
    supervisor.keep_subprocess_alive()
    assert f"worker {first.pid} died (exit code -9)" in caplog.text
    (second,) = supervisor.processes
    assert second is not first
    assert_is_missed_at_once(second)


def test_a_worker_that_was_asked_for_by_a_signal(supervisor: Supervisor) -> None:
    supervisor.signal_queue.append(signal.SIGTTIN)
    supervisor.handle_signals()
    _, second = supervisor.processes
    assert_is_missed_at_once(second)
