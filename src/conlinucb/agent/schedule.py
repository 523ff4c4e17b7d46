"""b(t): how many questions have been asked by the end of round t (t counts from 1).

Round t asks q(t) = floor(b(t)) - floor(b(t - 1)) questions, and nothing has been asked
before round 1.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from conlinucb.agent.gates.thin import Thin
from conlinucb.agent.gates.worth import Worth
from conlinucb.errors import InvalidInput
from conlinucb.numerics.validation import number, positive, whole

# b(t) = 0.29 t gives 28.999999999999996 at t = 100: count a question that is owed but for rounding.
_ROUNDING = 1e-9


@dataclass(frozen=True, kw_only=True)
class _Shifted(ABC):
    zero_based: bool = False
    """Count rounds from 0, as the authors' code does: b(t - 1) in place of b(t)."""

    def __call__(self, t: int) -> float:
        return self._b(t - 1 if self.zero_based else t)

    @abstractmethod
    def _b(self, t: int) -> float: ...


@dataclass(frozen=True)
class Never(_Shifted):
    """b(t) = 0."""

    def _b(self, t: int) -> float:
        return 0.0


@dataclass(frozen=True)
class Logarithmic(_Shifted):
    """b(t) = f floor(ln(t + 1)), the schedule of the paper's experiments.

    >>> [t for t in range(1, 60) if questions(Logarithmic(5), t)]
    [2, 7, 20, 54]
    """

    f: float = 5

    def __post_init__(self) -> None:
        number("f", self.f, low=0.0)

    def _b(self, t: int) -> float:
        return self.f * math.floor(math.log(t + 1))


@dataclass(frozen=True)
class Linear(_Shifted):
    """b(t) = b t, the schedule of the paper's theory; b may be below 1.

    >>> [t for t in range(1, 31) if questions(Linear(0.1), t)]
    [10, 20, 30]
    """

    b: float = 1

    def __post_init__(self) -> None:
        number("b", self.b, low=0.0)

    def _b(self, t: int) -> float:
        return self.b * t


@dataclass(frozen=True)
class Every(_Shifted):
    """b(t) = floor(t / n): one question every n rounds.

    >>> [t for t in range(1, 10) if questions(Every(3), t)]
    [3, 6, 9]
    """

    n: int = 1

    def __post_init__(self) -> None:
        whole("n", self.n, low=1)

    def _b(self, t: int) -> float:
        return math.floor(t / self.n)


@dataclass(frozen=True)
class WhenWorth:
    """A question is asked only while the best one is worth more than it costs a person.

    ``cost`` is in units of reward, and so is a question's value: by how much it improves the next
    recommendation, see ``Agent.value``. At most ``most`` a round, and none after the ``first``
    rounds (None: in all of them). b(t) is the most that can have been asked.

    >>> WhenWorth(0.01, most=2, first=10)(7)
    14.0
    """

    cost: float = 0.01
    most: int = 3
    first: int | None = None

    def __post_init__(self) -> None:
        number("cost", self.cost, low=0.0)
        whole("most", self.most, low=0)
        if self.first is not None:
            whole("first", self.first, low=0)

    def __call__(self, t: int) -> float:
        """The most that can have been asked by the end of round t."""
        return float(self.most * (t if self.first is None else min(t, self.first)))

    def gate(self, strategy: Any) -> Worth:
        """What looks before each question; see ``conlinucb.agent.gates``."""
        return Worth(self.cost, strategy)


@dataclass(frozen=True)
class WhereThin:
    """At checks, questions are asked until no direction is known too little.

    That is as long as M, of the directions that key-terms span, has an eigenvalue below ``c`` times
    the round: less than c of an observation a round. ``every`` is how many rounds lie between
    checks, or "doubling" for checks in rounds 1, 2, 4, 8, ...; at most ``most`` questions a check.
    b(t) is the most that can have been asked. Strategy "thinnest" asks along that direction.

    >>> [WhereThin(0.1, every="doubling", most=2)(t) for t in (1, 3, 4, 100)]
    [2.0, 4.0, 6.0, 14.0]
    """

    c: float = 0.01
    every: int | str = 1
    most: int = 5

    def __post_init__(self) -> None:
        positive("c", self.c)
        whole("most", self.most, low=0)
        if isinstance(self.every, str) and self.every != "doubling":
            raise InvalidInput(f"every must be rounds or 'doubling', got {self.every!r}.")
        if not isinstance(self.every, str):
            whole("every", self.every, low=1)

    def __call__(self, t: int) -> float:
        """The most that can have been asked by the end of round t."""
        checks = t.bit_length() if isinstance(self.every, str) else t // self.every
        return float(self.most * checks)

    def gate(self, strategy: Any) -> Thin:
        """What looks before each question; see ``conlinucb.agent.gates``."""
        return Thin(self.c)


def asked_by(schedule: Callable[[int], float], t: int) -> int:
    """floor(b(t)), the questions asked by the end of round t; 0 for t = 0."""
    return math.floor(_value(schedule, t) + _ROUNDING)


def _value(schedule: Callable[[int], float], t: int) -> float:
    if t <= 0:
        return 0.0
    try:
        b = schedule(t)
    except Exception as error:
        raise InvalidInput(f"The schedule {schedule!r} failed at t = {t}: {error!r}") from error
    return number(f"b({t})", b, low=0.0)


def questions(schedule: Callable[[int], float], t: int) -> int:
    """q(t), the number of questions of round t."""
    before, now = _value(schedule, t - 1), _value(schedule, t)
    if now < before - _ROUNDING:
        raise InvalidInput(
            f"A schedule must never decrease, but b({t - 1}) = {before:g} and b({t}) = {now:g}."
        )
    return max(0, math.floor(now + _ROUNDING) - math.floor(before + _ROUNDING))


def checked(schedule: Any, rounds: int = 1000) -> Callable[[int], float]:
    """Return ``schedule`` if it is callable and does not decrease over the first rounds."""
    if not callable(schedule) or isinstance(schedule, type):
        raise InvalidInput(
            f"schedule must be Never(), Logarithmic(f), Linear(b), Every(n), WhenWorth(cost), "
            f"WhereThin(c) or a function b(t), got {schedule!r}."
        )
    ours = type(schedule).__module__ == __name__  # these never decrease
    for t in range(rounds if ours else 1, rounds + 1):
        questions(schedule, t)
    return schedule
