"""The benchmark of the service measures a real server, and says what it found."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from benchmarks import service

pytestmark = pytest.mark.more


@pytest.mark.skipif("CONLINUCB_SOAK" not in os.environ, reason="long: part of make soak")
def test_the_service_beside_a_bare_insert(tmp_path: Path) -> None:
    catalog = service._catalog(tmp_path / "items.npz", 1_000)
    place = service.Place("SQLite", f"sqlite:///{tmp_path / 'service.db'}")
    bare, row = service._side_by_side(place, 1, 1_000, catalog, 2.0)
    assert bare["bare"]["count"] > 5
    assert row["of_bare"] == row["rate"] / bare["rate"] > 0
    assert row["gain"] == row["rate"] / row["one_connection"]["rate"] > 0
    for what in ("next", "answers", "rewards"):
        assert 0 < row[what]["p50"] <= row[what]["p95"] <= row[what]["p99"]
    assert row["events"] >= row["people"] > 0
    assert row["disk_bytes_a_person"] >= 0
    text = service.line(row)
    assert "1,000 items" in text
    assert "kB of memory a person" in text
    assert service.write([bare, row], tmp_path).exists()
