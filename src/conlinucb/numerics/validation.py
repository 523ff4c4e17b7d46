"""Checks of what callers pass in; each error names the value received."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from conlinucb.errors import InvalidInput

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]
Indices = NDArray[np.int64]

LARGEST = 1e100
"""Largest magnitude of a feature, weight, answer or reward: squares still fit a float64."""


def number(name: str, value: Any, *, low: float = -LARGEST, high: float = LARGEST) -> float:
    """Return ``value`` as a finite float in [low, high].

    >>> number("reward", 1)
    1.0
    """
    if isinstance(value, (str, bytes)) or value is None:
        raise InvalidInput(f"{name} must be a number, got {value!r}.")
    try:
        result = float(value)
    except OverflowError:
        result = math.inf
    except (TypeError, ValueError):
        raise InvalidInput(f"{name} must be a number, got {_short(value)}.") from None
    if not low <= result <= high:  # also catches NaN
        raise InvalidInput(
            f"{name} must be a finite number from {low!r} to {high!r}, got {_short(value)}."
        )
    return result


def _short(value: Any) -> str:
    """The value in a message: plain, and not longer than a line."""
    text = repr(value.item() if isinstance(value, np.generic) else value)
    return text if len(text) <= 80 else text[:77] + "..."


def positive(name: str, value: Any) -> float:
    """Return ``value`` as a float in [1e-12, 1e12], the range in which 1/value is harmless."""
    return number(name, value, low=1e-12, high=1e12)


def checked_range(value: Any) -> tuple[float, float]:
    """Return ``value`` as (low, high), two numbers of which the first is lower.

    >>> checked_range([1, 5])
    (1.0, 5.0)
    """
    if not isinstance(value, (tuple, list)) or len(value) != 2:
        raise InvalidInput(f"range must be two numbers (low, high), got {_short(value)}.")
    low, high = number("range", value[0]), number("range", value[1])
    if not low < high:
        raise InvalidInput(f"range must be a lower and a higher number, got {_short(value)}.")
    return low, high


def whole(name: str, value: Any, *, low: int = 0) -> int:
    """Return ``value`` as an int of at least ``low``; 3.0 passes, 3.5 and True do not."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if isinstance(value, (bool, np.bool_)) or not isinstance(
        value, (int, float, np.integer, np.floating)
    ):
        raise InvalidInput(f"{name} must be a whole number, got {value!r}.")
    integral = isinstance(value, (int, np.integer)) or (math.isfinite(value) and value % 1 == 0)
    if not integral or not low <= value < 2**62:
        raise InvalidInput(f"{name} must be a whole number of at least {low}, got {_short(value)}.")
    return int(value)


def matrix(name: str, value: ArrayLike, *, columns: int | None = None) -> Floats:
    """Return a fresh, C-contiguous float64 matrix of finite entries."""
    try:
        given = np.asarray(value)
        if given.size and given.dtype.kind not in "biuf":
            raise TypeError(f"its entries are of type {given.dtype}.")
        result = np.array(given, dtype=np.float64, order="C")
    except (TypeError, ValueError) as error:
        raise InvalidInput(
            f"{name} must be a matrix of numbers, got {_short(value)}: {error}"
        ) from None
    if result.ndim != 2:
        raise InvalidInput(f"{name} must have two dimensions, got shape {result.shape}.")
    if columns is not None and result.shape[1] != columns:
        raise InvalidInput(f"{name} must have {columns} columns, got shape {result.shape}.")
    finite_entries(name, result)
    return result


def finite_entries(name: str, values: Floats) -> None:
    """Refuse NaN, infinities and magnitudes above ``LARGEST``, naming the first one."""
    bad = ~(np.abs(values) <= LARGEST)
    if bad.any():
        where = tuple(int(i) for i in np.argwhere(bad)[0])
        raise InvalidInput(
            f"{name}{list(where)} is {values[where].item()!r}; every entry must be finite "
            f"and at most {LARGEST:g} in magnitude ({int(bad.sum())} are not)."
        )


def indices(
    name: str, value: ArrayLike, *, size: int, find: Callable[[str], int] | None = None
) -> Indices:
    """Return a one-dimensional int64 array of distinct indices in [0, size).

    ``find`` gives the index of a text, where texts may stand for indices.
    """
    try:
        found = np.asarray(value)
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"{name} must be an array of integer indices: {error}") from None
    if find is not None and found.ndim == 1 and found.dtype.kind in "OTU":
        found = _found(name, value, found, find)
    if found.ndim != 1 or (found.size and found.dtype.kind not in "iu"):
        raise InvalidInput(
            f"{name} must be a one-dimensional array of integer indices or ids, "
            f"got {_short(value)} (dtype {found.dtype}, shape {found.shape})."
        )
    result = np.ascontiguousarray(found, dtype=np.int64)
    ordered = np.sort(result)
    if ordered.size and (ordered[0] < 0 or ordered[-1] >= size):
        outside = found[(result < 0) | (result >= size)]
        raise InvalidInput(
            f"{name} holds index {int(outside[0])}; valid indices are 0 to {size - 1}."
        )
    again = ordered[1:] == ordered[:-1]
    if again.any():
        raise InvalidInput(f"{name} holds index {int(ordered[1:][again][0])} more than once.")
    return result


def _found(name: str, value: Any, array: NDArray[Any], find: Callable[[str], int]) -> NDArray[Any]:
    """The array with every text turned into its index; as it is where it has none."""
    # Of a list, what stands in it: in an array of texts 3 would be "3".
    each = value if isinstance(value, (list, tuple)) else array.tolist()
    if not any(isinstance(one, str) for one in each):
        return array
    return np.array([find(one) if isinstance(one, str) else whole(name, one) for one in each])


def seed_of(value: Any) -> np.uint64:
    """Return any Python integer as the 64-bit seed it stands for (negative ones wrap)."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
        raise InvalidInput(f"seed must be an integer, got {value!r}.")
    return np.uint64(int(value) & 0xFFFFFFFFFFFFFFFF)
