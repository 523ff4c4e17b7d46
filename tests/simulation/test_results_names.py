"""Names, logged rounds and traces of a result: what is there, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import conlinucb as cl
from support.runs import some_agents, some_people
from support.worlds import refused, small_catalog


def run(**options: Any) -> cl.Results:
    return cl.simulate(some_agents(), some_people(3), **{"rounds": 50, **options})


@pytest.fixture(scope="module")
def results() -> cl.Results:
    return run()


def test_an_unknown_agent_suggests_the_nearest(results: cl.Results) -> None:
    for call in (
        lambda: results.metric("linucb"),
        lambda: results.final_regret("linucb"),
        lambda: results.curve("linucb"),
        lambda: results.compare("MCR", "linucb"),
        lambda: results.trace("linucb", 0, 0),
    ):
        refused(call, "'linucb'. Did you mean 'LinUCB'?", cl.UnknownName)


def test_an_unknown_metric_suggests_the_nearest(results: cl.Results) -> None:
    refused(lambda: results.metric("MCR", "regrets"), "Did you mean 'regret'?", cl.UnknownName)
    refused(lambda: results.curve("MCR", "eror"), "Did you mean 'error'?", cl.UnknownName)


# Logged rounds


@pytest.mark.parametrize(
    ("rounds", "log", "expected"),
    [
        (5, None, [1, 2, 3, 4, 5]),
        (1, None, [1]),
        (10, 1, [10]),
        (10, 2, [5, 10]),
        (10, 5, [2, 4, 6, 8, 10]),
        (10, 10, list(range(1, 11))),
        (10, 500, list(range(1, 11))),
        (10, np.int64(2), [5, 10]),
        (10, [3], [3]),
        (10, [7, 1, 10], [1, 7, 10]),
        (10, np.array([2, 9]), [2, 9]),
        (10, range(2, 5), [2, 3, 4]),
    ],
)
def test_the_logged_rounds_are_those_asked_for(rounds: int, log: Any, expected: list[int]) -> None:
    assert run(rounds=rounds, log=log).rounds.tolist() == expected


@pytest.mark.parametrize("rounds", [200, 201, 299, 1000, 1001])
def test_at_most_200_rounds_are_logged_and_the_last_among_them(rounds: int) -> None:
    found = cl.simulate({"it": cl.linucb(small_catalog())}, some_people(1), rounds=rounds).rounds
    assert found.size == 200
    assert found[-1] == rounds
    assert found[0] >= 1
    assert set(np.diff(found)) <= {rounds // 200, rounds // 200 + 1}


def test_what_is_logged_does_not_depend_on_which_rounds_are() -> None:
    every, few = run(log=50), run(log=[4, 17, 33])
    for agent in every.agents:
        for name in ("regret", "error", "questions", "repeated"):
            assert np.array_equal(
                every.metric(agent, name)[..., [3, 16, 32]], few.metric(agent, name)
            )


@pytest.mark.parametrize(
    ("log", "message"),
    [
        (0, "log must be a whole number of at least 1, got 0"),
        (-3, "-3"),
        (True, "True"),
        ([], "log"),
        ([0, 5], "rounds from 1 to 50"),
        ([51], "51"),
        ([-1], "-1"),
        ([3, 3], "3 more than once"),
        ([1.5], "1.5"),
        (2.5, "2.5"),
        ("all", "'all'"),
        ([[1, 2]], "(1, 2)"),
    ],
)
def test_bad_logged_rounds_are_refused(log: Any, message: str) -> None:
    refused(lambda: run(log=log), message, cl.InvalidInput)


# Traces


def test_traces_are_kept_only_when_asked_for(results: cl.Results) -> None:
    refused(lambda: results.trace("MCR", 0, 0), "trace=True", cl.InvalidInput)


def test_a_trace_has_every_arm_and_every_question() -> None:
    traced = run(trace=True, repeats=2)
    for agent in traced.agents:
        for at in np.ndindex(2, 3):
            arms, asked = traced.trace(agent, *at)
            assert arms.shape == (50,)
            assert asked.shape == (0 if agent == "LinUCB" else 25,)
            most = 12 if agent == "Arm-Con" else 6
            assert set(arms.tolist()) <= set(range(12))
            assert set(asked.tolist()) <= set(range(most))


def test_repeated_questions_are_those_asked_before() -> None:
    traced = run(trace=True)
    for agent in traced.agents:
        asked = traced.trace(agent, 0, 1)[1].tolist()
        expected = len(asked) - len(set(asked))
        assert traced.metric(agent, "repeated")[0, 1, -1] == expected


@pytest.mark.parametrize("at", [(1, 0), (0, 3), (-1, 0), (0, -1), (0, "0")])
def test_a_trace_that_is_not_there_is_refused(at: tuple[Any, Any]) -> None:
    traced = run(trace=True, rounds=2)
    with pytest.raises(cl.InvalidInput):
        traced.trace("MCR", *at)
