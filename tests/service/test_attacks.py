"""Clients that mean ill, against a real server: others go on, and its memory stays bounded.

How much slower others become depends on the machine: `python -m benchmarks.attacks` says.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from benchmarks import attacks
from benchmarks.attackers import ATTACKS
from benchmarks.attacks import Found, Row

SECONDS = 4.0
STALLED = 15.0
"""Seconds after which a request counts as stalled, however busy the machine is."""
CUT = {"reset", "closed", "not connected", "still open"}
"""What becomes of connections that are told nothing."""
LATE = {"TimeoutError"}
"""What an attacker finds who waits no longer."""
TOLD: dict[str, tuple[set[str], set[str]]] = {
    "header value": ({"431"}, CUT),
    "header lines": ({"431"}, CUT),
    "slow headers": (set(), CUT),
    "slow bodies": ({"503"}, CUT),
    "slow readers": (set(), CUT),
    "comparisons": ({"503"}, {"200"} | LATE),
    "profiles": (set(), {"200", "503"} | LATE),
    "parquet": ({"422"}, {"503"} | LATE),
}
"""What attackers are told in any case, and what they may find besides."""


@pytest.fixture(scope="module")
def server() -> Iterator[tuple[int, int]]:
    with tempfile.TemporaryDirectory() as folder, attacks.server(Path(folder)) as found:
        yield found


@pytest.mark.more
@pytest.mark.parametrize("name", ATTACKS)
def test_others_go_on(server: tuple[int, int], name: str) -> None:
    row = attacks.attacked(name, *server, SECONDS, calm=0.5)
    now = row.attacked
    assert now.refused == 0, row.line()
    assert max(now.next) < STALLED, row.line()
    assert max(now.health) < STALLED, row.line()
    assert now.memory < row.calm.memory + attacks.MOST_GROWN, row.line()
    always, perhaps = TOLD[name]
    assert always <= set(row.statuses) <= always | perhaps, row.line()


CALM = Found(next=[0.01] * 99, health=[0.1], memory=500_000_000)
HELD = Row("comparisons", CALM, replace(CALM, next=[0.049] * 99, health=[0.9]), {"503": 3})
BEYOND = [
    ({"next": [0.01] * 90 + [0.06] * 9}, "next took 6.0 times the calm"),
    ({"health": [0.1, 1.25]}, "/healthz took 1.25 s"),
    ({"refused": 2}, "2 of others were refused"),
    ({"memory": 1_200_000_000}, "memory grew by 700 MB"),
]


def test_what_the_benchmark_calls_too_much() -> None:
    assert HELD.missed() == []
    for change, said in BEYOND:
        row = replace(HELD, attacked=replace(HELD.attacked, **change))  # type: ignore[arg-type]
        assert row.missed() == [f"comparisons: {said}"]
