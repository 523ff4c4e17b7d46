"""Now and then a recommendation at random, so that what comes back is a fair sample.

Who is shown only what they are believed to like tells little about the rest. Whether a round is one
of these follows from the person's seed and the round, so it comes out again however often it is
decided.
"""

from __future__ import annotations

import numpy as np

from conlinucb.agent.advice import Advice
from conlinucb.catalog.checked import ids_at
from conlinucb.numerics.validation import Indices
from conlinucb.randomness import EXPLORE, derive, distinct, uniform
from conlinucb.service.conversations.fold import Conversation


def drawn(state: Conversation, among: Indices, k: int) -> Advice | None:
    """k of these arms in any order, each order equally likely; None in most rounds."""
    user, agent = state.user, state.version.agent
    round_ = user.rounds + 1
    seed = derive(derive(user.seed, round_), EXPLORE)
    if not uniform(seed, 0) < state.version.settings.explore:
        return None
    arms = np.empty(min(k, among.size), dtype=np.int64)
    distinct(derive(seed, 1), among.astype(np.int64), np.zeros(among.size, dtype=np.uint8), arms)
    found = agent.score(user, arms)
    everything = np.ones(arms.size, dtype=bool)
    ids = ids_at(agent.catalog.arm_ids, arms)
    return Advice(arms, found.scores, found.means, found.radii, round_, everything, ids)
