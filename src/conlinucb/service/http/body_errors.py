"""What a body that does not fit is told: where, what came in, what would be right."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

_INTERNAL = re.compile(r"^(constrained-|list\[|dict\[|literal\[|function-|nullable)")
"""Parts of a place that name a choice between types, not a field."""

_WORDS = {
    "string_pattern_mismatch": "Control characters are not taken",
    "extra_forbidden": "nothing here has this name",
}
"""What is said instead of a regular expression, and of what a library calls an extra input."""


def sentence(errors: Sequence[Any], where: tuple[str, ...] = ()) -> str:
    """One sentence about the first things that are wrong.

    >>> sentence([{"loc": ("body", "k"), "msg": "Input should be at most 100", "input": 500}])
    'body.k: Input should be at most 100, got 500.'
    >>> sentence([{"loc": ("body",), "msg": "Value error, shares are below 1, got 2"}])
    'body: shares are below 1, got 2.'
    >>> sentence([{"loc": ("body", "ask"), "type": "extra_forbidden", "msg": "", "input": "pair"}])
    "body.ask: nothing here has this name, got 'pair'."
    """
    found = [_one(each, where) for each in errors[:3]]
    more = f" And {len(errors) - 3} more." if len(errors) > 3 else ""
    return " ".join(found) + more


def _one(error: Any, where: tuple[str, ...]) -> str:
    parts = [str(part) for part in (*where, *error["loc"])]
    place = ".".join(part for part in parts if not _INTERNAL.match(part))
    if error.get("type") == "json_invalid":
        return f"{place}: {error['msg']}."
    said = _WORDS.get(error.get("type", ""), error["msg"]).removeprefix("Value error, ")
    if ", got " in said:  # our own checks say it themselves
        return f"{place}: {said}."
    return f"{place}: {said}, got {_short(error.get('input'))}."


def _short(value: Any) -> str:
    text = repr(value).encode("utf-8", "backslashreplace").decode()
    return text if len(text) <= 80 else text[:77] + "..."
