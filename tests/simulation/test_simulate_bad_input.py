"""Bad input of simulate is refused before any unit is played."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import conlinucb as cl
from conlinucb.simulation.job import Job, Unit
from conlinucb.simulation.unit import Played
from support.runs import some_agents, some_people
from support.worlds import refused, small_catalog

CATALOG = small_catalog()
MCR = cl.conlinucb(CATALOG, schedule=cl.Linear(1))
SPANNER = cl.conlinucb(CATALOG, strategy="spanner")


class Nobody:
    """An executor that must not be reached."""

    def run(self, job: Job, units: list[Unit]) -> Iterator[tuple[Unit, Played]]:
        raise AssertionError("work has started")


@pytest.fixture(autouse=True)
def no_unit_is_played(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(job: Job, unit: list[Unit]) -> list[Played]:
        raise AssertionError(f"{unit} is played")

    monkeypatch.setattr("conlinucb.simulation.executors.play_units", never)


def run(agents: Any = None, people: Any = None, **options: Any) -> cl.Results:
    return cl.simulate(
        some_agents(CATALOG) if agents is None else agents,
        some_people() if people is None else people,
        **{"rounds": 20, **options},
    )


def test_good_input_would_be_played() -> None:
    with pytest.raises(AssertionError, match="is played"):
        run()
    with pytest.raises(AssertionError, match="work has started"):
        run(executor=Nobody())


BAD_AGENTS: list[tuple[Any, str]] = [
    ({}, "agents must be a dictionary"),
    ([MCR], "agents must be a dictionary"),
    (MCR, "agents must be a dictionary"),
    ("MCR", "'MCR'"),
    ({"MCR": "max-radius"}, "'MCR': 'max-radius'"),
    ({"MCR": MCR, "CL": cl.conlinucb}, "'CL'"),
    ({1: MCR}, "1: "),
    ({"": MCR}, "''"),
]


@pytest.mark.parametrize(("agents", "message"), BAD_AGENTS)
def test_bad_agents_are_refused(agents: Any, message: str) -> None:
    refused(lambda: run(agents), message, cl.InvalidInput)


@pytest.mark.parametrize("people", ["me", [[1.0, 0.0, 0.0]], cl.LinearUsers, 3])
def test_bad_people_are_refused(people: Any) -> None:
    refused(lambda: run(people=people), "people must be People", cl.InvalidInput)


def test_agents_of_different_catalogues_are_refused() -> None:
    other = small_catalog(seed=1)
    agents = {"one": cl.linucb(CATALOG), "two": cl.linucb(other)}
    refused(lambda: run(agents), "'two'", cl.InvalidInput)
    refused(lambda: run(agents), other.version, cl.InvalidInput)
    smaller = {"one": cl.linucb(CATALOG), "two": cl.linucb(CATALOG.remove_arms([0]))}
    refused(lambda: run(smaller), "'two'", cl.InvalidInput)


@pytest.mark.parametrize("name", ["rounds", "repeats", "shard", "threads"])
@pytest.mark.parametrize("value", [0, -1, 1.5, True, "3", math.nan, [3]])
def test_numbers_must_be_whole_and_positive(name: str, value: Any) -> None:
    refused(lambda: run(**{name: value}), name, cl.InvalidInput)


@pytest.mark.parametrize("value", [0, -1, 1.5, True, "3"])
def test_ray_wants_whole_threads_too(value: Any) -> None:
    pytest.importorskip("ray", reason="Ray is not installed")
    from conlinucb.simulation.executors import executor_of

    refused(lambda: executor_of("ray", value), "threads", cl.InvalidInput)


@pytest.mark.parametrize("seed", [1.5, "0", None, True, math.nan])
def test_a_seed_must_be_an_integer(seed: Any) -> None:
    refused(lambda: run(seed=seed), "seed must be an integer", cl.InvalidInput)


@pytest.mark.parametrize(
    ("executor", "message"),
    [
        ("thread", "No executor is called 'thread'. Did you mean 'threads'?"),
        ("Ray", "Did you mean 'ray'?"),
        ("cluster", "Valid: 'threads', 'ray'"),
        (None, "None"),
        (4, "4"),
    ],
)
def test_an_unknown_executor_is_refused(executor: Any, message: str) -> None:
    refused(lambda: run(executor=executor), message, cl.InvalidInput)


@pytest.mark.parametrize("log", [0, [], [0], [21], "all", [1, 1]])
def test_bad_logged_rounds_are_refused(log: Any) -> None:
    refused(lambda: run(log=log, executor=Nobody()), "log", cl.InvalidInput)


def test_a_spanner_needs_all_terms() -> None:
    few, all_terms = some_people(offered_size=4), some_people(offered_size=6)
    refused(lambda: run({"BS": SPANNER}, few), "'spanner'", cl.InvalidInput)
    refused(lambda: run({"MCR": MCR, "BS": SPANNER}, few), "4 of 6", cl.InvalidInput)
    with pytest.raises(AssertionError, match="is played"):
        run({"BS": SPANNER}, all_terms)


@pytest.mark.parametrize("end", [0.0, 5.0, 1009.0])
def test_a_schedule_that_falls_late_is_refused(end: float) -> None:
    """Beyond the rounds that an agent looks at when it is made."""

    def b(t: int) -> float:
        return t if t <= 1010 else end

    agents = {"it": cl.conlinucb(CATALOG, schedule=b)}
    refused(lambda: run(agents, rounds=1020), "never decrease", cl.InvalidInput)


def test_a_schedule_that_fails_late_is_refused() -> None:
    def b(t: int) -> float:
        return t if t <= 1010 else math.nan

    agents = {"it": cl.conlinucb(CATALOG, schedule=b)}
    refused(lambda: run(agents, rounds=1020, executor=Nobody()), "b(1011)", cl.InvalidInput)


@pytest.mark.parametrize(
    "bad", [{"rounds": 0}, {"executor": "thread"}, {"shard": 0}, {"log": []}], ids=str
)
def test_bad_input_makes_no_folder(tmp_path: Path, bad: dict[str, Any]) -> None:
    refused(lambda: run(store=tmp_path / "new", **bad), "", cl.InvalidInput)
    assert not list(tmp_path.iterdir())


def test_a_round_beyond_the_last_is_called_a_round() -> None:
    refused(lambda: run(log=[99]), "log must hold rounds from 1 to ", cl.InvalidInput)
