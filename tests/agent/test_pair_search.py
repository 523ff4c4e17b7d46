"""The best pair is found as by listing all of them, ties included."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import conlinucb as cl
from conlinucb.agent.strategies import InformativePairs, RelativeDifference
from conlinucb.agent.strategies.informative_pairs import informative_pairs
from conlinucb.agent.strategies.max_radius_pairs import max_radius_pairs
from conlinucb.agent.strategies.pair_search import largest_ratio
from conlinucb.agent.strategies.relative_difference import relative_difference
from conlinucb.checks import check_strategy
from support.matrices import positive_definite
from support.pairs import every_pair
from support.reference import first_of_the_best
from support.worlds import refused, small_catalog

Floats = NDArray[np.float64]
NONE = np.empty(0, dtype=np.int64)
SHAPES = ("normal", "grid", "one-hot", "twins", "line")


def terms_of(rng: np.random.Generator, shape: str, k: int, d: int) -> Floats:
    """Key-terms in general position, and such that many pairs tie."""
    found = rng.normal(size=(k, d))
    if shape == "grid":
        found = rng.integers(0, 3, size=(k, d)).astype(float)
    elif shape == "one-hot":
        found = np.eye(d)[np.arange(k) % d]
    elif shape == "twins":
        found = found[rng.integers(0, max(k // 3, 1), size=k)]
    elif shape == "line":
        found = np.outer(rng.integers(0, 5, size=k), np.ones(d)) + 7.0
    return np.ascontiguousarray(found)


def views(count: int = 100, *, pool: bool = False) -> Iterator[cl.View]:
    """Random beliefs about catalogues of 2 to 160 key-terms, more than one tile of them."""
    for seed in range(count):
        rng = np.random.default_rng([seed, 5])
        shape = SHAPES[seed % len(SHAPES)]
        d, n = int(rng.integers(1, 20)), int(rng.integers(1, 30))
        k = int(rng.integers(2, 20 if seed % 4 else 160))
        plain = shape != "normal" and seed % 2
        rows, weights = rng.normal(size=(n, d)), rng.random((n, k)) < 0.2
        _, arm_terms = np.nonzero(weights)
        broad = (rng.random(k) < (0.8 if seed % 3 else 0.0)).astype(float)
        offered = np.sort(rng.permutation(k)[: rng.integers(2, k + 1)])
        pairs = [rng.permutation(offered)[:2] for _ in range(int(rng.integers(0, 8)))]
        yield cl.View(
            terms=terms_of(rng, shape, k, d),
            offered=offered,
            theta=rng.normal(size=d),
            cov=np.eye(d) if plain else positive_definite(rng, d),
            alpha=1.0,
            pool=np.arange(n) if pool else NONE,
            reach=rows if pool else np.empty((0, d)),
            arm_start=np.concatenate([[0], np.cumsum(weights.sum(axis=1))]).astype(np.int64),
            arm_terms=arm_terms.astype(np.int64),
            arm_weights=np.ones(arm_terms.size),
            bounds=np.full(k, np.inf),
            constants=np.concatenate([broad, (rows.T @ rows / n).ravel()]),
            seed=np.uint64(seed),
            asked=len(pairs),
            round=1,
            weights=np.ones(k) if plain else np.where(rng.random(k) < 0.9, rng.random(k) * 3, 0.0),
            chances=np.ones(k) if plain else np.where(rng.random(k) < 0.9, rng.random(k), 0.0),
            times=np.zeros(k, dtype=np.int64),
            means=np.zeros(n) if pool else np.empty(0),
            pairs=np.array([one * k + other for one, other in pairs], dtype=np.int64),
        )


def listed(which: Any, scores: Any) -> tuple[int, int]:
    pairs = every_pair(len(which))
    i, j = pairs[first_of_the_best(np.array(scores))]
    return int(which[i]), int(which[j])


def chosen(view: cl.View, code: int) -> tuple[int, int]:
    return divmod(int(code), len(view.terms))


def test_max_radius_pairs_are_the_widest_of_all() -> None:
    for number, view in enumerate(views()):
        apart = [
            view.terms[view.offered[i]] - view.terms[view.offered[j]]
            for i, j in every_pair(len(view.offered))
        ]
        scores = [float(np.sqrt(max(x @ view.cov @ x, 0.0))) for x in apart]
        assert chosen(view, max_radius_pairs(view)) == listed(view.offered, scores), number


def test_relative_difference_has_the_best_credit_of_all() -> None:
    for number, view in enumerate(views(pool=True)):
        in_pool = np.isin(view.offered, view.arm_terms)
        which = view.offered[in_pool] if in_pool.sum() > 1 else view.offered
        scores = []
        for i, j in every_pair(len(which)):
            x = view.terms[which[i]] - view.terms[which[j]]
            effect = np.sum((view.reach @ view.cov @ x) ** 2)
            scores.append(float(np.sqrt(effect / (1 + x @ view.cov @ x))))
        asked = view._replace(constants=np.ones(1))
        assert chosen(view, relative_difference(asked)) == listed(which, scores), number


def told(view: cl.View, pairs: list[tuple[int, int]], rows: Floats) -> Floats:
    """The drops of the arms' mean variance, by the inverses with each difference added."""
    i, j = np.array(pairs).T
    x, (one, other) = view.terms[i] - view.terms[j], view.weights[[i, j]]
    known = (one > 0) & (other > 0)
    w = np.where(known, 2.0 / np.sum(1.0 / np.where(known, [one, other], 1.0), axis=0), 0.0)
    more = w[:, None, None] * x[:, :, None] * x[:, None, :]
    drops = view.cov - np.linalg.inv(np.linalg.inv(view.cov) + more)
    found = np.sum(drops * (rows.T @ rows / len(rows)), axis=(1, 2))
    found[(w == 0) | ~x.any(axis=1)] = 0.0  # exactly: the root of some rounding would be no tie
    return np.asarray(np.sqrt(np.maximum(view.chances[i] * view.chances[j] * found, 0.0)))


def reluctance(view: cl.View, i: int, j: int) -> tuple[bool, int]:
    k = len(view.terms)
    silent = any(view.chances[each] * view.weights[each] == 0 for each in (i, j))
    narrow = any(view.constants[each] == 0 for each in (i, j))
    times = sum(sorted(divmod(int(each), k)) == [i, j] for each in view.pairs)
    return silent, 2 * times + int(narrow)


@pytest.mark.more
@pytest.mark.parametrize("pool", [False, True])
def test_informative_pairs_take_away_most_variance(pool: bool) -> None:
    again = 0
    for number, view in enumerate(views(pool=pool)):
        d, k = view.terms.shape[1], len(view.terms)
        rows = view.reach
        if not pool:
            values, vectors = np.linalg.eigh(view.constants[k:].reshape(d, d))
            rows = np.sqrt(d * np.maximum(values, 0.0))[:, None] * vectors.T
        which = view.offered.tolist()
        pairs = [(which[i], which[j]) for i, j in every_pair(len(which))]
        wanted = [reluctance(view, i, j) for i, j in pairs]
        best = np.array([each == min(wanted) for each in wanted])
        scores = np.where(best, told(view, pairs, rows), -np.inf)
        assert chosen(view, informative_pairs(view)) == listed(view.offered, scores), number
        again += len(set(wanted)) > 1
    assert again > 30


def test_the_largest_ratio_is_a_bound_and_near() -> None:
    for seed in range(60):
        rng = np.random.default_rng(seed)
        d = int(rng.integers(1, 40))
        cov, rows = positive_definite(rng, d), rng.normal(size=(int(rng.integers(1, 60)), d))
        seen = (rows @ cov).T @ (rows @ cov)
        largest = np.linalg.eigvals(np.linalg.solve(cov, seen)).real.max()
        found = largest_ratio(seen, cov)
        assert largest <= found
        assert found <= 3 * largest


def test_no_pair_is_asked_twice_while_others_are_left() -> None:
    catalog = small_catalog(arms=30, terms=5, d=4)
    agent = cl.conlinucb(catalog, strategy="informative-pairs", schedule=cl.Linear(20))
    user, asked = agent.new_user(), []
    for _ in range(20):
        question = agent.ask(user)
        assert question is not None
        asked.append(question.indices)
        agent.hear(user, question, None)
        user = agent.load_user(user.to_arrays())
    assert sorted(asked[:10]) == every_pair(5) == sorted(asked[10:])


def test_pairs_that_are_not_known_here_are_refused() -> None:
    agent = cl.conlinucb(small_catalog(), strategy="informative-pairs", schedule=cl.Linear(3))
    user = agent.new_user()
    agent.ask(user)
    arrays = user.to_arrays()
    arrays["pairs"] = np.array([[0, 99]])
    refused(lambda: agent.load_user(arrays), "key-term 99", cl.IncompatibleState)


@pytest.mark.parametrize(
    "strategy", [RelativeDifference(exact=False), InformativePairs(over="pool", least=0)], ids=repr
)
def test_options_pass_the_checks(strategy: Any) -> None:
    check_strategy(strategy)


def test_bad_options_are_refused() -> None:
    refused(lambda: RelativeDifference(exact=2), "2", cl.InvalidInput)  # type: ignore[arg-type]
    refused(lambda: InformativePairs(over="moon"), "moon", cl.InvalidInput)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["relative-greedy", "relative-difference", "max-radius-pairs"])
def test_a_pool_without_key_terms_is_no_obstacle(name: str) -> None:
    arms = np.eye(4)
    catalog = cl.Catalog(arms, [[1.0, 0.0], [0.0, 1.0], [0.0, 0.0], [0.0, 0.0]])
    agent = cl.conlinucb(catalog, strategy=name, schedule=cl.Every(1))
    question = agent.ask(agent.new_user(), pool=[2, 3])
    assert question is not None
    assert set(question.indices) == {0, 1}
