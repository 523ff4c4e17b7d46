"""The command doctor: what it finds, what it misses, and when it fails."""

from __future__ import annotations

import re
from importlib import metadata
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from typer.testing import CliRunner

import conlinucb as cl
from conlinucb.cli import doctor, self_test, tables
from conlinucb.cli.main import app
from conlinucb.people import play_round


def run() -> tuple[int, list[str]]:
    found = CliRunner().invoke(app, ["doctor"])
    return found.exit_code, found.output.splitlines()


def test_it_finds_what_is_there(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CONLINUCB_DATA", str(tmp_path))
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    code, lines = run()
    assert code == 0
    package = Path(cl.__file__).parent
    assert lines[0] == f"versions: conlinucb: {cl.__version__}, in {package}"
    assert f"versions: numpy: {np.__version__}" in lines
    assert f"versions: numba: {numba.__version__}" in lines
    assert any(re.match(r"machine: processors: \d+ of \d+ can be used", each) for each in lines)
    assert "machine: OMP_NUM_THREADS: 3" in lines
    assert any(each.startswith("machine: compiled kernels: ") for each in lines)
    assert f"data: CONLINUCB_DATA: {tmp_path}" in lines
    assert "data: lastfm: not there (conlinucb data fetch lastfm)" in lines
    assert "extras: frames, for pandas frames: there" in lines
    assert lines[-2:] == [
        "self-test: the same decisions compiled and by hand: ok",
        "self-test: the same after saving and loading: ok",
    ]


def test_it_finds_data(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CONLINUCB_DATA", str(tmp_path))
    folder = tmp_path / "ml-latest-small"
    folder.mkdir()
    for name in ("ratings.csv", "movies.csv"):
        (folder / name).write_text("")
    assert ("ml-latest-small", str(folder), "") in list(doctor._data())


def test_an_extra_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    there = metadata.version

    def hiding(package: str) -> str:
        if package == "pandas":
            raise metadata.PackageNotFoundError(package)
        return there(package)

    monkeypatch.setattr(metadata, "version", hiding)
    rows = {what: (found, hint) for what, found, hint in doctor._extras()}
    wanted = ("without pandas", "pip install 'conlinucb[frames]'")
    assert rows["frames, for pandas frames"] == wanted
    assert all(each == wanted for each in rows.values() if each[1])


def test_a_package_that_is_not_installed_names_no_extras(monkeypatch: pytest.MonkeyPatch) -> None:
    def nowhere(package: str) -> list[str]:
        raise metadata.PackageNotFoundError(package)

    monkeypatch.setattr(metadata, "requires", nowhere)
    assert doctor.extras() == {}


def test_a_folder_that_cannot_be_written_to(tmp_path: Path) -> None:
    assert doctor._writable(tmp_path)
    assert not doctor._writable(tmp_path / "none")


def _careless(agent: Any, user: Any, people: Any, place: Any) -> Any:
    """A round that takes every reward for more than it is."""
    happened = play_round(agent, user, people, place)
    agent.learn(user, happened.arm, 5.0)
    return happened


def _broken(*_: Any) -> Any:
    raise OSError("no space left")


@pytest.mark.parametrize(
    ("name", "instead", "told"),
    [
        ("play_round", _careless, "simulate decides otherwise than the same rounds by hand"),
        ("play_round", _broken, "OSError: no space left"),
    ],
)
def test_a_self_test_that_fails(
    name: str, instead: Any, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(self_test, name, instead)
    code, lines = run()
    assert code == 1
    failed = [each for each in lines if "FAILED" in each]
    assert failed
    assert told in failed[0]


def test_a_table_in_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "watched", lambda: True)
    monkeypatch.setenv("COLUMNS", "100")
    code, lines = run()
    assert code == 0
    assert any(re.match(r"\s*extras\s+found\s+what helps", each) for each in lines)
    assert any(re.match(r"the same after saving and loading\s+ok", each) for each in lines)
