"""Agents from plain values, as TOML and JSON hold them: ``{"recipe": "conlinucb", ...}``."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from conlinucb.agent.agent import Agent
from conlinucb.agent.alpha import TheoryAlpha
from conlinucb.agent.estimators import Ridge
from conlinucb.agent.graph_recipes import graph_conlinucb, graph_conucb
from conlinucb.agent.named import is_stranger, stranger
from conlinucb.agent.recipes import (
    arm_con,
    conlinucb,
    conucb,
    for_newcomers,
    linucb,
    logistic,
    relative_conucb,
)
from conlinucb.agent.relative import PairUpdate
from conlinucb.agent.rewards import REWARDS
from conlinucb.agent.schedule import Every, Linear, Logarithmic, Never, WhenWorth, WhereThin
from conlinucb.agent.sharing import SHARING, Sharing
from conlinucb.agent.strategies import STRATEGIES
from conlinucb.catalog.catalog import Catalog
from conlinucb.errors import InvalidInput, UnknownName, nearest


def own(
    catalog: Catalog,
    *,
    estimator: Any = None,
    strategy: Any = None,
    schedule: Any = None,
    select: Any = "ucb",
    pair_update: PairUpdate = "difference",
    sharing: Sharing | None = None,
    rewards: Any = None,
) -> Agent:
    """Any estimator (default: Ridge()), with any strategy, schedule and way to select."""
    chosen = Ridge() if estimator is None else estimator
    return Agent(
        catalog,
        chosen,
        strategy=strategy,
        schedule=schedule or Never(),
        select=select,
        pair_update=pair_update,
        sharing=sharing,
        rewards=rewards,
    )


RECIPES: dict[str, Callable[..., Agent]] = {
    each.__name__: each
    for each in (
        *(linucb, arm_con, conucb, relative_conucb, conlinucb, graph_conucb, graph_conlinucb),
        *(logistic, for_newcomers, own),
    )
}
PARTS = ("estimator", "strategy", "schedule", "select", "prior", "sharing", "rewards")
"""What may be a part of one's own, by name."""
SCHEDULES: dict[str, Callable[..., Any]] = {
    **{each.__name__.lower(): each for each in (Never, Logarithmic, Linear, Every)},
    "when-worth": WhenWorth,
    "where-thin": WhereThin,
}

NAMED: dict[str, Mapping[str, Callable[..., Any]]] = {
    "schedule": SCHEDULES,
    "strategy": STRATEGIES,
    "sharing": SHARING,
    "rewards": REWARDS,
}
"""Parts that are tables with a name."""


def agent_of(
    given: Any, catalog: Catalog, where: str = "agent", *, strangers: bool = False
) -> Agent:
    """The agent that a table of plain values describes; ``where`` names the table in errors.

    A schedule is a table with a name and options, and so are ``sharing`` and ``rewards``, a
    strategy may be one; alpha is a number or a table with delta (Eq. 8). With ``strangers`` a
    strategy, estimator, schedule, select, prior, ``sharing`` or ``rewards`` may be one's own,
    "package.module:name" or a table with that name and options: see ``conlinucb.agent.named``.

    >>> catalog = Catalog([[1.0, 0.0], [0.0, 1.0]], [[1.0], [1.0]])
    >>> given = {"recipe": "conlinucb", "beta": 0.2, "schedule": {"name": "every", "n": 3}}
    >>> agent_of(given, catalog).schedule
    Every(zero_based=False, n=3)
    """
    agent: Agent = made_of(given, catalog, where, strangers, RECIPES)
    return agent


def made_of(
    given: Any,
    catalog: Catalog,
    where: str,
    strangers: bool,
    recipes: Mapping[str, Callable[..., Any]],
) -> Any:
    """What one of these recipes makes of a table: see ``agent_of``."""
    if not isinstance(given, Mapping) or "recipe" not in given:
        raise InvalidInput(f"{where} must have a recipe, {', '.join(recipes)}; got {given!r}.")
    if not strangers:
        refuse_strangers(given, where)
    recipe = _named(where, "recipe", given["recipe"], recipes)
    options = {
        key: _value(where, key, value)
        for key, value in _texts(where, given).items()
        if key != "recipe"
    }
    return called(where, recipe, catalog, **options)


def refuse_strangers(given: Mapping[Any, Any], where: str) -> None:
    """Refuse parts that are not this package's: naming one runs its code."""
    for key, value in given.items():
        if is_stranger(value):
            raise InvalidInput(
                f"{where} {key}: a part of your own, package.module:name, can be named in a "
                f"configuration file only, got {value!r}."
            )


def _value(where: str, key: str, value: Any) -> Any:
    """A number or name as it is; a table as a schedule, or as Eq. 8's alpha."""
    if key in PARTS and is_stranger(value):
        return stranger(f"{where} {key}", value)
    if not isinstance(value, Mapping):
        return value
    name = value.get("name")
    known = NAMED.get(key)
    if known is not None and (key != "strategy" or (isinstance(name, str) and name in known)):
        rest = {each: content for each, content in value.items() if each != "name"}
        made = _named(where, key, name, known)
        return called(f"{where} {key}", made, **_texts(where, rest))
    if key not in ("alpha", "term_alpha"):
        raise InvalidInput(f"{where} {key} must be a number or a name, got {value!r}.")
    return called(f"{where} {key}", TheoryAlpha, **_texts(where, value))


def _texts(where: str, given: Mapping[Any, Any]) -> Mapping[str, Any]:
    """The table, if its names are texts."""
    for name in given:
        if not isinstance(name, str):
            raise UnknownName(f"{where} knows no {name!r}.")
    return given


def _named(
    where: str, what: str, name: Any, known: Mapping[str, Callable[..., Any]]
) -> Callable[..., Any]:
    if not isinstance(name, str) or name not in known:
        raise UnknownName(f"{where}: no {what} is called {name!r}.{nearest(name, known)}")
    return known[name]


def called(where: str, function: Callable[..., Any], /, *given: Any, **options: Any) -> Any:
    """Call, where an option that is not known is an error that names it."""
    parameters = inspect.signature(function).parameters
    if not any(each.kind is inspect.Parameter.VAR_KEYWORD for each in parameters.values()):
        only(options, tuple(parameters)[len(given) :], where)
    return function(*given, **options)


def only(given: Mapping[str, Any], known: Sequence[str], where: str) -> None:
    """Refuse names that are not known, with the nearest one that is."""
    for name in given:
        if name not in known:
            raise UnknownName(f"{where} knows no {name!r}.{nearest(name, known)}")
