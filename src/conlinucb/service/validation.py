"""What a body that does not fit is told: where, what came in, what would be right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def sentence(errors: Sequence[Any], where: tuple[str, ...] = ()) -> str:
    """One sentence about the first things that are wrong.

    >>> sentence([{"loc": ("body", "k"), "msg": "Input should be at most 100", "input": 500}])
    'body.k: Input should be at most 100, got 500.'
    """
    found = [_one(each, where) for each in errors[:3]]
    more = f" And {len(errors) - 3} more." if len(errors) > 3 else ""
    return " ".join(found) + more


def _one(error: Any, where: tuple[str, ...]) -> str:
    place = ".".join(str(part) for part in (*where, *error["loc"]))
    if error["type"] == "json_invalid" if "type" in error else False:
        return f"{place}: {error['msg']}."
    return f"{place}: {error['msg']}, got {_short(error.get('input'))}."


def _short(value: Any) -> str:
    text = repr(value).encode("utf-8", "backslashreplace").decode()
    return text if len(text) <= 80 else text[:77] + "..."
