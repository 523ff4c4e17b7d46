"""Where a person may begin: topics to choose from, and a search for what they love."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from conlinucb.service.catalogues.version import CatalogueVersion
from conlinucb.service.schemas import BeginningOut, FoundItem, FoundTopic, SearchOut

TERMS = 12
"""Key-terms named with an item, at most."""


def search(version: CatalogueVersion, typed: str, limit: int) -> SearchOut:
    """Items and topics whose names fit what was typed, best first."""
    arms, terms = version.catalog.live_arms, version.catalog.live_terms
    items, topics = version.names
    return SearchOut(
        items=[_item(version, int(arms[place])) for place in items.find(typed, limit)],
        topics=_topics(version, [int(terms[place]) for place in topics.find(typed, limit)]),
    )


def _item(version: CatalogueVersion, arm: int) -> FoundItem:
    name = str(version.catalog.arm_ids[arm])
    look = version.look_of(name)
    shown = {each: look[each] for each in FoundItem.model_fields if each in look}
    return FoundItem(**shown, terms=version.terms_of(name)[:TERMS])


def _topics(version: CatalogueVersion, terms: Sequence[int]) -> list[FoundTopic]:
    return [
        FoundTopic(term=str(version.catalog.term_ids[k]), items=int(version.items_of_terms[k]))
        for k in terms
    ]


def beginning(version: CatalogueVersion) -> BeginningOut:
    """Topics that tell most of a newcomer, and all topics, those with most items first."""
    live = version.catalog.live_terms
    by_size = live[np.argsort(-version.items_of_terms[live], kind="stable")]
    return BeginningOut(
        chips=_topics(version, version.chips), topics=_topics(version, by_size.tolist())
    )
