"""The commands ``conlinucb data``."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner, Result

import conlinucb as cl
from conlinucb.cli import data as commands
from conlinucb.cli.main import app, main
from conlinucb.datasets import files
from support.web import CONTENT, tiny, zipped


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CONLINUCB_DATA", str(tmp_path / "cache"))
    monkeypatch.setattr(files, "PUBLISHED", {"tiny": tiny()})
    return tmp_path / "cache"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "given.zip"
    path.write_bytes(zipped(CONTENT))
    return path


def run(*words: object) -> Result:
    return CliRunner().invoke(app, ["data", *map(str, words)])


def facts(output: str) -> dict[str, str]:
    """The numbers that ``show`` prints, by label."""
    rows = [line.rsplit(maxsplit=1) for line in output.splitlines() if line.startswith("  ")]
    return {label.strip(): value for label, value in rows}


def test_fetch_says_licence_citation_and_path(source: Path, cache: Path) -> None:
    done = run("fetch", "tiny", "--from", source)
    assert done.exit_code == 0, done.output
    assert "Tiny: fetched and checked." in done.output
    assert "licence: For tests." in done.output
    assert "cite: Nobody: Nothing." in done.output
    assert f"path: {cache / 'tiny-set'}" in done.output
    assert "already complete, kept" in run("fetch", "tiny").output


def test_check_is_content_with_what_fetch_brought(source: Path) -> None:
    run("fetch", "tiny", "--from", source)
    for words in (["check"], ["check", "tiny"]):
        done = run(*words)
        assert done.exit_code == 0
        assert done.output.count(" ok\n") == 3
        assert done.output.count(" needed ") == 2


@pytest.mark.parametrize(
    ("change", "told", "code"),
    [
        ({"names.dat": b"other"}, "WRONG SUM", 1),
        ({"names.dat": None}, "missing", 1),
        ({"notes.txt": None}, "missing", 0),
        ({"names.dat": CONTENT["names.dat"].replace(b"\r\n", b"\n")}, "other line ends", 0),
    ],
)
def test_check_says_what_is_wrong(
    source: Path, cache: Path, change: dict[str, bytes | None], told: str, code: int
) -> None:
    run("fetch", "tiny", "--from", source)
    for file, data in change.items():
        path = cache / "tiny-set" / file
        path.unlink() if data is None else path.write_bytes(data)
    done = run("check", "tiny")
    (row,) = [each for each in done.output.splitlines() if told in each]
    assert row.split()[0] in change
    assert done.exit_code == code
    assert ("Run: conlinucb data fetch tiny" in done.output) == bool(code)


def test_a_wrong_sum_is_shown_with_the_right_one(source: Path, cache: Path) -> None:
    run("fetch", "tiny", "--from", source)
    (cache / "tiny-set" / "names.dat").write_bytes(b"other")
    output = run("check").output
    assert f"expected {files.PUBLISHED['tiny'].sums['names.dat']}" in output
    assert f"found    {files.sha256_of(cache / 'tiny-set' / 'names.dat')}" in output


@pytest.mark.parametrize("words", [("fetch", "tinny"), ("check", "tinny"), ("show", "demmo")])
def test_an_unknown_name_is_a_sentence(
    words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["conlinucb", "data", *words])
    with pytest.raises(SystemExit) as stop:
        main()
    assert stop.value.code == 2
    assert "Did you mean" in capsys.readouterr().err


def some_data(thetas: Any) -> SimpleNamespace:
    weights = np.array([[1, 0, 0], [1, 1, 0], [1, 0, 0], [0, 0, 2.0]])
    arms = np.array([[1, 0], [0, 1], [1, 1], [2, 0.0]])
    counts = {"assignments in the source": 12345}
    return SimpleNamespace(
        name="demo", catalog=cl.Catalog(arms, weights), thetas=thetas, counts=counts
    )


@pytest.mark.parametrize(("thetas", "users"), [(np.ones((7, 2)), "7"), (None, None)])
def test_show_prints_counts_and_draws(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, thetas: Any, users: str | None
) -> None:
    monkeypatch.setattr(commands, "_load", lambda name: some_data(thetas))
    done = run("show", "demo", "--out", tmp_path / "new" / "folder")
    assert done.exit_code == 0, done.output
    told = facts(done.output)
    assert told["assignments in the source"] == "12,345"
    assert told.get("users") == users
    assert (told["arms"], told["key-terms"], told["d"]) == ("4", "3", "2")
    assert told["density of the weights"] == "41.67%"
    assert [told[f"arms of a key-term, {q} %"] for q in (0, 50, 100)] == ["1", "1", "3"]
    assert [told[f"key-terms of an arm, {q} %"] for q in (0, 50, 100)] == ["1", "1", "2"]
    assert (told["rank of the arms"], told["rank of the key-terms"]) == ("2", "2")
    picture = tmp_path / "new" / "folder" / "demo.png"
    assert f"written: {picture}" in done.output
    assert picture.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("name", ["ratings", "ml-latest-small"])
def test_show_of_logged_people(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str) -> None:
    table = {"person": [1, 1, 2], "item": ["x", "y", "x"], "value": [0, 1, 2]}
    tags = {"item": ["x", "y", "y"], "tag": ["a", "a", "b"]}
    few = cl.datasets.interactions(table, tags, name="few")
    monkeypatch.setitem(cl.datasets.LOGGED, "ratings", lambda: few)
    done = run("show", name, "--out", tmp_path)
    assert done.exit_code == 0, done.output
    told = facts(done.output)
    assert (told["people"], told["items"], told["key-terms"], told["events"]) == tuple("2223")
    assert told["mean value"] == "0.500"
    assert [told[f"people of an item, {q} %"] for q in (0, 100)] == ["1", "2"]
    assert [told[f"items of a person, {q} %"] for q in (0, 100)] == ["1", "2"]
    assert told["density of the weights"] == "75.00%"
    assert (tmp_path / "few.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("name", ["synthetic", "demo"])
def test_show_knows_what_needs_no_fetching(name: str, tmp_path: Path) -> None:
    done = run("show", name, "--out", tmp_path)
    assert done.exit_code == 0, done.output
    assert int(facts(done.output)["arms"].replace(",", "")) > 0
    assert (tmp_path / f"{name}.png").exists()


@pytest.mark.parametrize(
    ("largest", "edges"),
    [(0, [0]), (3, [0, 1, 2, 3]), (63, [0, 1, 2, 4, 8, 16, 32]), (64, [0, 1, 2, 4, 8, 16, 32, 64])],
)
def test_bars_reach_the_largest_size(largest: int, edges: list[int]) -> None:
    assert commands._edges(np.array([0, largest])) == edges
