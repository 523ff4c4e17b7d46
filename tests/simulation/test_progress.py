"""The line that says how far a run is."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest

import conlinucb as cl
from conlinucb import progress
from conlinucb.progress import Progress
from support.runs import Counting, some_agents, some_people

WORK = 4 * 5 * 30
"""Four agents, five users, thirty rounds."""


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Clock:
    """A clock that goes on by one step whenever it is read."""

    def __init__(self, step: float) -> None:
        self.now, self.step = 100.0, step

    def monotonic(self) -> float:
        self.now += self.step
        return self.now


@pytest.fixture
def seconds(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock(1.0)
    monkeypatch.setattr(progress, "time", clock)
    return clock


def lines(to: io.StringIO) -> list[str]:
    return [each for each in to.getvalue().replace("\n", "").split("\r") if each]


# The line


@pytest.mark.usefixtures("seconds")
def test_rate_and_time_left_are_those_of_the_clock() -> None:
    to = io.StringIO()
    bar = Progress(4_000_000, shown=True, to=to)
    bar.add(1_000_000)
    bar.add(500_000)
    first, second = lines(to)
    expected = "25% 1.0 of 4.0 million user-rounds, 1.00 a second, 3 s left"
    assert " ".join(first.split()) == expected
    assert "38%" in second
    assert "0.75 a second" in second
    bar.close()
    assert to.getvalue().endswith("\n")


@pytest.mark.usefixtures("seconds")
def test_work_done_before_counts_as_done_but_not_for_the_rate() -> None:
    to = io.StringIO()
    bar = Progress(4_000_000, shown=True, to=to)
    bar.skip(2_000_000)
    bar.add(1_000_000)
    expected = "75% 3.0 of 4.0 million user-rounds, 1.00 a second, 1 s left"
    assert " ".join(lines(to)[-1].split()) == expected


@pytest.mark.parametrize(
    ("total", "left"),
    [(90, "89 s"), (91, "2 min"), (3601, "60 min"), (5402, "1.5 h"), (36_001, "10.0 h")],
)
@pytest.mark.usefixtures("seconds")
def test_long_times_are_in_minutes_and_hours(total: int, left: str) -> None:
    to = io.StringIO()
    Progress(total, shown=True, to=to).add(1)
    assert f" {left} left" in lines(to)[-1]


def test_the_line_is_drawn_a_few_times_a_second_and_at_the_end(seconds: Clock) -> None:
    seconds.step = 0.01
    to = io.StringIO()
    bar = Progress(100, shown=True, to=to)
    for _ in range(100):
        bar.add(1)
    assert 3 <= len(lines(to)) <= 7
    assert "100%" in lines(to)[-1]


# Who sees it


@pytest.mark.parametrize(
    ("shown", "to", "seen"),
    [
        (None, io.StringIO, False),
        (None, Terminal, True),
        (True, io.StringIO, True),
        (False, Terminal, False),
    ],
)
def test_it_is_shown_on_a_terminal_or_when_asked_for(
    shown: bool | None, to: type[io.StringIO], seen: bool
) -> None:
    stream = to()
    bar = Progress(10, shown=shown, to=stream)
    bar.add(10)
    bar.close()
    assert bool(stream.getvalue()) == seen


def run(**options: Any) -> cl.Results:
    return cl.simulate(some_agents(), some_people(5), rounds=30, shard=2, **options)


def test_a_run_is_quiet_where_nobody_watches(capfd: pytest.CaptureFixture[str]) -> None:
    run()
    run(progress=False)
    assert capfd.readouterr() == ("", "")


def test_a_run_shows_its_progress_when_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    run(progress=True)
    out, told = capsys.readouterr()
    assert out == ""
    assert "100%" in told
    assert "a second, 0 s left" in told
    assert told.endswith("\n")


class Watched(Progress):
    """Keeps the counts of every run."""

    seen: list[Progress]

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.seen.append(self)


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> list[Progress]:
    Watched.seen = []
    monkeypatch.setattr("conlinucb.simulation.simulate.Progress", Watched)
    return Watched.seen


def test_a_run_counts_all_of_its_work(seen: list[Progress]) -> None:
    run()
    (bar,) = seen
    assert (bar.total, bar.done, bar.fresh) == (WORK, WORK, WORK)


def test_a_resumed_run_counts_what_was_there(seen: list[Progress], tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        run(store=tmp_path, executor=Counting(stop_after=5))
    run(store=tmp_path)
    run(store=tmp_path)
    before = 5 * 2 * 30
    assert [(bar.done, bar.fresh) for bar in seen] == [
        (before, before),
        (WORK, WORK - before),
        (WORK, 0),
    ]


@pytest.mark.usefixtures("seconds")
def test_an_interrupted_run_leaves_the_line(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(KeyboardInterrupt):
        run(progress=True, executor=Counting(stop_after=3))
    told = capsys.readouterr().err
    assert "a second" in told
    assert told.index("Interrupted") > told.rindex("\r")
    assert "\n" in told[told.rindex("\r") : told.index("Interrupted")]


def test_a_run_counts_in_the_bar_of_a_longer_plan(tmp_path: Path) -> None:
    bar = Progress(3 * WORK, shown=False)
    run(store=tmp_path, progress=bar)
    run(store=tmp_path, progress=bar)  # found, not computed
    assert (bar.done, bar.fresh) == (2 * WORK, WORK)
