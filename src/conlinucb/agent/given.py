"""What was given as an agent is one."""

from __future__ import annotations

from typing import Any

from conlinucb.agent.agent import Agent
from conlinucb.errors import InvalidInput


def checked_agent(given: Any) -> Agent:
    """The agent; anything else is refused."""
    if not isinstance(given, Agent):
        raise InvalidInput(f"agent must be an Agent, such as linucb(catalog), got {given!r}.")
    return given
