"""What an evaluation found: estimates with intervals, or why there is none."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from conlinucb.errors import MissingExtra, UnknownName, nearest
from conlinucb.numerics.validation import Floats
from conlinucb.offline.estimators import BY_NAME
from conlinucb.shown import Table, people_text, rounded

ESTIMATORS = tuple(BY_NAME)
"""The names of all estimators."""
HEADS = ("estimator", "value", "low", "high", "effective", "note")


@dataclass(frozen=True)
class Estimate:
    """A target's mean reward by one estimator, with its 95 % interval."""

    name: str
    value: float
    """NaN where it is refused, and so are the bounds."""
    low: float
    high: float
    effective: float
    """Effective number of decisions it rests on."""
    bias: tuple[float, float] = (0.0, 0.0)
    """What the bounds allow for bias, at the lower and at the upper end."""
    refused: str = ""
    """Why there is no number; empty where there is one."""

    def covers(self, truth: float) -> bool:
        """Whether the interval holds this value; False where it is refused."""
        return bool(self.low <= truth <= self.high)


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation:
    """Estimates of one target on one log, and how far they can be trusted."""

    estimates: dict[str, Estimate]
    logged: Estimate
    """What the log itself earned."""
    decisions: int
    people: int | None
    """None where the log does not say who, or decisions are taken for independent."""
    weights: Floats
    """(decisions,) the target's probability over the log's."""
    clip: float

    def __getitem__(self, name: str) -> Estimate:
        if name not in self.estimates:
            raise UnknownName(f"No estimate is called {name!r}.{nearest(name, self.estimates)}")
        return self.estimates[name]

    @property
    def support(self) -> float:
        """Share of the decisions whose action the target might have taken."""
        return float((self.weights > 0.0).mean())

    @property
    def max_weight(self) -> float:
        """The largest weight."""
        return float(self.weights.max())

    @property
    def mean_weight(self) -> float:
        """Near 1 where the propensities are right and every arm of the target was logged."""
        return float(self.weights.mean())

    def rows(self) -> list[dict[str, Any]]:
        """One row for each estimate, after what was logged."""
        every = (self.logged, *self.estimates.values())
        keys = HEADS[:-1]
        return [
            {"estimator": each.name, **{key: getattr(each, key) for key in keys[1:]},
             "note": each.refused or _bias(each)}
            for each in every
        ]  # fmt: skip

    def texts(self) -> list[tuple[str, ...]]:
        """The rows as people read them."""
        return [_texts(row) for row in self.rows()]

    def to_frame(self) -> Any:
        """The rows as a pandas frame."""
        try:
            return importlib.import_module("pandas").DataFrame(self.rows())
        except ModuleNotFoundError:
            raise MissingExtra("frames", "to_frame()") from None

    def __str__(self) -> str:
        who = "" if self.people is None else f" of {people_text(self.people)}"
        first = (
            f"{self.decisions:,} decisions{who}; the target might have taken {self.support:.1%} of "
            f"the actions; weights: mean {self.mean_weight:.3g}, largest {self.max_weight:.4g}"
        )
        return "\n".join([first, *(_line(row) for row in self.rows())])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return Table(str(self).splitlines()[0], HEADS, self.texts()).to_html()


def _texts(row: dict[str, Any]) -> tuple[str, ...]:
    known = ("", "", "") if np.isnan(row["value"]) else _digits(row)
    return str(row["estimator"]), *known, f"{row['effective']:,.0f}", str(row["note"])


def _digits(row: dict[str, Any]) -> tuple[str, str, str]:
    """Value and bounds with the digits that the interval allows: some rewards are rare."""
    half = (row["high"] - row["low"]) / 2
    value, low, high = (rounded(row[head], half) for head in HEADS[1:4])
    return value, low, high


def _line(row: dict[str, Any]) -> str:
    if np.isnan(row["value"]):
        return f"{row['estimator']:<8} refused: {row['note']}"
    note = f"  {row['note']}" if row["note"] else ""
    value, low, high = _digits(row)
    bounds = f"[{low}, {high}]"
    told = f"{row['estimator']:<8} {value:>8}  {bounds:<20}"
    return f"{told} from {row['effective']:,.0f} effective decisions{note}"


def _bias(estimate: Estimate) -> str:
    low, high = estimate.bias
    return f"bounds allow {low:+.2g} to {high:+.2g} for bias" if (low, high) != (0.0, 0.0) else ""
