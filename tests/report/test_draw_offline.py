"""An offline evaluation as a picture."""

from __future__ import annotations

from pathlib import Path

import pytest

import conlinucb as cl
from conlinucb.report import draw_offline
from support import offline

TABLE, TARGET = offline.log(seed=2, people=40)


@pytest.mark.more
@pytest.mark.parametrize("least", [50.0, 200.0, 1e6])
def test_estimates_and_refusals_can_be_drawn(least: float, tmp_path: Path) -> None:
    found = cl.evaluate(TABLE, TARGET, catalog=offline.CATALOG, clip=2.0, least_effective=least)
    for name in ("offline.svg", "offline.png"):
        assert draw_offline(found, tmp_path / name).stat().st_size > 5000
    first = (tmp_path / "offline.svg").read_bytes()
    draw_offline(found, tmp_path / "offline.svg")
    assert (tmp_path / "offline.svg").read_bytes() == first


def test_another_kind_of_file_is_refused(tmp_path: Path) -> None:
    found = cl.evaluate(TABLE, TARGET, catalog=offline.CATALOG)
    with pytest.raises(cl.InvalidInput, match=r"got '.*offline\.gif'"):
        draw_offline(found, tmp_path / "offline.gif")


def test_no_overlap_at_all_can_be_drawn(tmp_path: Path) -> None:
    log = {"action": ["a"] * 60, "reward": [1.0] * 60, "propensity": [1.0] * 60}
    found = cl.evaluate(log, {"a": 0.0, "b": 1.0})
    assert all(each.refused for each in found.estimates.values())
    assert draw_offline(found, tmp_path / "none.png").exists()
