"""Arms and key-terms by id: as by index in every verb; errors name the nearest."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import conlinucb as cl
from support.worlds import films, refused_unchanged, same_state, small_catalog

ARMS = [f"film {i}" for i in range(12)]
MIXED: Any = ["film 7", 2]
TERMS = [f"tag {i}" for i in range(6)]


@pytest.fixture
def agent() -> cl.Agent:
    plain = small_catalog()
    catalog = cl.Catalog(plain.arms, plain.weights, ARMS, TERMS)
    return cl.conlinucb(catalog, schedule=cl.Every(1))


Call = Callable[[cl.Agent, cl.User], Any]
PAIRS: dict[str, tuple[Call, Call]] = {
    "learn": (lambda a, u: a.learn(u, "film 3", 1.0), lambda a, u: a.learn(u, 3, 1.0)),
    "volunteer": (lambda a, u: a.volunteer(u, "tag 2", 1), lambda a, u: a.volunteer(u, 2, 1)),
    "pool": (
        lambda a, u: a.recommend(u, ["film 7", "film 2"], 2).arms.tolist(),
        lambda a, u: a.recommend(u, [7, 2], 2).arms.tolist(),
    ),
    "both": (
        lambda a, u: a.recommend(u, MIXED, 2).arms.tolist(),
        lambda a, u: a.recommend(u, [7, 2], 2).arms.tolist(),
    ),
    "exclude": (
        lambda a, u: a.recommend(u, k=12, exclude=np.array(["film 0"])).arms.tolist(),
        lambda a, u: a.recommend(u, k=12, exclude=[0]).arms.tolist(),
    ),
    "ask": (
        lambda a, u: a.ask(u, pd.Series(["film 1"]), ("tag 4", "tag 1")),
        lambda a, u: a.ask(u, [1], [4, 1]),
    ),
    "due": (
        lambda a, u: a.questions_due(u, ["film 1"], ["tag 4"]),
        lambda a, u: a.questions_due(u, [1], [4]),
    ),
    "value": (
        lambda a, u: a.value(u, ["film 1", "film 2"], ["tag 4"]),
        lambda a, u: a.value(u, [1, 2], [4]),
    ),
    "questionnaire": (
        lambda a, u: a.questionnaire(2, ["tag 4", "tag 5"]),
        lambda a, u: a.questionnaire(2, [4, 5]),
    ),
    "score": (
        lambda a, u: a.score(u, ["film 4"]).means.tolist(),
        lambda a, u: a.score(u, [4]).means.tolist(),
    ),
    "influence": (
        lambda a, u: a.influence(u, "film 4").arm.tolist(),
        lambda a, u: a.influence(u, 4).arm.tolist(),
    ),
}


@pytest.mark.parametrize("verb", PAIRS)
def test_an_id_does_what_its_index_does(agent: cl.Agent, verb: str) -> None:
    by_id, by_index = PAIRS[verb]
    one, other = agent.new_user(), agent.new_user()
    assert by_id(agent, one) == by_index(agent, other)
    assert same_state(one.to_arrays(), other.to_arrays())


@pytest.mark.parametrize(
    ("call", "near"),
    [
        (lambda a, u: a.learn(u, "Film 3", 1.0), "'film 3'"),
        (lambda a, u: a.volunteer(u, "tagg 3", 1.0), "'tag 3'"),
        (lambda a, u: a.recommend(u, ["film 1", "flim 11"]), "'film 11'"),
        (lambda a, u: a.recommend(u, exclude=["FILM 2"]), "'film 2'"),
        (lambda a, u: a.ask(u, offered=["tag 9"]), "'tag "),
        (lambda a, u: a.influence(u, "film3"), "'film 3'"),
    ],
)
def test_an_unknown_id_names_the_nearest(agent: cl.Agent, call: Call, near: str) -> None:
    user = agent.new_user()
    refused_unchanged(user, lambda: call(agent, user), f"Did you mean {near}", cl.UnknownName)


@pytest.mark.parametrize("pool", [["film 1", True], ["film 1", 1.5], ["film 1", None]])
def test_beside_ids_only_indices(agent: cl.Agent, pool: Any) -> None:
    user = agent.new_user()
    refused_unchanged(user, lambda: agent.recommend(user, pool), repr(pool[1]), cl.InvalidInput)


def test_the_same_arm_by_id_and_index_is_twice(agent: cl.Agent) -> None:
    user, pool = agent.new_user(), np.array(["film 1", 1], dtype=object)
    refused_unchanged(user, lambda: agent.recommend(user, pool), "more than once")


def test_a_whole_number_is_an_index_also_where_it_is_an_id() -> None:
    catalog = films()  # its second arm has the id 7, its third the id "7"
    agent = cl.linucb(catalog)
    user = agent.new_user()
    assert agent.recommend(user, ["7"]).arms.tolist() == [2]
    assert agent.recommend(user, [catalog.arm_index(7)]).ids == (7,)
    refused_unchanged(user, lambda: agent.recommend(user, [7]), "7; valid indices are 0 to 3")


def test_advice_names_its_arms_best_first(agent: cl.Agent) -> None:
    advice = agent.recommend(agent.new_user(), k=5)
    assert advice.ids == tuple(ARMS[arm] for arm in advice.arms)
    assert agent.on(agent.catalog.remove_arms(["film 3"])).catalog.live_arms.size == 11


@pytest.mark.parametrize("name", ["MCR", "mcr", "BS", "bs", "UCB", "ucb"])
def test_the_papers_names_of_strategies(agent: cl.Agent, name: str) -> None:
    wanted = {"MCR": "max-radius", "BS": "spanner", "UCB": "ucb"}[name.upper()]
    for recipe in (cl.conlinucb, cl.conucb):
        assert recipe(agent.catalog, strategy=name).parameters()["strategy"] == wanted


@pytest.mark.parametrize("name", ["MCRs", "nothing like it", "Max-Radius "])
def test_an_unknown_strategy_lists_both_kinds_of_names(agent: cl.Agent, name: str) -> None:
    with pytest.raises(cl.UnknownName, match=r"'MCR'|'max-radius'"):
        cl.conlinucb(agent.catalog, strategy=name)
