"""Hits, and metrics computed from what was logged."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import conlinucb as cl
from support.runs import same_bits, same_traces, some_agents, some_people
from support.worlds import refused, small_catalog


class MetByHand(cl.LinearUsers):
    """The same people, met without the compiled loop."""

    def reward(self, place: cl.Place, arm: int) -> float | None:
        return super().reward(place, arm)


def run(people: cl.People | None = None, **options: Any) -> cl.Results:
    given = {"rounds": 20, "repeats": 2, "log": [5, 20], "trace": True, **options}
    return cl.simulate(some_agents(), people or some_people(3), **given)


# Hits


@pytest.mark.parametrize("kind", [cl.LinearUsers, MetByHand])
@pytest.mark.parametrize("hit", [0.5, -0.1])
def test_hits_are_rewards_large_enough(kind: type[cl.LinearUsers], hit: float) -> None:
    catalog, tastes = small_catalog(), some_people(3).thetas
    people = kind(tastes, pool_size=6)
    found = run(people, hit=hit)
    for name in found.agents:
        for repeat, user in np.ndindex(2, 3):
            arms, _ = found.trace(name, repeat, user)
            draws = [people.draw(0, repeat, user, t, catalog=catalog) for t in range(1, 21)]
            rewards = catalog.arms[arms] @ tastes[user] + [each.noise for each in draws]
            expected = np.cumsum(rewards >= hit)[[4, 19]]
            assert found.metric(name, "hits")[repeat, user].tolist() == expected.tolist()


def test_every_click_is_a_hit() -> None:
    clicks = run(cl.ClickUsers(some_people(3).thetas, pool_size=6))
    for name in clicks.agents:
        assert np.array_equal(clicks.metric(name, "hits"), clicks.metric(name, "reward"))
    assert clicks.metric("MCR", "hits").max() > 0


def test_a_folder_from_before_hits_were_counted_goes_on(tmp_path: Path) -> None:
    usual = run(store=tmp_path)
    for path in tmp_path.glob("*.npz"):
        with np.load(path) as file:
            arrays = dict(file)
        np.savez(path, **{**arrays, "metrics": arrays["metrics"][..., :8]})
    again = run(store=tmp_path)
    assert np.isnan(again.metric("MCR", "hits")).all()
    assert np.array_equal(again.metric("MCR", "answered"), usual.metric("MCR", "answered"))


def test_another_limit_is_another_run(tmp_path: Path) -> None:
    run(store=tmp_path)
    refused(lambda: run(store=tmp_path, hit=0.2), "hit: None there, 0.2 now", cl.InvalidInput)
    refused(lambda: run(hit="high"), "hit", cl.InvalidInput)


# Metrics of one's own


def distinct_arms(log: Any) -> Any:
    """How many different arms were recommended up to each logged round."""
    seen = [[len(set(row[:t].tolist())) for t in log.rounds] for row in log.arms.reshape(6, -1)]
    return np.reshape(seen, (2, 3, -1))


def test_a_metric_of_ones_own_is_like_any_other() -> None:
    found = run().with_metric("share", lambda log: log["hits"] / log.rounds, better="more")
    assert found.metrics[-1] == "share"
    share = found.metric("MCR", "hits") / [5, 20]
    assert np.array_equal(found.metric("MCR", "share"), share)
    assert found.curve("MCR", "share").mean[-1] == pytest.approx(share[..., -1].mean())
    assert "share" in found.to_columns()
    versus = found.compare("MCR", "LinUCB", metric="share")
    assert np.sign(versus.improvement) == np.sign(versus.difference)
    assert "share" not in run().metrics


def test_metrics_of_ones_own_and_traces_survive_a_file(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    found = run().with_metric("variety", distinct_arms, better="more")
    found = found.with_metric("half", lambda log: log["variety"] / 2)
    found.save(tmp_path / "run.parquet")
    again = cl.Results.load(tmp_path / "run.parquet")
    assert same_bits(found, again)
    assert same_traces(found, again)
    assert again.metrics == found.metrics
    for name in ("variety", "half"):
        assert np.array_equal(found.metric("MCR", name), again.metric("MCR", name))
        versus = [each.compare("MCR", "LinUCB", metric=name) for each in (found, again)]
        assert repr(versus[0]) == repr(versus[1])
    assert again.with_metric("again", distinct_arms).metric("MCR", "again").shape == (2, 3, 2)


def test_metrics_of_ones_own_are_joined() -> None:
    agents, people = some_agents(), some_people(3)
    parts = [
        cl.simulate({name: agents[name]}, people, rounds=6).with_metric(
            "double", lambda log: 2 * log["regret"]
        )
        for name in ("LinUCB", "MCR")
    ]
    joined = parts[0].join(parts[1])
    for name in ("LinUCB", "MCR"):
        assert np.array_equal(joined.metric(name, "double"), 2 * joined.metric(name))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda r: r.with_metric("regret", lambda log: log["regret"]), "'regret' already"),
        (lambda r: r.with_metric("user", lambda log: log["regret"]), "'user' already"),
        (lambda r: r.with_metric("two words", lambda log: log["regret"]), "'two words'"),
        (lambda r: r.with_metric(3, lambda log: log["regret"]), "got 3"),
        (lambda r: r.with_metric("x", lambda log: log["regret"][0]), "shape (3, 2)"),
        (lambda r: r.with_metric("x", lambda log: None), "object"),
        (lambda r: r.with_metric("x", lambda log: log["regret"], better="up"), "'up'"),
        (lambda r: r.with_metric("x", lambda log: log["regrets"]), "Did you mean 'regret'?"),
    ],
)
def test_bad_metrics_are_refused(call: Callable[[cl.Results], Any], message: str) -> None:
    refused(lambda: call(run()), message, cl.InvalidInput)


def test_a_metric_of_traces_needs_traces() -> None:
    refused(lambda: run(trace=False).with_metric("x", distinct_arms), "trace=True")


# Files of earlier versions


def test_a_file_of_an_earlier_version_is_read() -> None:
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    kept = cl.Results.load(Path(__file__).parents[1] / "golden" / "old_results.parquet")
    now = run()
    assert kept.agents == now.agents
    for name in ("regret", "questions", "reward", "answered"):
        np.testing.assert_allclose(kept.metric("MCR", name), now.metric("MCR", name), rtol=1e-9)
    assert np.isnan(kept.metric("MCR", "hits")).all()
    refused(lambda: kept.trace("MCR", 0, 0), "trace", cl.InvalidInput)
    assert "hits" not in kept.summary().to_columns()
