"""A run in a folder: what is finished is kept, and only the rest is computed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import conlinucb as cl
from conlinucb.agent.strategies import SpannerMember
from conlinucb.simulation.job import Job, Unit
from conlinucb.simulation.unit import Played
from support.runs import Counting, same_bits, same_traces, some_agents, some_people
from support.worlds import small_catalog

CATALOG = small_catalog()
UNITS = 4 * 2 * 3
"""Four agents, two repeats, seven users in shards of three."""


def arguments(**changes: Any) -> dict[str, Any]:
    return {
        "agents": some_agents(CATALOG),
        "people": some_people(7),
        "rounds": 40,
        "repeats": 2,
        "seed": 9,
        "trace": True,
        "shard": 3,
        **changes,
    }


def run(**changes: Any) -> cl.Results:
    given = arguments(**changes)
    return cl.simulate(given.pop("agents"), given.pop("people"), **given)


@pytest.fixture(scope="module")
def usual() -> cl.Results:
    return run()


def files(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir())


def stop_after(units: int, store: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        run(store=store, executor=Counting(stop_after=units))


def assert_same(one: cl.Results, other: cl.Results) -> None:
    assert same_bits(one, other)
    assert same_traces(one, other)


# Going on


def test_a_store_changes_no_bit(usual: cl.Results, tmp_path: Path) -> None:
    store = tmp_path / "a" / "new" / "folder"
    assert_same(usual, run(store=store))
    assert len(files(store)) == UNITS + 1
    assert "spec.json" in files(store)


@pytest.mark.parametrize("done", [0, 1, 10, UNITS - 1])
def test_a_stopped_run_computes_only_the_rest(usual: cl.Results, tmp_path: Path, done: int) -> None:
    stop_after(done, tmp_path)
    kept = {path: path.stat().st_mtime_ns for path in tmp_path.glob("*.npz")}
    rest = Counting()
    assert_same(usual, run(store=tmp_path, executor=rest))
    assert len(kept) == done
    assert len(set(rest.played)) == len(rest.played) == UNITS - done
    assert kept == {path: path.stat().st_mtime_ns for path in kept}


def test_a_finished_run_computes_nothing(
    usual: cl.Results, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(store=tmp_path)

    def never(job: Job, unit: list[Unit]) -> list[Played]:
        raise AssertionError(f"{unit} is played again")

    monkeypatch.setattr("conlinucb.simulation.executors.play_units", never)
    assert_same(usual, run(store=tmp_path))
    with pytest.raises(AssertionError, match="is played again"):
        run()


def test_threads_and_shard_may_change_on_the_way(usual: cl.Results, tmp_path: Path) -> None:
    """The units in the folder decide the shard."""
    stop_after(5, tmp_path)
    rest = Counting()
    assert_same(usual, run(store=tmp_path, shard=20, executor=rest))
    assert len(rest.played) == UNITS - 5
    assert_same(usual, run(store=tmp_path, shard=1, threads=1))
    assert len(files(tmp_path)) == UNITS + 1


def test_laziness_may_change_on_the_way(usual: cl.Results, tmp_path: Path) -> None:
    stop_after(5, tmp_path)
    assert same_traces(usual, run(store=tmp_path, lazy=False))


def test_agents_may_come_in_another_order(usual: cl.Results, tmp_path: Path) -> None:
    stop_after(10, tmp_path)
    agents = dict(reversed(some_agents(CATALOG).items()))
    assert_same(usual, run(store=tmp_path, agents=agents))


def test_an_equal_catalogue_made_anew_is_the_same_run(usual: cl.Results, tmp_path: Path) -> None:
    stop_after(10, tmp_path)
    rest = Counting()
    agents = some_agents(small_catalog())
    assert_same(usual, run(store=tmp_path, agents=agents, executor=rest))
    assert len(rest.played) == UNITS - 10


class Some:
    """A schedule, and a part of a strategy, that says nothing of itself."""

    def __call__(self, t: int) -> float:
        return t / 2


class First:
    name = "first"

    def __init__(self) -> None:
        self.part = Some()

    def choose(self, view: cl.View) -> int:
        return int(view.offered[0])


@pytest.mark.parametrize("part", ["schedule", "strategy"])
def test_objects_made_anew_are_the_same_run(tmp_path: Path, part: str) -> None:
    """As those of a later process are; where they live in memory is no difference."""
    both: list[Any] = [Some() if part == "schedule" else First() for _ in range(2)]
    for each, played in zip(both, (1, 0), strict=True):
        executor = Counting()
        agents = {"it": cl.conlinucb(CATALOG, **{part: each})}
        run(store=tmp_path, agents=agents, repeats=1, people=some_people(2), executor=executor)
        assert len(executor.played) == played


# Stopping


def test_the_one_who_stops_a_run_is_told_how_to_go_on(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    stop_after(5, tmp_path)
    (told,) = caplog.messages
    assert f"5 of {UNITS} units were finished" in told
    assert str(tmp_path) in told
    assert "same call" in told
    with pytest.raises(KeyboardInterrupt):
        run(store=tmp_path, executor=Counting(stop_after=2))
    assert f"7 of {UNITS} units were finished" in caplog.messages[-1]


def test_without_a_store_the_one_who_stops_is_told_of_it(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with pytest.raises(KeyboardInterrupt):
        run(executor=Counting(stop_after=5))
    (told,) = caplog.messages
    assert f"5 of {UNITS} units were finished" in told
    assert "store=" in told


def test_an_error_on_the_way_keeps_what_is_finished(usual: cl.Results, tmp_path: Path) -> None:
    class Breaks(Counting):
        def run(self, job: Job, units: list[Unit]) -> Any:
            yield from super().run(job, units[:4])
            raise RuntimeError("out of luck")

    with pytest.raises(RuntimeError, match="out of luck"):
        run(store=tmp_path, executor=Breaks())
    rest = Counting()
    assert_same(usual, run(store=tmp_path, executor=rest))
    assert len(rest.played) == UNITS - 4


# Another run


def other_catalog() -> cl.Catalog:
    return CATALOG.remove_arms([3])


def agents_with(**changes: cl.Agent) -> dict[str, cl.Agent]:
    return {**some_agents(CATALOG), **changes}


def mcr(**changes: Any) -> cl.Agent:
    usual = {"beta": 1.0, "alpha": 0.5, "schedule": cl.Linear(0.5)}
    return cl.conlinucb(CATALOG, **{**usual, **changes})


def half(t: int) -> float:
    return t // 2 if t < 30 else 15.0


OTHERS: list[tuple[Callable[[], dict[str, Any]], str]] = [
    (lambda: {"seed": 10}, "seed: 9 there, 10 now"),
    (lambda: {"rounds": 41}, "rounds: 40 there, 41 now"),
    (lambda: {"repeats": 3}, "repeats: 2 there, 3 now"),
    (lambda: {"log": 5}, "logged"),
    (lambda: {"trace": False}, "trace: True there, False now"),
    (lambda: {"timed": True}, "timed"),
    (lambda: {"people": some_people(7, seed=1)}, "people.thetas"),
    (lambda: {"people": some_people(8)}, "people.users: 7 there, 8 now"),
    (lambda: {"people": some_people(7, noise=0.2)}, "people.noise: 0.1 there, 0.2 now"),
    (lambda: {"people": some_people(7, pool_size=7)}, "people.pool_size: 6 there, 7 now"),
    (lambda: {"people": some_people(7, shared_noise=True)}, "people.shared_noise"),
    (lambda: {"people": some_people(7, offered_size=5)}, "people.offered_size: None there, 5 now"),
    (lambda: {"agents": some_agents(other_catalog())}, "catalog"),
    (lambda: {"agents": agents_with(MCR=mcr(beta=0.2))}, "agents.MCR.beta: 1.0 there, 0.2 now"),
    (
        lambda: {"agents": agents_with(MCR=mcr(alpha=cl.TheoryAlpha(delta=0.1)))},
        "agents.MCR.alpha: 0.5 there, ",
    ),
    (lambda: {"agents": agents_with(MCR=mcr(strategy="ucb"))}, "agents.MCR.strategy: "),
    (lambda: {"agents": agents_with(MCR=mcr(schedule=half))}, "agents.MCR.schedule: "),
    (lambda: {"agents": agents_with(New=cl.linucb(CATALOG))}, "agents.New"),
    (lambda: {"agents": {"LinUCB": cl.linucb(CATALOG)}}, "agents.Arm-Con"),
]


@pytest.mark.parametrize(("changes", "named"), OTHERS, ids=[each for _, each in OTHERS])
def test_the_folder_of_another_run_is_refused(
    tmp_path: Path, changes: Callable[[], dict[str, Any]], named: str
) -> None:
    stop_after(2, tmp_path)
    before = {name: (tmp_path / name).read_bytes() for name in files(tmp_path)}
    with pytest.raises(cl.IncompatibleState) as caught:
        run(store=tmp_path, **changes())
    assert named in str(caught.value)
    assert str(tmp_path) in str(caught.value)
    assert before == {name: (tmp_path / name).read_bytes() for name in files(tmp_path)}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (SpannerMember(C=1.0), SpannerMember(C=2.0)),
        (lambda t: t / 2, lambda t: min(t / 2, 5.0)),
    ],
    ids=["strategy", "schedule"],
)
def test_equal_names_do_not_hide_another_agent(tmp_path: Path, one: Any, other: Any) -> None:
    def agents(part: Any) -> dict[str, cl.Agent]:
        name = "strategy" if isinstance(part, SpannerMember) else "schedule"
        return {"it": cl.conlinucb(CATALOG, **{name: part})}

    run(store=tmp_path, agents=agents(one))
    run(store=tmp_path, agents=agents(one))
    with pytest.raises(cl.IncompatibleState, match=r"agents\.it"):
        run(store=tmp_path, agents=agents(other))


# Damage


def truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-40])


def turn_a_bit(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(bytes(content))


def empty(path: Path) -> None:
    path.write_bytes(b"")


def text(path: Path) -> None:
    path.write_text("no arrays here")


def leave_out_an_array(path: Path) -> None:
    with np.load(path) as file:
        arrays = {name: file[name] for name in file.files if name != "asked"}
    np.savez(path, **arrays)


def keep_fewer_users(path: Path) -> None:
    with np.load(path) as file:
        arrays = {name: file[name][:1] for name in file.files}
    np.savez(path, **arrays)


def claim_a_password(path: Path) -> None:
    """In the flags of the first entry of the archive's directory."""
    _change_directory(path, 8)


def claim_another_compression(path: Path) -> None:
    _change_directory(path, 10)


def _change_directory(path: Path, offset: int) -> None:
    content = bytearray(path.read_bytes())
    content[content.index(b"PK\x01\x02") + offset] ^= 1
    path.write_bytes(bytes(content))


DAMAGES = [
    truncate,
    turn_a_bit,
    empty,
    text,
    leave_out_an_array,
    keep_fewer_users,
    claim_a_password,
    claim_another_compression,
]


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_unit_is_computed_anew(
    usual: cl.Results, tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    run(store=tmp_path)
    victim = tmp_path / files(tmp_path)[4]
    whole = victim.read_bytes()
    damage(victim)
    rest = Counting()
    assert_same(usual, run(store=tmp_path, executor=rest))
    assert len(rest.played) == 1
    assert victim.stat().st_size == len(whole)


@pytest.mark.parametrize("content", ["{", "", "[]", "{}", '{"spec": {}}'])
def test_a_damaged_specification_is_refused(tmp_path: Path, content: str) -> None:
    run(store=tmp_path)
    (tmp_path / "spec.json").write_text(content)
    with pytest.raises(cl.IncompatibleState, match=tmp_path.name):
        run(store=tmp_path)


def test_a_file_in_the_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")
    with pytest.raises((cl.InvalidInput, OSError), match="taken"):
        run(store=tmp_path / "taken")


def test_a_unit_has_its_name_only_when_it_is_complete(
    usual: cl.Results, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save = np.savez

    def full_disk(file: Any, *args: Any, **arrays: Any) -> None:
        if len(list(tmp_path.glob("*.npz"))) == 3:
            file.write(b"PK")
            raise OSError("No space left on device")
        save(file, *args, **arrays)

    with monkeypatch.context() as patch:
        patch.setattr("conlinucb.simulation.store.np.savez", full_disk)
        with pytest.raises(OSError, match="No space left"):
            run(store=tmp_path)
    assert len(list(tmp_path.glob("*.npz"))) == 3
    assert len(files(tmp_path)) == 3 + 1, "nothing half written is left behind"
    rest = Counting()
    assert_same(usual, run(store=tmp_path, executor=rest))
    assert len(rest.played) == UNITS - 3


def test_the_specification_can_be_read_by_others(tmp_path: Path) -> None:
    run(store=tmp_path)
    kept = json.loads((tmp_path / "spec.json").read_text())
    assert (kept["format"], kept["shard"]) == (1, 3)
    assert kept["spec"]["conlinucb"] == cl.__version__
    assert kept["spec"]["agents"]["MCR"]["strategy"].startswith("max-radius")
    assert kept["versions"]["numpy"] == np.__version__
