"""Whether a round's reward is asked for at all: on a budget, or as long as it is worth it."""

from collections.abc import Callable
from typing import Any

from conlinucb.agent.rewards.base import (
    Recommended,
    Rewards,
    advised,
    always,
    checked_rewards,
    new_notes,
    rewards_kernel,
)
from conlinucb.agent.rewards.budgets import FirstRounds, Sometimes, Uncertain
from conlinucb.agent.rewards.worth import WorthLearning

REWARDS: dict[str, Callable[..., Any]] = {
    "sometimes": Sometimes,
    "first-rounds": FirstRounds,
    "uncertain": Uncertain,
    "worth-learning": WorthLearning,
}
"""By name, for plain values."""

__all__ = [
    "REWARDS",
    "FirstRounds",
    "Recommended",
    "Rewards",
    "Sometimes",
    "Uncertain",
    "WorthLearning",
    "advised",
    "always",
    "checked_rewards",
    "new_notes",
    "rewards_kernel",
]
