"""Baselines against direct computations."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from conlinucb.experiments.people.baselines import (
    SHRINK,
    Chance,
    Factorisation,
    MostPopular,
    Neighbours,
    Seen,
    Table,
    table_of,
)
from conlinucb.experiments.people.task import NEGATIVES, Log
from conlinucb.numerics.validation import Floats, Indices
from support.logged_people import some_log


@pytest.fixture(scope="module", params=[True, False], ids=["implicit", "rated"])
def log(request: pytest.FixtureRequest) -> Log:
    return Log(some_log(request.param))


def dense(log: Log, people: Indices) -> Floats:
    """(people, items) rewards, NaN where they did not meet."""
    made = np.full((log.sizes.size, len(log.data.item_ids)), np.nan)
    made[log.data.people, log.data.items] = log.data.values
    return np.asarray(made[people])


def test_the_most_popular_are_those_most_people_met_or_rated_best(log: Log) -> None:
    people = log.logged(1)
    table, values = table_of(log, people), dense(log, people)
    met = ~np.isnan(values)
    scores = MostPopular(table).scores(Seen(), np.arange(values.shape[1]))
    if log.data.implicit:
        order = np.argsort(-met.sum(axis=0), kind="stable")
        assert (np.diff(scores[order]) <= 0).all()
    else:
        overall = np.nanmean(values)
        direct = (np.nansum(values, axis=0) + SHRINK * overall) / (met.sum(axis=0) + SHRINK)
        np.testing.assert_allclose(scores, direct)
    np.testing.assert_array_equal(table.counts, met.sum(axis=0))
    np.testing.assert_allclose(table.sums, np.nansum(values, axis=0))


def test_the_rests_are_rewards_less_base_with_sampled_items_as_nothing(log: Log) -> None:
    people = log.logged(1)
    table, values = table_of(log, people), dense(log, people)
    rests, stored = table.rests.toarray(), table.rests.copy()
    stored.data[:] = 1
    met = ~np.isnan(values)
    np.testing.assert_allclose(rests[met], (values - table.base)[met])
    sampled = (stored.toarray() > 0) & ~met
    if not log.data.implicit:
        assert not sampled.any()
        return
    np.testing.assert_allclose(rests[sampled], np.broadcast_to(-table.base, rests.shape)[sampled])
    wanted = np.minimum(NEGATIVES * met.sum(axis=1), (~met).sum(axis=1))
    np.testing.assert_array_equal(sampled.sum(axis=1), wanted)


def test_neighbours_follow_their_formula(log: Log) -> None:
    people, shrink, pull = log.logged(1), 7.0, 0.5
    table, values = table_of(log, people), dense(log, people)
    met = (~np.isnan(values)).astype(float)
    rests = np.where(met > 0, values - table.base, 0.0)
    means = rests.sum(axis=1) / (met.sum(axis=1) + SHRINK)
    vectors = met if log.data.implicit else np.where(met > 0, rests - means[:, None], 0.0)
    seen, pool = Seen([4, 9, 30], [1.0, 0.0, 0.5]), np.array([0, 7, 55])
    mine = np.array(seen.rewards) - table.base[seen.arms]
    mine = mine - mine.sum() / (len(mine) + SHRINK)
    direct = []
    for item in pool:
        near = []
        for other in seen.arms:
            one, two = vectors[:, item], vectors[:, other]
            both = float((met[:, item] * met[:, other]).sum())
            cosine = one @ two / (np.linalg.norm(one) * np.linalg.norm(two))
            near.append(max(cosine * both / (both + shrink), 0.0))
        direct.append(table.base[item] + near @ mine / (pull + sum(near)))
    np.testing.assert_allclose(Neighbours(table, shrink, pull).scores(seen, pool), direct)


def low_rank() -> tuple[Floats, Table]:
    """Tastes of rank 2 about a base, all of them known."""
    rng = np.random.default_rng(0)
    rests = rng.normal(size=(80, 2)) @ rng.normal(size=(2, 30))
    base, met = rng.random(30), sparse.csr_array(np.ones(rests.shape))
    counts = np.full(30, 80.0)
    table = Table(base, counts, counts * base, sparse.csr_array(rests), met, implicit=False)
    return rests, table


def test_the_factorisation_reproduces_a_table_of_low_rank_and_folds_in() -> None:
    rests, table = low_rank()
    made = Factorisation(table, factors=2, pull=1e-3)
    rng = np.random.default_rng(1)
    newcomer = rests[:5].T @ rng.normal(size=5)  # a taste like theirs, in no row of the table
    seen = [*range(12)]
    unseen = np.arange(12, 30)
    found = made.scores(Seen(seen, list(table.base[seen] + newcomer[seen])), unseen)
    np.testing.assert_allclose(found, table.base[unseen] + newcomer[unseen], atol=0.02)


def test_who_has_seen_nothing_gets_what_everybody_gets() -> None:
    _, table = low_rank()
    pool = np.array([2, 3, 5])
    for made in (Neighbours(table), Factorisation(table, factors=2), MostPopular(table)):
        np.testing.assert_array_equal(made.scores(Seen(), pool), table.base[pool])


def test_nobody_logged_gives_one_score_for_all(log: Log) -> None:
    table = table_of(log, np.empty(0, np.int64))
    scores = MostPopular(table).scores(Seen(), np.arange(10))
    assert np.ptp(scores) == 0
    assert np.isfinite(scores).all()


def test_chance_prefers_nothing_that_is_known() -> None:
    scores = Chance(1000, seed=3).scores(Seen(), np.arange(1000))
    assert abs(np.corrcoef(scores, np.arange(1000))[0, 1]) < 0.1
    assert np.unique(scores).size == 1000
