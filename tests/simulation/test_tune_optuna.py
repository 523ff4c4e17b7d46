"""Optuna's samplers in fixed batches: the same search however it is run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import conlinucb as cl
from conlinucb.simulation import optuna_sampler
from conlinucb.simulation.optuna_sampler import Optuna
from support.worlds import small_catalog

optuna = pytest.importorskip("optuna")
CATALOG = small_catalog(arms=30, terms=8)
RNG = np.random.default_rng(3)
PEOPLE = cl.LinearUsers(RNG.normal(size=(6, 3)), pool_size=10)
OTHERS = cl.LinearUsers(RNG.normal(size=(2, 3)), pool_size=10)


def own(alpha: float, n: int, kind: str) -> cl.Agent:
    return cl.conlinucb(CATALOG, strategy=kind, alpha=alpha, schedule=cl.Every(n))


def spaces() -> dict[str, cl.Space]:
    return {
        "ConUCB": cl.Space(cl.conucb, CATALOG),
        "own": cl.Space(
            own,
            alpha=cl.Log(0.01, 1.0),
            n=cl.Whole(1, 20, log=True),
            kind=cl.Choice(["max-radius", "random"]),
            first={"n": 3, "kind": "random"},
        ),
    }


def run(**options: Any) -> cl.Tuned:
    given = {"rounds": 15, "budget": 20, "scored_on": OTHERS, "sensitivity": None, **options}
    return cl.tune(spaces(), PEOPLE, **given)


@pytest.mark.parametrize(
    "sampler",
    [
        "tpe",
        "cma-es",
        Optuna(lambda seed: optuna.samplers.RandomSampler(seed=seed), batch=5),
    ],
    ids=str,
)
def test_threads_and_interruptions_change_nothing(sampler: Any, tmp_path: Path) -> None:
    if sampler == "cma-es":
        pytest.importorskip("cmaes")
    before = optuna.logging.get_verbosity()
    one = run(sampler=sampler, threads=1)
    other = run(sampler=sampler, threads=2, store=tmp_path)
    for stage in ("trials/1", "score"):  # as if it had been stopped there
        for path in (tmp_path / stage).glob("*.npz"):
            path.unlink()
    again = run(sampler=sampler, store=tmp_path)
    assert list(one.trials) == list(other.trials) == list(again.trials)
    assert one.best == other.best == again.best
    assert optuna.logging.get_verbosity() == before
    assert len(one.trials) == 40
    firsts = {name: one.trials.of(name)[0].parameters for name in spaces()}
    assert firsts == {name: each.first for name, each in spaces().items()}
    for name, space in spaces().items():
        for trial in one.trials.of(name):
            assert all(space.ranges[each].holds(value) for each, value in trial.parameters.items())
    assert run(sampler=sampler, seed=1, budget=8).trials.of("own")[1] != one.trials.of("own")[1]


def test_what_is_stopped_early_is_told_as_pruned() -> None:
    tuned = run(sampler="tpe", halving=cl.Halving(factor=2, rungs=2))
    rows = tuned.trials.of("own")
    assert len(rows) > 20
    assert 0 < sum(each.finished for each in rows) < len(rows)


def test_a_model_goes_where_it_is_good() -> None:
    """After the first batches most of TPE's points lie nearer to a known optimum than chance."""
    space = cl.Space(cl.linucb, CATALOG)
    searcher = Optuna("tpe").start(space, 0)
    distances: list[float] = []
    from conlinucb.simulation.trial import Trial

    for stage, count in enumerate([8] * 8):
        points = searcher.ask(stage, count)
        places = [[space.ranges[k].place(v) for k, v in each.items()] for each in points]
        losses = [float(np.hypot(x - 0.7, y - 0.3)) for x, y in places]
        distances += losses
        searcher.tell(
            [
                Trial(agent="it", number=0, stage=0, parameters=p, score=v, loss=v, people=1,
                      rounds=1)
                for p, v in zip(points, losses, strict=True)
            ]
        )  # fmt: skip
    assert np.median(distances[32:]) < 0.5 * np.median(distances[:16])


def test_names_that_are_not_known_are_refused() -> None:
    with pytest.raises(cl.UnknownName, match="cma-es"):
        Optuna("cma")
    with pytest.raises(cl.InvalidInput, match="batch"):
        Optuna("tpe", batch=0)


def test_without_optuna_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "optuna", None)
    with pytest.raises(cl.MissingExtra, match=r"conlinucb\[tune\]"):
        run(sampler="tpe", budget=1)
    assert run(budget=1).best, "the default needs no more packages"
    assert optuna_sampler.NAMES
