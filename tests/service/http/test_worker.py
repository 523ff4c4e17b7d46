"""What a worker does once, when it is ready."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from conlinucb.service.config import ServiceConfig
from conlinucb.service.http.app import create_app, leave_to_itself
from support.service_world import wait_until_ready


@pytest.fixture
def collector() -> Iterator[None]:
    """What is kept from the collector of this process is given back to it."""
    before = gc.get_threshold()
    yield
    gc.unfreeze()
    gc.set_threshold(*before)


@pytest.mark.usefixtures("collector")
def test_the_collector_no_longer_looks_through_what_a_ready_worker_is_made_of(
    tmp_path: Path,
) -> None:
    """It took 150 ms each time, in which every request waited."""
    app, times = create_app(ServiceConfig(database=f"sqlite:///{tmp_path / 'service.db'}")), []

    def leave() -> None:
        leave_to_itself()
        times.append(gc.get_freeze_count())

    app.state.when_warm = leave
    with TestClient(app, base_url="http://127.0.0.1") as client:
        wait_until_ready(client)
        for number in range(20):
            assert client.post(f"/v1/users/ann-{number}/next").status_code == 200
        watched = len(gc.get_objects())
    assert len(times) == 1
    assert times[0] > 5 * watched
