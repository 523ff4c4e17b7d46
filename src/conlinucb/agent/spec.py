"""Agents from plain values, as TOML and JSON hold them: ``{"recipe": "conlinucb", ...}``."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from conlinucb.agent.agent import Agent
from conlinucb.agent.alpha import TheoryAlpha
from conlinucb.agent.estimators import Ridge
from conlinucb.agent.named import is_stranger, stranger
from conlinucb.agent.recipes import arm_con, conlinucb, conucb, for_newcomers, linucb
from conlinucb.agent.schedule import Every, Linear, Logarithmic, Never, WhenWorth
from conlinucb.catalog.catalog import Catalog
from conlinucb.errors import InvalidInput, UnknownName, nearest


def own(
    catalog: Catalog,
    *,
    estimator: Any = None,
    strategy: Any = None,
    schedule: Any = None,
    select: Any = "ucb",
) -> Agent:
    """Any estimator (default: Ridge()), with any strategy, schedule and way to select."""
    chosen = Ridge() if estimator is None else estimator
    return Agent(catalog, chosen, strategy=strategy, schedule=schedule or Never(), select=select)


RECIPES: dict[str, Callable[..., Agent]] = {
    each.__name__: each for each in (linucb, arm_con, conucb, conlinucb, for_newcomers, own)
}
PARTS = ("estimator", "strategy", "schedule", "select", "prior")
"""What may be a part of one's own, by name."""
SCHEDULES: dict[str, Callable[..., Any]] = {
    **{each.__name__.lower(): each for each in (Never, Logarithmic, Linear, Every)},
    "when-worth": WhenWorth,
}


def agent_of(
    given: Any, catalog: Catalog, where: str = "agent", *, strangers: bool = False
) -> Agent:
    """The agent that a table of plain values describes; ``where`` names the table in errors.

    A schedule is a table with a name, alpha a number or a table with delta (Eq. 8). With
    ``strangers`` a strategy, estimator, schedule, select or prior may be one's own,
    "package.module:name" or a table with that name and options: see ``conlinucb.agent.named``.

    >>> catalog = Catalog([[1.0, 0.0], [0.0, 1.0]], [[1.0], [1.0]])
    >>> given = {"recipe": "conlinucb", "beta": 0.2, "schedule": {"name": "every", "n": 3}}
    >>> agent_of(given, catalog).schedule
    Every(zero_based=False, n=3)
    """
    if not isinstance(given, Mapping) or "recipe" not in given:
        raise InvalidInput(f"{where} must have a recipe, {', '.join(RECIPES)}; got {given!r}.")
    if not strangers:
        refuse_strangers(given, where)
    recipe = _named(where, "recipe", given["recipe"], RECIPES)
    options = {
        key: _value(where, key, value)
        for key, value in _texts(where, given).items()
        if key != "recipe"
    }
    agent: Agent = called(where, recipe, catalog, **options)
    return agent


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
    if key == "schedule":
        rest = {each: content for each, content in value.items() if each != "name"}
        schedule = _named(where, "schedule", value.get("name"), SCHEDULES)
        return called(f"{where} schedule", schedule, **_texts(where, rest))
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
