"""Logistic regression once more, as plainly as possible: one step at a time, and all at once.

All feedback is kept, every matrix is summed anew from it, and every minimum is found by Newton's
method in all d coordinates, until no step is left. Nothing is shared with the package.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from scipy.special import expit, log_expit

from support.reference import Floats, radii, solve

Loss = Callable[[Floats], float]
Slopes = Callable[[Floats], tuple[Floats, Floats]]


def minimum(loss: Loss, slopes: Slopes, start: Floats) -> Floats:
    """Where a convex loss is least: Newton's steps, each halved until the loss does not grow."""
    theta = start.copy()
    for _ in range(200):
        gradient, curvature = slopes(theta)
        step = solve(curvature, gradient)
        length = 1.0
        while length > 1e-6 and loss(theta - length * step) > loss(theta) + 1e-13:
            length /= 2
        theta = theta - length * step
        if np.abs(step).max() < 1e-14 * (1 + np.abs(theta).max()):
            break
    return theta


@dataclass
class Seen:
    """One piece of feedback."""

    x: Floats
    y: float
    weight: float


def loss_of(seen: Seen, theta: Floats) -> float:
    z = float(seen.x @ theta)
    return -seen.weight * float(seen.y * log_expit(z) + (1 - seen.y) * log_expit(-z))


def slopes_of(seen: Seen, theta: Floats) -> tuple[Floats, Floats]:
    z = float(seen.x @ theta)
    p, q = float(expit(z)), float(expit(-z))
    gradient = seen.weight * ((1 - seen.y) * p - seen.y * q) * seen.x
    return gradient, seen.weight * p * q * np.outer(seen.x, seen.x)


@dataclass
class Steps:
    """The belief N(theta, M^-1): each piece of feedback is met by the one minimum it moves to.

    As the references of other estimates have it, ``term_M`` is in the units of one yes or no of
    even chances, 4 M.
    """

    precision: Floats
    mean: Floats
    alpha: float = 0.5
    answer_weight: float = 1.0
    room: int = 4096
    count: int = 0
    theta: Floats = field(init=False)
    answers_reach = 2.0

    def __post_init__(self) -> None:
        self.theta = self.mean.copy()
        self.rows = np.zeros((self.room, self.mean.size))
        self.told = np.zeros(self.room)
        """How much each piece of feedback was taken to tell."""

    @property
    def M(self) -> Floats:
        rows = self.rows[: self.count]
        return self.precision + (rows.T * self.told[: self.count]) @ rows

    def learn_arm(self, x: Floats, y: float, weight: float = 1.0) -> None:
        new, M, before = Seen(x, y, weight), self.M, self.theta

        def loss(theta: Floats) -> float:
            away = theta - before
            return float(away @ M @ away) / 2 + loss_of(new, theta)

        def slopes(theta: Floats) -> tuple[Floats, Floats]:
            gradient, curvature = slopes_of(new, theta)
            return M @ (theta - before) + gradient, M + curvature

        self.theta = minimum(loss, slopes, before)
        z = float(x @ self.theta)
        self.rows[self.count], self.told[self.count] = x, weight * expit(z) * expit(-z)
        self.count += 1

    def learn_term(self, x: Floats, y: float, weight: float = 1.0) -> None:
        self.learn_arm(x, y, weight * self.answer_weight)

    @property
    def term_theta(self) -> Floats:
        return self.theta

    @property
    def term_M(self) -> Floats:
        return 4 * self.M

    def width(self, t: int, questions: int) -> float:
        return 2 * self.alpha

    term_width = width

    def scores(self, rows: Floats, t: int, questions: int) -> Floats:
        return rows @ self.theta + self.alpha * radii(self.M, rows)

    def reach(self, rows: Floats) -> Floats:
        return rows


def whole_fit(precision: Floats, mean: Floats, seen: list[Seen]) -> tuple[Floats, Floats]:
    """The most likely theta given all feedback at once, and the precision there (Laplace)."""

    def loss(theta: Floats) -> float:
        away = theta - mean
        return float(away @ precision @ away) / 2 + sum(loss_of(each, theta) for each in seen)

    def slopes(theta: Floats) -> tuple[Floats, Floats]:
        parts = [slopes_of(each, theta) for each in seen]
        gradient = precision @ (theta - mean) + sum(part[0] for part in parts)
        return gradient, precision + sum(part[1] for part in parts)

    theta = minimum(loss, slopes, mean)
    return theta, slopes(theta)[1]
