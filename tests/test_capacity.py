"""The capacity model: what it calculates, and that real servers at small scale agree."""

from __future__ import annotations

import math
from dataclasses import fields, replace

import pytest
from benchmarks import load
from benchmarks.capacity import Demand, Machine, Plan, memory_bytes, table, throughput, verdict
from benchmarks.costs import Costs

ONE = Costs(**{each.name: 1.0 for each in fields(Costs)})


def test_a_small_demand_by_hand() -> None:
    costs = replace(ONE, request_ms=2.0, item_us=1.0, next_ms=3.0, fold_us=10.0, cold_ms=5.0)
    demand = Demand(people=864_000, items=1_000, events=20, active=0.1, requests=10.0, peak=2.0)
    plan = Plan(demand, costs)
    assert demand.rate == pytest.approx(20.0)
    assert demand.at_hand == pytest.approx(7_200.0)
    assert plan.workers == math.ceil(20.0 * (2.0 + 0.5) / 1_000 / 0.5)
    assert plan.warm_ms == pytest.approx(4.0)
    assert plan.cold_ms == pytest.approx(4.0 + 5.0 + 0.2)
    assert plan.rows == 864_000 * 21
    assert plan.disk_gb == pytest.approx(864_000 * 21 / 1e9)
    assert plan.worker_gb == pytest.approx((1e6 + 1_000 + 7_200) / 1e9)
    assert plan.databases == plan.machines == 1
    assert plan.refold_hours == pytest.approx(864_000 * 20 * 10e-6 / 3600)
    assert "nothing breaks" in verdict(plan)[0]


def test_a_kept_state_counts_from_the_event_on_from_which_it_is_kept() -> None:
    costs = replace(ONE, snapshot_bytes=1_000.0)
    short, long = (Plan(Demand(events=events), costs) for events in (99, 100))
    assert short.disk_gb == pytest.approx(0.1)
    assert long.disk_gb == pytest.approx(1.101)
    assert Plan(Demand(events=1_000), costs).cold_ms == long.cold_ms


@pytest.mark.parametrize(
    ("costs", "what"),
    [
        ({"item_us": 1e6}, "the time of a next"),
        ({"item_blob_bytes": 1e7}, "one field of a row"),
        ({"item_bytes": 1e8}, "each worker's memory"),
        ({"event_bytes": 1e6}, "indices in the database's memory"),
        ({"database_ms": 1e6}, "processors of the database"),
        ({"request_ms": 1e6}, "processors of the service"),
    ],
)
def test_what_costs_most_breaks_first(costs: dict[str, float], what: str) -> None:
    plan = Plan(Demand(people=100_000, items=1_000), replace(ONE, **costs))
    assert what in verdict(plan)[0]
    assert [each.times for each in plan.limits()] == sorted(
        (each.times for each in plan.limits()), reverse=True
    )


def test_a_database_is_split_until_each_part_fits() -> None:
    costs = replace(ONE, event_bytes=1_000.0)
    plan = Plan(Demand(people=10_000_000), costs, Machine(disk_gb=100.0, memory_gb=1_000.0))
    assert plan.databases == math.ceil(plan.disk_gb / 100.0) == 6


def test_workers_share_processors_once_these_are_busy() -> None:
    assert throughput(100.0, 2, 2.0, 0.001) == 200.0
    assert throughput(100.0, 3, 2.0, 0.01) == 200.0
    assert memory_bytes(replace(ONE, worker_mb=400.0), 3, 10, 5) == 3 * (4e8 + 5) + 10


def test_the_measured_costs_are_all_there() -> None:
    costs = Costs.load()
    assert all(getattr(costs, each.name) > 0 for each in fields(Costs))
    plans = [Plan(Demand(people=people), costs) for people in (10**6, 10**8)]
    assert all(len(line) == 3 for line in table(plans))
    assert plans[1].workers > plans[0].workers


def test_a_shard_more_takes_its_part_and_moves_nobody_else() -> None:
    names = [f"person {n}" for n in range(3_000)]
    two, three = ([load.shard_of(name, n) for name in names] for n in (2, 3))
    assert {new for old, new in zip(two, three, strict=True) if old != new} == {2}
    assert all(800 < three.count(shard) < 1_200 for shard in range(3))


@pytest.mark.more
@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_nobody_is_in_two_shards(kind: str) -> None:
    from benchmarks import sharded

    seen = sharded.played(kind, 2, 0.6)
    assert seen.wrong == []
    assert seen.people > 0
    assert sum(map(sum, (each.people for each in seen.found.values()))) == seen.people
    rows = list(seen.compared())
    assert {row["shards"] for row in rows} == {1, 2}
    assert all(row["predicted"] > 0 and row["measured"] > 0 for row in rows)
    assert seen.found[2].database > 0 if kind == "postgresql" else seen.found[2].server > 0
