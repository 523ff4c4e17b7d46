"""The command reproduce: what it says, what it refuses, what it leaves alone."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import conlinucb as cl
from conlinucb.cli.main import main
from conlinucb.cli.reproduction import Order
from conlinucb.experiments.run import folder_of, outcomes
from conlinucb.experiments.setting import Setting, _load
from support.reproductions import (
    SCORING,
    TUNING,
    WORDS,
    Stopping,
    assert_same,
    contents,
    kept,
    play,
    settings,
    stop,
)
from support.runs import hears_ctrl_c


def report_of(told: str) -> Path:
    """The page that the command's last line names."""
    label, path = told.splitlines()[-1].split(": ", 1)
    assert label == "Report"
    assert "<html" in Path(path).read_text(encoding="utf-8")
    return Path(path)


def start(out: Path, *words: str, **environment: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "conlinucb", "reproduce", *words, "--out", str(out)]
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", **environment}
    pipe = subprocess.PIPE
    return subprocess.Popen(
        command, stdout=pipe, stderr=pipe, text=True, env=environment, preexec_fn=hears_ctrl_c
    )


@pytest.mark.more
@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGINT")
def test_a_process_that_is_stopped_says_so_and_goes_on(tmp_path: Path) -> None:
    """Until the signal comes in time: a fast machine may be done before it, so the run grows."""
    for users in (100, 1000, 10000):
        out = tmp_path / str(users)
        words = ("1d", "--runs", "2", "--users", str(users), "--rounds", "100")
        process = start(out, *words)
        units = out / "authors" / "1d" / "300-of-500-key-terms.units"
        while process.poll() is None and len(list(units.glob("*.npz"))) < 2:
            time.sleep(0.002)
        process.send_signal(signal.SIGINT)
        told, problem = process.communicate(timeout=120)
        if process.returncode != 0 and units.exists():
            break
    assert process.returncode == 130, problem
    assert "Nothing finished is lost" in problem
    assert "Traceback" not in problem
    assert "Report" not in told
    played = {path.name for path in units.glob("*.npz")}
    again = start(out, *words)
    told, problem = again.communicate(timeout=120)
    assert again.returncode == 0, problem
    assert report_of(told).is_relative_to(out)
    (setting,) = settings("1d", "authors", users=users, rounds=100)
    counting = Stopping()
    play(setting, tmp_path / "whole", counting, command=kept(setting, out)[0]["command"])
    assert 2 <= len(played) < counting.units
    assert_same(setting, out, tmp_path / "whole")
    assert kept(setting, out)[0]["resumed"]


# The command


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[Any, str, str]:
    """Exit code, and what the command says on stdout and stderr."""
    capsys.readouterr()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.argv", ["conlinucb", "reproduce", *words])
        with pytest.raises(SystemExit) as stop:
            main()
    return stop.value.code, *capsys.readouterr()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["1e"], "No item is called '1e'. Did you mean '1"),
        (["1a", "tabel1"], "No item is called 'tabel1'. Did you mean 'table1'?"),
        (["1a", "--protocol", "author"], "Did you mean 'authors'?"),
        (["1a", "--protocol", "fair", "--protocol", "unfair"], "Did you mean 'fair'?"),
        (["1a", "--executor", "thread"], "Did you mean 'threads'?"),
        (["1a", "--executor", "dask"], "Valid: 'threads', 'ray'."),
        (["1a", "--runs", "0"], "runs must be a whole number of at least 1, got 0."),
        (["1a", "--users", "-2"], "users must be a whole number of at least 1, got -2."),
        (["1a", "--rounds", "0"], "rounds must be a whole number of at least 1, got 0."),
        (["1a", "--trials", "0"], "trials must be a whole number of at least 1, got 0."),
    ],
)
def test_a_wrong_word_is_a_sentence_and_nothing_runs(
    words: list[str], told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, problem = run(capsys, *words, "--out", str(tmp_path / "new"))
    assert code == 2
    assert problem.startswith("conlinucb: ")
    assert told in problem
    assert problem.count("\n") == 1
    assert not out
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(("item", "name"), [("2a", "lastfm"), ("2b", "movielens")])
def test_missing_data_name_the_command_that_brings_them(
    item: str,
    name: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("CONLINUCB_DATA", str(tmp_path))
    _load.cache_clear()
    code, _, problem = run(capsys, item, *WORDS, "--out", str(tmp_path / "out"))
    assert code == 2
    assert f"conlinucb data fetch {name}" in problem
    assert problem.count("\n") == 1


def test_an_order_is_as_asked_and_small_where_quick() -> None:
    order = Order(
        items=("2a", "1a"),
        protocols=("paper", "authors", "paper"),
        asked={"runs": 3, "users": None, "rounds": None, "trials": None},
        quick=True,
        out=Path("somewhere"),
        executor="threads",
        seed=4,
    )
    found = order.settings()
    names = [(each.protocol.name, each.item.name, each.constants) for each in found]
    assert names == [
        ("paper", "1a", "authors"),
        ("paper", "1a", "theory"),
        ("paper", "2a", "authors"),
        ("paper", "2a", "theory"),
        ("authors", "1a", "authors"),
        ("authors", "2a", "authors"),
    ]
    assert {each.runs for each in found if each.constants == "authors"} == {3}
    assert {(each.size.users, each.rounds, each.seed) for each in found} == {(40, 1000, 4)}
    assert all(each.size.quick for each in found)
    expected = "conlinucb reproduce 1a --protocol paper --runs 3 --quick --seed 4"
    assert order.command("1a", "paper") == expected


def test_a_file_in_place_of_the_folder_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "it").write_text("mine")
    code, _, problem = run(capsys, "1d", *WORDS, "--out", str(tmp_path / "it"))
    assert code == 2
    assert str(tmp_path / "it") in problem
    assert problem.count("\n") == 1
    assert (tmp_path / "it").read_text() == "mine"


def test_help_tells_the_defaults(capsys: pytest.CaptureFixture[str]) -> None:
    code, told, _ = run(capsys, "--help")
    assert code == 0
    words = " ".join(told.replace("\u2502", " ").split())
    for default in ("(authors)", "(10)", "(64)", "threads", "0"):
        assert f"[default: {default}]" in words


@pytest.mark.more
def test_the_command_says_the_plan_and_what_was_found(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("1d", *WORDS, "--protocol", "authors", "--protocol", "paper", "--out", str(tmp_path))
    code, told, problem = run(capsys, *words)
    assert (code, problem) == (0, "")
    assert told.startswith("The plan: 3 settings.\n")
    assert "paper 1d (300 of 500 key-terms, Eq. 8): 5 agents x 2 runs x 3 users x 25 rounds" in told
    assert told.count("finished: ") == 3
    assert "authors 0 of 1" in told
    assert report_of(told).is_relative_to(tmp_path)
    (setting,) = settings("1d", "authors")
    outcome, _ = kept(setting, tmp_path)
    assert outcome["command"] == (
        "conlinucb reproduce 1d --protocol authors --runs 2 --users 3 --rounds 25"
    )
    code, again, _ = run(capsys, *words)
    assert code == 0
    assert again.count(", done\n") == 3
    assert "finished" not in again
    assert kept(setting, tmp_path)[0] == outcome


# Other runs in the folder


def refused(setting: Setting, folder: Path) -> str:
    """What is said when a folder is refused, of which nothing is lost."""
    before = contents(folder)
    with pytest.raises(cl.IncompatibleState) as caught:
        play(setting, folder)
    assert contents(folder) == before
    return str(caught.value)


def file_of(setting: Setting, folder: Path, ending: str) -> Path:
    return folder_of(folder, setting) / f"{setting.slug}.{ending}"


def test_a_refused_folder_is_a_sentence_on_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (setting,) = settings("1d", "authors")
    play(setting, tmp_path)
    before = contents(tmp_path)
    code, _, problem = run(capsys, "1d", *WORDS, "--runs", "3", "--out", str(tmp_path))
    assert code == 2
    path = file_of(setting, tmp_path, "json")
    assert problem == (
        f"conlinucb: {path} holds another run. It differs in repeats: 2 there, 3 now. "
        "Use another folder, or the specification it was made for.\n"
    )
    path.write_text("{")
    code, _, problem = run(capsys, "1d", *WORDS, "--out", str(tmp_path))
    assert code == 2
    assert problem.startswith(f"conlinucb: {path} is damaged: ")
    assert problem.endswith("Delete it to run again.\n")
    path.write_bytes(before[path][1])
    assert {each: text for each, (_, text) in contents(tmp_path).items()} == {
        each: text for each, (_, text) in before.items()
    }


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"runs": 3}, "repeats: 2 there, 3 now"),
        ({"users": 4}, "people.users: 3 there, 4 now"),
        ({"rounds": 26}, "rounds: 25 there, 26 now"),
    ],
)
@pytest.mark.parametrize("after", [None, 4], ids=["finished", "units"])
def test_what_another_size_left_is_refused_and_kept(
    change: dict[str, int], told: str, after: int | None, tmp_path: Path
) -> None:
    (setting,), (other,) = settings("1d", "authors"), settings("1d", "authors", **change)
    stop(setting, tmp_path, after)
    problem = refused(other, tmp_path)
    assert told in problem
    assert "Use another folder" in problem
    rest = Stopping()
    play(setting, tmp_path, rest)
    assert rest.units == (6 if after else 0)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"trials": 3}, "trials: 2 there, 3 now"),
        ({"tuning_users": 3}, "people.users: 2 there, 3 now"),
    ],
)
def test_a_search_of_another_size_is_refused_and_kept(
    change: dict[str, int], told: str, tmp_path: Path
) -> None:
    play(settings("1d", "fair")[0], tmp_path)
    assert told in refused(settings("1d", "fair", **change)[0], tmp_path)


@pytest.mark.parametrize(
    ("protocol", "ending", "after"),
    [
        ("authors", "json", None),
        ("authors", "units/spec.json", 4),
        ("fair", "tuning.json", TUNING + 2),
        ("fair", "tuning-units/0/spec.json", 4),
    ],
)
def test_what_another_release_left_is_read(
    protocol: str, ending: str, after: int | None, tmp_path: Path
) -> None:
    setting = settings("1d", protocol)[0]
    stop(setting, tmp_path, after)
    path = file_of(setting, tmp_path, ending)
    content = json.loads(path.read_text())
    content["spec"]["conlinucb"] = "0.0.1"
    path.write_text(json.dumps(content))
    rest = Stopping()
    play(setting, tmp_path, rest)
    units = 10 if protocol == "authors" else TUNING + SCORING
    assert rest.units == units - (units if after is None else after)
    assert len(list(outcomes(tmp_path))) == 1


@pytest.mark.parametrize(
    ("protocol", "ending", "content"),
    [
        *(("authors", "json", each) for each in ("", '{"spec": ', "[1]", "null", '{"spec": 1}')),
        *((name, end, "{}") for name, end in (("authors", "json"), ("fair", "tuning.json"))),
    ],
)
def test_a_damaged_file_is_refused_by_name_until_it_is_deleted(
    protocol: str, ending: str, content: str, tmp_path: Path
) -> None:
    setting = settings("1d", protocol, runs=1, trials=1)[0]
    path = file_of(setting, tmp_path, ending)
    path.parent.mkdir(parents=True)
    path.write_text(content)
    told = refused(setting, tmp_path)
    assert told.startswith(f"{path} is damaged: ")
    assert told.endswith("Delete it to run again.")
    path.unlink()
    play(setting, tmp_path)
