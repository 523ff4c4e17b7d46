"""The command people: what it plays, says and refuses."""

from __future__ import annotations

import csv
import shutil
from pathlib import Path
from typing import Any

import pytest

from conlinucb.cli.main import main
from conlinucb.cli.real_people import Order, named_columns
from conlinucb.datasets import interactions
from conlinucb.experiments.people import benchmark
from conlinucb.report.people import people_outcomes
from support.logged_people import SMALL, tables


def write_csv(path: Path, table: dict[str, Any]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(table)
        writer.writerows(zip(*table.values(), strict=True))
    return path


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[Any, str, str]:
    """Exit code, and what the command says on stdout and stderr."""
    capsys.readouterr()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.argv", ["conlinucb", *words])
        with pytest.raises(SystemExit) as stop:
            main()
    return stop.value.code, *capsys.readouterr()


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    log, tags = tables(implicit=True)
    return write_csv(tmp_path / "Plays of 2024.csv", log), write_csv(tmp_path / "tags.csv", tags)


@pytest.mark.more
def test_a_log_of_ones_own_end_to_end_and_again(
    files: tuple[Path, Path],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("conlinucb.cli.real_people.QUICK", SMALL)
    out = tmp_path / "out"
    words = ["people", "--log", str(files[0]), "--tags", str(files[1]), "--implicit", "--quick"]
    told = []
    for _ in range(2):
        code, said, problem = run(capsys, *words, "--out", str(out))
        assert code == 0, problem
        told.append(said)
    assert "Quick run" in told[0]
    assert "The plan:" in told[0]
    assert "Plays-of-2024, rounds 1-5: MCR, as published" in told[0]
    assert told[0].splitlines()[-1] == f"Report: {out / 'report.html'}"
    (outcome,) = people_outcomes(out)
    assert outcome.quick
    assert outcome.command == (
        'conlinucb people --log "Plays of 2024.csv" --tags tags.csv --implicit --quick'
    )
    # the second time nothing is played, and the same is said
    assert [line for line in told[0].splitlines() if line.startswith("- ")] == [
        line for line in told[1].splitlines() if line.startswith("- ")
    ]
    shutil.rmtree(out / "figures")
    assert run(capsys, "report", str(out), "--docs", str(tmp_path / "docs"))[0] == 0
    assert (tmp_path / "docs" / "people.md").is_file()


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["listenin"], "No data are called 'listenin'. Did you mean 'listening'?"),
        (["--log", "LOG"], "needs both --log and --tags"),
        (["--tags", "TAGS"], "needs both --log and --tags"),
        (["--log", "LOG", "--tags", "TAGS"], "Pass --implicit if"),
        (
            ["--log", "LOG", "--tags", "TAGS", "--implicit", "--columns", "persn=person"],
            "Did you mean 'person'?",
        ),
        (
            ["--log", "LOG", "--tags", "TAGS", "--implicit", "--tag-columns", "tag=tga"],
            "has no column 'tga'; it has ['item', 'tag']. Did you mean 'tag'?",
        ),
        (
            ["--log", "LOG", "--tags", "TAGS", "--implicit", "--columns", "person"],
            "such as item=movieId,tag=genres, got 'person'",
        ),
        (
            ["--log", "LOG", "--tags", "TAGS", "--implicit", "--encoding", "latni-1"],
            "Did you mean 'latin-1'?",
        ),
        (["--log", "LOG", "--tags", "TAGS", "--format", "movielnes"], "Did you mean 'movielens'?"),
        (["--log", "TAGS", "--tags", "TAGS"], "If its first line is a row, say --no-header"),
        (["--log", "LOG", "--tags", "TAGS", "--no-header"], "such as --columns person=0"),
        (["listening", "--separator", ";"], "--separator ';' is for a log of your own"),
        (["listening", "--implicit"], "--implicit is for a log of your own"),
        (["--least", "10"], "--least 10 is for a log of your own"),
        (["--range", "1", "5"], "--range 1 5 is for a log of your own"),
        (["--no-header"], "--no-header is for a log of your own"),
        (["--log", "LOG", "--tags", "TAGS", "--implicit", "--least", "60"], "at least 60 items"),
        (["--log", "nowhere.csv", "--tags", "TAGS", "--implicit"], "nowhere.csv"),
    ],
)
def test_what_cannot_be_played_is_named(
    words: list[str],
    problem: str,
    files: tuple[Path, Path],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    given = [{"LOG": str(files[0]), "TAGS": str(files[1])}.get(word, word) for word in words]
    code, _, said = run(capsys, "people", *given, "--quick", "--out", str(tmp_path / "out"))
    assert code == 2
    assert problem in said


def test_all_missing_data_are_named_before_any_work(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CONLINUCB_DATA", str(tmp_path / "empty"))
    code, told, problem = run(capsys, "people", "--quick", "--out", str(tmp_path / "out"))
    assert code == 2
    assert "The plan" not in told
    for name in ("lastfm", "ml-latest-small"):
        assert f"conlinucb data fetch {name}" in problem


def test_what_runs_it_again_names_every_choice() -> None:
    order = Order(data=("listening",), log=Path("a/my log.csv"), tags=Path("tags.csv"),
                  implicit=True, least=7, quick=True, out=Path("x"), seed=3)  # fmt: skip
    assert order.command == (
        'conlinucb people listening --log "my log.csv" --tags tags.csv --implicit --least 7 '
        "--quick --seed 3"
    )


def test_a_log_is_read_as_it_is_written(tmp_path: Path) -> None:
    log, tags = tables(implicit=True)
    write_csv(tmp_path / "log.csv", {"who": log["person"], "what": log["item"]})
    write_csv(tmp_path / "tags.csv", tags)
    for name in ("log.csv", "tags.csv"):
        text = (tmp_path / name).read_text("utf-8").replace(",", "\t").replace("item 1", "idée 1")
        (tmp_path / name).write_text(text, "latin-1")
    reading = {"columns": named_columns("person=who,item=1"), "separator": "\t",
               "encoding": "latin-1"}  # fmt: skip
    order = Order(data=(), log=tmp_path / "log.csv", tags=tmp_path / "tags.csv", implicit=True,
                  least=20, quick=True, out=tmp_path, seed=0, reading=reading)  # fmt: skip
    found, wanted = order.tasks()[0].data(), interactions(log, tags, implicit=True)
    assert found.counts == wanted.counts
    assert "idée 1" in found.item_ids
    assert order.command == (
        "conlinucb people --log log.csv --tags tags.csv --columns person=who,item=1 "
        "--separator '\\t' --encoding latin-1 --implicit --least 20 --quick"
    )


def test_a_file_without_names_and_a_scale_wider_than_its_values(tmp_path: Path) -> None:
    log, tags = tables(implicit=True)
    stars = [2.0 + k % 3 for k, _ in enumerate(log["item"])]
    for name, table in (("log.csv", {**log, "value": stars}), ("tags.csv", tags)):
        rows = write_csv(tmp_path / name, table).read_text("utf-8").splitlines(keepends=True)
        (tmp_path / name).write_text("".join(rows[1:]), "utf-8")
    places = {"columns": named_columns("person=0,item=1,value=2"),
              "tag_columns": named_columns("item=0,tag=1"), "header": False,
              "range": (1.0, 5.0)}  # fmt: skip
    order = Order(data=(), log=tmp_path / "log.csv", tags=tmp_path / "tags.csv", implicit=False,
                  least=20, quick=False, out=tmp_path, seed=0, reading=places)  # fmt: skip
    found = order.tasks()[0].data()
    assert found.counts["events"] == len(stars)
    assert (found.values.min(), found.values.max()) == (0.25, 0.75)
    assert "--no-header --range 1 5 --least 20" in order.command


def test_quick_is_smaller_in_everything() -> None:
    quick, full = benchmark.QUICK, benchmark.FULL
    assert quick.quick
    assert not full.quick
    assert (quick.splits, quick.trials) < (full.splits, full.trials)
    assert full.people is None
