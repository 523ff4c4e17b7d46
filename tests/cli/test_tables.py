"""What commands print as tables: for eyes in a terminal, plain and stable in a pipe."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console
from rich.text import Text
from typer.testing import CliRunner

from conlinucb.bench import speed
from conlinucb.cli import db, tables
from conlinucb.cli.main import app
from conlinucb.cli.reproduction import _plan_table
from conlinucb.datasets import files
from support.web import CONTENT, tiny

CHECK = """
from conlinucb.cli.main import main
from conlinucb.datasets import files
from support.web import tiny
files.PUBLISHED.clear()
files.PUBLISHED["tiny"] = tiny()
main()
"""
CODES = re.compile(r"\x1b\[[0-9?;]*[A-Za-z]")
LONG = "damaged beyond what fits on a line of eighty columns, " * 3


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CONLINUCB_DATA", str(tmp_path))
    monkeypatch.setattr(files, "PUBLISHED", {"tiny": tiny()})
    (tmp_path / "tiny-set").mkdir()
    for name, data in CONTENT.items():
        (tmp_path / "tiny-set" / name).write_bytes(data)
    (tmp_path / "tiny-set" / "names.dat").write_bytes(b"other")
    return tmp_path / "tiny-set"


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "watched", lambda: True)
    monkeypatch.setenv("COLUMNS", "80")


def run(*words: str) -> str:
    return CliRunner().invoke(app, words).output


def cells(line: str) -> list[str]:
    """What is in a row; cells are two blanks apart."""
    return [each.strip() for each in line.split("  ") if each.strip()]


# Pipes and terminals, as a process sees them


def process(folder: Path, **environment: str) -> dict[str, Any]:
    path = os.pathsep.join(each for each in sys.path if each)
    plain = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "FORCE_COLOR")}
    data = {"CONLINUCB_DATA": str(folder.parent), "PYTHONPATH": path, "COLUMNS": "80"}
    command = [sys.executable, "-c", CHECK, "data", "check"]
    return {"args": command, "env": {**plain, **data, "TERM": "xterm", **environment}}


@pytest.mark.parametrize("environment", [{}, {"FORCE_COLOR": "1"}, {"COLUMNS": "20"}])
def test_a_pipe_gets_the_same_plain_lines_always(folder: Path, environment: dict[str, str]) -> None:
    spec = files.published("tiny")
    done = subprocess.run(**process(folder, **environment), capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stdout.splitlines() == [
        f"Tiny in {folder}",
        "  pairs.dat                         needed  ok",
        "  names.dat                         needed  WRONG SUM",
        f"    expected {spec.sums['names.dat']}",
        f"    found    {files.sha256_of(folder / 'names.dat')}",
        "  notes.txt                                 ok",
        "tiny cannot be used as published. Run: conlinucb data fetch tiny",
    ]


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_a_terminal_gets_a_table_in_colour(folder: Path) -> None:
    ours, theirs = os.openpty()
    child = subprocess.Popen(**process(folder), stdout=theirs)
    os.close(theirs)
    told = "".join(piece.decode() for piece in pieces(ours))
    assert child.wait(60) == 1
    assert "\x1b[31mWRONG SUM" in told
    assert "\x1b[32mok" in told
    assert f"expected {files.published('tiny').sums['names.dat']}" in told


def pieces(terminal: int) -> Iterator[bytes]:
    """What comes, until the other side is closed."""
    with os.fdopen(terminal, "rb", buffering=0) as file:
        while True:
            try:
                piece = file.read(4096)
            except OSError:
                return
            if not piece:
                return
            yield piece


# Each command's table holds what its lines hold


@pytest.mark.usefixtures("terminal")
def test_nothing_of_a_long_cell_is_lost() -> None:
    console = Console(width=30)
    with console.capture() as captured:
        console.print(tables.made(["[a]", "b"], [["[red]x[/red]", "y" * 100]]))
        console.print(tables.made(["c"], [[Text("z", style="red")]]))
    told = captured.get()
    assert told.count("y") == 100
    assert "[red]x[/red]" in told
    assert "[a]" in told


@pytest.mark.usefixtures("terminal")
def test_the_facts_of_a_data_set(tmp_path: Path) -> None:
    words = ("data", "show", "demo", "--out", str(tmp_path))
    watched = [cells(line) for line in run(*words).splitlines()]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tables, "watched", lambda: False)
        plain = [cells(line) for line in run(*words).splitlines()]
    assert [row for row in watched if row in plain] == plain
    assert ["what", "number"] in watched


class Checker:
    """Two people, one with a finding."""

    resumed = False
    place = SimpleNamespace(people=2, events=6, unsealed=0)

    def catalogues(self) -> None:
        return None

    def count(self) -> int:
        return 2

    def people(self) -> Iterator[Any]:
        yield from range(2)

    def findings(self) -> list[tuple[str, Any]]:
        return [
            ("catalogue films", SimpleNamespace(what="version 2", reason="unreadable")),
            ("person 'bo'", SimpleNamespace(what="snapshot", reason=LONG)),
        ]

    def found(self) -> int:
        return 2


@pytest.mark.parametrize("watched", [True, False])
def test_the_findings_in_a_database(monkeypatch: pytest.MonkeyPatch, watched: bool) -> None:
    monkeypatch.setattr(tables, "watched", lambda: watched)
    monkeypatch.setattr(db, "_checker", lambda *_, **__: Checker())
    told = run("db", "check")
    assert told.endswith("2 people, 6 events, 2 findings\n")
    if watched:
        assert [cells(line)[0] for line in told.splitlines()[:4:2]] == ["where", "catalogue films"]
        assert told.count("damaged") == told.count("eighty") == 3
    else:
        assert told.splitlines()[:2] == [
            "catalogue films: version 2: unreadable",
            f"person 'bo': snapshot: {LONG}",
        ]


@pytest.mark.parametrize("tuning", ["", "2 trials each on 5 others"])
def test_a_plan_has_a_column_for_tuning_where_something_is_tuned(tuning: str) -> None:
    counts = {"agent": 5, "run": 10, "user": 200, "round": 1_000}
    times = {"name": "paper 1d", "tuning": tuning, "time_left": "about 12 s"}
    plain = SimpleNamespace(**{**times, "counts": counts, "tuning": ""})
    plan: Any = [plain, SimpleNamespace(**times, counts=counts)]
    console = Console(width=80)
    with console.capture() as captured:
        console.print(_plan_table(plan))
    heads, _, first, second = (cells(line) for line in captured.get().splitlines())
    assert first == ["paper 1d", "5", "10", "200", "1,000", "about 12 s"]
    assert second == [*first[:5], *([tuning] if tuning else []), "about 12 s"]
    assert len(heads) == len(second)


# The benchmark


def measured(quick: bool) -> Iterator[tuple[str, dict[str, Any]]]:
    yield "machine", {"product_multiply_adds": 6.1e10}
    for name, batched in (("LinUCB", 20_000.0), ("ConUCB", None)):
        yield (
            "algorithms",
            {
                "algorithm": name,
                "engine": 1_375_123.4,
                "loop": 6_012.3,
                "times_loop": 62.4,
                "tuned": 9_000.2,
                "times_tuned": 41.6,
                "batched": batched,
                "times_batched": batched and 18.7,
                "of_product": 1.234,
            },
        )
    for value in range(0 if quick else 60):
        row = {"size": "d", "value": value, "algorithm": "MCR"}
        yield "growth", {**row, "seconds": 1.0, "microseconds": 12.345, "bytes": 1_234_567}
    yield "paper", {"repeats": 10, "seconds": 3.21}


@pytest.fixture
def measuring(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(speed, "measure", measured)
    monkeypatch.setattr("conlinucb.bench.summary.draw", lambda growth, path: path)


@pytest.mark.usefixtures("measuring")
def test_the_benchmark_in_a_pipe(tmp_path: Path) -> None:
    told = run("bench", "--out", str(tmp_path)).splitlines()
    assert told[:5] == [
        "large matrix product: 61.0 billion multiply-adds a second",
        "          user-rounds/s  NumPy loop  times    tuned  times   batched  times  of product*",
        "LinUCB        1,375,123       6,012     62    9,000     42    20,000     19         123%",
        "ConUCB        1,375,123       6,012     62    9,000     42         -      -         123%",
        "features d            0  MCR         12.35 us a user-round      1.23 MB",
    ]
    assert told[64] == "six algorithms, 200 users, 1,000 rounds, 10 repeats in one call: 3.2 s"


@pytest.mark.usefixtures("measuring", "terminal")
def test_the_benchmark_in_a_terminal_ends_with_every_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    frames = run("bench", "--out", str(tmp_path)).split("\x1b[2K")  # each wipes the one before
    told = [[cells(line) for line in CODES.sub("", frame).splitlines()] for frame in frames]
    row = ["1,375,123", "6,012", "62", "9,000", "42"]
    both = [["LinUCB", *row, "20,000", "19", "123%"], ["ConUCB", *row, "-", "-", "123%"]]
    assert any(all(each in frame for each in both) for frame in told)
    growth = [each[1:] for each in told[-1] if each and each[0] == "features d"]
    assert growth == [[str(value), "MCR", "12.35", "1.23"] for value in range(60)]


@pytest.mark.usefixtures("terminal")
def test_what_was_measured_stays_when_the_benchmark_is_stopped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def stopped(quick: bool) -> Iterator[tuple[str, dict[str, Any]]]:
        rows = measured(quick)
        yield from (next(rows) for _ in range(3))
        raise KeyboardInterrupt

    monkeypatch.setattr(speed, "measure", stopped)
    assert "ConUCB" in run("bench")
