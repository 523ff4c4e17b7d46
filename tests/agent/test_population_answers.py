"""What answers mean, learned from people who gave both answers and rewards."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import conlinucb as cl
from support.population import log_of, posterior, world

WORLD = world(d=4, terms=8)
OFFSETS = np.linspace(-0.2, 0.4, 8)


def both(
    people: int, slope: float = 0.3, noise: float = 0.01, chance: float = 0.8, events: int = 12
) -> dict[str, Any]:
    """Rewards, and an answer about each key-term on a scale of its own."""
    rng = np.random.default_rng(3)
    tastes = np.random.default_rng(1).multivariate_normal(WORLD.mean, WORLD.covariance, people)
    rewards = log_of(WORLD, people, events)  # of the same tastes: the same seed draws them
    person, term = np.repeat(np.arange(people), 8), np.tile(np.arange(8), people)
    expected = np.einsum("nd,nd->n", WORLD.catalog.terms[term], tastes[person])
    value = OFFSETS[term] + slope * expected + np.sqrt(noise) * rng.normal(size=person.size)
    value = np.where(rng.random(person.size) < chance, value, np.nan)
    return {
        "person": np.concatenate([rewards["person"], person]),
        "kind": ["reward"] * rewards["id"].size + ["answer"] * person.size,
        "id": np.concatenate([rewards["id"], term]),
        "value": np.concatenate([rewards["value"], value]),
    }


def fitted(log: Any, **options: Any) -> cl.Population:
    return cl.Population.fit(WORLD.catalog, log, range=None, **options)


def test_the_scale_of_answers_is_recovered() -> None:
    prior = fitted(both(2000))
    found = prior.answers(WORLD.catalog)
    assert found.slope[0] == pytest.approx(0.3, abs=0.03)
    np.testing.assert_allclose(found.offset, OFFSETS, atol=0.03)
    np.testing.assert_allclose(found.chance, 0.8, atol=0.04)
    np.testing.assert_allclose(found.weight, prior.noise * 0.3**2 / 0.01, rtol=0.35)
    assert np.ptp(found.slope) == 0.0


def test_few_rewards_do_not_bend_the_slope() -> None:
    """With two rewards each, little is known of tastes; regressing on it is unbiased still."""
    found = fitted(both(6000, events=2)).answers(WORLD.catalog)
    assert found.slope[0] == pytest.approx(0.3, abs=0.06)


def test_answers_make_the_prior_sharper() -> None:
    log = both(300, slope=1.0, noise=0.001, chance=1.0, events=2)
    with_them, without = fitted(log), fitted(log, answers=False)
    wrong = [np.linalg.norm(each.covariance - WORLD.covariance) for each in (with_them, without)]
    assert wrong[0] < wrong[1]
    assert with_them.noise == without.noise


def test_without_answers_they_are_taken_as_rewards() -> None:
    prior = fitted(log_of(WORLD, 30, 5))
    found = prior.answers(WORLD.catalog)
    np.testing.assert_array_equal(found.offset, 0.0)
    np.testing.assert_array_equal(found.slope, 1.0)
    np.testing.assert_allclose(found.weight, 1.0)
    np.testing.assert_array_equal(found.chance, 1.0)


def test_a_few_answers_change_little() -> None:
    log = both(1)
    found = fitted(log).answers(WORLD.catalog)
    assert 0.6 < found.slope[0] < 1.2


def test_answers_that_say_nothing_weigh_nothing() -> None:
    contrary = fitted(both(1000, slope=-0.5)).answers(WORLD.catalog)
    assert (contrary.slope > 0).all()
    assert (contrary.weight < 1e-4).all()
    assert (contrary.weight > 0).all()


def test_what_nobody_answers_has_a_small_chance() -> None:
    log = both(200)
    log["value"] = np.where(
        (np.array(log["kind"]) == "answer") & (log["id"] == 3), np.nan, log["value"]
    )
    found = fitted(log).answers(WORLD.catalog)
    assert found.chance[3] < 0.05
    assert found.chance[4] > 0.7
    assert np.isfinite(np.concatenate(found)).all()


def test_answers_alone_are_learned_from() -> None:
    log = both(200, slope=1.0, chance=1.0)
    answers = np.array(log["kind"]) == "answer"
    only = {name: np.asarray(column)[answers] for name, column in log.items()}
    found = fitted(only)
    assert found.people == 200
    assert found.summary()["events"] == 0
    assert np.linalg.norm(found.mean) > 0


def test_key_terms_it_does_not_know_have_the_shared_scale() -> None:
    prior = fitted(both(500))
    other = cl.Catalog(WORLD.catalog.arms, WORLD.catalog.weights[:, :2], term_ids=["new", 5])
    found = prior.answers(other)
    known = prior.answers(WORLD.catalog)
    assert found.offset[1] == known.offset[5]
    assert found.weight[1] == known.weight[5]
    assert found.offset[0] == pytest.approx(known.offset.mean(), abs=0.05)
    again = cl.Population.from_bytes(prior.to_bytes())
    for a, b in zip(again.answers(other), found, strict=True):
        np.testing.assert_array_equal(a, b)
    assert again.digest() == prior.digest()


def test_answers_are_calibrated_on_other_people_than_the_prior() -> None:
    """Against a plain regression of answers on what rewards make one expect."""
    prior, log = fitted(log_of(WORLD, 400, 12, seed=9)), both(500, chance=1.0)
    found = prior.calibrated(WORLD.catalog, log, range=None)
    np.testing.assert_array_equal(found.mean, prior.mean)
    assert found.digest() != prior.digest()
    known, said = expected_and_said(prior, log)
    slope = np.polyfit((known - known.mean(axis=0)).ravel(), (said - said.mean(axis=0)).ravel(), 1)
    assert found.answers(WORLD.catalog).slope[0] == pytest.approx(slope[0], abs=0.03)


def expected_and_said(prior: cl.Population, log: dict[str, Any]) -> tuple[Any, Any]:
    person, ids, value = (np.asarray(log[name]) for name in ("person", "id", "value"))
    rewards = np.asarray(log["kind"]) == "reward"
    means = []
    for each in range(500):
        mine = rewards & (person == each)
        X, y = WORLD.catalog.arms[ids[mine]], value[mine]
        moments = prior.mean, prior.covariance, prior.noise
        means.append(posterior(X, y, np.ones(y.size), *moments)[0])
    return np.array(means) @ WORLD.catalog.terms.T, value[~rewards].reshape(500, 8)


def test_intervals_reach_as_far_as_people_held_out_showed() -> None:
    """Yes and no are not normal: two deviations may be needed where 1.645 would be, or fewer."""
    log = log_of(WORLD, 300, 20)
    log["value"] = (log["value"] > 0.8).astype(float)  # a rare yes
    prior = cl.Population.fit(WORLD.catalog, log)
    summary = prior.summary()
    plain = [np.mean([summary["coverage"], summary["coverage_before"]])]
    assert prior.multiple(0.9) != pytest.approx(1.645, abs=0.02)
    assert (prior.multiple(0.9) > 1.645) == (plain[0] < 0.9)
    assert cl.Population.fit(WORLD.catalog).multiple(0.9) == pytest.approx(1.645, abs=1e-3)
