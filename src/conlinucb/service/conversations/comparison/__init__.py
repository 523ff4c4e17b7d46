"""Simulated and logged people met by several agents: what the page's comparison shows.

The only part of the service that simulates anyone; nothing of it reaches the log.
"""

from conlinucb.service.conversations.comparison.agents import AGENTS, SCHEDULES
from conlinucb.service.conversations.comparison.compare import Comparisons
from conlinucb.service.conversations.comparison.crowd import PEOPLE, TYPICAL_OF

__all__ = ["AGENTS", "PEOPLE", "SCHEDULES", "TYPICAL_OF", "Comparisons"]
