"""People drawn from a known population, and the plain algebra of what their feedback says."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import conlinucb as cl

Floats = NDArray[np.float64]


class World(NamedTuple):
    catalog: cl.Catalog
    mean: Floats
    covariance: Floats
    noise: float


def world(d: int = 4, arms: int = 60, terms: int = 8, seed: int = 0, noise: float = 0.04) -> World:
    """A catalogue, and people whose tastes are N(mean, covariance)."""
    rng = np.random.default_rng(seed)
    weights = (rng.random((arms, terms)) < 0.3) + np.eye(arms, terms)
    catalog = cl.Catalog(rng.normal(size=(arms, d)) / np.sqrt(d), weights)
    root = rng.normal(size=(d, d)) / np.sqrt(d)
    return World(catalog, rng.normal(size=d) * 0.3, 0.1 * root @ root.T + 0.02 * np.eye(d), noise)


def log_of(of: World, people: int, events: int, seed: int = 1) -> dict[str, Any]:
    """Their rewards for random arms, as a table; the first person has one event only."""
    rng = np.random.default_rng(seed)
    tastes = rng.multivariate_normal(of.mean, of.covariance, size=people)
    person = np.repeat(np.arange(people), events)[max(events - 1, 0) :]
    arm = rng.integers(len(of.catalog), size=person.size)
    expected = np.einsum("nd,nd->n", of.catalog.arms[arm], tastes[person])
    value = expected + np.sqrt(of.noise) * rng.normal(size=person.size)
    return {"person": person, "id": arm, "value": value}


def posterior(
    X: Floats, y: Floats, w: Floats, mean: Floats, cov: Floats, noise: float
) -> tuple[Floats, Floats]:
    """Bayes' rule, solved directly."""
    precision = np.linalg.inv(cov) + (X.T * w) @ X / noise
    C = np.asarray(np.linalg.inv(precision))
    return C @ (np.linalg.inv(cov) @ mean + X.T @ (w * y) / noise), C


def likelihood(X: Floats, y: Floats, w: Floats, mean: Floats, cov: Floats, noise: float) -> float:
    """Log-density of y ~ N(X mean, X cov X' + noise / w), solved directly."""
    V = X @ cov @ X.T + np.diag(noise / w)
    r = y - X @ mean
    _, determinant = np.linalg.slogdet(2.0 * np.pi * V)
    return float(-0.5 * (determinant + r @ np.linalg.solve(V, r)))
