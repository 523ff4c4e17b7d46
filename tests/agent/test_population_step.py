"""A step of EM beside its definition, person by person; and that steps gain."""

from __future__ import annotations

import numpy as np
import pytest

from conlinucb.agent.priors.fitting.em import Em, started
from conlinucb.agent.priors.fitting.events import Events
from conlinucb.agent.priors.fitting.fit import rewards_only
from conlinucb.agent.priors.fitting.rule import NOISE_PULL, SCALE_PULL, rule_of
from conlinucb.agent.priors.fitting.step import first_belief, next_belief, objective, uncertainty
from conlinucb.agent.priors.fitting.sums import Belief, Limits, Sums, sum_events
from conlinucb.agent.priors.fitting.table import Reader
from support.population import Floats, log_of, posterior, world

WORLD = world()
RULE = rule_of(WORLD.catalog, 0.0, 1.0, 0.25)
BEFORE = Belief(WORLD.mean + 0.1, WORLD.covariance + 0.05, 0.07, RULE.scales * 0.7)
PULL = 6.0
OPEN, MEANING = Limits(1e9, 1e9), rewards_only(WORLD.catalog)


def events_of(people: int = 40, events: int = 9) -> Events:
    log = log_of(WORLD, people, events)
    log["weight"] = np.random.default_rng(5).uniform(0.2, 2.0, size=log["value"].size)
    return Reader(WORLD.catalog, None).events(log)


def person(events: Events, u: int) -> tuple[Floats, Floats, Floats]:
    own = slice(events.starts[u], events.starts[u + 1])
    return WORLD.catalog.arms[events.rows[own]], events.values[own], events.weights[own]


def sums_of(events: Events) -> Sums:
    return sum_events(BEFORE, MEANING, OPEN, 1, events)


def test_a_step_is_its_definition() -> None:
    given = events_of(people=30)
    found = next_belief(BEFORE, sums_of(given), RULE, PULL, noise=True, scales=True)
    mean, cov, noise, scales = BEFORE
    hold = np.diag(RULE.pulls / RULE.target(scales))
    means, covs, squares, events = [], [], 0.0, 0
    information, score = hold.copy(), hold @ (RULE.mean - mean)
    for u in range(given.people):
        X, y, w = person(given, u)
        m, C = posterior(X, y, w, mean, cov, noise)
        means.append(m)
        covs.append(C)
        squares += float(w @ ((y - X @ m) ** 2 + np.einsum("nd,de,ne->n", X, C, X)))
        events += y.size
        inverse = np.linalg.inv(X @ cov @ X.T + np.diag(noise / w))
        information += X.T @ inverse @ X
        score += X.T @ inverse @ (y - X @ mean)
    np.testing.assert_allclose(found.mean, mean + np.linalg.solve(information, score))
    np.testing.assert_allclose(
        uncertainty(BEFORE, sums_of(given), RULE), np.linalg.inv(information)
    )
    sure = np.linalg.inv(cov)
    middle = np.linalg.solve(30 * sure + hold, sure @ np.sum(means, 0) + hold @ RULE.mean)
    away = np.array(means) - middle
    among = (np.sum(covs, 0) + away.T @ away) / 30
    seen = np.mean(np.diag(among) * RULE.spread**2)
    scale = (30 * seen + SCALE_PULL * RULE.scales[0]) / (30 + SCALE_PULL)
    target = np.diag(scale / RULE.spread**2)
    np.testing.assert_allclose(found.scales[0], scale)
    np.testing.assert_allclose(found.covariance, (30 * among + PULL * target) / (30 + PULL))
    assert found.noise == pytest.approx((squares + NOISE_PULL * RULE.noise) / (events + NOISE_PULL))


def test_noise_and_scales_can_stay() -> None:
    found = next_belief(BEFORE, sums_of(events_of()), RULE, PULL, noise=False, scales=False)
    assert found.noise == BEFORE.noise
    np.testing.assert_array_equal(found.scales, BEFORE.scales)


def test_every_round_gains_once_the_scales_stay() -> None:
    given = events_of(people=200, events=4)
    scores: list[float] = []

    def passed(belief: Belief) -> Sums:
        return sum_events(belief, MEANING, OPEN, 1, given)

    em = Em(
        passed,
        RULE,
        PULL,
        tolerance=1e-9,
        rounds=500,
        note=lambda climb: scores.append(objective(climb.belief, passed(climb.belief), RULE, PULL)),
    )
    climb, _ = em.run(started(first_belief(RULE)))
    assert climb.converged
    assert len(climb.likelihoods) == climb.rounds + 1
    assert (np.diff(scores) > -1e-6).all()
    plain = started(first_belief(RULE)).belief
    for _ in range(2000):
        plain = next_belief(plain, passed(plain), RULE, PULL, noise=True, scales=False)
    np.testing.assert_allclose(climb.belief.mean, plain.mean, atol=1e-3)
    np.testing.assert_allclose(climb.belief.covariance, plain.covariance, atol=1e-3)
    assert climb.rounds < 150
