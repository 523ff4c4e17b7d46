"""How often people like what they are shown: by round, against chance, against the most popular."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conlinucb.service.dashboard.shares import (
    LEAST_PEOPLE,
    NORMAL,
    Sums,
    share,
    sums_by_person,
)
from conlinucb.service.dashboard.tally import Tally
from conlinucb.service.schemas.dashboard import ChanceOut, RoundOut, RoundsOut, ShareOut

LAST_ROUND = 20
TOP = 10
"""Items that are called the most popular."""
LEAST_RANDOM = 50
"""Ratings of random recommendations from which on chance is theirs."""


def rounds_of(tally: Tally) -> RoundsOut:
    """The like share of rounds 1 to 20, and the two it is to be held against."""
    ratings = tally.ratings
    person = np.asarray(ratings.person, dtype=int)
    liked = np.asarray(ratings.liked, dtype=float)
    round_ = np.asarray(ratings.round, dtype=int)
    among_top = _are_popular(tally)

    def over(rows: NDArray[Any]) -> ShareOut:
        return share(sums_by_person(person[rows], liked[rows]))

    early = (round_ >= 1) & (round_ <= LAST_ROUND)
    found = [
        RoundOut(round=r, liked=over(round_ == r), popular=over((round_ == r) & among_top))
        for r in range(1, LAST_ROUND + 1)
        if np.unique(person[round_ == r]).size >= LEAST_PEOPLE
    ]
    return RoundsOut(
        rounds=found,
        liked=over(early),
        popular=over(early & among_top),
        chance=_chance(tally, person, liked),
    )


def _chance(tally: Tally, person: NDArray[Any], liked: NDArray[Any]) -> ChanceOut | None:
    """Of random recommendations where there are enough of them, else the mean over items."""
    random = np.asarray(tally.ratings.random, dtype=bool)
    drawn: Sums = sums_by_person(person[random], liked[random])
    if drawn.n >= LEAST_RANDOM and drawn.people >= LEAST_PEOPLE:
        return ChanceOut(by="random", **share(drawn).model_dump(), items=None)
    people = int(np.unique(person).size)
    if people < LEAST_PEOPLE:
        return None
    item = np.asarray(tally.ratings.item, dtype=int)
    rated, likes = np.bincount(item), np.bincount(item, weights=liked)
    shares = likes[rated > 0] / rated[rated > 0]
    mean = float(shares.mean())
    half = NORMAL * float(shares.std(ddof=1)) / math.sqrt(shares.size) if shares.size > 1 else 1.0
    return ChanceOut(
        by="items",
        share=mean,
        low=max(0.0, mean - half),
        high=min(1.0, mean + half),
        count=int(liked.size),
        people=people,
        items=int(shares.size),
    )


def _are_popular(tally: Tally) -> NDArray[np.bool_]:
    """Of each rating, whether its item is among the ten that most other people like.

    The own likes are taken off first, so nobody's taste makes what they are held against. Whoever
    likes m items moves at most m of them down: the ten are among the first 10 + m of all.
    """
    counts = Counter(item for _, item in tally.likes)
    order = sorted(counts, key=lambda item: (-counts[item], item))
    own: dict[int, set[int]] = {}
    for person, item in tally.likes:
        own.setdefault(person, set()).add(item)
    top: set[int] = set()
    before = -1
    found = np.zeros(len(tally.ratings.person), dtype=bool)
    for row, (person, item) in enumerate(
        zip(tally.ratings.person, tally.ratings.item, strict=True)
    ):
        if person != before:  # a person's rows are together
            top = _top_of_others(counts, order, own.get(person, set()))
            before = person
        found[row] = item in top
    return found


def _top_of_others(counts: Counter[int], order: list[int], own: set[int]) -> set[int]:
    left = {item: counts[item] - (item in own) for item in order[: TOP + len(own)]}
    best = sorted((item for item in left if left[item]), key=lambda item: (-left[item], item))
    return set(best[:TOP])
