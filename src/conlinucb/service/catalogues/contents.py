"""A version's content: from the nearest whole one that is kept, and the changes since."""

from __future__ import annotations

import logging
from collections.abc import Iterator

from conlinucb.errors import Damaged
from conlinucb.service.catalogues.version import CatalogueVersion, Content, changed
from conlinucb.service.storage import Entry, Finding, Storage

logger = logging.getLogger("conlinucb.service")
Beginning = tuple[Content | None, int]
"""A content, and the first change to be applied to it."""


def origin_of(storage: Storage, catalogue: int, number: int) -> int:
    """The last version up to this one that came as a whole; its features are those of all since."""
    base = storage.catalogue_log.base(catalogue, number)
    base = max(base, storage.bases.origin(catalogue, number))
    if not base:
        raise Damaged(f"version {number} is gone: no version is there as a whole")
    return base


def content_at(
    storage: Storage, entry: Entry, base: int, number: int, known: CatalogueVersion | None
) -> Content:
    """The content of a version that goes back to ``base``; ``known`` is what is at hand.

    Where changes are gone that were compacted meanwhile, it begins further on; where a kept
    version is damaged, further back.
    """
    wrong = Damaged(f"version {number} has no beginning")
    for content, first in _beginnings(storage, entry, base, number, known):
        try:
            for change in storage.catalogue_log.changes(entry.id, first, number):
                content = changed(content, change)
            assert content is not None
            return content
        except Damaged as error:
            wrong = error
    raise wrong


def _beginnings(
    storage: Storage, entry: Entry, base: int, number: int, known: CatalogueVersion | None
) -> Iterator[Beginning]:
    """From the nearest to the furthest."""
    if known and (known.id, known.base) == (entry.id, base) and known.number < number:
        yield known.content, known.number + 1
    for kept in storage.bases.numbers(entry.id, base, number):
        try:
            content = Content.from_bytes(storage.bases.body(entry.id, kept))
        except Damaged as error:
            logger.error("catalogue %s: kept version %s: %s", entry.name, kept, error)
            storage.quarantine.add(Finding(None, entry.id, f"kept version {kept}", str(error)))
        else:
            yield content, kept + 1
    yield None, base
