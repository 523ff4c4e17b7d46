"""A population from feedback: what it recovers, and what it does where there is little."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import conlinucb as cl
from support.population import log_of, world

WORLD = world()


def test_it_recovers_a_known_population() -> None:
    found = cl.Population.fit(WORLD.catalog, log_of(WORLD, 3000, 12), range=None)
    np.testing.assert_allclose(found.mean, WORLD.mean, atol=0.03)
    np.testing.assert_allclose(found.covariance, WORLD.covariance, atol=0.02)
    assert found.noise == pytest.approx(WORLD.noise, rel=0.05)
    assert found.people == 3000
    assert found.summary()["converged"]


def test_it_is_a_prior_of_every_recipe() -> None:
    prior = cl.Population.fit(WORLD.catalog, log_of(WORLD, 50, 12), range=None)
    same = cl.Gaussian(prior.mean, prior.covariance, prior.noise)
    for recipe in (cl.linucb, cl.conlinucb):
        agents = [recipe(WORLD.catalog, prior=each, alpha=1.0) for each in (prior, same)]
        first, second = (agent.recommend(agent.new_user()).scores for agent in agents)
        np.testing.assert_array_equal(first, second)


def test_what_is_saved_is_read_again(tmp_path: Path) -> None:
    found = cl.Population.fit(WORLD.catalog, log_of(WORLD, 20, 12), range=None)
    found.save(tmp_path / "people.npz")
    read = cl.Population.load(tmp_path / "people.npz")
    assert read.digest() == found.digest()
    assert read.summary() == found.summary()
    assert read.to_bytes() == found.to_bytes()
    assert read.people == 20


def test_what_is_no_population_is_refused(tmp_path: Path) -> None:
    WORLD.catalog.save(tmp_path / "catalog.npz")
    with pytest.raises(cl.IncompatibleState, match=r"catalog\.npz"):
        cl.Population.load(tmp_path / "catalog.npz")
    with pytest.raises(cl.IncompatibleState, match="not a population"):
        cl.Population.from_bytes(b"nothing")


def test_nobody_gives_the_stated_beginning() -> None:
    found = cl.Population.fit(WORLD.catalog, range=(1.0, 5.0))
    spread = np.einsum("nd,de,ne->n", WORLD.catalog.arms, found.covariance, WORLD.catalog.arms)
    assert spread.mean() == pytest.approx(0.25 * 0.75 * 16 / 2)
    assert found.noise == pytest.approx(0.25 * 0.75 * 16 / 2)
    assert found.people == 0
    np.testing.assert_array_equal(found.mean, 0.0)
