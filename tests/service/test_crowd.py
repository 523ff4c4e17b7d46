"""Many clients, several workers, few people: nothing lost, nothing twice, all workers agree."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest

from support.crowd import CLIENTS, STAYING, Common, Member, built, check_logs
from support.service_world import Server
from support.soak import (
    check_database,
    check_state,
    drained,
    is_current,
    sizes,
    wait_for,
    workers_of,
)

pytestmark = pytest.mark.more


def test_crowd(lasting_url: str) -> None:
    with drained(lasting_url, workers=sizes(2, 4)) as server:
        with server.client() as client:
            for user in STAYING:
                made = client.put(f"/v1/users/{user}")
                assert made.status_code == 204, made.text
        common = Common(time.monotonic() + sizes(2.0, 60.0))
        members = [Member(server.base, number, common) for number in range(CLIENTS)]
        with ThreadPoolExecutor(CLIENTS) as pool:
            for run in [pool.submit(each.run) for each in members]:
                run.result()
        with server.client() as client:
            wait_for(lambda: built(client), "the last version")
            check_logs(client, members, common)
        check_database(lasting_url)
        _check_every_worker(server, lasting_url, common)


def _check_every_worker(server: Server, url: str, common: Common) -> None:
    """Each worker alone, with the others halted, says what the fold of the log says."""
    workers = workers_of(server)
    for one in workers:
        with halted([each for each in workers if each != one]), server.client() as client:
            wait_for(lambda: is_current(client, url), "the last version in this worker")
            for user in STAYING:
                check_state(client, url, user, items=["Alien (1979)", *common.items[-2:]])


@contextmanager
def halted(processes: list[int]) -> Iterator[None]:
    """These processes stand still meanwhile."""
    try:
        for each in processes:
            os.kill(each, signal.SIGSTOP)
        yield
    finally:
        for each in processes:
            os.kill(each, signal.SIGCONT)
