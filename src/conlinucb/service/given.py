"""What callers give, as the log keeps it."""

from __future__ import annotations

from conlinucb.service.problems import Problem
from conlinucb.service.served import Served


def number_in(given: str, letter: str, what: str) -> int:
    """The event that an id such as q12 or d12 names."""
    digits = given.removeprefix(letter)
    if digits == given or not digits.isascii() or not digits.isdigit() or len(digits) > 9:
        raise Problem(
            404, f"unknown_{what}", f"A {what} is called like {letter}12, got {given[:50]!r}."
        )
    return int(digits)


def value_of(given: str | float, served: Served, what: str) -> float | None:
    """An answer or a reward as a number in the catalogue's range; None for a skip."""
    low, high = served.settings.range
    if isinstance(given, str):
        return {"yes": high, "no": low, "skip": None}[given]
    if not low <= given <= high:
        raise Problem(
            422, "out_of_range", f"{what} must be a number from {low:g} to {high:g}, got {given!r}."
        )
    return float(given)
