"""Parameters as values that JSON can hold: equal for equal parameters, whatever their address."""

from __future__ import annotations

import hashlib
from dataclasses import is_dataclass
from typing import Any

import numpy as np


def plain(value: Any) -> Any:
    """The value itself where JSON can hold it, else a text that names it.

    >>> plain(0.5), plain(np.ones(2))
    (0.5, 'array(2,) 5f07eef034c5a21f')
    """
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, np.ndarray):
        digest = hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()[:16]
        return f"array{value.shape} {digest}"
    text = getattr(value, "__qualname__", None) or repr(value)
    if " at 0x" not in text:
        return text
    inside = {name: plain(part) for name, part in parts(value).items()}
    return f"{type(value).__qualname__}({inside})"


def parts(value: Any) -> dict[str, Any]:
    """An object's own attributes, in a dictionary or in slots."""
    slots = getattr(type(value), "__slots__", ())
    named = (slots,) if isinstance(slots, str) else slots
    return {name: getattr(value, name) for name in named if hasattr(value, name)} | getattr(
        value, "__dict__", {}
    )


def same(one: Any, other: Any) -> bool:
    """Whether two parts, or parameters, are equal: by what they are made of.

    An object whose class does not say what equal means is the same as another of that class with
    the same attributes; functions are the same only if they are one.

    >>> same([0.5, np.ones(2)], [0.5, np.ones(2)]), same(lambda t: 1.0, lambda t: 1.0)
    (True, False)
    """
    if one is other or type(one) is not type(other):
        return one is other
    if isinstance(one, np.ndarray):
        return bool(np.array_equal(one, other))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, (tuple, list)):
        return len(one) == len(other) and all(map(same, one, other))
    if hasattr(one, "digest"):  # a prior
        return same(one.digest(), other.digest())
    if _is_its_attributes(type(one)):
        return same(_defining(one), _defining(other))
    return bool(one == other)


def _defining(value: Any) -> dict[str, Any]:
    """All attributes; of an estimator those that ``parameters`` may name, the others are caches."""
    public = hasattr(value, "parameters")
    return {name: of for name, of in parts(value).items() if not (public and name[:1] == "_")}


def _is_its_attributes(kind: type) -> bool:
    """Whether objects of this class are nothing but their attributes, compared one by one."""
    inherited = {
        name: getattr(kind, name) is getattr(object, name) for name in ("__eq__", "__new__")
    }
    return inherited["__new__"] and (inherited["__eq__"] or is_dataclass(kind))
