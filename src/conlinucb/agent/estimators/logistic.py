"""Yes or no: a click, an answer, which of two is preferred. x'theta are the log-odds of yes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types

from conlinucb.agent.alpha import TheoryAlpha, checked_alpha
from conlinucb.agent.estimators import ledger
from conlinucb.agent.estimators.base import Estimator, Influence
from conlinucb.agent.estimators.kernels import ANSWER, LEARN, REFUSED, Kernels
from conlinucb.agent.estimators.ledger import enter
from conlinucb.agent.estimators.one_matrix import OneMatrix
from conlinucb.agent.estimators.state import State
from conlinucb.agent.priors import PairScale, Prior, Start
from conlinucb.errors import InvalidInput
from conlinucb.numerics.compile import FLOAT, kernel
from conlinucb.numerics.linalg import dot, full_matrix, times_of
from conlinucb.numerics.validation import Floats, checked_range

NOISE = 4.0
"""The unit of P: 1 / (p (1 - p)) at even chances, what one yes or no tells of its log-odds."""
LEAST = 1e-12
"""A yes or no tells at least this of its log-odds, however certain it was."""
SLACK = 1e-9
"""By how much a value may be outside its range: rounding."""
STEPS, ENOUGH = 100, 1e-15
"""Of the search for x'theta: how many there may be, and when the last was small enough."""


@kernel(types.UniTuple(FLOAT, 2)(FLOAT))
def chances(z: float) -> tuple[float, float]:
    """1 / (1 + e^-z) and what it lacks of 1, both exact to the last digits."""
    small = np.exp(-abs(z))
    most, least = 1.0 / (1.0 + small), small / (1.0 + small)
    return (most, least) if z >= 0.0 else (least, most)


@kernel(FLOAT(FLOAT, FLOAT, FLOAT))
def settled(before: float, spread: float, y: float) -> float:
    """The s with s = before + spread (y - p(s)), by Newton's steps.

    The right side falls with s, and the root is within ``spread`` of ``before``. A step that leads
    out of what is left of that, or is no shorter than half the one before, goes to its middle.
    """
    s, low, high, last = before, before - spread, before + spread, 4.0 * spread
    for _ in range(STEPS):
        p, rest = chances(s)
        miss = s - before - spread * (y * rest - (1.0 - y) * p)
        if miss > 0.0:
            high = s
        else:
            low = s
        step = -miss / (1.0 + spread * p * rest)
        if min(abs(step), high - low) <= ENOUGH * (1.0 + abs(s)):
            return s + step
        if not (low < s + step < high and 2.0 * abs(step) <= last):
            step = 0.5 * (low + high) - s
        s, last = s + step, abs(step)
    return s


@kernel(LEARN, pointer=True)
def learn(
    state: State,
    constants: Floats,
    source: int,
    x: Floats,
    value: float,
    weight: float,
    v: Floats,
) -> int:
    """One observation y of the chance at x'theta, by an implicit Newton step.

    theta becomes the minimum of ||theta - theta_before||^2_M / 2 + w (log(1 + e^x'theta)
    - y x'theta), which lies along Px at s = x'theta, and M grows by that term's curvature there. So
    it is a ridge's update by the observation s + (y - p) / p(1 - p) of weight w p(1 - p).
    """
    y = (value - constants[1]) / constants[2]
    if not -SLACK <= y <= 1.0 + SLACK:
        return REFUSED
    y = min(max(y, 0.0), 1.0)
    w = weight * constants[0] if source == ANSWER else weight
    times_of(state.matrices, 0, x, v)
    s = settled(dot(x, state.vectors[0]), NOISE * w * max(dot(x, v), 0.0), y)
    p, rest = chances(s)
    curvature = max(p * rest, LEAST)
    seen = s + (y * rest - (1.0 - y) * p) / curvature
    return enter(state, 0, x, seen, NOISE * w * curvature, v)


class Logistic(OneMatrix):
    """Yes with the chance p = 1 / (1 + e^-x'theta), theta ~ N(0, I / beta) or as ``prior`` says.

    For clicks and answers from 0 to 1, or ``range`` (no, yes); between them a value is that share
    of a yes. Each is learned at once, by the minimum of the belief so far and its own loss, which
    the belief then takes in by its curvature there: nearly the whole history's fit, in d^2 steps.
    P is the covariance of theta in units of 4. Arms are ranked by x'theta plus alpha of its
    standard deviations; expected rewards and answers are chances. The answer about a pair is from
    -1 (the second) to 1 (the first): the chance is that of the difference.

    A prior is on the scale of log-odds, so a ``Population``, which was fitted to rewards, is none.

    >>> logistic = Logistic(beta=1.0)
    >>> state = logistic.new_state(2)
    >>> for _ in range(10):
    ...     logistic.learn_arm(state, np.array([1.0, 0.0]), 1.0)
    >>> state.theta.round(2), logistic.expected(state.theta).round(2)
    (array([1.57, 0.  ]), array([0.83, 0.5 ]))
    """

    name = "logistic"
    kernels = Kernels(learn)
    noise = NOISE
    order_matters = True
    range: tuple[float, float]

    def __init__(
        self,
        *,
        beta: float | None = None,
        alpha: float = 0.5,
        prior: Prior | None = None,
        answer_weight: float = 1.0,
        range: tuple[float, float] = (0.0, 1.0),
    ) -> None:
        self._begin(beta, prior, answer_weight)
        if hasattr(self.start, "answers") or self.start.noise != 1.0:
            raise InvalidInput(
                f"A logistic estimate's prior is on the scale of log-odds, where a yes or no has "
                f"no noise of its own: Gaussian(mean, covariance), got {self.start!r}."
            )
        self.alpha = checked_alpha("alpha", alpha)
        if isinstance(self.alpha, TheoryAlpha):
            raise InvalidInput("TheoryAlpha is that of a ridge estimate; alpha must be a number.")
        self.range = checked_range(range)
        # The answer a, from low - high to high - low, is the value (low + high + a) / 2.
        self.pairs = PairScale(*self.range, -sum(self.range), 2.0)

    def arguments(self) -> dict[str, Any]:
        return {**super().arguments(), "range": self.range}

    def _more(self) -> dict[str, Any]:
        usual = self.range == (0.0, 1.0)
        return {**super()._more(), **({} if usual else {"range": list(self.range)})}

    def constants(self) -> Floats:
        low, high = self.range
        return np.array([self.answer_weight, low, high - low])

    def _first(self, d: int) -> Start:
        precision, moment = self.start.start(d)
        return Start(NOISE * precision, NOISE * moment)

    def expected(self, means: Floats) -> Floats:
        """low + (high - low) p."""
        low, high = self.range
        return np.asarray(low + (high - low) * _chances(means))

    def deviations(self, means: Floats, squares: Floats) -> Floats:
        """(high - low) p (1 - p) times the deviation of x'theta."""
        low, high = self.range
        slopes = _chances(means) * _chances(-means)
        return np.asarray((high - low) * slopes * super().deviations(means, squares))

    def influence(self, state: State, x: Floats) -> Influence:
        """x'theta = sum w (y - p + p(1 - p) z'theta) z'Px and what the prior's moment adds.

        That is so where all is fitted at once, with the chances p of now; here it is near.
        """
        seen, (low, high) = full_matrix(state.P) @ x, self.range
        theta = state.theta.copy()

        def moment(z: Floats, value: float) -> float:
            mean = float(z @ theta)
            p, rest = chances(mean)
            return NOISE * ((value - low) / (high - low) - p + p * rest * mean)

        at_first = float(seen @ state.vectors[ledger.PRIOR])
        both = seen, self.answer_weight * seen
        return Influence(*both, at_first, moment=moment, pairs=self.pairs)

    def exchange(self, state: State, before: Estimator) -> State:
        """This prior and the old sums, in which every yes or no keeps the chance it had."""
        if not isinstance(before, Logistic) or before.range != self.range:
            raise InvalidInput(
                f"Only a logistic state with the range {self.range} can be taken over, got one of "
                f"{before!r}."
            )
        return self._with_sums_of(state, before)


def _chances(means: Floats) -> Floats:
    """1 / (1 + e^-z) of each."""
    return np.asarray(0.5 + 0.5 * np.tanh(0.5 * means))
