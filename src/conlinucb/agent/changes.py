"""An agent's parts made anew with some of their arguments changed.

A part is changed by calling its class again: the arguments are read back from the part, by its
own ``arguments()`` or from attributes of the same names.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from conlinucb.agent.select import select_of
from conlinucb.agent.strategies import strategy_of
from conlinucb.errors import InvalidInput, UnknownName, nearest

Parts = Mapping[str, Any]
_BY_NAME = {"strategy": strategy_of, "select": select_of}


def arguments_of(part: Any) -> dict[str, Any]:
    """What a part was made with, as far as it tells.

    >>> from conlinucb.agent.schedule import Every
    >>> arguments_of(Every(3))
    {'n': 3, 'zero_based': False}
    """
    told = part.arguments() if hasattr(part, "arguments") else {}
    kept = [name for name in _names(part) if name not in told and hasattr(part, name)]
    return {**told, **{name: getattr(part, name) for name in kept}}


def nested(parts: Parts) -> dict[str, Any]:
    """All arguments of all parts, as "part__name"."""
    return {
        f"{part}__{name}": value
        for part, made in parts.items()
        for name, value in arguments_of(made).items()
    }


def replaced(given: dict[str, Any], parts: Parts, changes: Parts) -> dict[str, Any]:
    """The arguments of an agent, ``given``, after these changes to them or to its parts'."""
    result = given | {name: value for name, value in changes.items() if name in given}
    now = {part: _made(part, changes.get(part, made)) for part, made in parts.items()}
    for part, values in _by_part(set(changes) - set(given), now, given, changes).items():
        result[part] = made_anew(part, now[part], values)
    return result


def _made(part: str, given: Any) -> Any:
    """The part itself, where it was given by name."""
    return _BY_NAME[part](given) if isinstance(given, str) and part in _BY_NAME else given


def _by_part(inner: set[str], parts: Parts, given: Parts, changes: Parts) -> dict[str, Any]:
    """Changed arguments by the part they are of."""
    known = nested(parts)
    found: dict[str, dict[str, Any]] = {}
    for name in sorted(inner):
        where = [each for each in known if name in (each, each.partition("__")[2])]
        if not where:
            short = [each.partition("__")[2] for each in known]
            hint = nearest(name, dict.fromkeys([*given, *short]))
            raise UnknownName(f"The agent has no parameter {name!r}.{hint}")
        if len(where) > 1:
            raise InvalidInput(f"{name!r} may mean {' or '.join(where)}; say which.")
        part, _, argument = where[0].partition("__")
        found.setdefault(part, {})[argument] = changes[name]
    return found


def made_anew(what: str, part: Any, changes: Parts) -> Any:
    """The part as its class makes it of its arguments and these changes."""
    arguments = arguments_of(part)
    lost = [name for name in _names(part) if name not in arguments and name not in changes]
    if lost:
        raise InvalidInput(
            f"{type(part).__name__} keeps no attribute {lost[0]!r}, so it cannot be made anew with "
            f"{', '.join(changes)} changed; pass {what}={type(part).__name__}(...)."
        )
    either = getattr(part, "either", ())
    if any(name in either and value is not None for name, value in changes.items()):
        arguments |= dict.fromkeys(either)
    return type(part)(**{**arguments, **changes})


def _names(part: Any) -> list[str]:
    """The names of the constructor's arguments."""
    if part is None or inspect.isroutine(part):
        return []
    try:
        parameters = inspect.signature(type(part)).parameters.values()
    except (TypeError, ValueError):  # not made in Python
        return []
    several = inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD
    return [each.name for each in parameters if each.kind not in several]
