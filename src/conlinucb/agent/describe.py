"""Parameters as values that JSON can hold: equal for equal parameters, whatever their address."""

from __future__ import annotations

import hashlib
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
