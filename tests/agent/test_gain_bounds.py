"""No question gains more than its bounds say, and what they leave out changes no decision."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

import conlinucb as cl
from conlinucb.agent.strategies.envelope import expected_gain
from conlinucb.agent.strategies.gain_bounds import (
    by_chords,
    cross_products,
    largest_share,
    largest_stretch,
    lone_gain,
    rivals_of,
)
from conlinucb.agent.strategies.valuable import best_above, best_question, promising
from support.lines import expected_maximum
from support.matrices import positive_definite

Floats = NDArray[np.float64]


def lines(seed: int) -> tuple[Floats, Floats]:
    """Some below 0, of all steepnesses."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 12))
    size = rng.choice([0.01, 1.0, 30.0])
    return -np.abs(rng.normal(size=n)) * rng.choice([0.0, 1.0, 5.0]), size * rng.normal(size=n)


def gain(heights: Floats, slopes: Floats) -> float:
    return expected_maximum(np.append(heights, 0.0), np.append(slopes, 0.0))


def test_a_gain_is_below_its_bounds() -> None:
    near = 0
    for seed in range(400):
        heights, slopes = lines(seed)
        exact = gain(heights, slopes)
        alone = sum(
            lone_gain(height, abs(slope)) for height, slope in zip(heights, slopes, strict=True)
        )
        span = max(slopes.max(), 0.0) - min(slopes.min(), 0.0)
        chords = by_chords(heights, slopes, np.empty(16))
        least = exact * (1 - 1e-12) - 1e-15
        assert least <= alone
        assert least <= span / np.sqrt(2 * np.pi)
        assert least <= chords
        steeper = by_chords(heights, 1.3 * slopes, np.empty(16))
        assert chords <= steeper + 1e-15
        near += exact > 1e-3 and chords < 1.1 * exact
        ours = expected_gain(np.append(heights, 0.0), np.append(slopes, 0.0))
        assert ours == pytest.approx(exact, rel=1e-7, abs=1e-12)
    assert near > 200  # a bound that is never near would leave nothing out


@pytest.mark.parametrize(("n", "m", "d"), [(1, 1, 1), (3, 5, 7), (9, 4, 50), (130, 49, 6)])
def test_cross_products(n: int, m: int, d: int) -> None:
    rng = np.random.default_rng(n)
    rows, terms = rng.normal(size=(m, d)), rng.normal(size=(n + 4, d))
    offered = np.sort(rng.permutation(n + 4)[: n + 2])
    allowed = np.sort(rng.permutation(n + 2)[:n])
    out = np.empty((n, m))
    cross_products(rows, terms, offered, allowed, out)
    np.testing.assert_allclose(out, terms[offered[allowed]] @ rows.T, rtol=1e-12, atol=1e-12)


def view_of(seed: int) -> cl.View:
    """A belief that is sharp in some directions; radii of before are larger than those of now."""
    rng = np.random.default_rng(seed)
    d, k, n = int(rng.integers(1, 12)), int(rng.integers(1, 300)), int(rng.integers(1, 40))
    cov = positive_definite(rng, d) * rng.choice([1e-3, 0.1, 1.0])
    terms, rows = rng.normal(size=(k, d)), rng.normal(size=(n, d))
    radii = np.sqrt(np.einsum("kd,de,ke->k", terms, cov, terms))
    none = np.empty(0, dtype=np.int64)
    longest = float(np.linalg.norm(terms, axis=1).max())
    return cl.View(
        terms=terms,
        offered=np.arange(k),
        theta=rng.normal(size=d),
        cov=cov,
        alpha=1.0,
        pool=np.arange(n),
        reach=rows,
        arm_start=none,
        arm_terms=none,
        arm_weights=np.empty(0),
        bounds=radii * rng.choice([1.0, 1.5, np.inf], k),
        constants=np.concatenate([np.ones(k), [50.0, longest]]),
        seed=np.uint64(seed),
        asked=0,
        round=1,
        weights=rng.uniform(0.01, 5.0, k),
        chances=rng.uniform(0.1, 1.0, k),
        times=np.zeros(k, dtype=np.int64),
        means=rows @ rng.normal(size=d),
        noise=float(rng.uniform(0.05, 2.0)),
    )


def gains_of(view: cl.View) -> Floats:
    """What every question gains, arm by arm and in full."""
    found = []
    for x, weight, chance in zip(view.terms, view.weights, view.chances, strict=True):
        scale = np.sqrt(view.noise / (1 / weight + x @ view.cov @ x))
        moves = view.reach @ view.cov @ x * scale
        found.append(chance * (expected_maximum(view.means, moves) - view.means.max()))
    return np.array(found)


@pytest.mark.parametrize("seed", range(25))
def test_decisions_are_those_of_looking_at_everything(seed: int) -> None:
    view = view_of(seed)
    if view.means.size > 15:
        view = view._replace(means=view.means[:15], reach=view.reach[:15], pool=view.pool[:15])
    gains, before = gains_of(view), view.bounds.copy()
    rivals = rivals_of(view, promising(view.means, 50), view.constants[-1], 0.0)
    assert gains.max() <= rivals.most * (1 + 1e-9) + 1e-14  # the direct sums are rounded
    for share in (0.0, 0.01, 0.5, 0.999, 1.001, 2.0, 100.0):
        cost = share * float(gains.max())
        term, found = best_above(view, cost, 0)
        some = best_above(view, cost, 1)
        worth = bool(gains.max() > cost)
        if abs(gains.max() - cost) < 1e-9:  # a tie with its cost
            continue
        assert (found > cost, some[1] > cost) == (worth, worth)
        if worth:
            assert gains[term] >= gains.max() - 1e-8
            assert gains[some[0]] > cost - 1e-9
            assert found == pytest.approx(gains.max(), rel=1e-7, abs=1e-10)
    assert best_question(view)[1] == pytest.approx(gains.max(), rel=1e-7, abs=1e-10)
    assert (view.bounds <= before * (1 + 1e-12)).all()
    radii = np.sqrt(np.einsum("kd,de,ke->k", view.terms, view.cov, view.terms))
    assert (view.bounds >= radii * (1 - 1e-9)).all()


@pytest.mark.parametrize("seed", range(10))
def test_norms_and_shares_are_bounds(seed: int) -> None:
    view = view_of(seed)
    norm = float(np.linalg.norm(view.cov, 2))
    stretch = largest_stretch(view.cov)
    assert norm * (1 - 1e-12) <= stretch <= np.sqrt(len(view.cov)) * norm * (1 + 1e-12)
    squares = view.weights * np.einsum("kd,de,ke->k", view.terms, view.cov, view.terms)
    share = largest_share(view, view.constants[-1] * float(np.sqrt(stretch)))
    assert np.sqrt(squares / (1 + squares)).max() <= share < 1 + 1e-8
