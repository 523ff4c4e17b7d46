"""Topics to begin with: few, broad, and unlike each other."""

from __future__ import annotations

from conlinucb.agent.agent import Agent

CHIPS = 16
FEWEST = 12
"""Chips that there should be, where there are as many topics."""
CHOICES = ((0.05, 0.25), (0.03, 0.4), (0.0, 0.9))
"""The least share of items that a topic must have, and how alike the items of two may be: first
topics that are broad and have little in common, then others where these are too few."""


def chosen_chips(agent: Agent) -> list[int]:
    """At most 16 key-terms, chosen together for what they tell of a newcomer."""
    found: list[int] = []
    for share, alike in CHOICES:
        least = max(2, round(share * agent.catalog.live_arms.size))
        found = max(found, agent.questionnaire(CHIPS, least=least, alike=alike), key=len)
        if len(found) >= FEWEST:
            break
    return found
