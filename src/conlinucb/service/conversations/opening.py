"""The first things shown to someone of whom nothing is known: those that tell the most together.

To the agent all items are then alike, and the first in the catalogue would win: of a list by year
everyone would see the oldest, and be asked about them.
"""

from __future__ import annotations

import numpy as np

from conlinucb.agent.advice import Advice
from conlinucb.catalog.checked import ids_at
from conlinucb.numerics.ties import first_best, threshold
from conlinucb.numerics.validation import Floats, Indices
from conlinucb.service.conversations.fold import Conversation

MOST_WORK = 2e8
"""Items times features squared, up to which the choice is a matter of some 50 ms."""


def is_unknown(state: Conversation) -> bool:
    """Whether neither this person nor anybody else has said anything to go by."""
    version = state.version
    said = state.memory.ratings or state.memory.answers or version.population_number
    return not said and version.catalog.popularity is None


def broad_terms(state: Conversation) -> Indices | None:
    """The topics to begin with that do not rest: nothing speaks for narrower ones yet."""
    left = sorted(set(state.version.chips) - state.resting())
    return np.array(left, dtype=np.int64) if left and state.version.agent.asks == "term" else None


def telling(state: Conversation, among: Indices, k: int) -> Advice | None:
    """k of these arms, chosen together for what ratings of them say; None unless all are alike."""
    agent, user = state.version.agent, state.user
    too_much = among.size * agent.catalog.d**2 > MOST_WORK
    if k >= among.size or too_much or not is_unknown(state):
        return None
    found = agent.score(user, among)
    if found.scores.min() < threshold(float(found.scores.max())):
        return None
    places = _chosen_together(state, among, k)
    arms = among[places].astype(np.int64)
    exploring = np.zeros(k, dtype=bool)  # none is there in place of a better one
    ids = ids_at(agent.catalog.arm_ids, arms)
    scores, means, radii = found.scores[places], found.means[places], found.radii[places]
    return Advice(arms, scores, means, radii, user.rounds + 1, exploring, ids, np.ones(k))


def _chosen_together(state: Conversation, among: Indices, k: int) -> Indices:
    """Positions: each lowers the variance of what is believed of all items the most.

    As if those before it had been rated, and those of earlier rounds, which were passed over.
    """
    version = state.version
    arms = version.catalog._arms[among]
    variance = np.eye(version.catalog.d)
    for passed in version.known(list(state.memory.shown)):
        variance = _after(variance, version.catalog._arms[passed])
    places = np.empty(k, dtype=np.int64)
    for i in range(k):
        seen = arms @ variance
        told = ((seen @ version.spread) * seen).sum(axis=1) / (1.0 + (seen * arms).sum(axis=1))
        told[places[:i]] = -1.0
        places[i] = first_best(told)
        variance = _after(variance, arms[places[i]])
    return places


def _after(variance: Floats, x: Floats) -> Floats:
    """The variance after a rating of x, of the same weight as the prior."""
    seen = variance @ x
    return np.asarray(variance - np.outer(seen, seen) / (1.0 + x @ seen))
