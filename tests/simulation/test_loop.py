"""NumPy defines, Numba repeats: every kernel beside a plain formula."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from conlinucb import STRATEGIES, View, randomness
from conlinucb.agent.estimators import Ridge, State
from conlinucb.agent.estimators.ledger import PRIOR, enter
from conlinucb.agent.strategies.related import best_mean
from conlinucb.numerics import linalg
from support.matrices import Floats, close, lower, positive_definite, symmetric

SIZES = (1, 2, 5, 17, 60)
MASK = 2**64 - 1


class Ledger(NamedTuple):
    """A ridge regression's state, and its parts by name."""

    state: State
    P: Floats
    theta: Floats
    prior: Floats
    counts: NDArray[np.int64]


def new_ledger(d: int, beta: float) -> Ledger:
    state = Ridge(beta=beta).new_state(d)
    vectors = state.vectors
    return Ledger(state, state.matrices[0], vectors[0], vectors[PRIOR], state.counts)


@pytest.mark.parametrize("d", SIZES)
def test_products(d: int) -> None:
    rng = np.random.default_rng(d)
    P, x, y, out = positive_definite(rng, d), rng.normal(size=d), rng.normal(size=d), np.empty(d)
    close(linalg.dot(x, y), x @ y)
    linalg.times(lower(P), x, out)
    close(out, P @ x)
    close(linalg.quadratic(lower(P), x), x @ P @ x)
    assert linalg.quadratic(lower(-P), x) == 0.0
    close(linalg.full_matrix(lower(P)), P)


@pytest.mark.parametrize("d", SIZES)
def test_products_of_rows(d: int) -> None:
    rng = np.random.default_rng(d)
    P, rows, x = positive_definite(rng, d), rng.normal(size=(9, d)), rng.normal(size=d)
    found = np.empty(9)
    linalg.row_products(rows, x, found)
    close(found, rows @ x)
    stack, which = np.stack([np.eye(d), lower(P), -lower(P)]), np.array([8, 0, 3, 3, 1, 7, 2])
    for n in range(8):
        some = np.full(7, -1.0)
        linalg.quadratics(stack, 1, rows, which, n, some)
        close(some[:n], np.diag(rows[which[:n]] @ P @ rows[which[:n]].T))
        assert (some[n:] == -1.0).all()
        linalg.quadratics(stack, 2, rows, which, n, some)
        assert (some[:n] == 0.0).all()


def test_a_row_s_product_does_not_depend_on_the_rows_beside_it() -> None:
    rng = np.random.default_rng(0)
    rows, x = rng.normal(size=(50, 37)), rng.normal(size=37)
    alone = [linalg.products(row[None], x)[0] for row in rows]
    assert linalg.products(rows, x).tolist() == alone
    assert linalg.products(np.asfortranarray(rows), x).tolist() == alone


@pytest.mark.parametrize("d", SIZES)
def test_cholesky(d: int) -> None:
    rng = np.random.default_rng(d)
    M, x = positive_definite(rng, d), rng.normal(size=d)
    L, P, solved = np.zeros((d, d)), np.empty((d, d)), x.copy()
    assert linalg.cholesky(lower(M), L)
    close(L, np.linalg.cholesky(M))
    linalg.inverse_from_cholesky(L, P)
    close(symmetric(P), np.linalg.inv(M))
    linalg.solve_cholesky(L, solved)
    close(solved, np.linalg.solve(M, x))


@pytest.mark.parametrize("d", SIZES)
def test_refresh(d: int) -> None:
    rng = np.random.default_rng(d)
    M, Y, prior = positive_definite(rng, d), rng.normal(size=d), rng.normal(size=d)
    P, theta = np.empty((d, d)), np.empty(d)
    assert linalg.refresh(P, lower(M), Y, prior, theta)
    close(symmetric(P), np.linalg.inv(M))
    close(theta, np.linalg.solve(M, Y + prior))


@pytest.mark.parametrize("bad", [-1.0, 0.0, np.nan])
def test_a_matrix_that_is_not_positive_is_refused_and_nothing_changes(bad: float) -> None:
    M, P, theta = np.diag([1.0, bad]), np.full((2, 2), 7.0), np.full(2, 7.0)
    assert not linalg.refresh(P, M, np.ones(2), np.zeros(2), theta)
    assert (P == 7.0).all()
    assert (theta == 7.0).all()


@pytest.mark.parametrize("waiting", range(linalg.PENDING + 1))
def test_settle(waiting: int) -> None:
    rng = np.random.default_rng(waiting)
    M, Y = positive_definite(rng, 5), rng.normal(size=5)
    rows, values = rng.normal(size=(linalg.PENDING, 5)), rng.normal(size=linalg.PENDING)
    larger, moment = lower(M), Y.copy()
    linalg.settle(larger, moment, rows.copy(), values.copy(), waiting)
    close(symmetric(larger), M + rows[:waiting].T @ rows[:waiting])
    close(moment, Y + rows[:waiting].T @ values[:waiting])


@pytest.mark.parametrize("weight", [1.0, 0.3])
@pytest.mark.parametrize("d", SIZES)
def test_enter(d: int, weight: float) -> None:
    """Ten updates, and then one that computes everything anew: both as the formula says."""
    rng = np.random.default_rng(d)
    rows, values, prior = rng.normal(size=(11, d)), rng.normal(size=11), rng.normal(size=d)
    ledger = new_ledger(d, 0.7)
    ledger.prior[:] = prior
    ledger.theta[:] = prior / 0.7
    for n in range(1, 12):
        ledger.counts[0] = 3 if n < 11 else linalg.REFRESH_EVERY - 1
        enter(ledger.state, 0, rows[n - 1], values[n - 1], weight, np.empty(d))
        M = 0.7 * np.eye(d) + weight * rows[:n].T @ rows[:n]
        close(symmetric(ledger.P), np.linalg.inv(M))
        close(ledger.theta, np.linalg.solve(M, weight * rows[:n].T @ values[:n] + prior))
        np.testing.assert_array_equal(ledger.prior, prior)
        assert ledger.counts[0] == (4 if n < 11 else 0)


def absorbed(age: int, length: float) -> tuple[Floats, int]:
    """P and age after one update, from a P that is wrong on purpose."""
    ledger = new_ledger(2, 1.0)
    ledger.P[:] *= 0.9
    ledger.counts[0] = age
    enter(ledger.state, 0, np.array([length, 0.0]), 1.0, 1.0, np.empty(2))
    return symmetric(ledger.P), int(ledger.counts[0])


def test_an_error_in_P_is_gone_after_a_thousand_updates() -> None:
    rng = np.random.default_rng(3)
    ledger = new_ledger(4, 0.5)
    rows = rng.normal(size=(1000, 4))
    for n, x in enumerate(rows, 1):
        enter(ledger.state, 0, x, 1.0, 1.0, np.empty(4))
        if n == 900:
            ledger.P[:] *= 1.01
        exact = np.linalg.inv(0.5 * np.eye(4) + rows[:n].T @ rows[:n])
        assert np.allclose(symmetric(ledger.P), exact, rtol=1e-6) == (n < 900 or n == 1000)


def test_enter_computes_anew_when_stale_and_when_digits_cancel() -> None:
    kept, age = absorbed(age=linalg.REFRESH_EVERY - 2, length=1.0)
    assert (kept[1, 1], age) == (0.9, linalg.REFRESH_EVERY - 1)
    stale, age = absorbed(age=linalg.REFRESH_EVERY - 1, length=1.0)
    close(stale, np.diag([0.5, 1.0]))
    assert age == 0
    long = 1.1 * np.sqrt(linalg.REFRESH_ABOVE)
    cancelled, age = absorbed(age=0, length=long)
    close(cancelled, np.diag([1 / (1 + long**2), 1.0]))
    assert age == 0


def splitmix(z: int) -> int:
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK
    return z ^ z >> 31


@pytest.mark.parametrize("seed", [0, 1, 2**63, MASK])
@pytest.mark.parametrize("key", [0, 1, 12_345, 2**62])
def test_randomness(seed: int, key: int) -> None:
    golden = 0x9E3779B97F4A7C15
    assert randomness.mix(np.uint64(seed)) == splitmix(seed)
    derived = splitmix(splitmix((seed + golden) & MASK) ^ splitmix((key + 1) * golden & MASK))
    assert randomness.derive(np.uint64(seed), key) == derived
    unit = (splitmix((seed + (key + 1) * golden) & MASK) >> 11) / 2**53
    assert randomness.uniform(np.uint64(seed), key) == unit
    assert randomness.uniform_index(np.uint64(seed), key, 37) == int(unit * 37)


def test_splitmix_is_the_published_one() -> None:
    """The first outputs of SplitMix64 from seed 1234567, as published with the generator."""
    golden = 0x9E3779B97F4A7C15
    found = [splitmix((1234567 + i * golden) & MASK) for i in (1, 2, 3)]
    assert found == [6457827717110365317, 3203168211198807973, 9817491932198370423]


def random_views(count: int) -> Iterator[tuple[View, Floats]]:
    """Views of random beliefs, each with its dense weights (arms, terms)."""
    for seed in range(count):
        rng = np.random.default_rng(seed)
        d, k, n = int(rng.integers(1, 9)), int(rng.integers(1, 12)), 15
        weights = np.where(rng.random((n, k)) < 0.2, rng.uniform(0.1, 2.0, (n, k)), 0.0)
        start = np.concatenate([[0], np.cumsum((weights > 0).sum(axis=1))])
        pool = rng.permutation(n)[: rng.integers(1, n)]
        view = View(
            terms=rng.normal(size=(k, d)),
            offered=np.sort(rng.permutation(k)[: rng.integers(1, k + 1)]),
            theta=rng.normal(size=d),
            cov=positive_definite(rng, d),
            alpha=float(rng.uniform(0, 2)),
            pool=pool,
            reach=rng.normal(size=(pool.size, d)),
            arm_start=start,
            arm_terms=np.nonzero(weights)[1].copy(),
            arm_weights=weights[weights > 0],
            bounds=np.full(k, np.inf),
            constants=np.sort(rng.permutation(k)[: rng.integers(1, k + 1)]).astype(float),
            seed=np.uint64(seed),
            asked=int(rng.integers(50)),
            round=int(rng.integers(1, 50)),
        )
        yield view, weights


def variances(rows: Floats, cov: Floats) -> Floats:
    return np.asarray(np.diag(rows @ cov @ rows.T))


def ucb(view: View, weights: Floats) -> Floats:
    return view.terms @ view.theta + view.alpha * np.sqrt(variances(view.terms, view.cov))


def max_radius(view: View, weights: Floats) -> Floats:
    return np.sqrt(variances(view.terms, view.cov))


def optimal_greedy(view: View, weights: Floats) -> Floats:
    effect = np.linalg.norm(view.reach @ view.cov @ view.terms.T, axis=0) ** 2
    return np.asarray(np.sqrt(effect / (1 + variances(view.terms, view.cov))))


def related_confidence(view: View, weights: Floats) -> Floats:
    return mean_over_pool(view, weights, variances(view.reach, view.cov)[:, None])


def related_reduction(view: View, weights: Floats) -> Floats:
    now, drops = np.sqrt(variances(view.reach, view.cov)), []
    for x in view.terms:
        after = np.linalg.inv(np.linalg.inv(view.cov) + np.outer(x, x))
        drops.append(now - np.sqrt(variances(view.reach, np.asarray(after))))
    return mean_over_pool(view, weights, np.array(drops).T)


def mean_over_pool(view: View, weights: Floats, values: Floats) -> Floats:
    here = weights[view.pool]
    total = here.sum(axis=0)
    return np.asarray((here * values).sum(axis=0) / np.where(total > 0, total, np.inf))


TWINS = {
    "ucb": ucb,
    "max-radius": max_radius,
    "optimal-greedy": optimal_greedy,
    "related-confidence": related_confidence,
    "related-reduction": related_reduction,
}


@pytest.mark.parametrize("name", TWINS)
def test_strategies_take_the_best_offered_term(name: str) -> None:
    kernel = STRATEGIES[name].kernel  # type: ignore[attr-defined]
    for view, weights in random_views(300):
        scores = TWINS[name](view, weights)[view.offered]
        tied = scores >= scores.max() - 1e-9 * max(1.0, scores.max())
        assert kernel(view) == view.offered[np.argmax(tied)]


def test_strategies_that_draw() -> None:
    for view, _ in random_views(300):
        stream = randomness.derive(view.seed, randomness.QUESTIONS)
        for name, among in (("random", view.offered), ("spanner", view.constants)):
            expected = among[int(randomness.uniform(stream, view.asked) * among.size)]
            assert STRATEGIES[name].kernel(view) == expected  # type: ignore[attr-defined]


def test_best_mean() -> None:
    total, weight = np.array([3.0, 8.0, 5.0, 9.0]), np.array([1.0, 4.0, 1.0, 0.0])
    assert best_mean(total, weight, np.arange(4)) == 2
    assert best_mean(total, weight, np.array([0, 1])) == 0
    assert best_mean(-total, weight, np.arange(4)) == 3
