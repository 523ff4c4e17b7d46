"""Agents from plain values equal those made by hand, and odd values are named."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import conlinucb as cl
from conlinucb.agent.spec import RECIPES, SCHEDULES, agent_of
from conlinucb.agent.strategies import RelativeDifference
from support.worlds import played, refused, same_state, shown, small_catalog

CATALOG = small_catalog()
ASKING = ("arm_con", "conucb", "conlinucb")
Hand = Callable[[], cl.Agent]
Given = dict[str, Any]

BY_HAND: dict[str, tuple[Given, Hand]] = {
    "linucb": ({}, lambda: cl.linucb(CATALOG)),
    "logistic": ({}, lambda: cl.logistic(CATALOG)),
    "graph_conucb": ({}, lambda: cl.graph_conucb(CATALOG)),
    "graph_conlinucb": ({"spread": "full"}, lambda: cl.graph_conlinucb(CATALOG, spread="full")),
    "logistic in another range": (
        {"range": [0, 2], "beta": 2, "alpha": 1, "strategy": "ucb", "answer_weight": 0.5},
        lambda: cl.logistic(
            CATALOG, range=(0.0, 2.0), beta=2.0, alpha=1.0, strategy="ucb", answer_weight=0.5
        ),
    ),
    "for_newcomers": ({}, lambda: cl.for_newcomers(CATALOG)),
    "for_newcomers in another range": (
        {"range": [-1.0, 1.0], "base": 0.5, "strategy": "valuable"},
        lambda: cl.for_newcomers(CATALOG, range=(-1.0, 1.0), base=0.5, strategy="valuable"),
    ),
    "linucb with numbers": (
        {"beta": 2, "alpha": 0.3},
        lambda: cl.linucb(CATALOG, beta=2.0, alpha=0.3),
    ),
    "linucb by theory": (
        {"alpha": {"delta": 0.2}},
        lambda: cl.linucb(CATALOG, alpha=cl.TheoryAlpha(delta=0.2)),
    ),
    "linucb by theory as it is": (
        {"alpha": {}},
        lambda: cl.linucb(CATALOG, alpha=cl.TheoryAlpha()),
    ),
    "arm_con": ({}, lambda: cl.arm_con(CATALOG)),
    "arm_con with numbers": (
        {"beta": 0.2, "alpha": 1, "schedule": {"name": "linear", "b": 0.5}},
        lambda: cl.arm_con(CATALOG, beta=0.2, alpha=1.0, schedule=cl.Linear(0.5)),
    ),
    "conucb": ({}, lambda: cl.conucb(CATALOG)),
    "conucb with everything": (
        {
            "strategy": "ucb",
            "mix": 0.3,
            "term_beta": 0.4,
            "alpha": {"delta": 0.1},
            "term_alpha": {"delta": 0.01},
            "schedule": {"name": "every", "n": 2},
        },
        lambda: cl.conucb(
            CATALOG,
            strategy="ucb",
            mix=0.3,
            term_beta=0.4,
            alpha=cl.TheoryAlpha(delta=0.1),
            term_alpha=cl.TheoryAlpha(delta=0.01),
            schedule=cl.Every(2),
        ),
    ),
    "relative_conucb": ({}, lambda: cl.relative_conucb(CATALOG)),
    "relative_conucb of people who share": (
        {
            "sharing": {"name": "groups", "of": [0, 0, 1], "what": "answers"},
            "rewards": {"name": "first-rounds", "n": 3},
        },
        lambda: cl.relative_conucb(
            CATALOG,
            sharing=cl.Groups([0, 0, 1], what="answers"),
            rewards=cl.FirstRounds(3),
        ),
    ),
    "graph_conucb of people who share": (
        {"sharing": {"name": "k-means", "n": 2}},
        lambda: cl.graph_conucb(CATALOG, sharing=cl.KMeans(2)),
    ),
    "graph_conlinucb of people who share": (
        {"sharing": {"name": "clusters", "a": 0.5}},
        lambda: cl.graph_conlinucb(CATALOG, sharing=cl.Clusters(0.5)),
    ),
    "relative_conucb of the winner": (
        {"pair_update": "winner", "alpha": 0.5},
        lambda: cl.relative_conucb(CATALOG, pair_update="winner", alpha=0.5),
    ),
    "conlinucb of pairs": (
        {
            "strategy": {"name": "relative-difference", "exact": False},
            "pair_update": "both",
            "schedule": {"name": "linear", "b": 1},
        },
        lambda: cl.conlinucb(
            CATALOG,
            strategy=RelativeDifference(exact=False),
            pair_update="both",
            schedule=cl.Linear(1),
        ),
    ),
    "conlinucb": ({}, lambda: cl.conlinucb(CATALOG)),
    "conlinucb with everything": (
        {"strategy": "spanner", "beta": 0.7, "alpha": 0, "schedule": {"name": "never"}},
        lambda: cl.conlinucb(CATALOG, strategy="spanner", beta=0.7, alpha=0.0, schedule=cl.Never()),
    ),
    "own": (
        {"strategy": "ucb", "select": "greedy", "schedule": {"name": "every", "n": 2}},
        lambda: cl.Agent(
            CATALOG, cl.Ridge(), strategy="ucb", select="greedy", schedule=cl.Every(2)
        ),
    ),
}
SCHEDULES_BY_HAND: list[tuple[Given, Any]] = [
    ({"name": "never"}, cl.Never()),
    ({"name": "logarithmic"}, cl.Logarithmic(5)),
    ({"name": "logarithmic", "f": 2.5}, cl.Logarithmic(2.5)),
    ({"name": "linear"}, cl.Linear(1)),
    ({"name": "linear", "b": 0.1, "zero_based": True}, cl.Linear(0.1, zero_based=True)),
    ({"name": "every", "n": 7}, cl.Every(7)),
    ({"name": "every", "n": 7, "zero_based": False}, cl.Every(7)),
    ({"name": "when-worth", "cost": 0.1, "first": 9}, cl.WhenWorth(0.1, most=3, first=9)),
    ({"name": "where-thin", "c": 0.1, "every": "doubling"}, cl.WhereThin(0.1, every="doubling")),
]


def described(recipe: str, **given: Any) -> cl.Agent:
    """The agent of a table that has been JSON in between."""
    return agent_of(json.loads(json.dumps({"recipe": recipe, **given})), CATALOG)


def assert_equal_agents(one: cl.Agent, other: cl.Agent) -> None:
    assert one.parameters() == other.parameters()
    assert (one.asks, one.schedule) == (other.asks, other.schedule)
    assert same_state(played(one, rounds=4).to_arrays(), played(other, rounds=4).to_arrays())


@pytest.mark.parametrize("name", BY_HAND)
def test_every_recipe(name: str) -> None:
    given, hand = BY_HAND[name]
    assert_equal_agents(described(name.split()[0], **given), hand())


def test_all_tables_are_different_agents_and_all_recipes_are_there() -> None:
    agents = [json.dumps(hand().parameters()) for _, hand in BY_HAND.values()]
    assert len(set(agents)) == len(agents)
    assert {name.split()[0] for name in BY_HAND} == RECIPES.keys()
    assert {str(given["name"]) for given, _ in SCHEDULES_BY_HAND} == SCHEDULES.keys()


@pytest.mark.parametrize("strategy", sorted(cl.STRATEGIES))
@pytest.mark.parametrize("recipe", ["conucb", "conlinucb"])
def test_every_strategy(recipe: str, strategy: str) -> None:
    by_hand: Callable[..., cl.Agent] = getattr(cl, recipe)
    found = described(recipe, strategy=strategy, schedule={"name": "linear", "b": 2})
    assert found.parameters()["strategy"] == strategy
    assert_equal_agents(found, by_hand(CATALOG, strategy=strategy, schedule=cl.Linear(2)))


@pytest.mark.parametrize(("given", "schedule"), SCHEDULES_BY_HAND, ids=shown)
@pytest.mark.parametrize("recipe", ASKING)
def test_every_schedule(recipe: str, given: Given, schedule: Any) -> None:
    by_hand: Callable[..., cl.Agent] = getattr(cl, recipe)
    if recipe == "arm_con" and given["name"] in ("when-worth", "where-thin"):
        refused(lambda: described(recipe, schedule=given), "about arms", cl.InvalidInput)
        return
    assert_equal_agents(described(recipe, schedule=given), by_hand(CATALOG, schedule=schedule))


def test_a_table_of_toml() -> None:
    text = 'recipe = "conlinucb"\nalpha.delta = 0.3\nschedule = { name = "every", n = 3 }\n'
    wanted = cl.conlinucb(CATALOG, alpha=cl.TheoryAlpha(delta=0.3), schedule=cl.Every(3))
    assert_equal_agents(agent_of(tomllib.loads(text), CATALOG), wanted)


def test_a_table_is_left_as_it_is() -> None:
    given = {"recipe": "arm_con", "alpha": {"delta": 0.3}, "schedule": {"name": "every", "n": 3}}
    before = json.dumps(given)
    agent_of(given, CATALOG)
    assert json.dumps(given) == before


# Odd values

ODD: list[Any] = [
    None, 0, 3, -1.5, True, np.nan, 10**30, "", "nonsense", [], ["linucb"], [["every"]], [None],
    {}, {"name": "linucb"}, {"recipe": "linucb"}, [{}], b"linucb",
]  # fmt: skip


@pytest.mark.parametrize(
    "odd", [None, 3, "linucb", [], ["recipe"], [{"recipe": "linucb"}], {}, {"name": "linucb"}],
    ids=shown,
)  # fmt: skip
def test_no_table(odd: Any) -> None:
    refused(lambda: agent_of(odd, CATALOG), "agent must have a recipe, linucb", cl.InvalidInput)
    refused(lambda: agent_of(odd, CATALOG, "[agents.A]"), "[agents.A]", cl.InvalidInput)


@pytest.mark.parametrize("odd", ODD, ids=shown)
def test_no_recipe(odd: Any) -> None:
    refused(lambda: agent_of({"recipe": odd}, CATALOG), repr(odd), cl.UnknownName)
    refused(lambda: agent_of({"recipe": odd}, CATALOG, "[agents.A]"), "[agents.A]")


@pytest.mark.parametrize("odd", ODD, ids=shown)
@pytest.mark.parametrize("recipe", ["conucb", "conlinucb"])
def test_no_strategy(recipe: str, odd: Any) -> None:
    given = {"recipe": recipe, "strategy": odd}
    refused(lambda: agent_of(given, CATALOG), repr(odd), cl.InvalidInput)


@pytest.mark.parametrize("odd", [each for each in ODD if not isinstance(each, dict)], ids=shown)
@pytest.mark.parametrize("recipe", ASKING)
def test_no_schedule(recipe: str, odd: Any) -> None:
    given = {"recipe": recipe, "schedule": odd}
    refused(lambda: agent_of(given, CATALOG), repr(odd), cl.InvalidInput)


@pytest.mark.parametrize("odd", ODD, ids=shown)
@pytest.mark.parametrize("recipe", ASKING)
def test_no_name_of_a_schedule(recipe: str, odd: Any) -> None:
    given = {"recipe": recipe, "schedule": {"name": odd}}
    refused(lambda: agent_of(given, CATALOG), repr(odd), cl.UnknownName)


def test_a_schedule_without_a_name() -> None:
    given = {"recipe": "arm_con", "schedule": {"n": 3}}
    refused(lambda: agent_of(given, CATALOG), "no schedule is called None", cl.UnknownName)


NO_NUMBER: list[Any] = [None, -1, np.nan, 10**400, "1", "", [], [0.5, 1], b"1"]
NO_NUMBER_OR_TABLE: list[Any] = [*NO_NUMBER, {}, {"delta": 0.1}, {"name": "every"}]
NUMBERS: dict[str, Callable[[Any], Given]] = {
    "beta": lambda odd: {"recipe": "linucb", "beta": odd},
    "mix": lambda odd: {"recipe": "conucb", "mix": odd},
    "term_beta": lambda odd: {"recipe": "conucb", "term_beta": odd},
    "f": lambda odd: {"recipe": "arm_con", "schedule": {"name": "logarithmic", "f": odd}},
    "b": lambda odd: {"recipe": "conucb", "schedule": {"name": "linear", "b": odd}},
    "n": lambda odd: {"recipe": "conlinucb", "schedule": {"name": "every", "n": odd}},
    "delta": lambda odd: {"recipe": "linucb", "alpha": {"delta": odd}},
}


@pytest.mark.parametrize("odd", NO_NUMBER_OR_TABLE, ids=shown)
@pytest.mark.parametrize("name", NUMBERS)
def test_no_number(name: str, odd: Any) -> None:
    if odd is None and name in ("beta", "term_beta"):  # the usual one
        assert agent_of(NUMBERS[name](odd), CATALOG).parameters()[name] == 1.0
        return
    refused(lambda: agent_of(NUMBERS[name](odd), CATALOG), shown(odd), cl.InvalidInput)
    refused(lambda: agent_of(NUMBERS[name](odd), CATALOG), name)


@pytest.mark.parametrize("odd", NO_NUMBER, ids=shown)
@pytest.mark.parametrize(("recipe", "name"), [("linucb", "alpha"), ("conucb", "term_alpha")])
def test_no_alpha(recipe: str, name: str, odd: Any) -> None:
    given = {"recipe": recipe, name: odd}
    if odd is None:  # the usual one
        usual = {"alpha": 0.5, "term_alpha": 0.25}[name]
        assert agent_of(given, CATALOG).parameters()[name] == usual
        return
    refused(lambda: agent_of(given, CATALOG), shown(odd), cl.InvalidInput)
    refused(lambda: agent_of(given, CATALOG), name)


# Names that are not known


@pytest.mark.parametrize(
    ("given", "named", "hint"),
    [
        ({"recipe": "linucv"}, "'linucv'", "'linucb'"),
        ({"recipe": "LinUCB"}, "'LinUCB'", "'linucb'"),
        ({"recipe": "linucb", "betta": 1}, "'betta'", "'beta'"),
        ({"recipe": "linucb", "schedule": {"name": "never"}}, "'schedule'", "'alpha'"),
        ({"recipe": "arm_con", "strategy": "ucb"}, "'strategy'", "'schedule'"),
        ({"recipe": "conlinucb", "mix": 0.5}, "'mix'", "'strategy'"),
        ({"recipe": "conucb", "beta": 0.5}, "'beta'", "'term_beta'"),
        ({"recipe": "conlinucb", "strategy": "max_radius"}, "'max_radius'", "'max-radius'"),
        ({"recipe": "conlinucb", "schedule": {"name": "evry"}}, "'evry'", "'every'"),
        ({"recipe": "conlinucb", "schedule": {"name": "every", "m": 3}}, "'m'", "'n'"),
        ({"recipe": "conlinucb", "schedule": {"name": "never", "n": 3}}, "'n'", "'zero_based'"),
        ({"recipe": "conlinucb", "alpha": {"dleta": 0.1}}, "'dleta'", "'delta'"),
        ({"recipe": "linucb", "catalog": 3}, "'catalog'", "'beta'"),
        ({"recipe": "linucb", "": 3}, "''", "'beta'"),
    ],
    ids=shown,
)
def test_unknown_names(given: Given, named: str, hint: str) -> None:
    refused(lambda: agent_of(given, CATALOG), named, cl.UnknownName)
    refused(lambda: agent_of(given, CATALOG), hint)


PLACES: dict[str, Callable[[Any], Given]] = {
    "agent": lambda name: {"recipe": "linucb", name: 1},
    "schedule": lambda name: {"recipe": "arm_con", "schedule": {"name": "every", name: 1}},
    "alpha": lambda name: {"recipe": "linucb", "alpha": {name: 1}},
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("name", ["where", "function", "given", "options", "self", 3, None, (1,)])
def test_no_name_is_special(name: Any, place: str) -> None:
    refused(lambda: agent_of(PLACES[place](name), CATALOG), repr(name), cl.UnknownName)


@pytest.mark.parametrize("catalog", [None, "films", [[1.0]]], ids=shown)
@pytest.mark.parametrize("recipe", sorted(RECIPES))
def test_no_catalog(recipe: str, catalog: Any) -> None:
    refused(lambda: agent_of({"recipe": recipe}, catalog), repr(catalog), cl.InvalidInput)
