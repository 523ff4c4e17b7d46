"""The tie rule: within 1e-9 of the best, the first wins; everywhere alike."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

import conlinucb as cl
from conlinucb.agent.strategies.max_radius import max_radius
from conlinucb.numerics.ties import first_best, ranking, threshold

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]
POOL = [17, 3, 11, 0, 8, 29]


def unit_catalog(terms: int = 6) -> cl.Catalog:
    """Unit arms in odd directions, so that their norms are 1 only up to rounding."""
    rng = np.random.default_rng(4)
    arms = rng.normal(size=(30, 7))
    arms /= np.linalg.norm(arms, axis=1, keepdims=True)
    return cl.Catalog(arms, np.eye(30, terms))


def naive_first_best(scores: Floats) -> int:
    best = float(scores.max())
    return int(np.argmax(scores >= best - 1e-9 * max(1.0, abs(best))))


def naive_ranking(scores: Floats, k: int) -> list[int]:
    """``naive_first_best`` of those left, k times over."""
    left, found = np.arange(scores.size), []
    for _ in range(min(k, scores.size)):
        at = naive_first_best(scores[left])
        found.append(int(left[at]))
        left = np.delete(left, at)
    return found


def crowded(rng: np.random.Generator, n: int) -> Floats:
    """Scores at few levels, shaken by about the margin, so that ties chain into one another."""
    levels = rng.integers(-3, 4, size=n) * rng.choice([1e-9, 0.4e-9, 0.5, 700.0])
    return np.asarray(levels + rng.choice([0.0, 1e-12, 0.7e-9, 1.5e-9]) * rng.random(n))


def test_norms_do_differ_by_rounding() -> None:
    agent = cl.linucb(unit_catalog(), beta=0.3)
    scores = agent.recommend(agent.new_user(), k=30).scores
    assert 0 < np.ptp(scores) < 1e-12


@pytest.mark.parametrize("beta", [0.15, 1.2])
@pytest.mark.parametrize("pool", [POOL, POOL[::-1], [29, 0], [5]])
def test_in_round_one_the_first_of_the_pool_wins(pool: list[int], beta: float) -> None:
    catalog = unit_catalog()
    for agent in (cl.linucb(catalog, beta=beta), cl.conucb(catalog, term_beta=beta)):
        assert agent.recommend(agent.new_user(), pool).arms.tolist() == pool[:1]
        assert agent.recommend(agent.new_user(), pool, k=4).arms.tolist() == pool[:4]
        assert agent.recommend(agent.new_user(), pool, k=99).arms.tolist() == pool


def test_arm_con_asks_about_the_first_of_the_pool() -> None:
    agent = cl.arm_con(unit_catalog(), schedule=cl.Every(1))
    question = agent.ask(agent.new_user(), POOL)
    assert question == cl.Question("arm", POOL[0], 1, 1)


@pytest.mark.parametrize("offered", [None, [4, 2, 5], [5, 3], [1]])
@pytest.mark.parametrize("strategy", ["max-radius", "ucb"])
def test_in_round_one_the_lowest_term_wins(strategy: str, offered: list[int] | None) -> None:
    """Each term has one unit arm, so that all terms tie."""
    catalog = unit_catalog()
    for recipe in (cl.conlinucb, cl.conucb):
        agent = recipe(catalog, strategy=strategy, schedule=cl.Every(1))
        question = agent.ask(agent.new_user(), offered=offered)
        assert question is not None
        assert question.index == min(offered or [0])


@pytest.mark.parametrize("strategy", ["optimal-greedy", "related-confidence", "related-reduction"])
def test_terms_that_do_not_touch_the_pool_tie(strategy: str) -> None:
    """Orthogonal arms, one term each: from outside the pool none tells more than another."""
    catalog = cl.Catalog(np.eye(6), np.eye(6))
    for recipe in (cl.conlinucb, cl.conucb):
        agent = recipe(catalog, strategy=strategy, schedule=cl.Every(1))
        first = agent.ask(agent.new_user(), pool=[0], offered=[5, 3, 4])
        inside = agent.ask(agent.new_user(), pool=[4, 5], offered=[5, 3, 4])
        assert first is not None
        assert inside is not None
        assert (first.index, inside.index) == (3, 4)


@pytest.mark.parametrize(
    ("best", "lowest"), [(0.5, 0.5 - 1e-9), (-40.0, -40.0 - 4e-8), (1e6, 1e6 - 1e-3)]
)
def test_the_margin_is_relative_above_one(best: float, lowest: float) -> None:
    assert threshold(best) == pytest.approx(lowest, rel=1e-15)
    just, below = best - 0.9 * (best - lowest), best - 1.1 * (best - lowest)
    assert first_best(np.array([below, just, best])) == 1


def test_first_best_of_many_ties() -> None:
    rng = np.random.default_rng(1)
    for _ in range(2000):
        scores = crowded(rng, int(rng.integers(1, 30)))
        assert first_best(scores) == naive_first_best(scores)


def test_ranking_is_first_best_of_those_left() -> None:
    rng = np.random.default_rng(2)
    for _ in range(2000):
        scores = crowded(rng, int(rng.integers(1, 30)))
        k = int(rng.integers(1, scores.size + 3))
        assert ranking(scores, k).tolist() == naive_ranking(scores, k)


def view_of(terms: Floats, offered: Indices, cov: Floats, bounds: Floats) -> cl.View:
    d = terms.shape[1]
    none, nothing = np.empty(0, dtype=np.int64), np.empty(0)
    return cl.View(
        terms, offered, np.zeros(d), cov, 0.0, none, np.empty((0, d)), none, none, nothing,
        bounds, nothing, np.uint64(0), 0, 1,
    )  # fmt: skip


@pytest.mark.parametrize("twins", [False, True])
def test_lazy_radii_choose_as_full_ones_do(twins: bool) -> None:
    """Bounds carried over 300 rounds, against fresh radii; with twins each term stands twice."""
    rng = np.random.default_rng(3)
    terms = rng.normal(size=(40, 5)) / np.sqrt(5)
    if twins:
        terms = np.ascontiguousarray(np.tile(terms[:20], (2, 1))[rng.permutation(40)])
    M, bounds, computed = 0.2 * np.eye(5), np.full(40, np.inf), 0
    for _ in range(300):
        P = np.asarray(np.linalg.inv(M), dtype=np.float64)
        offered = np.sort(rng.permutation(40)[: rng.integers(1, 41)])
        before = bounds.copy()
        chosen = max_radius(view_of(terms, offered, P, bounds))
        radii = np.sqrt(np.einsum("ij,jk,ik->i", terms[offered], P, terms[offered]))
        assert chosen == offered[naive_first_best(radii)]
        assert (bounds[offered] >= radii - 1e-12).all()
        computed += int((bounds != before).sum())
        M = M + np.outer(terms[chosen], terms[chosen])
    assert computed < 300 * 20


@pytest.mark.parametrize(("true", "expected"), [(0.9, 1), (1.0 - 0.8e-9, 0)])
def test_an_old_bound_within_the_margin_is_made_true_before_it_wins(
    true: float, expected: int
) -> None:
    terms, bounds = np.array([[true, 0.0], [0.0, 1.0]]), np.array([1.0 - 0.5e-9, np.inf])
    assert max_radius(view_of(terms, np.arange(2), np.eye(2), bounds)) == expected
