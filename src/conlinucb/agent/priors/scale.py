"""The scale of one question's answers, and whether what a prior says of them can be used."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from conlinucb.agent.priors.answers import Answers
from conlinucb.agent.question import Kind
from conlinucb.errors import InvalidInput

LEAST_SLOPE = 1e-6
"""Answers that hardly move with taste say nothing: give them a weight of 0 instead."""


class Scale(NamedTuple):
    """answer = offset + slope probe'theta + noise, ``weight`` times as precise as a reward."""

    offset: float = 0.0
    slope: float = 1.0
    weight: float = 1.0

    def observed(self, answer: float) -> float:
        """The answer as an observation of probe'theta."""
        return (answer - self.offset) / self.slope

    def expected(self, mean: float) -> float:
        """The answer that is expected where probe'theta is ``mean``."""
        return self.offset + self.slope * mean


class PairScale(NamedTuple):
    """What words about a pair are worth, ``low`` and ``high``, and what an estimator makes of a
    difference: the observation (difference - offset) / slope."""

    low: float = 0.0
    high: float = 1.0
    offset: float = 0.0
    slope: float = 1.0


PLAIN_PAIRS = PairScale()


def scale_of(
    answers: Answers, kind: Kind, indices: Sequence[int], pairs: PairScale = PLAIN_PAIRS
) -> Scale:
    """The scale of a question; rewards, and so questions about arms, are not calibrated.

    A pair's offset is the difference of both, a group's the mean; the slope is the mean and the
    weight the harmonic mean of those of its key-terms, since the noisier of them decides. ``pairs``
    is what an estimator then makes of a difference.

    >>> from conlinucb.agent.priors import plain_answers
    >>> quiet = plain_answers(2)._replace(offset=np.array([0.2, 0.5]), weight=np.array([1.0, 3.0]))
    >>> scale_of(quiet, "pair", (0, 1))
    Scale(offset=-0.3, slope=1.0, weight=1.5)
    """
    if kind == "arm":
        return Scale()
    if len(indices) == 1:
        k = indices[0]
        return Scale(float(answers.offset[k]), float(answers.slope[k]), float(answers.weight[k]))
    offsets, slopes, weights = (each[list(indices)] for each in answers[:3])
    offset = offsets[0] - offsets[1] if kind == "pair" else offsets.mean()
    usable = bool((weights > 0).all())
    weight = weights.size / (1.0 / weights).sum() if usable else 0.0
    slope = float(slopes.mean())
    if kind == "pair":
        return Scale(float(offset) + slope * pairs.offset, slope * pairs.slope, float(weight))
    return Scale(float(offset), slope, float(weight))


def checked_answers(given: Any, terms: int) -> Answers:
    """What a prior says of answers, if it can be computed with."""
    try:
        found = Answers(*(np.ascontiguousarray(each, dtype=np.float64) for each in given))
    except (TypeError, ValueError) as error:
        raise InvalidInput(
            f"answers(catalog) of a prior must return Answers, got {given!r}: {error}"
        ) from None
    for name, values in found._asdict().items():
        if values.shape != (terms,) or not np.isfinite(values).all():
            raise InvalidInput(
                f"{name} of a prior's answers must be {terms} finite numbers, one for each "
                f"key-term, got an array of shape {values.shape}."
            )
    _check_range("slope", found.slope, LEAST_SLOPE, np.inf)
    _check_range("weight", found.weight, 0.0, np.inf)
    _check_range("chance", found.chance, 0.0, 1.0)
    return found


def _check_range(name: str, values: Any, low: float, high: float) -> None:
    outside = (values < low) | (values > high)
    if outside.any():
        k = int(np.argmax(outside))
        raise InvalidInput(
            f"{name} of a prior's answers must be from {low:g} to {high:g}, got {values[k]!r} for "
            f"key-term {k}."
        )
