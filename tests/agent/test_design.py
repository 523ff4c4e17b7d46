"""Optimal designs: the gap that is claimed holds, and the strategy asks by the design."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import conlinucb as cl
from conlinucb.agent.strategies import OptimalDesign
from support import graphs
from support.worlds import films, refused, small_catalog


@pytest.mark.parametrize("gap", [1e-4, 0.01, 0.3])
@pytest.mark.parametrize(("n", "d"), [(4, 1), (6, 6), (30, 3), (80, 20), (40, 39), (500, 50)])
def test_the_largest_leverage_is_near_the_least_possible(n: int, d: int, gap: float) -> None:
    """Kiefer and Wolfowitz: no design has a largest leverage below the rank."""
    rows = np.random.default_rng([n, d]).normal(size=(n, d))
    found = cl.optimal_design(rows, gap=gap)
    assert found.rank == d
    assert found.weights.sum() == pytest.approx(1.0)
    assert found.weights.min() >= 0.0
    largest = graphs.leverages(rows, found.weights).max()
    assert largest <= (1 + gap) * d + 1e-8
    assert found.gap == pytest.approx(largest / d - 1, abs=1e-9)
    assert largest >= d - 1e-8


def test_no_other_design_is_better() -> None:
    """By a long run of the multiplicative algorithm, which has nothing in common with steps."""
    rows = np.random.default_rng(5).normal(size=(25, 4))
    weights = np.full(25, 1 / 25)
    for _ in range(20_000):
        weights *= graphs.leverages(rows, weights) / 4
    found = cl.optimal_design(rows, gap=1e-5).weights
    V, best = ((rows * each[:, None]).T @ rows for each in (found, weights))
    assert np.linalg.slogdet(V)[1] == pytest.approx(np.linalg.slogdet(best)[1], abs=1e-4)
    np.testing.assert_allclose(found, weights, atol=1e-3)


def test_known_designs() -> None:
    corners = np.array([[np.cos(a), np.sin(a)] for a in 2 * np.pi * np.arange(3) / 3])
    np.testing.assert_allclose(cl.optimal_design(corners).weights, 1 / 3, atol=0.01)
    line = np.stack([np.ones(9), np.linspace(-1, 1, 9)], axis=1)
    wanted = np.zeros(9)
    wanted[[0, -1]] = 0.5
    np.testing.assert_allclose(cl.optimal_design(line, gap=1e-6).weights, wanted, atol=1e-6)
    square = np.column_stack([line, line[:, 1] ** 2])
    wanted[:] = 0.0
    wanted[[0, 4, 8]] = 1 / 3
    np.testing.assert_allclose(cl.optimal_design(square, gap=1e-6).weights, wanted, atol=1e-5)


@pytest.mark.parametrize("scale", [1e-30, 1.0, 1e30])
def test_of_lower_rank_and_any_scale(scale: float) -> None:
    rng = np.random.default_rng(2)
    rows = rng.normal(size=(40, 3)) @ rng.normal(size=(3, 8)) * scale
    found = cl.optimal_design(rows)
    assert found.rank == 3
    unit = rows / scale
    assert graphs.leverages(unit, found.weights).max() <= 3.03 + 1e-8
    again = cl.optimal_design(unit)
    np.testing.assert_allclose(found.weights, again.weights, atol=1e-9)


@pytest.mark.parametrize(("n", "d"), [(12, 3), (40, 8), (60, 30)])
def test_steps_are_those_of_the_reference(n: int, d: int) -> None:
    rows = np.random.default_rng([d, n]).normal(size=(n, d))
    np.testing.assert_allclose(cl.optimal_design(rows).weights, graphs.design(rows), atol=1e-9)


@pytest.mark.parametrize(
    ("vectors", "options", "received"),
    [
        ([[0.0, 0.0]], {}, "(1, 2)"),
        ([[np.nan, 0.0]], {}, "nan"),
        ([1.0, 2.0], {}, "(2,)"),
        ([[1.0]], {"gap": 0.0}, "0.0"),
        ([[1.0]], {"gap": np.nan}, "nan"),
        ([[1.0]], {"gap": "small"}, "'small'"),
    ],
)
def test_what_has_no_design(vectors: Any, options: Any, received: str) -> None:
    refused(lambda: cl.optimal_design(vectors, **options), received, cl.InvalidInput)


def test_terms_are_asked_as_often_as_the_design_says() -> None:
    catalog = small_catalog(arms=40, terms=20, d=4)
    agent = cl.conlinucb(catalog, strategy=OptimalDesign(share=None), schedule=cl.Linear(4000))
    weights = cl.optimal_design(catalog.terms).weights
    user, counts = agent.new_user(seed=3), np.zeros(20)
    for _ in range(4000):
        question = agent.ask(user)
        assert question is not None
        counts[question.index] += 1
        agent.hear(user, question, None)
    assert not counts[weights == 0].any()
    np.testing.assert_allclose(counts / 4000, weights, atol=0.025)


def test_a_share_keeps_the_heaviest() -> None:
    catalog = small_catalog(arms=60, terms=40, d=12)
    whole = OptimalDesign(share=None).prepare(catalog)
    few = OptimalDesign().prepare(catalog)
    assert np.count_nonzero(few) == int(np.ceil(0.15 * 12 * np.log(12))) == 5
    np.testing.assert_array_equal(few[few > 0], whole[few > 0])
    assert few[few > 0].min() >= whole[few == 0].max() - 1e-9
    assert np.count_nonzero(OptimalDesign().prepare(small_catalog(d=1))) == 1


def test_where_no_member_is_offered_the_widest_is_asked() -> None:
    catalog = small_catalog(arms=60, terms=40, d=12)
    agents = [cl.conlinucb(catalog, strategy=each) for each in ("design", "max-radius")]
    others = np.flatnonzero(OptimalDesign().prepare(catalog) == 0)[3:9]
    design, widest = (agent.ask(agent.new_user(seed=1), offered=others) for agent in agents)
    assert design == widest


@pytest.mark.parametrize("value", [0.0, -1.0, "half", np.nan])
def test_bad_parameters(value: Any) -> None:
    refused(lambda: OptimalDesign(share=value), "share", cl.InvalidInput)
    refused(lambda: OptimalDesign(gap=value), "gap", cl.InvalidInput)
    nothing = cl.Catalog([[1.0], [-1.0]], [[1.0], [1.0]])
    refused(lambda: cl.conlinucb(nothing, strategy="design"), "not zero", cl.InvalidInput)
    assert cl.conlinucb(films(), strategy=OptimalDesign(share=1)).parameters()[
        "strategy_share"
    ] == pytest.approx(1.0)
