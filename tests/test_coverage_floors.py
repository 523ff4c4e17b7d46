"""The floors of ``make coverage``: what is counted, what fails, and what is written."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from support import coverage_floors

SOURCE = Path(__file__).parents[1] / "src/conlinucb"


def report(**ran: int) -> dict[str, object]:
    """Of files with ten lines each."""
    return {
        "files": {
            f"src/conlinucb/{name.replace('__', '/')}.py": {
                "summary": {"covered_lines": lines, "num_statements": 10}
            }
            for name, lines in ran.items()
        }
    }


def test_lines_are_counted_by_package() -> None:
    found = coverage_floors.shares(report(agent__user=9, agent__priors__gaussian=6, errors=10))
    assert found == {"agent": 75.0, "conlinucb": 100.0}


def test_too_few_lines_no_floor_and_no_package_are_told() -> None:
    wrong = coverage_floors.too_low({"agent": 74.9, "people": 90.0}, {"agent": 75, "gone": 1})
    assert [each.split(":")[0] for each in wrong] == ["agent", "people", "gone"]
    assert coverage_floors.too_low({"agent": 75.0}, {"agent": 75}) == []


def test_the_command_fails_below_a_floor_and_writes_new_ones(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, project = tmp_path / "coverage.json", tmp_path / "pyproject.toml"
    path.write_text(json.dumps(report(agent__user=3, people__linear=10)))
    project.write_text("[tool.coverage-floors]\nagent = 40\nlost = 9\n\n[tool.other]\nx = 1\n")
    assert coverage_floors.main([str(path)], project) == 1
    told = capsys.readouterr().out
    assert "agent: 30.0 %" in told
    assert "people: no floor" in told
    assert coverage_floors.main([str(path), "--write"], project) == 0
    kept = tomllib.loads(project.read_text())["tool"]
    assert kept == {"coverage-floors": {"agent": 30, "people": 100}, "other": {"x": 1}}
    assert coverage_floors.main([str(path)], project) == 0
    assert coverage_floors.main([], project) == 2


def test_every_floor_is_of_a_package() -> None:
    floors = tomllib.loads(coverage_floors.PROJECT.read_text("utf-8"))["tool"]["coverage-floors"]
    packages = {each.parent.name for each in SOURCE.glob("*/__init__.py")}
    assert set(floors) <= packages | {coverage_floors.TOP}
    assert all(0 < floor <= 100 for floor in floors.values())
