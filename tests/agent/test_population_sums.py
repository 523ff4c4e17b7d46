"""A pass over people, beside the same sums by plain algebra."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from conlinucb.agent.priors.fitting import kernels
from conlinucb.agent.priors.fitting.events import CHUNK, Events
from conlinucb.agent.priors.fitting.fit import rewards_only
from conlinucb.agent.priors.fitting.sums import Belief, Limits, Sums, sum_events
from conlinucb.agent.priors.fitting.table import Reader
from support.population import likelihood, log_of, posterior, world

WORLD = world()
BELIEF = Belief(WORLD.mean + 0.1, WORLD.covariance + 0.05, 0.07, np.ones(3))
OPEN = Limits(1e9, 1e9)
MEANING = rewards_only(WORLD.catalog)


def events_of(people: int = 40, events: int = 9, weighted: bool = True) -> Events:
    log = log_of(WORLD, people, events)
    if weighted:
        log["weight"] = np.random.default_rng(5).uniform(0.2, 2.0, size=log["value"].size)
    return Reader(WORLD.catalog, None).events(log)


def person(events: Events, u: int) -> tuple[Any, Any, Any]:
    own = slice(events.starts[u], events.starts[u + 1])
    return WORLD.catalog.arms[events.rows[own]], events.values[own], events.weights[own]


def sums_of(events: Events, limits: Limits = OPEN, threads: int = 1) -> Sums:
    return sum_events(BELIEF, MEANING, limits, threads, events)


@pytest.mark.parametrize("events", [2, 9, 30])
def test_sums_are_those_of_plain_algebra(events: int) -> None:
    given = events_of(events=events)
    found = sums_of(given)
    L = np.linalg.cholesky(BELIEF.covariance)
    C, H, m, log, residual = np.zeros((4, 4)), np.zeros((4, 4)), np.zeros(4), 0.0, 0.0
    for u in range(given.people):
        X, y, w = person(given, u)
        mean, cov = posterior(X, y, w, *BELIEF[:3])
        h = np.linalg.solve(L, mean - BELIEF.mean)
        C += np.linalg.solve(L, np.linalg.solve(L, cov).T)
        H, m = H + np.outer(h, h), m + h
        log += likelihood(X, y, w, *BELIEF[:3])
        residual += float(w @ ((y - X @ mean) ** 2 + np.einsum("nd,de,ne->n", X, cov, X)))
    np.testing.assert_allclose(found.covariance, C, atol=1e-9)
    np.testing.assert_allclose(found.squares, H, atol=1e-9)
    np.testing.assert_allclose(found.means, m, atol=1e-9)
    assert found.likelihood == pytest.approx(log)
    assert found.tally[kernels.RESIDUAL] == pytest.approx(residual)
    assert (found.people, found.events) == (40, given.rows.size)


def test_sums_do_not_depend_on_threads() -> None:
    given = events_of(people=3 * CHUNK + 5)
    one, three = sums_of(given), sums_of(given, threads=3)
    for a, b in zip(one, three, strict=True):
        np.testing.assert_array_equal(a, b)


def test_a_person_counts_no_more_than_the_cap() -> None:
    given = events_of(people=3, events=30, weighted=False)
    capped = sums_of(given, Limits(15.0, 1e9))
    halved = sums_of(replace(given, weights=np.where(given.owners == 0, 1.0, 0.5)))
    np.testing.assert_allclose(capped.covariance, halved.covariance)
    np.testing.assert_allclose(capped.means, halved.means)
    assert capped.events == 1 + 15 + 15


def far_out(given: Events, length: float) -> Events:
    """The same person with a taste so far out, and without any noise."""
    taste = BELIEF.mean + np.linalg.cholesky(BELIEF.covariance)[:, 0] * length
    return replace(given, values=WORLD.catalog.arms[given.rows] @ taste)


def test_a_mean_is_cut_to_the_limit() -> None:
    given = far_out(events_of(people=2, events=30).between(1, 2), 8.0)
    found = sums_of(given, Limits(1e9, 9.0))
    assert 5.0 < np.linalg.norm(sums_of(given).means) < 8.0
    assert sums_of(given).tally[kernels.CLIPPED] == 0
    assert np.linalg.norm(found.means) == pytest.approx(3.0)
    assert np.trace(found.squares) == pytest.approx(9.0)
    assert found.tally[kernels.CLIPPED] == 1


@pytest.mark.parametrize("events", [3, 30])
def test_who_answers_like_nobody_pulls_less(events: int) -> None:
    given = events_of(people=2, events=events).between(1, 2)
    far = replace(given, values=given.values + 10.0 * (-1.0) ** np.arange(events))
    X, y, w = person(far, 0)
    mean, _ = posterior(X, y, w, *BELIEF[:3])
    h = np.linalg.solve(np.linalg.cholesky(BELIEF.covariance), mean - BELIEF.mean)
    r = y - X @ BELIEF.mean
    own = float(r @ np.linalg.solve(X @ BELIEF.covariance @ X.T + np.diag(BELIEF.noise / w), r))
    share = np.sqrt((events + 8.0 * np.sqrt(2.0 * events) + 20.0) / own)
    assert share < 0.5
    found = sums_of(far)
    np.testing.assert_allclose(found.means, share * h)
    np.testing.assert_allclose(found.squares, share**2 * np.outer(h, h))
    assert found.tally[kernels.CLIPPED] == 1
