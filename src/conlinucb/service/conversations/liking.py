"""How much someone likes each key-term, from -1, dislike, through 0 to 1, like.

Of what they said of a key-term themselves, their own word alone counts: with the range [low, high],

    liking = 2 (answer - low) / (high - low) - 1,

so yes is 1 and no is -1, whatever else is believed. Of any other it is how far the answer expected
of them has moved from that expected of a newcomer, beyond how far the expected reward of the
average item has (who likes one film likes films, not every topic), in widths of the range and
bent to stay inside (-1, 1):

    liking = tanh(STEEP (moved - moved on average) / (high - low)).
"""

from __future__ import annotations

import numpy as np

from conlinucb.numerics.validation import Floats
from conlinucb.service.conversations.fold import Conversation

STEEP = 4.0
"""A tenth of the range is a liking of about 0.4."""
WITHOUT_A_WORD = 0.99
"""The most that is ever concluded; the ends are for what was said."""


def likings(state: Conversation) -> Floats:
    """Of every key-term, (K,)."""
    version = state.version
    agent, (low, high) = version.agent, version.settings.range
    # The offsets of answers cancel: only how far the estimate moved counts.
    now, before = (
        agent.estimator.expected(np.vstack([version.catalog.terms, version.average]) @ theta)
        for theta in (state.user.state.theta, version.newcomer.state.theta)
    )
    change = now - before
    moved = agent.answers.slope * (change[:-1] - change[-1])
    found = np.tanh(STEEP * moved / (high - low)).clip(-WITHOUT_A_WORD, WITHOUT_A_WORD)
    for term, said in state.memory.answers.items():
        found[term] = liking_of(said.value, version.settings.range)
    return np.asarray(found)


def liking_of(value: float, range_: tuple[float, float]) -> float:
    """An answer or reward as a liking.

    >>> liking_of(0.0, (0.0, 1.0)), liking_of(4.0, (1.0, 5.0))
    (-1.0, 0.5)
    """
    low, high = range_
    return float(np.clip(2.0 * (value - low) / (high - low) - 1.0, -1.0, 1.0))
