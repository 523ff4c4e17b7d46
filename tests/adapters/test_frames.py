"""Tables in, recommendations out, against the verbs called one by one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone

import conlinucb as cl
from conlinucb.adapters.frames import BatchRecommender
from support.worlds import same_state, small_catalog

ARMS = [f"film {i}" for i in range(12)]
AGENT = cl.conlinucb(cl.Catalog(small_catalog().arms, small_catalog().weights, ARMS), alpha=0.5)


def log(rows: int = 60, seed: int = 0) -> dict[str, list[Any]]:
    rng = np.random.default_rng(seed)
    return {
        "person": [f"p{i}" for i in rng.integers(5, size=rows)],
        "arm": [ARMS[i] for i in rng.integers(12, size=rows)],
        "reward": rng.normal(size=rows).tolist(),
    }


def by_hand(*tables: dict[str, list[Any]]) -> dict[str, cl.User]:
    users: dict[str, cl.User] = {}
    for table in tables:
        for person, arm, reward in zip(*table.values(), strict=True):
            user = users.setdefault(person, AGENT.new_user())
            AGENT.learn(user, arm, reward)
    return users


@pytest.mark.parametrize("kind", [dict, pd.DataFrame, pl.DataFrame, "csv"])
def test_fit_and_predict_are_learn_and_recommend(kind: Any, tmp_path: Path) -> None:
    table: Any = log()
    if kind == "csv":
        pd.DataFrame(table).to_csv(tmp_path / "log.csv")
        table = tmp_path / "log.csv"
    else:
        table = kind(table)
    recommender = BatchRecommender(AGENT).fit(table)
    users = by_hand(log())
    names = sorted(users)
    assert recommender.predict(names).tolist() == [
        AGENT.recommend(users[name]).ids[0] for name in names
    ]
    wanted = [AGENT.catalog.arms @ users[name].theta for name in names]
    np.testing.assert_allclose(recommender.predict_expectations(names), wanted, atol=1e-12)
    assert recommender.arms_ == tuple(ARMS)


def test_partial_fit_goes_on_and_fit_begins_anew() -> None:
    recommender = BatchRecommender(AGENT).fit(log(seed=1)).partial_fit(log(seed=2))
    users = by_hand(log(seed=1), log(seed=2))
    for name, user in users.items():
        np.testing.assert_array_equal(recommender.users[name].theta, user.theta)
    assert recommender.users["p0"].rounds == (log(seed=1)["person"] + log(seed=2)["person"]).count(
        "p0"
    )
    again = recommender.fit(log(seed=2))
    np.testing.assert_array_equal(again.users["p1"].theta, by_hand(log(seed=2))["p1"].theta)


def test_predictions_change_nothing_and_do_not_depend_on_the_batch() -> None:
    recommender = BatchRecommender(AGENT.replace(select="thompson")).fit(log())
    before = {name: user.to_arrays() for name, user in recommender.users.items()}
    names = ["p1", "new", "p3", "p1"]
    first = recommender.predict(names, k=4)
    assert first.tolist() == recommender.predict(names, k=4).tolist()
    assert first[2].tolist() == recommender.predict(["p3"], k=4)[0].tolist()
    assert first[0].tolist() == first[3].tolist()
    assert all(same_state(before[n], u.to_arrays()) for n, u in recommender.users.items())
    assert "new" not in recommender.users


def test_pools_and_arms_of_ones_own() -> None:
    recommender = BatchRecommender(AGENT).fit(log())
    found = recommender.predict(["p0", "p1"], [["film 3"], [5, 7, 9]], k=2)
    assert found[0].tolist() == ["film 3", None]
    assert set(found[1]) <= {"film 5", "film 7", "film 9"}
    some = recommender.predict_expectations(["p0"], ["film 3", "film 0"])
    everything = recommender.predict_expectations(["p0"])
    np.testing.assert_allclose(some[0], everything[0, [3, 0]])
    assert recommender.predict_expectations([]).shape == (0, 12)


def test_people_from_a_table_and_ids_as_text() -> None:
    table = {"who": [7, 8], "arm": ["film 1", "film 2"], "reward": [1.0, -1.0], "weight": [2.0, 1]}
    recommender = BatchRecommender(AGENT, person="who").fit(table)
    user = AGENT.new_user()
    AGENT.learn(user, 1, 1.0, weight=2.0)
    np.testing.assert_array_equal(recommender.users["7"].theta, user.theta)
    wanted = recommender.predict([7, "8"]).tolist()
    for persons in (pd.DataFrame(table), pl.DataFrame(table), np.array([7, 8]), pl.Series([7, 8])):
        assert recommender.predict(persons).tolist() == wanted


def test_ids_that_are_numbers() -> None:
    catalog = cl.Catalog(np.eye(3), np.ones((3, 1)), [30, 10, 20])
    table = {"person": ["a"], "arm": [10], "reward": [1.0]}
    assert BatchRecommender(cl.linucb(catalog)).fit(table).predict(["a"]).tolist() == [10]


BAD: list[tuple[dict[str, Any], str]] = [
    ({"arm": ["film 1", "flim 11"]}, "'flim 11' in row 1.*Did you mean 'film 11'"),
    ({"reward": [1.0, np.nan]}, "nan"),
    ({"reward": ["1", "much"]}, "much"),
    ({"person": ["a", None]}, "empty in 1 rows"),
    ({"weight": [1.0, 1e13]}, "weight"),
    ({"weight": [0.0, 1.0]}, "weight"),
]


@pytest.mark.parametrize(("change", "received"), BAD)
def test_a_refused_table_changes_nothing(change: dict[str, Any], received: str) -> None:
    recommender = BatchRecommender(AGENT).fit(log())
    before = {name: user.to_arrays() for name, user in recommender.users.items()}
    good = {"person": ["p0", "p1"], "arm": ["film 1", "film 2"], "reward": [1.0, 0.0]}
    for verb in (recommender.fit, recommender.partial_fit):
        with pytest.raises(cl.InvalidInput, match=received):
            verb({**good, **change})
    assert before.keys() == recommender.users.keys()
    assert all(same_state(before[n], u.to_arrays()) for n, u in recommender.users.items())


def test_a_misspelt_column_names_the_nearest() -> None:
    with pytest.raises(cl.InvalidInput, match="Did you mean 'rewards'"):
        BatchRecommender(AGENT).fit({"person": [1], "arm": ["film 1"], "rewards": [1.0]})
    with pytest.raises(cl.InvalidInput, match="'person'"):
        BatchRecommender(AGENT).predict({"persons": ["a"]})
    with pytest.raises(cl.InvalidInput, match="ann"):
        BatchRecommender(AGENT).predict("ann")


def test_scikit_learn_clones_it_and_sets_the_agents_parameters() -> None:
    recommender = BatchRecommender(AGENT, reward="stars").fit({**log(), "stars": log()["reward"]})
    fresh = clone(recommender)
    assert (fresh.agent, fresh.reward, fresh.users) == (AGENT, "stars", {})
    fresh.set_params(agent__alpha=2.0, reward="reward")
    assert fresh.agent == AGENT.replace(alpha=2.0)
    assert AGENT.get_params()["estimator__alpha"] == 0.5
    assert fresh.get_params()["agent__estimator__alpha"] == 2.0
    with pytest.raises(cl.UnknownName, match="'reward'"):
        fresh.set_params(rewards="x")
    with pytest.raises(cl.UnknownName, match="'alpha'"):
        fresh.set_params(agent__alhpa=1.0)
