"""Real processes on one folder: one that is interrupted, and several at once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import conlinucb as cl
from support.runs import hears_ctrl_c, same_bits, some_agents, some_people

ROUNDS, USERS = 50, 40

SCRIPT = """
import sys, time
sys.path.insert(0, {tests!r})
import conlinucb as cl
from support.runs import some_agents, some_people
import conlinucb.simulation.executors as executors

play = executors.play_units

def slowly(job, units):
    time.sleep({pause} * len(units))
    return play(job, units)

executors.play_units = slowly
while {gate!r} and not __import__("os").path.exists({gate!r}):
    print("ready", flush=True)
    time.sleep(0.01)
results = cl.simulate(
    some_agents(), some_people({users}), rounds={rounds}, shard=2, threads=2, store={store!r}
)
print(repr(results))
"""


def start(store: Path, pause: float, gate: Path | None = None) -> subprocess.Popen[str]:
    script = SCRIPT.format(
        tests=str(Path(__file__).parents[1]),
        pause=pause,
        gate=str(gate) if gate else "",
        users=USERS,
        rounds=ROUNDS,
        store=str(store),
    )
    pipe = subprocess.PIPE
    command = [sys.executable, "-c", script]
    return subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, preexec_fn=hears_ctrl_c)


def usual() -> cl.Results:
    return cl.simulate(some_agents(), some_people(USERS), rounds=ROUNDS)


def wait_for_units(store: Path, count: int, process: subprocess.Popen[str]) -> None:
    while len(list(store.glob("*.npz"))) < count:
        assert process.poll() is None, process.communicate()
        time.sleep(0.005)


@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGINT")
def test_an_interrupted_process_can_go_on(tmp_path: Path) -> None:
    store = tmp_path / "run"
    process = start(store, pause=0.2)
    wait_for_units(store, 5, process)
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=300)
    kept = {path: path.stat().st_mtime_ns for path in store.glob("*.npz")}
    assert process.returncode != 0
    assert 5 <= len(kept) < 80
    # The signal may come between a file's last step and the count.
    assert any(f"{len(kept) - late} of 80 units were finished" in told for late in (0, 1))
    assert str(store) in told
    assert "KeyboardInterrupt" in told
    again = start(store, pause=0)
    out, told = again.communicate(timeout=300)
    assert again.returncode == 0, told
    assert out.strip() == repr(usual())
    assert kept == {path: path.stat().st_mtime_ns for path in kept}


@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL")
def test_a_killed_process_leaves_a_folder_to_go_on_with(tmp_path: Path) -> None:
    process = start(tmp_path, pause=0.05)
    wait_for_units(tmp_path, 3, process)
    process.kill()
    process.communicate(timeout=300)
    found = cl.simulate(some_agents(), some_people(USERS), rounds=ROUNDS, store=tmp_path)
    assert same_bits(usual(), found)


@pytest.mark.more
def test_processes_at_once_on_one_folder_end_well(tmp_path: Path) -> None:
    store, gate = tmp_path / "run", tmp_path / "go"
    processes = [start(store, pause=0.005, gate=gate) for _ in range(3)]
    for each in processes:
        assert each.stdout is not None
        assert each.stdout.readline() == "ready\n"
    gate.touch()
    ends = [each.communicate(timeout=300) for each in processes]
    for each, (out, told) in zip(processes, ends, strict=True):
        assert each.returncode == 0, told
        assert out.splitlines()[-1] == repr(usual())
    assert len(list(store.glob("*.npz"))) == 80
    assert not list(store.glob("*.partial"))
    found = cl.simulate(some_agents(), some_people(USERS), rounds=ROUNDS, store=store)
    assert same_bits(usual(), found)


LOOKS = [(Path, name) for name in ("exists", "is_file", "open", "read_text", "read_bytes")]
WRITES = [(os, name) for name in ("replace", "rename", "link")]


@pytest.mark.parametrize(
    ("moment", "first"), [(LOOKS, False), (WRITES, True)], ids=["look", "write"]
)
def test_a_folder_started_twice_at_once_ends_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: list[tuple[Any, str]], first: bool
) -> None:
    """Another process plays the same run, in other shards, after this one's look for a
    specification, or just before this one's is put in its place."""
    agents, people = some_agents(), some_people(6)
    met: list[str] = []

    def rival(name: str) -> None:
        if not met:
            met.append(name)
            cl.simulate(agents, people, rounds=20, shard=4, store=tmp_path)

    for owner, name in moment:
        monkeypatch.setattr(owner, name, interrupted(getattr(owner, name), rival, first))
    found = cl.simulate(agents, people, rounds=20, shard=1, store=tmp_path)
    assert met
    assert same_bits(cl.simulate(agents, people, rounds=20), found)
    assert same_bits(found, cl.simulate(agents, people, rounds=20, store=tmp_path))


def interrupted(act: Any, rival: Callable[[str], None], first: bool) -> Any:
    """``act``, with the rival's turn before or after it where it is about the specification."""

    def acting(*args: Any, **options: Any) -> Any:
        mine = any(Path(each).name == "spec.json" for each in args if isinstance(each, (str, Path)))
        if mine and first:
            rival(act.__name__)
        try:
            return act(*args, **options)
        finally:
            if mine and not first:
                rival(act.__name__)

    return acting
