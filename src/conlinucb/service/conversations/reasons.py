"""Why an item: what someone said they like, and how far it speaks for this one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from conlinucb.agent.estimators import Influence
from conlinucb.agent.question import question_about
from conlinucb.errors import InvalidInput
from conlinucb.numerics.validation import Floats
from conlinucb.service.conversations.fold import Conversation
from conlinucb.service.conversations.liking import liking_of, likings
from conlinucb.service.schemas import Reason

MOST = 3
LIKED = 0.25
"""Liking from which a key-term counts as liked."""
OWN = 1.5
"""What an item's own key-term counts against another reason: it is the plainer one."""
WEAKEST = 0.2
"""A reason with less than this share of the strongest is none."""


class _Found(NamedTuple):
    strength: float
    reason: Reason


class Reasons:
    """For one person, as their state is now; made once for all items of a recommendation."""

    def __init__(self, state: Conversation) -> None:
        self._state = state
        self._likings: Floats | None = None
        memory = state.memory
        self._nothing = not (memory.answers or memory.ratings or memory.preferred)

    def matches(self, item: str, most: int) -> list[str]:
        """The item's key-terms that this person likes, the most liked first."""
        if self._nothing:
            return []
        if self._likings is None:
            self._likings = likings(self._state)
        catalog = self._state.version.catalog
        own = [catalog.term_index(each) for each in self._state.version.terms_of(item)]
        liked = sorted((k for k in own if self._likings[k] > LIKED), key=self._by_liking)
        return [str(catalog.term_ids[k]) for k in liked[:most]]

    def _by_liking(self, term: int) -> float:
        assert self._likings is not None
        return -float(self._likings[term])

    def because(self, item: str) -> list[Reason]:
        """The strongest of what they liked that speaks for this item rather than any other."""
        arm = self._state.version.catalog._arm_lookup.get(item)
        if self._nothing or arm is None:
            return []
        influence = self._influence(arm)
        if influence is None:
            return []
        found = [
            *self._topics(item, influence),
            *self._pairs(item, influence),
            *self._items(arm, influence),
        ]
        strongest = max((each.strength for each in found), default=0.0)
        found = [each for each in found if each.strength > WEAKEST * strongest]
        return [each.reason for each in sorted(found, key=lambda one: -one.strength)[:MOST]]

    def _influence(self, arm: int) -> Influence | None:
        """How feedback bears on what sets this item apart from the average one.

        On the item's mean alone everything liked would bear: it says that this person likes much.
        """
        version, state = self._state.version, self._state.user.state
        apart = version.catalog.arms[arm] - version.average
        try:
            found = version.agent.estimator.influence(state, np.ascontiguousarray(apart))
        except InvalidInput:  # an estimator that does not tell
            return None
        agent = version.agent
        return found._replace(
            answers=agent.answers,
            spreading=agent.spreading,
            pair_update=agent.pair_update,
            teaching=agent.teaching,
            pairs=agent.estimator.pairs,
        )

    def _topics(self, item: str, influence: Influence) -> Iterator[_Found]:
        version, own = self._state.version, set(self._state.version.terms_of(item))
        for k, said in self._state.memory.answers.items():
            liking = liking_of(said.value, version.settings.range)
            if liking <= 0:
                continue
            about = question_about(version.catalog, "term", (k,), 1, 1)
            term, part = str(version.catalog.term_ids[k]), influence.of_answer(about, said.value)
            if part > 0:
                yield _Found(
                    part * (OWN if term in own else 1.0),
                    Reason(kind="topic", about=term, title=term, liking=liking),
                )

    def _pairs(self, item: str, influence: Influence) -> Iterator[_Found]:
        version, own = self._state.version, set(self._state.version.terms_of(item))
        low, high = version.settings.range
        for pair in self._state.memory.preferred:
            about = question_about(version.catalog, "pair", pair, 1, 1)
            liked, other = (str(version.catalog.term_ids[k]) for k in pair)
            part = influence.of_answer(about, (high, low))
            if part > 0 and other not in own:  # it speaks for what has the one, not for both
                yield _Found(
                    part * (OWN if liked in own else 1.0),
                    Reason(kind="pair", about=liked, title=liked, liking=1.0, over=other),
                )

    def _items(self, arm: int, influence: Influence) -> Iterator[_Found]:
        version = self._state.version
        for other, said in self._state.memory.ratings.items():
            liking = liking_of(said.value, version.settings.range)
            if liking <= 0 or other == arm:
                continue
            part = influence.of_reward(version.catalog._arms[other], said.value)
            if part > 0:
                look = version.look_of(str(version.catalog.arm_ids[other]))
                yield _Found(
                    part,
                    Reason(kind="item", about=look["item"], title=look["title"], liking=liking),
                )
