"""Parts of one's own by name: found, called, refused where a name must not run code."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import conlinucb as cl
from conlinucb.agent.named import add_folder, is_stranger
from conlinucb.agent.spec import agent_of
from support.worlds import small_catalog

CATALOG = small_catalog(arms=30, terms=9, d=4)
MODULE = """
import numpy as np
import conlinucb as cl
from conlinucb.agent.estimators import empty

class First:
    name = "first"
    def __init__(self, step=0):
        self.step = step
    def choose(self, view):
        return view.offered[self.step]

first = First(1)

class Mean(cl.Estimator):
    name = "mean"
    def __init__(self, beta=1.0):
        self.beta, self.alpha = beta, 0.0
    def new_state(self, d):
        state = empty(d)
        state.matrices[0] = np.eye(d) / self.beta
        return state
    def learn_arm(self, state, x, value, weight=1.0):
        state.vectors[0] += weight * value * x
"""


@pytest.fixture(autouse=True)
def module(tmp_path: Path) -> Iterator[str]:
    (tmp_path / "parts_of_mine.py").write_text(MODULE)
    before = list(sys.path)
    add_folder(tmp_path)
    add_folder(tmp_path)
    assert sys.path == [*before, str(tmp_path.resolve())]
    yield "parts_of_mine"
    sys.path[:] = before
    sys.modules.pop("parts_of_mine", None)


def made(**given: Any) -> cl.Agent:
    return agent_of({"recipe": "own", **given}, CATALOG, "[agents.x]", strangers=True)


def test_a_class_is_called_and_an_object_taken() -> None:
    every = {"name": "every", "n": 1}
    agent = made(strategy="parts_of_mine:First", schedule=every)
    assert vars(agent.strategy) == {"step": 0}
    agent = made(strategy={"name": "parts_of_mine:First", "step": 2}, schedule=every)
    question = agent.ask(agent.new_user())
    assert question is not None
    assert question.index == 2
    assert vars(made(strategy="parts_of_mine:first", schedule=every).strategy) == {"step": 1}


def test_an_estimator_in_a_recipe() -> None:
    agent = made(estimator={"name": "parts_of_mine:Mean", "beta": 0.5}, select="greedy")
    assert agent.estimator.parameters() == {"beta": 0.5, "alpha": 0.0}
    user = agent.new_user()
    agent.learn(user, 3, 2.0)
    assert user.theta.tolist() == (2.0 * CATALOG.arms[3]).tolist()


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ("nowhere_at_all:First", "cannot be imported: No module named 'nowhere_at_all'"),
        ("parts_of_mine:Second", "the module 'parts_of_mine' has no 'Second'"),
        ("parts_of_mine:", "is package.module:name, got 'parts_of_mine:'"),
        ("../etc:passwd", "is package.module:name, got"),
        ({"name": "parts_of_mine:First", "stride": 2}, "cannot be made with {'stride': 2}"),
        ({"name": "parts_of_mine:first", "step": 2}, r"is no class, so it takes no \['step'\]"),
    ],
)
def test_what_cannot_be_had_is_named(given: Any, sentence: str) -> None:
    with pytest.raises(cl.InvalidInput, match=sentence):
        made(strategy=given)


@pytest.mark.parametrize("key", ["strategy", "estimator", "select", "schedule", "prior"])
@pytest.mark.parametrize("value", ["os:abort", {"name": "os:abort"}])
def test_without_leave_no_name_runs_code(key: str, value: Any) -> None:
    with pytest.raises(cl.InvalidInput, match="configuration file only"):
        agent_of({"recipe": "own", key: value}, CATALOG)


def test_what_is_a_stranger() -> None:
    assert is_stranger("a.b:c")
    assert is_stranger({"name": "a:b", "n": 1})
    assert not is_stranger("max-radius")
    assert not is_stranger({"n": 1})
    assert not is_stranger(0.5)
