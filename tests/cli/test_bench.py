"""The benchmark's own parts; what it measures is never a test."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from conlinucb import __version__
from conlinucb.agent.agent import Agent
from conlinucb.bench import later, speed
from conlinucb.bench import summary as report
from conlinucb.bench.baselines import BATCHED, all_users, one_user
from conlinucb.bench.later import LATER
from conlinucb.bench.problem import ALGORITHMS, Setting
from conlinucb.bench.shared import SHARED
from conlinucb.cli.main import app
from conlinucb.simulation.looks import assigned

pytestmark = pytest.mark.more  # benchmarks, whole

SMALL = Setting(d=5, pool=8, arms=60, terms=12, users=4)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_both_loops_play_the_same_algorithm(algorithm: str) -> None:
    plain, tuned = (one_user(SMALL, algorithm, 60, tuned=each) for each in (False, True))
    assert plain == pytest.approx(tuned)
    assert 0 < plain < one_user(SMALL, algorithm, 120, tuned=True)


@pytest.mark.parametrize("algorithm", BATCHED)
def test_the_batched_loop_learns(algorithm: str) -> None:
    early = all_users(SMALL, algorithm, 30)
    assert early > 0
    assert all_users(SMALL, algorithm, 300) < 10 * early


def test_every_algorithm_has_an_agent() -> None:
    assert [SMALL.agent(each).asks_at_all for each in ALGORITHMS] == [False, *[True] * 5]


@pytest.mark.parametrize("name", LATER)
def test_what_came_later_is_measured(name: str) -> None:
    agent = LATER[name](SMALL)
    seconds = later.question_seconds(agent, SMALL, times=2)
    if isinstance(agent, Agent) and agent.asks_at_all:
        assert seconds is not None
        assert seconds > 0
    else:  # its rounds are its own, and what it asks is no strategy's choice; or it asks nothing
        assert seconds is None
    assert later.rate(agent, SMALL, rounds=5, times=1) > 0


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(speed, "Setting", lambda: SMALL)
    monkeypatch.setattr(speed, "GROWTH", {"d": (3, 5), "pool": (4, 8)})
    monkeypatch.setattr(report, "LABELS", {"d": "d", "pool": "pool"})


@pytest.mark.usefixtures("small")
def test_the_command_prints_and_writes_everything(tmp_path: Path) -> None:
    run = CliRunner().invoke(app, ["bench", "--out", str(tmp_path)])
    assert run.exit_code == 0, run.output
    for algorithm in ALGORITHMS:
        assert f"\n{algorithm} " in run.output
    rows = json.loads((tmp_path / "bench.json").read_text())
    assert [row["algorithm"] for row in rows["later"]] == list(LATER)
    assert all(f"\n{name} " in run.output for name in LATER)
    assert [row["algorithm"] for row in rows["algorithms"]] == list(ALGORITHMS)
    assert len(rows["growth"]) == 4 * len(ALGORITHMS)
    assert [row["algorithm"] for row in rows["shared"]] == list(SHARED)
    assert all(row["engine"] > 0 and row["algorithm"] in run.output for row in rows["shared"])
    assert all(row["bytes"] > 0 and row["seconds"] > 0 for row in rows["growth"])
    assert (tmp_path / "bench.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.usefixtures("small")
def test_algorithms_look_as_in_every_other_picture(tmp_path: Path) -> None:
    growth = [
        {"algorithm": name, "size": size, "value": value, "microseconds": 1.0}
        for name in ("MCR", "ConLinUCB-random")
        for size in report.LABELS
        for value in (3, 5)
    ]
    drawn = report.draw(growth, tmp_path / "bench.svg").read_text().upper()
    assert all(look.colour in drawn for look in assigned(["MCR", "ConLinUCB-random"]).values())


@pytest.mark.usefixtures("small")
def test_a_quick_run_says_so(tmp_path: Path) -> None:
    run = CliRunner().invoke(app, ["bench", "--quick", "--out", str(tmp_path)])
    assert run.exit_code == 0, run.output
    assert run.output.startswith("quick run")
    assert not (tmp_path / "bench.png").exists()


def test_version() -> None:
    assert CliRunner().invoke(app, ["--version"]).output.strip() == __version__


@pytest.mark.parametrize("streamed", [[], ["--streamed"]])
def test_a_population_is_measured(streamed: list[str]) -> None:
    sizes = ["--people", "60", "--events", "12", "--features", "4", "--threads", "1"]
    run = CliRunner().invoke(app, ["bench", "population", *sizes, *streamed])
    assert run.exit_code == 0, run.output
    assert run.output.startswith("60 people x 12 events, d = 4: ")
    assert "peak memory" in run.output
