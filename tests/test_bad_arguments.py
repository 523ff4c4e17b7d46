"""Something else than what a public name takes: an error that says what would be right."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import conlinucb as cl
from conlinucb.adapters.frames import BatchRecommender

CATALOG = cl.Catalog(np.eye(3), np.ones((3, 1)))
PEOPLE = cl.LinearUsers(np.eye(3), pool_size=2)
AGENT = cl.linucb(CATALOG, select=cl.EpsilonGreedy(0.5))
WRONG: Any = "something"


def an_export(**talk: Any) -> list[dict[str, Any]]:
    return [{"user": "ann", "conversations": [{"catalogue": "films", **talk}]}]


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: cl.Population.fit(WRONG), "catalog must be a Catalog, got 'something'"),
        (lambda: cl.Population.fit(CATALOG).calibrated(WRONG, {}), "catalog must be a Catalog"),
        (lambda: cl.Gaussian.stated(WRONG), "catalog must be a Catalog"),
        (lambda: cl.Gaussian.stated(CATALOG, range=WRONG), "range must be two numbers"),
        (
            lambda: cl.Population.fit(
                CATALOG, {"person": [1], "id": [0], "value": [1]}, store="nowhere/fit.npz"
            ),
            "There is no folder nowhere for the store nowhere/fit.npz",
        ),
        (lambda: cl.Population.load("no.npz"), "There is no file no.npz."),
        (lambda: cl.Catalog.load("no.npz"), "There is no file no.npz."),
        (lambda: BatchRecommender(WRONG), "agent must be an Agent, such as linucb(catalog), got"),
        (lambda: cl.synthetic_log(WRONG, PEOPLE, rounds=2), "agent must be an Agent"),
        (lambda: cl.synthetic_log(AGENT, WRONG, rounds=2), "people must be People"),
        (lambda: cl.read_export(an_export()), "The export of 'ann' is not what GET /v1/users/"),
        (lambda: cl.read_export(an_export(events=[{"event": 1}])), "KeyError: 'retracted'"),
        (lambda: cl.read_export(an_export(events=3)), "The export of 'ann' is not what"),
        (lambda: cl.read_export([], catalog=WRONG), "catalog must be a Catalog"),
    ],
)
def test_what_would_be_right_is_said(call: Callable[[], object], said: str) -> None:
    with pytest.raises(cl.InvalidInput, match=re.escape(said)):
        call()


def test_results_say_what_they_cannot_do(tmp_path: Path) -> None:
    results = cl.simulate({"one": AGENT}, PEOPLE, rounds=3, progress=False)
    with pytest.raises(
        cl.InvalidInput, match=r"'mine' is computed by a function of a log, got 'so"
    ):
        results.with_metric("mine", WRONG)
    with pytest.raises(cl.InvalidInput, match=r"saved as a \.parquet file, got .*run\.csv"):
        results.save(tmp_path / "run.csv")
    with pytest.raises(cl.InvalidInput, match=r"There is no folder .*nowhere for the picture"):
        results.plot(path=tmp_path / "nowhere" / "regret.svg")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("what", ["People", "Conversation"])
def test_environments_take_a_catalogue(what: str) -> None:
    gymnasium = pytest.importorskip("gymnasium")
    pytest.importorskip("conlinucb.adapters.gymnasium")
    with pytest.raises(cl.InvalidInput, match="catalog must be a Catalog"):
        gymnasium.make(f"conlinucb/{what}-v0", catalog=WRONG, people=PEOPLE, rounds=3)


def test_learners_of_coba_are_agents() -> None:
    coba = pytest.importorskip("conlinucb.adapters.coba")
    with pytest.raises(cl.InvalidInput, match="agent must be an Agent"):
        coba.AgentLearner(WRONG)
