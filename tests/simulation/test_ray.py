"""Ray plays the same units to the same bits, also when a worker process is lost."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import conlinucb as cl
from support.runs import same_bits, same_traces, some_agents, some_people
from support.worlds import small_catalog

ray: Any = pytest.importorskip("ray", reason="Ray is not installed")

pytestmark = pytest.mark.more


@pytest.fixture(scope="module", autouse=True)
def cluster() -> Iterator[None]:
    """Lets the processes of the cluster, which the first run starts, import this file."""
    here = os.pathsep.join(map(str, Path(__file__).parents[:2]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join([here, os.environ.get("PYTHONPATH", "")]))
        yield
    ray.shutdown()
    assert not ray.is_initialized()


def run(agents: dict[str, cl.Agent], **options: Any) -> cl.Results:
    people = some_people(9, offered_size=4)
    return cl.simulate(agents, people, rounds=60, repeats=2, shard=4, trace=True, **options)


class Traced:
    """Asks for the least certain term, and notes in which process."""

    name = "traced"

    def __init__(self, notes: Path) -> None:
        self.notes = notes

    def choose(self, view: cl.View) -> int:
        (self.notes / f"{os.getpid()}").touch()
        radii = [float(view.terms[k] @ view.cov @ view.terms[k]) for k in view.offered]
        return int(view.offered[int(np.argmax(radii))])


class Mortal(Traced):
    """The same, but the first worker process that comes to the twentieth round is killed."""

    def __init__(self, notes: Path) -> None:
        super().__init__(notes)
        self.driver = os.getpid()

    def choose(self, view: cl.View) -> int:
        if view.round == 20 and os.getpid() != self.driver and self._is_first():
            os.kill(os.getpid(), signal.SIGKILL)
        return super().choose(view)

    def _is_first(self) -> bool:
        try:
            (self.notes / "killed").touch(exist_ok=False)
        except FileExistsError:
            return False
        return True


def agents_with(strategy: Any) -> dict[str, cl.Agent]:
    catalog = small_catalog()
    mine = cl.conlinucb(catalog, strategy=strategy, schedule=cl.Linear(0.5))
    return {**some_agents(catalog), "mine": mine}


def test_ray_changes_no_bit(tmp_path: Path) -> None:
    agents = agents_with(Traced(tmp_path))
    here = run(agents)
    assert [each.name for each in tmp_path.iterdir()] == [f"{os.getpid()}"]
    there = run(agents, executor="ray", threads=2)
    assert ray.cluster_resources()["CPU"] == 2
    assert len(list(tmp_path.iterdir())) > 1
    assert same_bits(here, there)
    assert same_traces(here, there)


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
def test_a_lost_worker_changes_no_bit(tmp_path: Path) -> None:
    agents = agents_with(Mortal(tmp_path))
    there = run(agents, executor="ray", threads=2)
    assert (tmp_path / "killed").exists()
    here = run(agents)
    assert same_bits(here, there)
    assert same_traces(here, there)


def test_ray_fills_a_store(tmp_path: Path) -> None:
    agents = some_agents()
    there = run(agents, executor="ray", threads=2, store=tmp_path)
    assert len(list(tmp_path.glob("*.npz"))) == 4 * 2 * 3
    assert same_bits(there, run(agents, store=tmp_path))
    assert same_bits(there, run(agents))


class Broken:
    name = "broken"

    def choose(self, view: cl.View) -> int:
        return 99


def test_a_broken_strategy_is_named_from_afar() -> None:
    with pytest.raises(cl.StrategyError, match="Agent 'mine': Strategy 'broken' chose term 99"):
        run(agents_with(Broken()), executor="ray", threads=2)
    assert ray.is_initialized()


def test_a_search_is_the_same_on_ray(tmp_path: Path) -> None:
    """Spaces stay here, agents travel: a function of one's own need not be importable there."""
    catalog = small_catalog(arms=30, terms=8)
    rng = np.random.default_rng(0)
    people = cl.LinearUsers(rng.normal(size=(12, 3)), pool_size=10)

    def made(alpha: float, n: int) -> cl.Agent:
        return cl.conlinucb(catalog, alpha=alpha, schedule=cl.Every(n))

    spaces = {
        "MCR": cl.Space(cl.conlinucb, catalog),
        "own": cl.Space(made, alpha=cl.Log(0.01, 1.0), n=cl.Whole(1, 5)),
    }
    here = cl.tune(spaces, people, rounds=20, budget=6)
    there = cl.tune(spaces, people, rounds=20, budget=6, executor="ray", store=tmp_path)
    assert list(there.trials) == list(here.trials)
    assert there.sensitivity == here.sensitivity
    for name in spaces:
        assert np.array_equal(there.results.metric(name), here.results.metric(name))
