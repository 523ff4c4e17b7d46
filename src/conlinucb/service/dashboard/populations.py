"""Populations that people started from, and how the first rounds went under each."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from conlinucb.service.dashboard.shares import share, sums_by_person
from conlinucb.service.dashboard.tally import Tally
from conlinucb.service.dashboard.window import stamp
from conlinucb.service.schemas.dashboard import PopulationEffectOut
from conlinucb.service.storage import StoredPopulation

FIRST_ROUNDS = 5


def populations_of(
    tally: Tally, stored: Sequence[StoredPopulation], in_use: int
) -> list[PopulationEffectOut]:
    """Of none (0) and of each version: when it was learned, and the first rounds under it."""
    known = {each.number: each for each in stored}
    ratings = tally.ratings
    person, liked = np.asarray(ratings.person, dtype=int), np.asarray(ratings.liked, dtype=float)
    under, round_ = np.asarray(ratings.population, dtype=int), np.asarray(ratings.round, dtype=int)
    early = (round_ >= 1) & (round_ <= FIRST_ROUNDS)
    found = []
    for number in sorted({0, in_use, *known, *under.tolist()}):
        rows = early & (under == number)
        version = known.get(number)
        found.append(
            PopulationEffectOut(
                number=number,
                in_use=number == in_use,
                learned=None if version is None else stamp(version.at),
                learned_from=None if version is None else version.people,
                liked=share(sums_by_person(person[rows], liked[rows])),
            )
        )
    return found
