"""Every item under every protocol from end to end, interrupted and resumed."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import conlinucb as cl
from conlinucb.experiments import ITEMS
from conlinucb.experiments.outcome import Outcome
from conlinucb.experiments.protocols import PROTOCOLS
from conlinucb.experiments.run import folder_of, outcomes
from conlinucb.experiments.setting import Setting, Size, settings_of
from conlinucb.simulation.executors import EXECUTORS, Threads
from support.reproductions import (
    REAL,
    SCORING,
    SMALL,
    TUNING,
    Stopping,
    assert_same,
    contents,
    kept,
    play,
    real,
    settings,
    some_of,
    stop,
)
from support.runs import same_bits

# From end to end


@pytest.mark.more
@pytest.mark.parametrize(
    ("item", "protocol"),
    [
        pytest.param(name, protocol, marks=real if item.data in REAL else ())
        for name, item in ITEMS.items()
        for protocol in item.protocols
    ],
)
def test_what_is_told_is_what_was_measured(item: str, protocol: str, tmp_path: Path) -> None:
    chosen = some_of(item, protocol)
    for setting in chosen:
        told = play(setting, tmp_path)
        found, results = kept(setting, tmp_path)
        assert told.to_json() == found
        assert told == Outcome.from_json(found)
        assert_told(setting, told, results)
    assert len(list(outcomes(tmp_path))) == len(chosen)
    files = [each.name for each in folder_of(tmp_path, chosen[0]).iterdir()]
    expected = ["json", "parquet", *(["tuning.json"] if chosen[0].tunes else [])]
    assert sorted(files) == sorted(f"{each.slug}.{end}" for each in chosen for end in expected)


def assert_told(setting: Setting, told: Outcome, results: cl.Results) -> None:
    """Every number of the outcome is in the results, computed here once more."""
    assert (told.runs, told.users, told.rounds) == (1, 3, 25)
    assert tuple(told.agents) == tuple(results.agents) == setting.agents
    assert results.rounds.tolist() == list(range(1, 26))
    for name, agent in told.agents.items():
        per_user = results.metric(name).mean(axis=0)
        assert agent.last.regret == per_user[:, -1].mean()
        assert list(agent.curve.rounds) == results.rounds.tolist()
        np.testing.assert_allclose(agent.curve.mean, per_user.mean(axis=0), rtol=1e-12)
        low, high = agent.curve.low[-1], agent.curve.high[-1]
        assert low is not None
        assert high is not None
        assert low < agent.curve.mean[-1] < high
        if name != "ConUCB":
            ours, theirs = (results.final_regret(each).mean() for each in (name, "ConUCB"))
            assert agent.improvement == agent.versus["ConUCB"]
            assert agent.improvement.measured == pytest.approx(100 * (1 - ours / theirs))
        seconds = told.choosing_seconds[name]
        assert all(seconds) if setting.item.timed else not any(seconds)
    assert (told.tuning is not None) == setting.tunes
    assert (told.analysis is not None) == (setting.item.name == "theory")


SYNTHETIC = {
    "LinUCB": {"beta": 1.2, "alpha": 0.5},
    "Arm-Con": {"beta": 1.2, "alpha": 0.5},
    "UCB": {"beta": 0.2, "alpha": 0.1},
    "one step": {"beta": 0.15, "alpha": 0.1},
}
LASTFM = {
    "LinUCB": {"beta": 1.0, "alpha": 0.5},
    "Arm-Con": {"beta": 1.15, "alpha": 0.5},
    "one step": {"beta": 0.1, "alpha": 0.1},
}
EQ_8 = {"one step": {"beta": 1.0, "alpha": cl.TheoryAlpha(delta=0.05)}}


def by_hand(catalog: cl.Catalog, table: Any, schedule: Any) -> dict[str, cl.Agent]:
    """The paper's algorithms from the recipes."""
    usual = table["one step"]
    asks: Any = {"catalog": catalog, "schedule": schedule}
    wide: Any = {name: cl.TheoryAlpha(delta=0.05) for name in ("alpha", "term_alpha")}
    return {
        "LinUCB": cl.linucb(catalog, **table.get("LinUCB", usual)),
        "Arm-Con": cl.arm_con(**asks, **table.get("Arm-Con", usual)),
        "ConUCB": cl.conucb(**asks, **(wide if table is EQ_8 else {})),
        "UCB": cl.conlinucb(**asks, strategy="ucb", **table.get("UCB", usual)),
        "BS": cl.conlinucb(**asks, strategy="spanner", **usual),
        "MCR": cl.conlinucb(**asks, strategy="max-radius", **usual),
    }


def raw_dense() -> cl.datasets.Dataset:
    return cl.datasets.synthetic(users=3, graph="dense", normalized=False)


def unit_sparse() -> cl.datasets.Dataset:
    return cl.datasets.synthetic(users=3, graph="sparse", normalized=True)


def last_fm() -> cl.datasets.Dataset:
    return cl.datasets.lastfm(selection="authors", features="authors")


AUTHORS = {"shared_noise": True}


@pytest.mark.parametrize(
    ("item", "protocol", "name", "data", "table", "people"),
    [
        ("1a", "authors", "", raw_dense, SYNTHETIC, AUTHORS),
        ("1c", "authors", "pool 25", raw_dense, SYNTHETIC, {**AUTHORS, "pool_size": 25}),
        ("1a", "paper", "Eq. 8", unit_sparse, EQ_8, {}),
        ("1d", "paper", "300 of 500 key-terms, authors' constants", unit_sparse, SYNTHETIC,
         {"offered_size": 300}),
        pytest.param("2a", "authors", "", last_fm, LASTFM, AUTHORS, marks=real),
    ],
)  # fmt: skip
def test_a_setting_is_what_one_would_write_by_hand(
    item: str,
    protocol: str,
    name: str,
    data: Callable[[], cl.datasets.Dataset],
    table: Any,
    people: dict[str, Any],
    tmp_path: Path,
) -> None:
    (setting,) = [each for each in settings(item, protocol) if each.name == name]
    play(setting, tmp_path)
    thetas, catalog = data().thetas, data().catalog
    assert thetas is not None
    if data is last_fm:  # three of all are three at random, not the three most active
        thetas = thetas[np.random.default_rng(0).permutation(len(thetas))]
    schedule = cl.Logarithmic(5, zero_based=protocol == "authors")
    agents = by_hand(catalog, table, schedule)
    agents = {each: agent for each, agent in agents.items() if each in setting.agents}
    users = cl.LinearUsers(thetas[:3], **people)
    found = cl.simulate(agents, users, rounds=25, repeats=2, seed=0, log=100)
    _, results = kept(setting, tmp_path)
    assert results.agents == list(agents)
    assert same_bits(found, results)


def test_another_seed_is_another_run(tmp_path: Path) -> None:
    for seed in (0, 1):
        (setting,) = settings_of(ITEMS["1d"], PROTOCOLS["authors"], Size(**SMALL), seed)  # type: ignore[arg-type]
        play(setting, tmp_path / str(seed))
    one, other = (kept(setting, tmp_path / str(seed))[1] for seed in (0, 1))
    assert (one.final_regret("MCR") != other.final_regret("MCR")).all()


# Where it runs


@pytest.mark.parametrize("protocol", ["authors", "fair"])
def test_one_thread_and_two_find_the_same(
    protocol: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    setting = settings("1d", protocol, users=25)[0]
    for count in (1, 2):
        monkeypatch.setitem(EXECUTORS, "threads", lambda _, count=count: Threads(count))
        play(setting, tmp_path / str(count), executor="threads")
    assert_same(setting, tmp_path / "1", tmp_path / "2")


@pytest.mark.more
@pytest.mark.skipif("CONLINUCB_SOAK" not in os.environ, reason="long: part of make soak")
def test_ray_finds_the_same(tmp_path: Path) -> None:
    ray: Any = pytest.importorskip("ray", reason="Ray is not installed")
    setting = settings("1d", "fair", runs=1, trials=1)[0]
    try:
        play(setting, tmp_path / "ray", executor="ray")
        assert ray.is_initialized()
    finally:
        ray.shutdown()
    play(setting, tmp_path / "threads")
    assert_same(setting, tmp_path / "ray", tmp_path / "threads")


# Interrupted


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with item 1d, played without interruption."""
    folder = tmp_path_factory.mktemp("whole")
    for protocol in ("authors", "fair"):
        play(settings("1d", protocol)[0], folder)
    return folder


"""Units of item 1d under ``fair``: nine agents with two trials, then in two runs."""


@pytest.mark.parametrize(
    ("protocol", "stops", "units"),
    [
        ("authors", [1], 10),
        ("authors", [4, 3], 10),
        ("authors", [10], 10),
        ("fair", [7], TUNING + SCORING),
        ("fair", [TUNING], TUNING + SCORING),
        ("fair", [TUNING + 5], TUNING + SCORING),
        ("fair", [3, 20, 4], TUNING + SCORING),
    ],
)
def test_an_interrupted_run_goes_on_and_ends_the_same(
    protocol: str,
    stops: list[int],
    units: int,
    tmp_path: Path,
    whole: Path,
) -> None:
    setting = settings("1d", protocol)[0]
    for after in stops:
        stop(setting, tmp_path, after)
        assert not list(outcomes(tmp_path))
    last = Stopping()
    told = play(setting, tmp_path, last)
    assert sum(stops) + last.units == units, "nothing is played twice"
    assert told.resumed == (protocol == "authors" or sum(stops) > TUNING)
    assert not kept(setting, whole)[0]["resumed"]
    assert_same(setting, tmp_path, whole)


@pytest.mark.parametrize("protocol", ["authors", "fair"])
def test_a_finished_setting_is_read_not_run(protocol: str, whole: Path) -> None:
    setting, bar = settings("1d", protocol)[0], Stopping()
    before = contents(whole)
    assert play(setting, whole, bar).to_json() == kept(setting, whole)[0]
    assert bar.units == 0
    assert bar.done == 25 * (10 * 3 if protocol == "authors" else SCORING * 3 + TUNING * 2)
    assert contents(whole) == before


def test_a_damaged_unit_is_played_again(tmp_path: Path, whole: Path) -> None:
    (setting,) = settings("1d", "authors")
    stop(setting, tmp_path, 4)
    for path, keep in zip(sorted(tmp_path.rglob("*.npz")), (0, 50), strict=False):
        path.write_bytes(path.read_bytes()[:keep])
    rest = Stopping()
    play(setting, tmp_path, rest)
    assert rest.units == 8
    assert_same(setting, tmp_path, whole)
