"""A population as a picture."""

from __future__ import annotations

from pathlib import Path

import pytest

import conlinucb as cl
from conlinucb.report import draw_population
from support.population import log_of, world

WORLD = world()


@pytest.mark.more
@pytest.mark.parametrize("people", [0, 3, 60])
def test_any_population_can_be_drawn(people: int, tmp_path: Path) -> None:
    log = log_of(WORLD, people, 5) if people else None
    found = cl.Population.fit(WORLD.catalog, log, range=None)
    for name in ("people.svg", "people.png"):
        assert draw_population(found, tmp_path / name).stat().st_size > 5000
    first = (tmp_path / "people.svg").read_bytes()
    draw_population(found, tmp_path / "people.svg")
    assert (tmp_path / "people.svg").read_bytes() == first


def test_another_kind_of_file_is_refused(tmp_path: Path) -> None:
    found = cl.Population.fit(WORLD.catalog)
    with pytest.raises(cl.InvalidInput, match=r"got '.*people\.gif'"):
        draw_population(found, tmp_path / "people.gif")
