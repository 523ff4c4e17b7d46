"""Informative and valuable questions, beside direct NumPy and numerical integration."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import integrate, stats

import conlinucb as cl
from conlinucb.agent.strategies import Informative, Valuable
from conlinucb.agent.strategies.envelope import expected_excess, expected_gain
from conlinucb.agent.strategies.informative import informative
from conlinucb.agent.strategies.valuable import best_question, valuable
from conlinucb.checks import check_strategy
from support.matrices import positive_definite
from support.reference import first_of_the_best
from support.worlds import refused

Floats = NDArray[np.float64]


def views(count: int, *, pool: bool, most: int = 50) -> Iterator[tuple[cl.View, Floats]]:
    """Random beliefs, and the arms that count: the pool's as met, or the catalogue's."""
    for seed in range(count):
        rng = np.random.default_rng(seed)
        d, k, n = int(rng.integers(1, 9)), int(rng.integers(1, 30)), int(rng.integers(1, 60))
        rows = rng.normal(size=(n, d))
        broad = (rng.random(k) < 0.8).astype(float)
        spread = rows.T @ rows / n
        terms = rng.normal(size=(k, d))
        longest = float(np.linalg.norm(terms, axis=1).max())
        more = [float(most), longest] if pool else spread.ravel()
        none = np.empty(0, dtype=np.int64)
        view = cl.View(
            terms=terms,
            offered=np.sort(rng.permutation(k)[: rng.integers(1, k + 1)]),
            theta=rng.normal(size=d),
            cov=positive_definite(rng, d),
            alpha=1.0,
            pool=np.arange(n) if pool else none,
            reach=rows if pool else np.empty((0, d)),
            arm_start=none,
            arm_terms=none,
            arm_weights=np.empty(0),
            bounds=np.full(k, np.inf),
            constants=np.concatenate([broad, more]),
            seed=np.uint64(seed),
            asked=0,
            round=1,
            weights=np.where(rng.random(k) < 0.9, rng.uniform(0.01, 5.0, k), 0.0),
            chances=np.where(rng.random(k) < 0.9, rng.random(k), 0.0),
            times=rng.integers(0, 2, k) * rng.integers(0, 3),
            means=rng.normal(size=n) if pool else np.empty(0),
            noise=float(rng.uniform(0.05, 2.0)),
        )
        yield view, rows


def allowed(view: cl.View) -> NDArray[np.bool_]:
    """Of the offered: answerable ones first, then those asked least, then broad ones."""
    keys = [
        (view.chances[k] * view.weights[k] == 0, view.times[k], view.constants[k] == 0)
        for k in view.offered
    ]
    return np.array([key == min(keys) for key in keys])


def chosen(view: cl.View, scores: Floats) -> int:
    return int(view.offered[first_of_the_best(np.where(allowed(view), scores, -np.inf))])


def information(view: cl.View, rows: Floats) -> Floats:
    """The drop of the arms' mean variance, by the inverse with the term added."""
    scores = []
    for k in view.offered:
        x, w = view.terms[k], view.weights[k]
        after = np.linalg.inv(np.linalg.inv(view.cov) + w * np.outer(x, x))
        drop = np.mean(np.einsum("nd,de,ne->n", rows, view.cov - after, rows))
        scores.append(np.sqrt(max(view.chances[k] * drop, 0.0)))
    return np.array(scores)


@pytest.mark.parametrize("pool", [False, True])
def test_informative_is_the_variance_that_an_answer_takes_away(pool: bool) -> None:
    for view, rows in views(300, pool=pool):
        assert informative(view) == chosen(view, information(view, rows))


def moves(view: cl.View, k: int) -> Floats:
    """How the arms' means move with a standard normal answer about term k."""
    if view.weights[k] == 0:
        return np.zeros(len(view.means))
    x = view.terms[k]
    scale = np.sqrt(view.noise / (1 / view.weights[k] + x @ view.cov @ x))
    return np.asarray(view.reach @ view.cov @ x * scale)


def integrated(heights: Floats, slopes: Floats) -> float:
    """E[max] - max by quadrature between the points where two lines cross."""
    with np.errstate(all="ignore"):
        cuts = ((heights[:, None] - heights) / (slopes - slopes[:, None])).ravel()
    cuts = np.unique(np.concatenate([[-9.0, 9.0], cuts[np.abs(cuts) < 9]]))
    total = 0.0
    for low, high in pairwise(cuts):
        nodes, weights = np.polynomial.legendre.leggauss(40)
        z = low + (high - low) * (nodes + 1) / 2
        over = (heights + np.outer(z, slopes)).max(axis=1) - heights.max()
        total += (high - low) / 2 * float(weights @ (over * stats.norm.pdf(z)))
    return total


@pytest.mark.parametrize("most", [1, 3, 50])
def test_valuable_is_the_expected_gain_of_the_best_arm(most: int) -> None:
    met = 0
    for view, _ in views(60, pool=True, most=most):
        few = np.argsort(-view.means, kind="stable")[:most]
        if len(view.means) > 12 and most == 50:
            continue  # quadrature of many lines takes long
        gains = np.array([
            view.chances[k] * integrated(view.means[few], moves(view, k)[few])
            for k in view.offered
        ])  # fmt: skip
        k, gain = best_question(view)
        assert gain == pytest.approx(np.where(allowed(view), gains, -np.inf).max(), abs=1e-8)
        assert k == chosen(view, gains) or gains.max() - gains[list(view.offered).index(k)] < 1e-8
        assert valuable(view) == k
        met += gain > 1e-3
    assert most == 1 or met > 2


def test_one_arm_has_nothing_to_gain() -> None:
    for view, _ in views(20, pool=True, most=1):
        assert best_question(view)[1] == 0.0


def test_the_envelope_is_exact_and_never_negative() -> None:
    rng = np.random.default_rng(5)
    for _ in range(150):
        n = int(rng.integers(1, 8))
        heights, slopes = rng.normal(size=n), rng.choice([0.0, 0.5, 1.0, rng.normal()], n)
        found = expected_gain(heights, slopes)
        assert found >= 0
        assert found == pytest.approx(integrated(heights, slopes), abs=1e-10)
        assert expected_gain(heights + 7, slopes + 3) == pytest.approx(found, abs=1e-10)


def test_the_envelope_at_its_edges() -> None:
    assert expected_gain(np.array([1.0]), np.array([2.0])) == 0.0
    assert expected_gain(np.array([1.0, 1.0]), np.array([2.0, 2.0])) == 0.0
    assert expected_gain(np.array([1.0, 0.0]), np.array([0.0, 1e-300])) == 0.0
    far = expected_gain(np.array([100.0, 0.0]), np.array([0.0, 1.0]))
    assert far == 0.0
    assert expected_gain(np.array([0.0, 0.0]), np.array([0.0, 1e-12])) > 0


@pytest.mark.parametrize("z", [0.0, 0.3, -1.7, 4.0, -7.5])
def test_expected_excess_is_an_integral(z: float) -> None:
    size = abs(z)
    found = integrate.quad(lambda t: (t - size) * stats.norm.pdf(t), size, size + 12, epsabs=0)[0]
    assert expected_excess(z) == pytest.approx(found, rel=1e-7)
    assert expected_excess(50.0) == expected_excess(np.inf) == 0.0


def catalog_of(terms: int = 10, arms: int = 30, d: int = 4) -> cl.Catalog:
    """Term 0 belongs to one arm alone."""
    rng = np.random.default_rng(6)
    weights = (rng.random((arms, terms)) < 0.3).astype(float)
    weights[:2] = 1.0
    weights[:, 0] = 0.0
    weights[5, 0] = 1.0
    features = rng.normal(size=(arms, d))
    features[5] *= 30  # the narrow term would tell most
    return cl.Catalog(features, weights)


@pytest.mark.parametrize("strategy", ["informative", "valuable"])
def test_nothing_is_asked_twice_nor_what_one_arm_has(strategy: str) -> None:
    agent = cl.conlinucb(
        catalog_of(), strategy=strategy, answer_weight=1e-3, schedule=cl.Linear(10)
    )
    user, asked = agent.new_user(), []
    for _ in range(20):
        if (question := agent.ask(user)) is None:
            agent.recommend(user)
            question = agent.ask(user)
        assert question is not None
        asked.append(question.index)
        agent.hear(user, question, None)
    assert sorted(asked[:10]) == list(range(10)) == sorted(asked[10:])
    assert asked[9] == asked[19] == 0


@pytest.mark.parametrize("strategy", [Informative(least=0), Valuable(least=0)], ids=str)
def test_narrow_terms_may_be_allowed(strategy: Any) -> None:
    agent = cl.conlinucb(catalog_of(), strategy=strategy, schedule=cl.Linear(10))
    question = agent.ask(agent.new_user())
    assert question is not None
    assert (strategy.name == "informative") <= (question.index == 0)


def test_removed_arms_make_a_term_narrow() -> None:
    catalog = cl.Catalog(np.eye(4), [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
    agent = cl.conlinucb(catalog, strategy="informative", schedule=cl.Linear(1))
    smaller = agent.on(catalog.remove_arms([0]))
    for each, wanted in ((agent, 0), (smaller, 1)):
        question = each.ask(each.new_user())
        assert question is not None
        assert question.index == wanted


def test_a_repeated_question_survives_storing() -> None:
    agent = cl.conlinucb(catalog_of(), strategy="informative", schedule=cl.Linear(10))
    user = agent.new_user()
    for _ in range(3):
        question = agent.ask(user)
        assert question is not None
        agent.hear(user, question, 0.5)
        user = agent.load_user(user.to_arrays())
    assert sorted(user.times.values()) == [1, 1, 1]


@pytest.mark.parametrize("strategy", [Informative(over="pool"), Valuable(most=3)], ids=str)
def test_options_pass_the_checks(strategy: Any) -> None:
    check_strategy(strategy)


def test_bad_options_are_refused() -> None:
    refused(lambda: Informative(over="moon"), "moon", cl.InvalidInput)  # type: ignore[arg-type]
    refused(lambda: Informative(least=-1), "least", cl.InvalidInput)
    refused(lambda: Valuable(most=0), "most", cl.InvalidInput)
