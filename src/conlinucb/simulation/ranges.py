"""Ranges of parameters: each maps the places from 0 to 1 onto values, and back.

A search knows places only, so a parameter is searched as evenly as its range says: evenly in its
logarithm, in its odds, in itself, or among a few options.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from conlinucb.errors import InvalidInput
from conlinucb.numerics.validation import number, positive, whole

EDGE = 0.05
"""The share of a range, at either end, in which an optimum is suspicious."""
DIGITS = 4
"""How many digits of a value are kept; more where a range is so narrow that they decide."""


class Range:
    """What a parameter may be: ``value`` of a place from 0 to 1, and ``place`` of a value."""

    count: int | None = None
    """How many different values there are; None for a continuum."""

    def value(self, place: float) -> Any:
        """The value at a place."""
        raise InvalidInput(f"{type(self).__name__} has no value(place).")

    def place(self, value: Any) -> float:
        """Where a value lies: the inverse of ``value``."""
        raise InvalidInput(f"{type(self).__name__} has no place(value).")

    def holds(self, value: Any) -> bool:
        """Whether a value is one of this range."""
        raise InvalidInput(f"{type(self).__name__} has no holds(value).")

    def at_edge(self, value: Any) -> bool:
        """Whether a value lies so near an end that a wider range might hold a better one."""
        return not EDGE <= self.place(value) <= 1 - EDGE

    def values(self) -> list[Any]:
        """Every value, where they can be counted."""
        count = self.count or 0
        return [self.value((i + 0.5) / count) for i in range(count)]

    def moved(self, value: Any, factor: float) -> Any:
        """The value times a factor; None where that is outside, the same, or has no meaning."""
        return None


class Numbers(Range):
    """Between two numbers, both included."""

    def __init__(self, low: float, high: float) -> None:
        if not low < high:
            raise InvalidInput(
                f"{type(self).__name__} goes from a smaller number to a larger, got {low!r} to "
                f"{high!r}."
            )
        self.low, self.high = low, high

    def holds(self, value: Any) -> bool:
        """Whether it is a number between the two."""
        return _is_number(value) and self.low <= value <= self.high

    def moved(self, value: Any, factor: float) -> Any:
        """The value times a factor, if the range holds it."""
        other = value * factor
        return other if self.holds(other) else None

    def _inside(self, value: float) -> float:
        return min(max(value, self.low), self.high)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.low:g}, {self.high:g})"


class Log(Numbers):
    """Numbers above 0, as many between 0.1 and 1 as between 1 and 10.

    >>> Log(0.001, 10.0).value(0.5), Log(0.001, 10.0).place(10.0)
    (0.1, 1.0)
    """

    def __init__(self, low: float, high: float) -> None:
        super().__init__(positive("low", low), positive("high", high))

    def value(self, place: float) -> float:
        """low (high / low) ^ place, to a few digits."""
        ratio = self.high / self.low
        return self._inside(_rounded(self.low * ratio**place, DIGITS, float(np.log(ratio))))

    def place(self, value: float) -> float:
        """The share of the logarithm."""
        return float(np.log(value / self.low) / np.log(self.high / self.low))


class Logit(Numbers):
    """Shares between 0 and 1, evenly in the logarithm of their odds.

    >>> Logit(0.1, 0.9).value(0.5)
    0.5
    """

    def __init__(self, low: float, high: float) -> None:
        super().__init__(number("low", low, low=1e-9), number("high", high, high=1 - 1e-9))

    def value(self, place: float) -> float:
        """The share whose odds lie there, to a few digits."""
        low, high = _odds_against(self.low), _odds_against(self.high)
        share = 1 / (1 + low * (high / low) ** place)
        # Two digits more: near 1 it is the distance from 1 that matters.
        return self._inside(_rounded(share, DIGITS + 2, float(np.log(low / high))))

    def place(self, value: float) -> float:
        """The share of the odds' logarithm."""
        low, high = _odds_against(self.low), _odds_against(self.high)
        return float(np.log(_odds_against(value) / low) / np.log(high / low))


class Uniform(Numbers):
    """Numbers, evenly.

    >>> Uniform(-1.0, 3.0).value(0.25)
    0.0
    """

    def __init__(self, low: float, high: float) -> None:
        super().__init__(number("low", low), number("high", high))

    def value(self, place: float) -> float:
        """low + place (high - low), to a few digits of the difference."""
        width = self.high - self.low
        digits = DIGITS - int(np.floor(np.log10(width)))
        return self._inside(round(self.low + place * width, digits))

    def place(self, value: float) -> float:
        """The share of the way."""
        return (value - self.low) / (self.high - self.low)


class Whole(Numbers):
    """Whole numbers, evenly, or with ``log=True`` evenly in their logarithm.

    >>> [Whole(1, 3).value(place) for place in (0.0, 0.5, 1.0)]
    [1, 2, 3]
    """

    def __init__(self, low: int, high: int, *, log: bool = False) -> None:
        super().__init__(whole("low", low, low=int(log)), whole("high", high))
        self.log = log
        self.count = int(self.high - self.low) + 1

    def value(self, place: float) -> int:
        """The nearest whole number; the ends have as much room as all others."""
        low, high = self.low - 0.5, self.high + 0.5
        exact = low * (high / low) ** place if self.log else low + place * (high - low)
        return int(self._inside(np.floor(exact + 0.5)))

    def place(self, value: int) -> float:
        """The share of the way, or of the logarithm."""
        low, high = self.low - 0.5, self.high + 0.5
        if self.log:
            return float(np.log(value / low) / np.log(high / low))
        return float((value - low) / (high - low))

    def values(self) -> list[int]:
        """Every whole number of the range."""
        return list(range(int(self.low), int(self.high) + 1))

    def holds(self, value: Any) -> bool:
        """Whether it is a whole number between the two."""
        return super().holds(value) and value % 1 == 0

    def moved(self, value: int, factor: float) -> int | None:
        """The nearest whole number, if it is another one of the range."""
        other = round(value * factor)
        return other if self.holds(other) and other != value else None

    def at_edge(self, value: int) -> bool:
        """Whether it is the first or the last."""
        return value in (self.low, self.high)

    def __repr__(self) -> str:
        return f"{super().__repr__()[:-1]}{', log=True' if self.log else ''})"


class Choice(Range):
    """One of some options; none is near another, and none at an edge.

    >>> Choice(["max-radius", "spanner"]).value(0.7)
    'spanner'
    """

    def __init__(self, options: Sequence[Any]) -> None:
        if isinstance(options, (str, bytes)) or not isinstance(options, Sequence) or not options:
            raise InvalidInput(f"Choice takes a list of options, got {options!r}.")
        self.options = tuple(options)
        self.count = len(self.options)

    def value(self, place: float) -> Any:
        """The option in whose part the place lies."""
        return self.options[min(int(place * len(self.options)), len(self.options) - 1)]

    def place(self, value: Any) -> float:
        """The middle of the option's part."""
        return (self.options.index(value) + 0.5) / len(self.options)

    def holds(self, value: Any) -> bool:
        """Whether it is one of the options."""
        return value in self.options

    def at_edge(self, value: Any) -> bool:
        """Never."""
        return False

    def __repr__(self) -> str:
        return f"Choice({list(self.options)!r})"


def _is_number(value: Any) -> bool:
    numeric = isinstance(value, (int, float, np.integer, np.floating))
    return numeric and not isinstance(value, bool)


def _odds_against(share: float) -> float:
    return (1 - share) / share


def _rounded(value: float, digits: int, width: float) -> float:
    """To so many digits, and more where the range is less than one unit of its scale wide."""
    more = max(0, -int(np.floor(np.log10(width))))
    return float(f"{value:.{digits + more}g}")
