"""The whole comparison on small logs: complete, resumed, repeatable, and without a leak."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conlinucb.errors import IncompatibleState
from conlinucb.experiments.people import run
from conlinucb.experiments.people.benchmark import Size
from conlinucb.experiments.people.contenders import CEILING, PUBLISHED, STRATEGIES, name_of
from conlinucb.experiments.people.outcome import PeopleOutcome
from conlinucb.experiments.people.talk import Played, play
from conlinucb.experiments.people.task import FIXED_ON, ROUNDS, Log, Person
from conlinucb.experiments.people.world import World
from conlinucb.numerics.validation import Indices
from conlinucb.progress import Progress
from support.logged_people import SMALL, some_benchmark, some_task

NOTES = ("seconds", "versions", "machine")


def played(out: Path, implicit: bool, size: Size = SMALL) -> PeopleOutcome:
    benchmark = some_benchmark(implicit, out, size)
    bar = Progress(benchmark.work, shown=False)
    made = benchmark.outcome(bar, "conlinucb people")
    assert bar.done == benchmark.work
    return made


def numbers(outcome: PeopleOutcome) -> dict[str, Any]:
    return {name: value for name, value in outcome.to_json().items() if name not in NOTES}


def with_other_items_of(log: Log, people: Indices) -> Log:
    """The same log, but these people met other items and liked them otherwise."""
    data = log.data
    items, values = data.items.copy(), data.values.copy()
    for person in people:
        rows = np.flatnonzero(data.people == person)
        size = len(data.item_ids)
        items[rows] = np.random.default_rng(int(person)).permutation(size)[: rows.size]
        values[rows] = values[rows] if data.implicit else 1.0 - values[rows]
    return Log(replace(data, items=items, values=values), log.seed)


@pytest.mark.parametrize("implicit", [True, False])
def test_nothing_of_tested_people_is_in_what_a_split_learned(implicit: bool) -> None:
    task, split = some_task(implicit), 2
    log = Log(task.data())
    other = with_other_items_of(log, np.flatnonzero(log.split_of == split))
    one, two = (World(each, task, split) for each in (log, other))
    np.testing.assert_array_equal(one.catalog.arms, two.catalog.arms)
    np.testing.assert_array_equal(one.catalog.terms, two.catalog.terms)
    for name in ("population", "yes_no_population"):
        assert getattr(one, name).to_bytes() == getattr(two, name).to_bytes()
    for name in ("base", "counts", "sums"):
        np.testing.assert_array_equal(getattr(one.table, name), getattr(two.table, name))
    assert (one.table.rests != two.table.rests).nnz == (one.table.met != two.table.met).nnz == 0


@pytest.mark.parametrize("implicit", [True, False])
def test_what_logged_people_do_is_in_it(implicit: bool) -> None:
    """The other side of the test above, which could pass by looking at nobody."""
    task, split = some_task(implicit), 2
    log = Log(task.data())
    other = with_other_items_of(log, np.flatnonzero(log.split_of == 3))
    one, two = (World(each, task, split) for each in (log, other))
    assert not np.array_equal(one.catalog.arms, two.catalog.arms)
    assert one.population.to_bytes() != two.population.to_bytes()
    assert (one.table.rests != two.table.rests).nnz


@pytest.fixture(scope="module", params=[True, False], ids=["implicit", "rated"])
def run_once(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[bool, Path, PeopleOutcome]:
    out = tmp_path_factory.mktemp("people")
    return request.param, out, played(out, request.param)


@pytest.mark.more
def test_everybody_takes_part(run_once: tuple[bool, Path, PeopleOutcome]) -> None:
    implicit, out, outcome = run_once
    wanted = {"chance", "most popular", "item neighbours", "factorisation", "prior, no questions"}
    wanted |= {f"{name}, {how}" for name in PUBLISHED for how in ("as published", "tuned")}
    wanted |= {name_of(each, count) for each in STRATEGIES for count in (1, 3)}
    wanted |= {f"questionnaire of {count}" for count in (8, 16)} | {CEILING, "5 favourites named"}
    assert wanted <= set(outcome.contenders)
    for name, each in outcome.contenders.items():
        assert each.first.low <= each.first.mean <= each.first.high, name
        assert len(each.by_round) <= ROUNDS
        assert len(each.by_round) == ROUNDS or not implicit
    assert outcome.contenders[name_of("informative", 3)].asked == 30
    assert outcome.contenders["questionnaire of 8"].asked == 8
    assert outcome.tested == 2 * 4
    assert [each.people for each in outcome.curve[::3]] == [0, 10, 30, 48]
    kept = json.loads((out / "people" / f"{outcome.task}.json").read_text("utf-8"))
    assert PeopleOutcome.from_json(kept) == outcome


@pytest.mark.more
def test_what_is_finished_is_not_played_again(
    run_once: tuple[bool, Path, PeopleOutcome], monkeypatch: pytest.MonkeyPatch
) -> None:
    implicit, out, outcome = run_once
    (lost,) = out.glob("people/*/1/all/chance.npz")
    lost.unlink()
    times = {path: path.stat().st_mtime_ns for path in out.rglob("*.npz")}
    calls: list[Person] = []

    def counted(log: Log, person: Person, *how: Any) -> Played:
        calls.append(person)
        return play(log, person, *how)

    monkeypatch.setattr(run, "play", counted)
    assert numbers(played(out, implicit)) == numbers(outcome)
    assert len(calls) == SMALL.people
    assert lost.exists()
    assert {path: path.stat().st_mtime_ns for path in times} == times


@pytest.mark.more
def test_numbers_do_not_depend_on_threads(
    run_once: tuple[bool, Path, PeopleOutcome], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    implicit, _, outcome = run_once
    monkeypatch.setattr(run, "THREADS", 1)
    assert numbers(played(tmp_path, implicit)) == numbers(outcome)


def test_another_specification_is_refused(tmp_path: Path) -> None:
    some_benchmark(True, tmp_path)
    some_benchmark(True, tmp_path)
    with pytest.raises(IncompatibleState, match="trials: 1 there, 2 now"):
        some_benchmark(True, tmp_path, replace(SMALL, trials=2))
    with pytest.raises(IncompatibleState, match="strategy"):
        some_benchmark(True, tmp_path, strategy="valuable")


def test_another_log_of_the_same_size_is_refused(tmp_path: Path) -> None:
    some_benchmark(False, tmp_path)
    data = some_task(False).data()
    turned = replace(data, values=1.0 - data.values)
    with pytest.raises(IncompatibleState, match="checksum"):
        some_benchmark(False, tmp_path, load=lambda: turned)


def test_settings_are_chosen_on_people_of_no_figure(tmp_path: Path) -> None:
    benchmark = some_benchmark(True, tmp_path, Size())
    chosen_on = set(benchmark.tested(FIXED_ON))
    assert FIXED_ON not in benchmark.splits
    assert not chosen_on & {each for split in benchmark.splits for each in benchmark.tested(split)}


def test_points_of_the_curve_are_fewer_people_than_there_are(tmp_path: Path) -> None:
    assert some_benchmark(True, tmp_path)._logged() == [0, 10, 30, None]
