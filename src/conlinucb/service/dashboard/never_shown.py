"""Items that nobody was shown: what a catalogue has and its conversations never come to."""

from __future__ import annotations

from conlinucb.service.catalogues.version import CatalogueVersion
from conlinucb.service.dashboard.shares import LEAST_PEOPLE
from conlinucb.service.dashboard.tally import Tally
from conlinucb.service.schemas.dashboard import NeverShownOut

FIRST = 10
"""Of them so many are named."""


def never_shown_of(tally: Tally, version: CatalogueVersion) -> NeverShownOut:
    """How many of the items that are there now were not recommended, and the first of them.

    What few people were shown would say what these were shown: then it is withheld.
    """
    live = version.catalog.live_arms
    if tally.shown_to < LEAST_PEOPLE:
        return NeverShownOut(items=int(live.size), people=None, never=None, first=[])
    ids = (str(version.catalog.arm_ids[each]) for each in live)
    never = [each for each in ids if each not in tally.shown]
    return NeverShownOut(
        items=int(live.size),
        people=tally.shown_to,
        never=len(never),
        first=[str(version.look_of(each)["title"]) for each in never[:FIRST]],
    )
