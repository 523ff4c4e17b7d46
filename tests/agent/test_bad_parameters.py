"""Bad parameters, schedules and strategies are refused with the value in the message."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import conlinucb as cl
from conlinucb import theory
from support.worlds import (
    RECIPES,
    refused,
    refused_unchanged,
    same_state,
    settle,
    shown,
    small_catalog,
)

NAN, INF = math.nan, math.inf
HUGE = 10**400


@pytest.fixture(params=sorted(RECIPES))
def agent(request: pytest.FixtureRequest) -> cl.Agent:
    return RECIPES[request.param](small_catalog())


# Strategies


class Choosing:
    """A strategy that answers with whatever it was given, from round 3 on."""

    name = "stubborn"

    def __init__(self, chosen: Any) -> None:
        self.chosen = chosen

    def choose(self, view: cl.View) -> Any:
        if view.round < 3:
            return view.offered[0]
        if isinstance(self.chosen, Exception):
            raise self.chosen
        return self.chosen


BAD_CHOICES: list[Any] = [
    -1,
    5,
    99,
    None,
    NAN,
    "a",
    [1, 2],
    ZeroDivisionError("oh"),
    KeyError("oh"),
]


@pytest.mark.parametrize("chosen", BAD_CHOICES, ids=shown)
@pytest.mark.parametrize("recipe", [cl.conlinucb, cl.conucb])
def test_a_failing_strategy_is_named_with_its_round(
    recipe: Callable[..., cl.Agent], chosen: Any
) -> None:
    agent = recipe(small_catalog(), strategy=Choosing(chosen), schedule=cl.Every(1))
    user = agent.new_user()
    for _ in range(2):
        settle(agent, user)
        agent.recommend(user)
    before = user.to_arrays()
    with pytest.raises(cl.StrategyError, match=r"'stubborn' .* round 3"):
        agent.ask(user, offered=[0, 2, 4])
    assert same_state(before, user.to_arrays())


def test_a_kernel_that_chooses_a_term_not_offered() -> None:
    @cl.strategy_kernel
    def always_one(view: cl.View) -> int:
        return 1

    class AlwaysOne:
        name = "always-one"
        kernel = staticmethod(always_one)

    agent = cl.conlinucb(small_catalog(), strategy=AlwaysOne(), schedule=cl.Every(1))
    user = agent.new_user()
    refused_unchanged(
        user,
        lambda: agent.ask(user, offered=[0, 2]),
        "'always-one' chose term 1 in round 1",
        cl.StrategyError,
    )


@pytest.mark.parametrize("recipe", [cl.conlinucb, cl.conucb])
@pytest.mark.parametrize(
    ("name", "hint"),
    [("max_radius", "'max-radius'"), ("spaner", "'spanner'"), ("zzz", "'related-reduction'")],
)
def test_unknown_strategy_name(recipe: Callable[..., cl.Agent], name: str, hint: str) -> None:
    refused(lambda: recipe(small_catalog(), strategy=name), repr(name), cl.UnknownName)
    refused(lambda: recipe(small_catalog(), strategy=name), hint)


@pytest.mark.parametrize("strategy", [5, [], None], ids=shown)
def test_not_a_strategy(strategy: Any) -> None:
    for recipe in (cl.conlinucb, cl.conucb):
        refused(lambda recipe=recipe: recipe(small_catalog(), strategy=strategy), repr(strategy))  # type: ignore[misc]


def test_a_class_and_a_bound_kernel_get_a_hint() -> None:
    class Bound:
        name = "bound"
        kernel = cl.STRATEGIES["ucb"].kernel  # type: ignore[attr-defined]

        def __init__(self) -> None:
            self.kernel = self.choose

        def choose(self, view: cl.View) -> int:
            return 0

    refused(
        lambda: cl.conlinucb(small_catalog(), strategy=cl.STRATEGIES["ucb"]), "UpperConfidence()"
    )
    refused(lambda: cl.conlinucb(small_catalog(), strategy=Bound()), "staticmethod")


def test_a_catalogue_without_terms_cannot_be_asked_about() -> None:
    catalog = cl.Catalog(np.eye(2), np.ones((2, 0)))
    assert cl.linucb(catalog).recommend(cl.linucb(catalog).new_user()).arms.tolist() == [0]
    refused(lambda: cl.conlinucb(catalog), "without key-terms")


# Schedules


BAD_SCHEDULES: dict[str, tuple[Any, str]] = {
    "none": (None, "None"),
    "number": (5, "5"),
    "name": ("log", "'log'"),
    "nan": (lambda t: NAN, "nan"),
    "infinite": (lambda t: INF, "inf"),
    "negative": (lambda t: -0.5, "-0.5"),
    "text": (lambda t: "3", "'3'"),
    "nothing": (lambda t: None, "None"),
    "decreasing": (lambda t: max(0, 100 - t), "b(2) = 98"),
    "decreasing late": (lambda t: 900 - 10 * (t > 900), "b(901) = 890"),
    "nan late": (lambda t: NAN if t == 500 else 1.0, "b(500)"),
    "huge": (lambda t: HUGE, "1000"),
}


@pytest.mark.parametrize("recipe", [cl.arm_con, cl.conucb, cl.conlinucb])
@pytest.mark.parametrize("bad", sorted(BAD_SCHEDULES))
def test_bad_schedule(recipe: Callable[..., cl.Agent], bad: str) -> None:
    schedule, received = BAD_SCHEDULES[bad]
    refused(lambda: recipe(small_catalog(), schedule=schedule), received, cl.InvalidInput)


def test_a_schedule_that_decreases_after_the_rounds_first_looked_at() -> None:
    agent = cl.conlinucb(small_catalog(), schedule=lambda t: 2.0 if t <= 2000 else 1.0)
    user = agent.new_user()
    user.rounds = 2000
    refused_unchanged(user, lambda: agent.ask(user), "b(2001) = 1", cl.InvalidInput)


@pytest.mark.parametrize("value", [-1, NAN, INF, "x", "1", None], ids=shown)
@pytest.mark.parametrize("schedule", [cl.Logarithmic, cl.Linear, cl.Every])
def test_bad_schedule_parameter(schedule: Callable[[Any], Any], value: Any) -> None:
    refused(lambda: schedule(value), shown(value), cl.InvalidInput)


@pytest.mark.parametrize("n", [0, 1.5, True])
def test_every_needs_a_whole_number(n: Any) -> None:
    refused(lambda: cl.Every(n), repr(n), cl.InvalidInput)


# Parameters


CATALOG = small_catalog()
PARAMETERS: dict[str, Callable[[Any], Any]] = {
    "linucb beta": lambda v: cl.linucb(CATALOG, beta=v),
    "linucb alpha": lambda v: cl.linucb(CATALOG, alpha=v),
    "arm_con beta": lambda v: cl.arm_con(CATALOG, beta=v),
    "arm_con alpha": lambda v: cl.arm_con(CATALOG, alpha=v),
    "conlinucb beta": lambda v: cl.conlinucb(CATALOG, beta=v),
    "conlinucb alpha": lambda v: cl.conlinucb(CATALOG, alpha=v),
    "conucb mix": lambda v: cl.conucb(CATALOG, mix=v),
    "conucb term_beta": lambda v: cl.conucb(CATALOG, term_beta=v),
    "conucb alpha": lambda v: cl.conucb(CATALOG, alpha=v),
    "conucb term_alpha": lambda v: cl.conucb(CATALOG, term_alpha=v),
    "TheoryAlpha delta": lambda v: cl.TheoryAlpha(delta=v),
    "barycentric_spanner C": lambda v: cl.barycentric_spanner(np.eye(2), C=v),
    "SpannerMember C": lambda v: cl.STRATEGIES["spanner"](C=v),  # type: ignore[call-arg]
    "theory t": lambda v: theory.alpha(v, 0, 2, 1.0, 0.1),
    "theory d": lambda v: theory.alpha(1, 0, v, 1.0, 0.1),
    "theory beta": lambda v: theory.alpha(1, 0, 2, v, 0.1),
    "theory delta": lambda v: theory.alpha(1, 0, 2, 1.0, v),
    "theory b": lambda v: theory.theorem_2(1, v, 2, 1.0, 0.1),
    "theory lambda_B": lambda v: theory.t0(1.0, v, 2, 0.1),
    "theory mix": lambda v: theory.conucb_bound(1, 1.0, 2, v, 1.0, 0.1),
    "theory term_beta": lambda v: theory.conucb_bound(1, 1.0, 2, 0.5, v, 0.1),
}


@pytest.mark.parametrize("value", [-1, -0.5, NAN, "x", "1", None], ids=shown)
@pytest.mark.parametrize("parameter", sorted(PARAMETERS))
def test_bad_parameter(parameter: str, value: Any) -> None:
    recipe, _, name = parameter.partition(" ")
    usual = recipe in ("linucb", "arm_con", "conlinucb", "conucb") and name in (
        "beta",
        "alpha",
        "term_beta",
        "term_alpha",
    )
    if value is None and usual:
        PARAMETERS[parameter](value)  # the usual one
        return
    refused(lambda: PARAMETERS[parameter](value), shown(value), cl.InvalidInput)


@pytest.mark.parametrize("value", [0, INF])
@pytest.mark.parametrize("parameter", ["beta", "mix", "term_beta", "delta", "lambda_B"])
def test_zero_and_infinity_where_they_make_no_sense(parameter: str, value: float) -> None:
    for name, call in PARAMETERS.items():
        if name.split()[1] == parameter:
            refused(lambda call=call: call(value), repr(value), cl.InvalidInput)  # type: ignore[misc]


@pytest.mark.parametrize(
    ("parameter", "value"),
    [("conucb mix", 1), ("TheoryAlpha delta", 1.5), ("linucb beta", HUGE), ("theory t", HUGE)],
    ids=["mix", "delta", "beta", "t"],
)
def test_too_large(parameter: str, value: float) -> None:
    refused(lambda: PARAMETERS[parameter](value), shown(value), cl.InvalidInput)


def test_the_class_in_place_of_a_theory_alpha() -> None:
    refused(lambda: cl.linucb(CATALOG, alpha=cl.TheoryAlpha), "TheoryAlpha")  # type: ignore[arg-type]


# Agents


@pytest.mark.parametrize("catalog", [None, "films", [[1.0]]], ids=shown)
def test_not_a_catalog(catalog: Any) -> None:
    for recipe in (cl.linucb, cl.arm_con, cl.conucb, cl.conlinucb):
        refused(lambda recipe=recipe: recipe(catalog), repr(catalog))  # type: ignore[misc]
    refused(lambda: cl.linucb(CATALOG).on(catalog), repr(catalog))


def test_another_catalogue_of_another_dimension(agent: cl.Agent) -> None:
    refused(lambda: agent.on(small_catalog(d=5)), "5", cl.InvalidInput)


def test_asks_is_term_or_arm() -> None:
    ridge, never = cl.Ridge(), cl.Never()
    refused(
        lambda: cl.Agent(CATALOG, ridge, schedule=never, asks="topic"),  # type: ignore[arg-type]
        "'topic'",
    )


def test_not_an_estimator() -> None:
    refused(lambda: cl.Agent(CATALOG, "ridge", schedule=cl.Never()), "'ridge'")  # type: ignore[arg-type]


def test_an_open_question_about_a_term_the_new_catalogue_lacks() -> None:
    agent = cl.conlinucb(CATALOG, strategy="random", schedule=cl.Every(1))
    user = agent.new_user()
    question = agent.ask(user, offered=[5])
    assert question is not None
    fewer = agent.on(small_catalog(terms=3))
    refused_unchanged(user, lambda: fewer.hear(user, question, 1.0), "5")
