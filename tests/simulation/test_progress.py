"""The bar that says how far a run is."""

from __future__ import annotations

import io
import logging
import re
import sys
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


@pytest.fixture(autouse=True)
def plain_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal of 80 columns, whatever the tests run in."""
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "80")


def lines(to: io.StringIO) -> list[str]:
    """What was drawn, one after another, without bar and colours."""
    drawn = re.sub(r"\x1b\[[0-9?;]*[A-Za-z]", "", to.getvalue())
    texts = (each.strip("\u2501\u2578\u257a ") for each in re.split(r"[\r\n]+", drawn))
    return list(dict.fromkeys(each for each in texts if each))


# The line


@pytest.mark.usefixtures("seconds")
def test_rate_and_time_left_are_those_of_the_clock() -> None:
    bar = Progress(4_000_000, to=(to := Terminal()))
    bar.add(1_000_000)
    bar.add(500_000)
    first, second = lines(to)
    assert first == "25%  1.0 of 4.0 million user-rounds, 1.00 a second, 3 s left"
    assert "38%" in second
    assert "0.75 a second" in second
    bar.close()
    assert "\n" in to.getvalue()[to.getvalue().rindex("left") :]


@pytest.mark.usefixtures("seconds")
def test_work_done_before_counts_as_done_but_not_for_the_rate() -> None:
    bar = Progress(4_000_000, to=(to := Terminal()))
    bar.skip(2_000_000)
    bar.add(1_000_000)
    assert lines(to) == ["75%  3.0 of 4.0 million user-rounds, 1.00 a second, 1 s left"]


@pytest.mark.usefixtures("seconds")
def test_the_line_counts_from_what_was_there() -> None:
    Progress(4_000_000, 2_000_000, what="MB", to=(to := Terminal())).add(500_000)
    assert lines(to) == ["62%  2.5 of 4.0 MB, 0.50 a second, 3 s left"]


@pytest.mark.usefixtures("seconds")
def test_without_a_total_there_is_a_rate() -> None:
    Progress(None, what="MB", to=(to := Terminal())).add(500_000)
    assert lines(to) == ["0.5 MB, 0.50 a second"]


@pytest.mark.usefixtures("seconds")
def test_what_is_not_counted_in_millions() -> None:
    Progress(4_000, what="people", unit=1, to=(to := Terminal())).add(1_000)
    assert lines(to) == ["25%  1,000 of 4,000 people, 1,000.00 a second, 3 s left"]


@pytest.mark.usefixtures("seconds")
def test_a_long_line_fits_a_terminal() -> None:
    bar = Progress(9_000_000_000, to=(to := Terminal()))
    bar.add(900_000_000)
    assert lines(to) == ["10%  900.0 of 9,000.0 million user-rounds, 900.00 a second, 9 s left"]


@pytest.mark.parametrize(
    ("total", "left"),
    [(90, "89 s"), (91, "2 min"), (3601, "60 min"), (5402, "1.5 h"), (36_001, "10.0 h")],
)
@pytest.mark.usefixtures("seconds")
def test_long_times_are_in_minutes_and_hours(total: int, left: str) -> None:
    Progress(total, to=(to := Terminal())).add(1)
    assert lines(to)[-1].endswith(f" {left} left")


def test_the_line_is_drawn_a_few_times_a_second_and_at_the_end(seconds: Clock) -> None:
    seconds.step = 0.01
    bar = Progress(100, to=(to := Terminal()))
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
    assert bool(stream.getvalue()) == bar.shown == seen


def test_a_file_gets_the_last_line_without_codes() -> None:
    bar = Progress(4_000_000, shown=True, to=(to := io.StringIO()))
    for _ in range(4):
        bar.add(1_000_000)
    assert to.getvalue() == ""
    bar.close()
    bar.close()
    assert "\x1b" not in to.getvalue()
    assert to.getvalue().count("100%  4.0 of 4.0 million user-rounds") == 1


def test_what_is_printed_meanwhile_stays_where_it_belongs(
    capsys: pytest.CaptureFixture[str],
) -> None:
    bar = Progress(10, to=(to := Terminal()))
    bar.add(10)
    print("to a file")
    bar.close()
    assert capsys.readouterr().out == "to a file\n"
    assert "to a file" not in to.getvalue()


def test_the_cursor_comes_back() -> None:
    bar = Progress(10, to=(to := Terminal()))
    bar.add(10)
    bar.close()
    assert to.getvalue().index("\x1b[?25l") < to.getvalue().index("\x1b[?25h")


@pytest.fixture
def no_rich(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("rich", "rich.console", "rich.progress"):
        monkeypatch.setitem(sys.modules, name, None)


@pytest.mark.usefixtures("no_rich")
def test_without_rich_there_is_no_bar_unless_it_is_asked_for() -> None:
    bar = Progress(10, to=(to := Terminal()))
    bar.add(10)
    bar.close()
    assert (to.getvalue(), bar.shown, bar.done) == ("", False, 10)
    with pytest.raises(cl.MissingExtra, match=r"progress bar.*pip install 'conlinucb\[runner"):
        Progress(10, shown=True, to=to)


@pytest.mark.usefixtures("no_rich")
def test_without_rich_a_run_goes_on() -> None:
    assert run().final_regret("LinUCB").shape == (1, 5)
    with pytest.raises(cl.MissingExtra):
        run(progress=True)


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
    assert "\x1b" not in told


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
def test_an_interrupted_run_leaves_the_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []

    def note(message: str, *values: object) -> None:
        told.extend((capsys.readouterr().err, message % values))

    monkeypatch.setattr(logging.getLogger("conlinucb"), "warning", note)
    with pytest.raises(KeyboardInterrupt):
        run(progress=True, executor=Counting(stop_after=3))
    before, message = told
    assert "a second" in before
    assert before.endswith("\n")
    assert message.startswith("Interrupted: 3 of 12 units were finished. They are lost")
    assert capsys.readouterr() == ("", "")


def test_a_run_counts_in_the_bar_of_a_longer_plan(tmp_path: Path) -> None:
    bar = Progress(3 * WORK, shown=False)
    run(store=tmp_path, progress=bar)
    run(store=tmp_path, progress=bar)  # found, not computed
    assert (bar.done, bar.fresh) == (2 * WORK, WORK)
