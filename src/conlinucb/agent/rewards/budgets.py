"""Rewards of a share of the rounds: drawn, the first ones, or where most is uncertain."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from conlinucb.agent.rewards.base import Recommended, always, rewards_kernel
from conlinucb.numerics.linalg import quadratic
from conlinucb.numerics.ties import threshold
from conlinucb.numerics.validation import Floats, number, positive, whole
from conlinucb.randomness import REWARD_ASKED, derive, uniform

LEAST = 1e-150
"""A radius of nothing, where a logarithm is taken of it."""


@rewards_kernel(cache=True)
def drawn(now: Recommended) -> int:
    """With the chance ``constants[0]``, by the user's seed and the round."""
    at = derive(derive(now.seed, now.round), REWARD_ASKED)
    return 1 if uniform(at, 0) < now.constants[0] else 0


@rewards_kernel(cache=True)
def at_first(now: Recommended) -> int:
    """In the first ``constants[0]`` rounds."""
    return 1 if now.round <= now.constants[0] else 0


@rewards_kernel(cache=True)
def most_uncertain(now: Recommended) -> int:
    """Where the arm's radius is at least a level that follows its quantile; within the budget.

    Behind the count, ``notes`` are whether there is a level yet, and its logarithm, which a radius
    that reaches it raises by ``step`` (1 - share), and one that does not lowers by ``step`` share:
    so the share of those that reach it comes to ``share``, whatever the radii do.
    """
    share, step, notes = now.constants[0], now.constants[1], now.notes
    radius = np.sqrt(quadratic(now.state.matrices[0], now.arms[now.arm]))
    height = np.log(max(radius, LEAST))
    if notes[1] == 0.0:
        notes[1], notes[2] = 1.0, height
    reached = height >= threshold(notes[2])
    notes[2] += step * (1.0 - share) if reached else -step * share
    return 1 if reached and notes[0] < share * now.round else 0


@dataclass(frozen=True)
class Sometimes:
    """A reward is asked for with the chance ``share``, drawn for each person and round.

    >>> import conlinucb as cl
    >>> catalog = cl.Catalog([[1.0, 0.0], [0.0, 1.0]], [[1.0], [1.0]])
    >>> agent = cl.linucb(catalog, rewards=cl.Sometimes(0.2))
    >>> user = agent.new_user()
    >>> [agent.recommend(user).wanted for _ in range(6)].count(True) < 6
    True
    """

    share: float = 0.2

    def __post_init__(self) -> None:
        number("share", self.share, low=0.0, high=1.0)

    @property
    def kernel(self) -> object:
        """By a draw."""
        return drawn

    def constants(self) -> Floats:
        """The share."""
        return np.array([self.share])


@dataclass(frozen=True)
class FirstRounds:
    """Rewards are asked for in the first ``n`` rounds of a person, and never again."""

    n: int = 100

    def __post_init__(self) -> None:
        whole("n", self.n, low=0)

    @property
    def kernel(self) -> object:
        """By the round."""
        return at_first

    def constants(self) -> Floats:
        """The last round."""
        return np.array([float(self.n)])


@dataclass(frozen=True)
class Uncertain:
    """A reward is asked for where the recommended arm is uncertain, against those of late.

    That is where its radius ||x||_P is at or above a level that follows the (1 - ``share``)
    quantile of the person's radii: it rises by the factor exp(``step`` (1 - share)) where it is
    reached and falls by exp(-``step`` share) elsewhere. Never more than that share of all rounds
    so far.
    """

    share: float = 0.2
    step: float = 0.3

    def __post_init__(self) -> None:
        number("share", self.share, low=0.0, high=1.0)
        positive("step", self.step)

    @property
    def kernel(self) -> object:
        """By the radius; of all rounds without a look."""
        return always if self.share == 1.0 else most_uncertain

    @property
    def notes(self) -> int:
        """Whether there is a level, and its logarithm."""
        return 2

    def constants(self) -> Floats:
        """Share and step."""
        return np.array([self.share, self.step])
