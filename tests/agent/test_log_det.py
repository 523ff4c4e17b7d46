"""log det over a term and its neighbours: against slogdet, lazily and not, on any graph."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import conlinucb as cl
from conlinucb.agent.strategies import LogDet
from conlinucb.agent.strategies.log_det import MANY, by_mean, members_left, sums_of
from conlinucb.numerics.ties import largest, threshold
from support import graphs
from support.meetings import assert_met_alike
from support.reference import Floats, first_of_the_best
from support.worlds import refused, small_catalog


def edges(terms: int, share: float, seed: int) -> Floats:
    rng = np.random.default_rng(seed)
    upper = np.triu((rng.random((terms, terms)) < share) * rng.uniform(0.1, 1.0, (terms, terms)), 1)
    return np.asarray(upper + upper.T)


def view_of(catalog: cl.Catalog, spread: Any, P: Any, bounds: Floats, **more: Any) -> cl.View:
    """What ``log-det`` looks at; the rest is empty."""
    K, nobody, start = len(catalog.term_ids), np.empty(0, dtype=np.int64), catalog._graph
    shown: dict[str, Any] = {
        "terms": catalog._terms,
        "offered": np.arange(K),
        "theta": np.zeros(catalog.d),
        "cov": P,
        "alpha": 0.0,
        "pool": nobody,
        "reach": np.empty((0, catalog.d)),
        **dict(zip(("arm_start", "arm_terms", "arm_weights"), start, strict=True)),
        "bounds": bounds,
        "constants": LogDet(spread=spread).prepare(catalog),
        "seed": np.uint64(1),
        "asked": 0,
        "round": 1,
        "weights": np.ones(K),
        "chances": np.ones(K),
        "times": np.zeros(K, dtype=np.int64),
    }
    return cl.View(**(shown | more))


def views(d: int, share: float, spread: str) -> Iterator[tuple[cl.View, Floats, Floats]]:
    """Views of one person whose matrix grows, with bounds of before, beside M and the graph."""
    K = 30
    graph = edges(K, share, seed=d)
    catalog = small_catalog(arms=60, terms=K, d=d, seed=d).with_graph(graph)
    rng, M, bounds = np.random.default_rng(d), 0.3 * np.eye(d), np.full(K, np.inf)
    for _ in range(30):
        weights = rng.uniform(0.0, 2.0, size=K) * (rng.random(K) < 0.9)
        offered = np.sort(rng.choice(K, size=rng.integers(1, K + 1), replace=False))
        more = {"weights": weights, "offered": offered, "chances": rng.random(K)}
        yield view_of(catalog, spread, np.linalg.inv(M), bounds, **more), M, graph
        x = catalog.terms[rng.integers(K)]
        M = M + rng.uniform(0.5, 3.0) * np.outer(x, x)


def scores(view: cl.View, M: Floats, graph: Floats, full: bool) -> Floats:
    """Each by itself, with its own weight."""
    found = np.empty(view.offered.size)
    for i, k in enumerate(view.offered):
        shares = np.where(graph[k] > 0, 1.0, 0.0) if full else graph[k].copy()
        shares[k] = 1.0
        more = (view.terms * (view.weights[k] * shares)[:, None]).T @ view.terms
        found[i] = view.chances[k] * (np.linalg.slogdet(M + more)[1] - np.linalg.slogdet(M)[1])
    return found


@pytest.mark.parametrize("spread", ["full", "edges"])
@pytest.mark.parametrize("share", [0.0, 0.15, 0.9])
@pytest.mark.parametrize("d", [1, 3, 12])
def test_the_choice_is_the_largest_determinants(d: int, share: float, spread: str) -> None:
    """With 0.9 of all edges the groups are larger than d, with 0 there is no neighbour."""
    for view, M, graph in views(d, share, spread):
        wanted = scores(view, M, graph, full=spread == "full")
        chosen = view.offered[first_of_the_best(wanted)]
        fresh = view._replace(bounds=np.full(len(view.terms), np.inf))
        assert LogDet.kernel(view) == chosen
        assert LogDet.kernel(fresh) == chosen
        radii = np.sqrt(np.sum(view.terms.T * np.linalg.solve(M, view.terms.T), axis=0))
        assert (view.bounds >= radii * (1 - 1e-9)).all()


def dense_views(d: int, spread: str, views: int) -> Iterator[tuple[cl.View, Floats, Floats]]:
    """The same of 120 terms of two kinds, nearly all of which share arms with more than d others.

    The arms of one kind are long in one direction: their groups promise most, and hold less.
    """
    K, rng, M = 120, np.random.default_rng(d), 0.5 * np.eye(d)
    long, kind = rng.random((240, 1)) < 0.5, rng.random(K) < 0.5
    arms = rng.normal(size=(240, d)) / np.sqrt(d)
    arms[:, 0] += 2.0 * long[:, 0]
    catalog = cl.Catalog(arms, rng.random((240, K)) < np.where(long == kind, 0.1, 0.02))
    graph, bounds = catalog.term_graph.weights.toarray(), np.full(K, np.inf)
    assert np.count_nonzero(graph > 0) > 0.3 * K**2
    assert np.mean(np.count_nonzero(graph, axis=1) > d) > 0.95
    for _ in range(views):
        offered = np.sort(rng.choice(K, size=rng.integers(60, K + 1), replace=False))
        more = {"weights": rng.uniform(0.9, 1.1, size=K), "chances": rng.uniform(0.95, 1.0, size=K)}
        yield view_of(catalog, spread, np.linalg.inv(M), bounds, offered=offered, **more), M, graph
        x = catalog.terms[rng.integers(K)]
        M = M + rng.uniform(0.5, 3.0) * np.outer(x, x)


def looked_at_first(view: cl.View, wanted: Floats) -> tuple[int, bool]:
    """Whose bound by traces is the largest, and whether so many groups are left once its own
    determinant is known that a tangent is taken for a bound."""
    d, traces = view.terms.shape[1], sums_of(view.constants, view.bounds**2)
    each = [view.chances[k] * by_mean(view.weights[k] * traces[k], d) for k in view.offered]
    first = largest(np.array(each))
    return first, members_left(view, np.array(each), threshold(wanted[first])) >= MANY


@pytest.mark.parametrize("spread", ["full", "edges"])
@pytest.mark.parametrize("d", [8, 12])
def test_the_choice_is_the_largest_determinants_by_a_tangent_too(d: int, spread: str) -> None:
    """Where a tangent is taken, and at another group than the best one, a tangent that is too low
    would leave out the best."""
    tangents = beside = 0
    for view, M, graph in dense_views(d, spread, 100):
        wanted = scores(view, M, graph, full=spread == "full")
        best = first_of_the_best(wanted)
        first, tangent = looked_at_first(view, wanted)
        tangents, beside = tangents + tangent, beside + (tangent and first != best)
        assert LogDet.kernel(view) == view.offered[best]
    assert tangents >= 30
    assert beside >= 5


def test_most_determinants_are_never_computed() -> None:
    """Of terms whose bound cannot reach the best the radius stays unknown."""
    catalog = small_catalog(arms=60, terms=30, d=6).with_graph(edges(30, 0.05, 1))
    bounds = np.linalg.norm(catalog.terms, axis=1) * 1.0001
    before = bounds.copy()
    LogDet.kernel(view_of(catalog, "edges", np.eye(6), bounds))
    assert 0 < np.count_nonzero(bounds != before) < 20


def test_without_neighbours_it_is_the_largest_radius() -> None:
    catalog = small_catalog(arms=60, terms=30, d=6).with_graph([])
    people = cl.LinearUsers(np.random.default_rng(0).normal(size=(2, 6)), pool_size=9)
    agents = {
        each: cl.conlinucb(catalog, strategy=each, schedule=cl.Linear(1))
        for each in ("log-det", "max-radius")
    }
    results = cl.simulate(agents, people, rounds=80, trace=True)
    for user in range(2):
        one, other = (results.trace(each, 0, user)[1] for each in agents)
        assert one.tolist() == other.tolist()


@pytest.mark.parametrize("spread", ["full", "edges"])
def test_compiled_and_by_hand(spread: str) -> None:
    catalog = small_catalog(arms=60, terms=30, d=6).with_graph(edges(30, 0.3, 2))
    strategy = LogDet(spread=spread)  # type: ignore[arg-type]
    agents = {
        "one": cl.conlinucb(catalog, strategy=strategy, schedule=cl.Linear(0.7)),
        "two": cl.conucb(catalog, strategy=strategy, schedule=cl.Linear(0.7)),
    }
    tastes = np.random.default_rng(1).normal(size=(2, 6))
    people = cl.LinearUsers(tastes, pool_size=9, offered_size=11)
    results = assert_met_alike(agents, people, 60)
    asked = results.trace("one", 0, 0)[1]
    assert len(set(asked.tolist())) > 5


def test_the_reference_of_the_reference() -> None:
    """log_dets of the shared reference, once by a determinant of the group's own size."""
    rng = np.random.default_rng(0)
    terms, graph = rng.normal(size=(7, 3)), edges(7, 0.4, 3)
    M = np.eye(3) * 0.4
    found = graphs.log_dets(M, terms, graph, np.arange(7), full=False)
    for k in range(7):
        group = [k, *np.flatnonzero(graph[k])]
        roots = np.sqrt([1.0, *graph[k][graph[k] > 0]])
        rows = terms[group] * roots[:, None]
        small = np.eye(len(group)) + rows @ np.linalg.solve(M, rows.T)
        assert found[k] == pytest.approx(np.log(np.linalg.det(small)))


def test_bad_parameters() -> None:
    for value in (None, "edge", 1):
        refused(lambda value=value: LogDet(spread=value), repr(value), cl.InvalidInput)  # type: ignore[misc]
    assert cl.conlinucb(small_catalog(), strategy="log-det").parameters()["strategy_spread"] == (
        "edges"
    )
