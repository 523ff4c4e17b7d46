"""The exploration width alpha: a constant, or what the theory asks for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from conlinucb.errors import InvalidInput
from conlinucb.numerics.validation import number


@dataclass(frozen=True, kw_only=True)
class TheoryAlpha:
    """alpha_t by the paper's Eq. 8, which makes Lemma 2 hold with probability 1 - delta.

    Safe and slow: at t = 1,000, d = 50, beta = 0.15 it is 16.3, where experiments use 0.1.
    """

    delta: float = 0.05

    def __post_init__(self) -> None:
        number("delta", self.delta, low=1e-300, high=1.0)


Alpha = float | TheoryAlpha


def checked_alpha(name: str, value: Any) -> Alpha:
    """Return ``value`` if it is a TheoryAlpha, else as a number of at least 0."""
    if isinstance(value, TheoryAlpha):
        return value
    if isinstance(value, type):
        raise InvalidInput(f"{name} must be a number or TheoryAlpha(delta=...), got {value!r}.")
    return number(name, value, low=0.0)
