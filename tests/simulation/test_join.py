"""Separate runs on the same people as one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import conlinucb as cl
from support.runs import same_bits, same_traces, some_agents, some_people
from support.worlds import refused, small_catalog


def run(*names: str, **options: Any) -> cl.Results:
    agents = some_agents(options.pop("catalog", None))
    people = options.pop("people", some_people(3))
    chosen = {name: agents[name] for name in names or agents}
    return cl.simulate(chosen, people, **{"rounds": 20, "log": 4, "trace": True, **options})


def test_joined_runs_are_the_run_of_all(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    run("ConUCB").save(tmp_path / "conucb.parquet")
    one, other = run("LinUCB", "Arm-Con"), cl.Results.load(tmp_path / "conucb.parquet")
    joined, whole = one.join(other, run("MCR")), run()
    assert joined.agents == whole.agents
    assert same_bits(joined, whole)
    assert same_traces(joined, whole)
    assert (joined.spec, joined.versions) == (whole.spec, whole.versions)
    assert joined.compare("MCR", "LinUCB") == whole.compare("MCR", "LinUCB")
    assert one.agents == ["LinUCB", "Arm-Con"]


def test_a_run_alone_joins_to_itself() -> None:
    one = run("MCR")
    assert same_bits(one.join(), one)


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (lambda: run("MCR", seed=1), "seed is 0 here and 1 there"),
        (lambda: run("MCR", rounds=21), "rounds is 20 here and 21 there"),
        (lambda: run("MCR", repeats=2), "repeats is 1 here and 2 there"),
        (lambda: run("MCR", log=[20]), "logged is [5, 10, 15, 20] here and [20] there"),
        (lambda: run("MCR", people=some_people(3, seed=1)), "people.thetas is "),
        (lambda: run("MCR", people=some_people(4)), "people.users is 3 here and 4 there"),
        (lambda: run("MCR", catalog=small_catalog(seed=9)), "catalog is "),
        (lambda: run("MCR", trace=False), "trace is True here and False there"),
        (lambda: run("MCR", hit=0.2), "hit is 0.5 here and 0.2 there"),
        (
            lambda: run("MCR").with_metric("mine", lambda log: log["regret"]),
            "metrics.mine is None here and False there",
        ),
        (lambda: run("LinUCB"), "Agent 'LinUCB' is in both"),
        (lambda: "results", "'results'"),
    ],
)
def test_what_differs_is_named(other: Callable[[], Any], message: str) -> None:
    refused(lambda: run("LinUCB").join(other()), message, cl.InvalidInput)


def test_releases_and_versions_may_differ_and_are_both_named() -> None:
    one, other = run("LinUCB"), run("MCR")
    other.spec = {**other.spec, "conlinucb": "0.0.1"}
    other.versions = {**other.versions, "numpy": "2.0.0"}
    joined = one.join(other)
    assert joined.spec["conlinucb"] == f"{cl.__version__}, 0.0.1"
    assert joined.versions["numpy"].endswith(", 2.0.0")
    assert joined.versions["python"] == one.versions["python"]
