"""Frozen dataclasses to plain values and back, where a wrong value is an error that says where.

A field without a default is always written and must be there; one with a default is left out when
it has that value. What a later release wrote in addition is passed over.
"""

from __future__ import annotations

from dataclasses import MISSING, Field, fields, is_dataclass
from functools import lru_cache
from types import NoneType, UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from conlinucb.errors import InvalidInput

T = TypeVar("T")
_WORDS: dict[Any, tuple[type | tuple[type, ...], str]] = {
    bool: (bool, "true or false"),
    int: (int, "a whole number"),
    float: ((int, float), "a number"),
    str: (str, "text"),
    dict: (dict, "a table"),
    tuple: (list, "a list"),
}


def encoded(value: Any) -> Any:
    """Dataclasses as tables, all else as it is."""
    if is_dataclass(value):
        return {
            each.name: encoded(getattr(value, each.name))
            for each in fields(value)
            if each.default is MISSING or getattr(value, each.name) != each.default
        }
    if isinstance(value, dict):
        return {name: encoded(each) for name, each in value.items()}
    return [encoded(each) for each in value] if isinstance(value, tuple) else value


def decoded(kind: type[T], value: Any, place: str = "") -> T:
    """What ``encoded`` made of an object of this kind, as that object.

    >>> decoded(tuple[float, ...], [1, "x"], "curve.mean")
    Traceback (most recent call last):
        ...
    conlinucb.errors.InvalidInput: curve.mean.1 must be a number, got 'x'
    """
    made: T = _decoded(kind, value, place)
    return made


def _decoded(kind: Any, value: Any, place: str) -> Any:
    if kind is Any:
        return value
    if is_dataclass(kind):
        return _object(kind, value, place)
    origin, inner = get_origin(kind) or kind, get_args(kind)
    if origin is UnionType:
        if value is None and NoneType in inner:
            return None
        return _decoded(next(each for each in inner if each is not NoneType), value, place)
    _check(origin, value, place)
    if origin is dict and inner:
        return {key: _decoded(inner[1], each, _inside(place, key)) for key, each in value.items()}
    if origin is tuple:
        return tuple(_decoded(inner[0], each, _inside(place, i)) for i, each in enumerate(value))
    return value


def _object(kind: Any, value: Any, place: str) -> Any:
    _check(dict, value, place)
    hints = _hints(kind)
    return kind(
        **{
            each.name: _decoded(hints[each.name], value[each.name], _inside(place, each.name))
            for each in fields(kind)
            if _there(each, value, place)
        }
    )


def _there(field: Field[Any], value: dict[str, Any], place: str) -> bool:
    if field.name not in value and field.default is MISSING:
        raise InvalidInput(f"{_inside(place, field.name)} is missing")
    return field.name in value


def _check(kind: Any, value: Any, place: str) -> None:
    known, words = _WORDS[kind]
    if not isinstance(value, known) or (isinstance(value, bool) and kind is not bool):
        shown = repr(value)
        raise InvalidInput(
            f"{place or 'the whole'} must be {words}, got "
            f"{shown if len(shown) <= 60 else shown[:57] + '...'}"
        )


def _inside(place: str, name: object) -> str:
    return f"{place}.{name}" if place else str(name)


@lru_cache
def _hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)
