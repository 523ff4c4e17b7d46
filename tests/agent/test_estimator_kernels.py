"""The four kernels of both estimators, each beside a plain formula."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import conlinucb as cl
from conlinucb.agent.estimators import ANSWER, REWARD
from conlinucb.agent.estimators.kernels import add_draw
from conlinucb.agent.estimators.state import named
from conlinucb.randomness import derive, normal
from support.matrices import Floats, close, lower, positive_definite, symmetric

SIZES = (1, 2, 5, 17)
MIX, TERM_BETA, BETA, WEIGHT = 0.3, 0.7, 0.4, 2.5


def ridge() -> cl.Ridge:
    return cl.Ridge(beta=BETA, answer_weight=WEIGHT)


def two_step() -> cl.TwoStep:
    return cl.TwoStep(mix=MIX, term_beta=TERM_BETA, answer_weight=WEIGHT)


def random_state(estimator: cl.Estimator, d: int) -> tuple[cl.State, dict[str, Floats]]:
    """A state of random matrices, NaN above their diagonals, and what it stands for."""
    rng, state = np.random.default_rng(d), estimator.new_state(d)
    kept = named(state, estimator.layout)
    meant: dict[str, Floats] = {}
    for name in ("P", "term_P", "theta"):
        if name in kept:
            meant[name] = rng.normal(size=d) if name == "theta" else positive_definite(rng, d)
            kept[name][...] = meant[name] if name == "theta" else lower(meant[name])
    return state, meant


def learned(estimator: cl.Estimator, feedback: list[tuple[int, Floats, float, float]]) -> cl.State:
    assert estimator.kernels is not None
    d = feedback[0][1].size
    state = estimator.new_state(d)
    for source, x, value, weight in feedback:
        numbers = estimator.constants()
        flag = estimator.kernels.learn(state, numbers, source, x, value, weight, np.empty(d))
        assert flag == 0
    return state


def some_feedback(d: int, n: int = 50) -> list[tuple[int, Floats, float, float]]:
    rng = np.random.default_rng(d)
    sources = [ANSWER if i % 3 == 0 else REWARD for i in range(n)]
    return [
        (source, rng.normal(size=d), float(rng.normal()), float(rng.uniform(0.2, 3.0)))
        for source in sources
    ]


def sums(feedback: list[tuple[int, Floats, float, float]], source: int) -> tuple[Floats, Floats]:
    """Sums of w xx' and w y x over feedback from one source."""
    d = feedback[0][1].size
    square, moment = np.zeros((d, d)), np.zeros(d)
    for where, x, y, w in feedback:
        if where == source:
            square += w * np.outer(x, x)
            moment += w * y * x
    return square, moment


@pytest.mark.parametrize("d", SIZES)
def test_ridge_learns(d: int) -> None:
    given = some_feedback(d)
    state = learned(ridge(), given)
    rewards, answers = sums(given, REWARD), sums(given, ANSWER)
    M = BETA * np.eye(d) + rewards[0] + WEIGHT * answers[0]
    close(symmetric(state.P), np.linalg.inv(M))
    close(state.theta, np.linalg.solve(M, rewards[1] + WEIGHT * answers[1]))


@pytest.mark.parametrize("d", SIZES)
def test_two_step_learns(d: int) -> None:
    given = some_feedback(d)
    state = learned(two_step(), given)
    kept: dict[str, Any] = named(state, two_step().layout)
    rewards, answers = sums(given, REWARD), sums(given, ANSWER)
    term_M = TERM_BETA * np.eye(d) + WEIGHT * answers[0]
    term_theta = np.linalg.solve(term_M, WEIGHT * answers[1])
    M = (1 - MIX) * np.eye(d) + MIX * rewards[0]
    close(symmetric(kept["term_P"]), np.linalg.inv(term_M))
    close(kept["term_theta"], term_theta)
    close(symmetric(state.P), np.linalg.inv(M))
    close(state.theta, np.linalg.solve(M, MIX * rewards[1] + (1 - MIX) * term_theta))


def test_learning_tells_where_radii_may_grow() -> None:
    """Of a matrix that is nearly singular, P is computed anew and may be larger than before."""
    estimator = cl.Ridge(beta=1e-9)
    state = estimator.new_state(2)
    assert estimator.kernels is not None
    flags = [
        estimator.kernels.learn(
            state, estimator.constants(), REWARD, np.array([1.0, 0.0]), 1.0, 1.0, np.empty(2)
        )
        for _ in range(3)
    ]
    assert flags == [1, 1, 1]


@pytest.mark.parametrize("n", [0, 1, 3, 4, 5, 9])
@pytest.mark.parametrize("d", SIZES)
def test_scores(d: int, n: int) -> None:
    rng = np.random.default_rng(n)
    rows, which = rng.normal(size=(12, d)), rng.permutation(12)
    x = rows[which[:n]]
    for estimator in (ridge(), two_step()):
        state, meant = random_state(estimator, d)
        assert estimator.kernels is not None
        width = np.array([0.7, 1.3])
        radii, extras = np.full(12, 7.0), np.full(12, 7.0)
        estimator.kernels.score(state, width, rows, which, n, radii, extras, np.empty((4, d)))
        first = np.sqrt(np.diag(x @ meant["P"] @ x.T))
        close(radii[:n], first)
        if "term_P" in meant:
            inner = meant["P"] @ meant["term_P"] @ meant["P"]
            close(extras[:n], 0.7 * first + 1.3 * np.sqrt(np.diag(x @ inner @ x.T)))
        else:
            close(extras[:n], 0.7 * first)
        assert (radii[n:] == 7.0).all()
        assert (extras[n:] == 7.0).all()


@pytest.mark.parametrize("d", SIZES)
def test_reach(d: int) -> None:
    rows = np.random.default_rng(1).normal(size=(4, d))
    for estimator in (ridge(), two_step()):
        state, meant = random_state(estimator, d)
        assert estimator.kernels is not None
        expected = rows @ meant["P"] if "term_P" in meant else rows
        close(estimator.reach(state, rows), expected)
        for x, expected_row in zip(rows, expected, strict=True):
            out = np.empty(d)
            estimator.kernels.reach(state, x, out)
            close(out, expected_row)


def standard(seed: Any, d: int) -> Floats:
    return np.array([normal(seed, i) for i in range(d)])


@pytest.mark.parametrize("d", SIZES)
def test_samples(d: int) -> None:
    seed, width = np.uint64(99), np.array([0.7, 1.3])
    for estimator in (ridge(), two_step()):
        state, meant = random_state(estimator, d)
        expected = meant["theta"] + 0.7 * np.linalg.cholesky(meant["P"]) @ standard(seed, d)
        if "term_P" in meant:
            drawn = np.linalg.cholesky(meant["term_P"]) @ standard(derive(seed, 1), d)
            expected += 1.3 * meant["P"] @ drawn
        close(estimator.sample(state, width, seed), expected)


def test_a_draw_from_a_matrix_without_a_root_is_one_of_each_coordinate() -> None:
    P, out, seed = np.array([[4.0, 0.0], [9.0, 1.0]]), np.array([1.0, 2.0]), np.uint64(5)
    add_draw(P, 0.5, seed, out)
    close(out, np.array([1.0, 2.0]) + 0.5 * np.array([2.0, 1.0]) * standard(seed, 2))
