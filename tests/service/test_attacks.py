"""Clients that mean ill, against a real server: others go on, and its memory stays bounded."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from benchmarks import attacks
from benchmarks.attackers import ATTACKS

pytestmark = pytest.mark.more
SECONDS = 4.0
MOST_GROWN = 600_000_000
"""Bytes that a worker may come to have beside what it has in the calm: 256 MB of bodies, 64 MB of
unread answers, an upload and an export."""
QUICK = 0.03
"""Seconds: below it, the calm is as quick as it gets, and five times it is nothing that anyone
notices."""


@pytest.fixture(scope="module")
def server() -> Iterator[tuple[int, int]]:
    with tempfile.TemporaryDirectory() as folder, attacks.server(Path(folder)) as found:
        yield found


@pytest.mark.parametrize("name", ATTACKS)
def test_others_go_on(server: tuple[int, int], name: str) -> None:
    row = attacks.attacked(name, *server, SECONDS, calm=1.5)
    told = row.line()
    assert row.attacked.p99 < 5 * max(row.calm.p99, QUICK), told
    assert row.attacked.refused <= 1, told  # an idle connection may have had to make room
    assert max(row.attacked.health) < max(1.0, 5 * max(row.calm.health)), told
    assert row.attacked.memory < row.calm.memory + MOST_GROWN, told
