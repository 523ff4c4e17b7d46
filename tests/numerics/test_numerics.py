"""theta against direct solves: after very many updates, and on ill-conditioned catalogues."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import mpmath
import numpy as np
import pytest
from numpy.typing import NDArray

from conlinucb import Ridge, TwoStep

Floats = NDArray[np.float64]
Solve = Callable[[Any, Any], Any]

BETAS = (1e-3, 0.15, 1.2)
MIXES = {1e-3: 0.999, 0.15: 0.85, 1.2: 0.5}
COUNTS = (1, 2, 10, 60, 400, 999, 1000, 1001, 1500, 3000)
EPS = float(np.finfo(float).eps)


class Feedback(NamedTuple):
    """What was learned, in order; ``term`` marks the answers."""

    rows: Floats
    values: Floats
    term: NDArray[np.bool_]

    def part(self, chosen: Any) -> Feedback:
        return Feedback(self.rows[chosen], self.values[chosen], self.term[chosen])


def feedback(rng: np.random.Generator, arms: Floats, updates: int) -> Feedback:
    person = rng.normal(size=arms.shape[1]) / np.abs(arms).max(axis=0)
    rows = np.ascontiguousarray(arms[rng.integers(len(arms), size=updates)])
    values = rows @ person + 0.1 * rng.normal(size=updates)
    return Feedback(rows, values, rng.random(updates) < 0.3)


def learned(estimator: Any, heard: Feedback) -> Iterator[Any]:
    """The state after each update."""
    state = estimator.new_state(heard.rows.shape[1])
    for x, y, term in zip(*heard, strict=True):
        learn = estimator.learn_term if term else estimator.learn_arm
        learn(state, x, float(y))
        yield state


def normal_equations(rows: Floats, values: Floats) -> tuple[Floats, Floats]:
    return rows.T @ rows, rows.T @ values


def direct_theta(estimator: Any, heard: Feedback) -> Floats:
    """theta by two or three lines of NumPy."""
    eye = np.eye(heard.rows.shape[1])
    if isinstance(estimator, Ridge):
        M, Y = normal_equations(heard.rows, heard.values)
        return np.asarray(np.linalg.solve(estimator.beta * eye + M, Y))
    mix, rest = estimator.mix, 1 - estimator.mix
    M, Y = normal_equations(heard.rows[~heard.term], heard.values[~heard.term])
    term_M, term_Y = normal_equations(heard.rows[heard.term], heard.values[heard.term])
    term_theta = np.linalg.solve(estimator.term_beta * eye + term_M, term_Y)
    return np.asarray(np.linalg.solve(rest * eye + mix * M, mix * Y + rest * term_theta))


def direct_radii(estimator: Any, heard: Feedback, arms: Floats) -> Floats:
    eye = np.eye(arms.shape[1])
    if isinstance(estimator, Ridge):
        M = estimator.beta * eye + heard.rows.T @ heard.rows
    else:
        rows = heard.rows[~heard.term]
        M = (1 - estimator.mix) * eye + estimator.mix * (rows.T @ rows)
    return np.asarray(np.sqrt(np.sum(arms.T * np.linalg.solve(M, arms.T), axis=0)))


@pytest.mark.parametrize(
    "estimator",
    [Ridge(beta=0.15), Ridge(beta=1.2), TwoStep(mix=0.3, term_beta=0.15)],
    ids=repr,
)
def test_hundred_thousand_updates_do_not_drift(estimator: Any) -> None:
    rng = np.random.default_rng(8)
    arms = rng.normal(size=(500, 20))
    arms /= np.linalg.norm(arms, axis=1, keepdims=True)
    heard = feedback(rng, arms, 100_000)
    *_, state = learned(estimator, heard)
    assert np.abs(state.theta - direct_theta(estimator, heard)).max() < 1e-8
    radii = estimator.score_arms(state, arms, 1, 0).radii
    np.testing.assert_allclose(radii, direct_radii(estimator, heard, arms), rtol=1e-9)


class Exact:
    """The normal equations in 60 digits, from the very float64 numbers that were learned."""

    def __init__(self, d: int, strength: float, weight: float) -> None:
        self.M, self.Y = strength * mpmath.eye(d), mpmath.zeros(d, 1)
        self.weight = mpmath.mpf(weight)

    def add(self, rows: Floats, values: Floats) -> None:
        columns = [[mpmath.mpf(x) for x in column] for column in rows.T.tolist()]
        heard = [mpmath.mpf(y) for y in values.tolist()]
        for i, column in enumerate(columns):
            self.Y[i] += self.weight * mpmath.fdot(column, heard)
            for j in range(i + 1):
                self.M[i, j] += self.weight * mpmath.fdot(column, columns[j])
                self.M[j, i] = self.M[i, j]

    def theta(self, prior: Any = 0) -> Any:
        return mpmath.lu_solve(self.M, self.Y + prior)


class ExactTheta:
    """theta of an estimator in 60 digits, as feedback comes in."""

    def __init__(self, estimator: Any, d: int) -> None:
        self.two_step = isinstance(estimator, TwoStep)
        if self.two_step:
            self.rest = 1 - estimator.mix
            self.arms = Exact(d, self.rest, estimator.mix)
            self.terms = Exact(d, estimator.term_beta, 1.0)
        else:
            self.arms = self.terms = Exact(d, estimator.beta, 1.0)

    def add(self, heard: Feedback) -> None:
        self.arms.add(heard.rows[~heard.term], heard.values[~heard.term])
        self.terms.add(heard.rows[heard.term], heard.values[heard.term])

    def theta(self) -> Any:
        prior = self.rest * self.terms.theta() if self.two_step else 0 * self.arms.Y
        return self.arms.theta(prior)


def error(theta: Floats, exact: Any) -> float:
    return float(mpmath.norm(mpmath.matrix(theta.tolist()) - exact))


def direct_error(estimator: Any, heard: Feedback, exact: Any) -> float:
    """The direct solve's error: the largest over a few orders of the same feedback and features,
    so that one lucky rounding does not count; never below a few units in theta's last place.
    """
    rng = np.random.default_rng(0)
    errors = [8 * EPS * float(mpmath.norm(exact))]
    for _ in range(6):
        order, features = (rng.permutation(size) for size in heard.rows.shape)
        shuffled = heard.part(order)._replace(rows=heard.rows[np.ix_(order, features)])
        theta = np.empty(features.size)
        theta[features] = direct_theta(estimator, shuffled)
        errors.append(error(theta, exact))
    return max(errors)


def scales(low: float, high: float) -> Callable[[np.random.Generator, int], Floats]:
    return lambda rng, d: rng.normal(size=(40, d)) * np.logspace(low, high, d)


def rotated(low: float, high: float) -> Callable[[np.random.Generator, int], Floats]:
    """Spread along directions that are no single feature's."""

    def arms(rng: np.random.Generator, d: int) -> Floats:
        turn = np.linalg.qr(rng.normal(size=(d, d)))[0]
        return np.asarray(scales(low, high)(rng, d) @ turn)

    return arms


def nearly_parallel(apart: float) -> Callable[[np.random.Generator, int], Floats]:
    def arms(rng: np.random.Generator, d: int) -> Floats:
        base = rng.normal(size=d)
        return base / np.linalg.norm(base) + apart * rng.normal(size=(40, d))

    return arms


CATALOGUES = {
    "scales from 1 to 1e6": scales(0, 6),
    "scales from 1e-3 to 1e3": scales(-3, 3),
    "scales from 1e-6 to 1": scales(-6, 0),
    "rotated, from 1e-6 to 1": rotated(-6, 0),
    "rotated, from 1e-3 to 1e3": rotated(-3, 3),
    "parallel up to 1e-6": nearly_parallel(1e-6),
    "parallel up to 1e-8": nearly_parallel(1e-8),
}


@pytest.mark.sliced
@pytest.mark.parametrize("beta", BETAS)
@pytest.mark.parametrize("kind", ["ridge", "two-step"])
@pytest.mark.parametrize("name", CATALOGUES)
def test_ill_conditioned_catalogues(name: str, kind: str, beta: float) -> None:
    """The error is of the order of the direct solve's own: at most ten times as large."""
    estimator = Ridge(beta=beta) if kind == "ridge" else TwoStep(mix=MIXES[beta], term_beta=beta)
    ratios = {
        (seed, count): ratio
        for seed in range(3)
        for count, ratio in error_ratios(estimator, CATALOGUES[name], seed)
    }
    assert max(ratios.values()) <= 10, {k: round(v, 1) for k, v in ratios.items() if v > 10}


def error_ratios(
    estimator: Any, catalogue: Callable[[np.random.Generator, int], Floats], seed: int, d: int = 6
) -> Iterator[tuple[int, float]]:
    """After each of ``COUNTS`` updates, the error of theta in units of the direct solve's."""
    with mpmath.workdps(60):
        rng = np.random.default_rng(seed)
        heard = feedback(rng, catalogue(rng, d), max(COUNTS))
        exact, before = ExactTheta(estimator, d), 0
        for count, state in enumerate(learned(estimator, heard), start=1):
            if count in COUNTS:
                exact.add(heard.part(slice(before, count)))
                before, truth = count, exact.theta()
                allowed = direct_error(estimator, heard.part(slice(count)), truth)
                yield count, error(state.theta, truth) / allowed
