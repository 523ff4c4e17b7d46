"""Agents compared on the same people: differences, improvements, intervals and p-values."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from conlinucb.errors import InvalidInput, UnknownName, nearest
from conlinucb.numerics.validation import Floats
from conlinucb.shown import Table, interval, p_text
from conlinucb.simulation.intervals import half_width, holm, p_value, simultaneous


@dataclass(frozen=True, repr=False)
class Comparison:
    """Agent ``a`` against agent ``b`` on the same users, by one metric at one round.

    Intervals are over users, each user's repeats averaged first, with Student's t. One user gives
    no interval and no p-value: they are NaN, and shown as ``-``.
    """

    a: str
    b: str
    difference: float
    """Mean of metric(a) - metric(b): of regret, negative where a is better."""
    low: float
    high: float
    p_value: float
    """Of a paired two-sided t-test that the difference is 0; 1 where nobody's differs, NaN where
    everybody's is the same and not 0, since there is no spread to judge it by."""
    improvement: float
    """How much better a is, as a share of b's mean, positive where a is better: 1 - a / b where
    less is better, a / b - 1 where more is (reward, hits, answered); NaN unless b's is positive."""
    improvement_low: float
    improvement_high: float
    metric: str = "regret"
    round: int = 0
    people: int = 0
    level: float = 0.95
    """Of the intervals: of all pairs together, where there are several."""
    pairs: int = 1
    """How many pairs were asked for; p-values and intervals are corrected for all of them."""
    p_alone: float = math.nan
    """The p-value before that correction."""

    def __repr__(self) -> str:
        p = p_text(self.p_value)
        said = f"p {p}" if p[0] in "<-" else f"p = {p}"
        corrected = f", one of {_correction(self)}" if _correction(self) else ""
        return (
            f"Comparison({self.a} - {self.b}, {self.metric} after {self.round} rounds: "
            f"{interval(self.difference, self.low, self.high)}, improvement {_gain(self)} %, "
            f"{said}, {_people(self)}{corrected})"
        )

    def _repr_html_(self) -> str:
        return _table([self]).to_html()


def compared(
    names: tuple[str, str],
    x: Floats,
    y: Floats,
    *,
    more_is_better: bool,
    level: float,
    **about: Any,
) -> Comparison:
    """Two agents by their values for each person, (users,) each."""
    mean, half = float((x - y).mean()), float(half_width(x - y, level))
    gain, gain_half = _improvement(x, y, more_is_better, level)
    p = p_value(x - y)
    return Comparison(
        *names,
        mean,
        mean - half,
        mean + half,
        p,
        gain,
        gain - gain_half,
        gain + gain_half,
        people=x.size,
        level=level,
        p_alone=p,
        **about,
    )


def _improvement(x: Floats, y: Floats, more: bool, level: float) -> tuple[float, float]:
    base = float(y.mean())
    if not base > 0:
        return math.nan, math.nan
    ratio = float(x.mean()) / base
    # The ratio's error by linearisation: that of (x - ratio y) / mean(y).
    half = float(half_width((x - ratio * y) / base, level))
    return (ratio - 1 if more else 1 - ratio), half


class Comparisons(Sequence[Comparison]):
    """Several comparisons asked for together.

    With more than one pair, p-values are Holm's and intervals hold all together at their level:
    each is as wide as one at 1 - (1 - level) / pairs (Bonferroni).
    """

    def __init__(self, pairs: Sequence[Comparison]) -> None:
        self._pairs = tuple(pairs)

    @overload
    def __getitem__(self, at: int) -> Comparison: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Comparison, ...]: ...
    def __getitem__(self, at: int | slice) -> Comparison | tuple[Comparison, ...]:
        return self._pairs[at]

    def __len__(self) -> int:
        return len(self._pairs)

    def __iter__(self) -> Iterator[Comparison]:
        return iter(self._pairs)

    def to_columns(self) -> dict[str, NDArray[Any]]:
        """One row for each pair, as a dictionary of equally long arrays."""
        names = Comparison.__dataclass_fields__
        return {name: np.array([getattr(each, name) for each in self._pairs]) for name in names}

    def __repr__(self) -> str:
        return _table(self._pairs).to_text()

    def _repr_html_(self) -> str:
        return _table(self._pairs).to_html()


def corrected(pairs: Sequence[Comparison], level: float) -> Comparisons:
    """Pairs whose intervals were made at ``simultaneous`` levels, as one family."""
    adjusted = holm(np.array([each.p_alone for each in pairs]))
    return Comparisons(
        [
            replace(each, p_value=float(p), level=level, pairs=len(pairs))
            for each, p in zip(pairs, adjusted, strict=True)
        ]
    )


def chosen_pairs(
    agents: Sequence[str], pairs: Iterable[tuple[str, str]] | None, against: str | None
) -> list[tuple[str, str]]:
    """The pairs given, everyone against one agent, or all there are; none of them twice."""
    if pairs is not None and against is not None:
        raise InvalidInput("Give pairs or against, not both.")
    if against is not None and against not in agents:
        raise UnknownName(f"No agent is called {against!r}.{nearest(against, agents)}")
    if against is not None:
        pairs = [(name, against) for name in agents if name != against]
    chosen = [_pair(each) for each in (combinations(agents, 2) if pairs is None else pairs)]
    if not chosen:
        raise InvalidInput("There is no pair to compare: a pair is two agents.")
    if len({frozenset(each) for each in chosen}) < len(chosen):
        raise InvalidInput(f"A pair is there twice: {chosen!r}.")
    return chosen


def _pair(given: Any) -> tuple[str, str]:
    if not isinstance(given, (tuple, list)) or len(given) != 2:
        raise InvalidInput(
            f"A pair is two names of agents, such as ('MCR', 'LinUCB'), got {given!r}."
        )
    return given[0], given[1]


def _table(pairs: Sequence[Comparison]) -> Table:
    first = pairs[0]
    told = [f"{first.metric} after {first.round} rounds", _people(first)]
    if first.people > 1:
        told.append(_correction(first) or f"{100 * first.level:g} % intervals")
    rows = [
        (f"{e.a} - {e.b}", interval(e.difference, e.low, e.high), _gain(e), p_text(e.p_value))
        for e in pairs
    ]
    return Table(", ".join(told), ("", "difference", "improvement, %", "p"), rows)


def _people(one: Comparison) -> str:
    return f"{one.people} people" if one.people != 1 else "1 person: no interval, no p-value"


def _gain(one: Comparison) -> str:
    shares = (one.improvement, one.improvement_low, one.improvement_high)
    return interval(*(100 * each for each in shares))


def _correction(one: Comparison) -> str:
    """What was done about looking at several pairs; nothing where there was nothing to do."""
    if one.pairs == 1 or one.people == 1:
        return ""
    each = 100 * simultaneous(one.level, one.pairs)
    return (
        f"{one.pairs} pairs: p-values by Holm, intervals hold together at {100 * one.level:g} % "
        f"(Bonferroni: {each:.4g} % each)"
    )
