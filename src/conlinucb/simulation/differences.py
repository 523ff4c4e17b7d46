"""Where two specifications differ, field by field."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple


class Difference(NamedTuple):
    """A field, such as ``people.pool_size``, and its two values as short texts."""

    field: str
    one: str
    other: str


def differences(one: Any, other: Any) -> list[Difference]:
    """All of them, what the caller named first: rounds, say, before what follows from it.

    >>> differences({"seed": 0, "people": {"users": 3}}, {"seed": 1, "people": {"users": 4}})[0]
    Difference(field='seed', one='0', other='1')
    """
    found = _walk("", *(json.loads(json.dumps(each)) for each in (one, other)))
    return sorted(found, key=lambda each: each.field.count("."))


def _walk(path: str, one: Any, other: Any) -> Iterator[Difference]:
    if isinstance(one, dict) and isinstance(other, dict):
        for key in dict.fromkeys([*one, *other]):
            inside = f"{path}.{key}" if path else str(key)
            yield from _walk(inside, one.get(key), other.get(key))
    elif one != other:
        yield Difference(path, _short(one), _short(other))


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
