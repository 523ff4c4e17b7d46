"""Rewards that are worth asking for: what knowing one improves the next recommendation by."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from conlinucb.agent.rewards.base import Recommended, rewards_kernel
from conlinucb.agent.strategies.envelope import expected_gain
from conlinucb.numerics.linalg import dot, times_of
from conlinucb.numerics.validation import Floats, number


@rewards_kernel(cache=True)
def worth_it(now: Recommended) -> int:
    """Whether E[max_a mean_a after the reward] - max_a mean_a is more than ``constants[0]``.

    The reward moves the mean of arm a by sqrt(noise) x_a'Px / sqrt(1 + x'Px) times a standard
    normal.
    """
    n, x = now.pool.shape[0], now.arms[now.arm]
    v, heights, slopes = np.empty(x.shape[0]), np.empty(n), np.empty(n)
    times_of(now.state.matrices, 0, x, v)
    scale = np.sqrt(now.noise / (1.0 + max(dot(x, v), 0.0)))
    for i in range(n):
        heights[i] = dot(now.arms[now.pool[i]], now.state.vectors[0])
        slopes[i] = scale * dot(now.arms[now.pool[i]], v)
    return 1 if expected_gain(heights, slopes) > now.constants[0] else 0


@dataclass(frozen=True)
class WorthLearning:
    """A reward is asked for while knowing it is worth more than it costs a person.

    ``cost`` is in units of reward, and so is what a reward is worth: by how much it improves the
    next recommendation, as if that had this round's pool. As ``WhenWorth`` does for questions.
    """

    cost: float = 0.01

    def __post_init__(self) -> None:
        number("cost", self.cost, low=0.0)

    @property
    def kernel(self) -> object:
        """By the expected gain."""
        return worth_it

    def constants(self) -> Floats:
        """The cost."""
        return np.array([self.cost])
