"""People with steady tastes: a few topics they like, one they cannot stand, and yes or no."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from conlinucb.agent.question import Question
from conlinucb.catalog.catalog import Catalog
from conlinucb.numerics.validation import Floats, Indices
from conlinucb.people import People, Place
from conlinucb.randomness import ANSWER_NOISE, REWARD_NOISE, derive, uniform

FEWEST_ITEMS = 3
"""A topic of fewer items is nobody's favourite, where there are others."""
LIKED = (2, 3)


class Taste(NamedTuple):
    """Topics, by index."""

    likes: Indices
    dislikes: Indices


class SteadyPeople(People):
    """They like items with a topic they like and none they do not, and say so: yes or no.

    ``mistaken`` is the chance that they say the opposite. All agents meet the same mistakes.
    """

    def __init__(
        self,
        catalog: Catalog,
        tastes: list[Taste],
        *,
        range: tuple[float, float],
        mistaken: float,
        pool_size: int,
    ) -> None:
        self.tastes, self.range, self.mistaken = tastes, range, mistaken
        self.pool_size = pool_size
        has = sparse.csc_array(catalog.weights)
        self._liked = np.stack([_items(has, each) for each in tastes])

    def __len__(self) -> int:
        return len(self.tastes)

    def answer(self, place: Place, question: Question, number: int) -> float | None:
        """Yes for a topic they like, or an item they like; of a pair, the difference."""
        if question.kind == "arm":
            said = [bool(self._liked[place.user, each]) for each in question.indices]
        else:
            likes = self.tastes[place.user].likes
            said = [bool((likes == each).any()) for each in question.indices]
        wrong = uniform(derive(place.at, ANSWER_NOISE), number) < self.mistaken
        values = [self._worth(each != wrong) for each in said]
        return values[0] - values[1] if question.kind == "pair" else values[0]

    def reward(self, place: Place, arm: int) -> float | None:
        """Yes for an item they like."""
        wrong = uniform(derive(place.at, REWARD_NOISE), 0) < self.mistaken
        return self._worth(bool(self._liked[place.user, arm]) != wrong)

    def values(self, place: Place, arms: Indices) -> Floats:
        """What they would say without a mistake."""
        low, high = self.range
        return np.where(self._liked[place.user, arms], high, low)

    def _worth(self, yes: bool) -> float:
        return self.range[1] if yes else self.range[0]


def tastes_of(catalog: Catalog, count: int, seed: int) -> list[Taste]:
    """Two or three topics that someone likes and one that they do not, for each of them."""
    live = catalog.live_terms
    spread = np.diff(sparse.csc_array(catalog.weights[catalog.live_arms]).indptr)[live]
    known = live[spread >= FEWEST_ITEMS]
    topics = known if known.size > LIKED[1] else live
    rng = np.random.default_rng([seed, 1])
    return [_taste(catalog, topics, rng) for _ in range(count)]


def _taste(catalog: Catalog, topics: Indices, rng: np.random.Generator) -> Taste:
    size = int(rng.integers(LIKED[0], LIKED[1] + 1))
    drawn = topics[rng.permutation(topics.size)[: size + 1]]
    size = max(1, min(size, drawn.size - 1))
    taste = Taste(drawn[:size], drawn[size:])
    liked = _items(sparse.csc_array(catalog.weights), taste)
    if liked[catalog.live_arms].any():
        return taste
    return taste._replace(dislikes=taste.dislikes[:0])  # or nothing would be left to like


def _items(has: sparse.csc_array, taste: Taste) -> NDArray[np.bool_]:
    """Which items such a person likes, (N,)."""
    likes, dislikes = (
        np.asarray((has[:, each] > 0).sum(axis=1)).ravel() > 0
        for each in (taste.likes, taste.dislikes)
    )
    return np.asarray(likes & ~dislikes)
