"""Changes of catalogues compacted in the background: a start applies some, not all there ever were.

A kept version is the same content, array by array, so nothing that is decided depends on it.
"""

from __future__ import annotations

import logging
import time

from conlinucb.service.catalogues.registry import Catalogues
from conlinucb.service.catalogues.version import CatalogueVersion
from conlinucb.service.storage import Storage, Taken, now

logger = logging.getLogger("conlinucb.service")
CHANGES = 20
"""After so many a version is kept as a whole."""
PRUNE_EVERY = 600.0
"""Seconds between two looks at what can go."""
HOUR = 3_600_000_000


class Compaction:
    """Keeps versions as a whole, and drops changes that are in one for ``hours``.

    Meanwhile replicas of the release before, which know only changes, can still start.
    """

    def __init__(self, storage: Storage, catalogues: Catalogues, hours: int) -> None:
        self._storage, self._catalogues = storage, catalogues
        self._hours = hours
        self._looked: dict[int, int] = {}
        self._pruned = -PRUNE_EVERY

    def step(self) -> None:
        """Look at every catalogue that has changed since."""
        for version in self._catalogues.all():
            if self._looked.get(version.id) != version.number:
                self._compact(version)
                self._looked[version.id] = version.number
        if time.monotonic() - self._pruned >= PRUNE_EVERY:
            self.prune()
            self._pruned = time.monotonic()

    def _compact(self, version: CatalogueVersion) -> None:
        kept = self._storage.bases.numbers(version.id, version.base, version.number)
        if version.number - max([version.base, *kept]) < CHANGES:
            return
        try:
            body = version.content.to_bytes()
            self._storage.bases.add(version.id, version.number, version.base, body)
        except Taken:  # another process was faster, or the catalogue is gone
            return
        logger.info("catalogue %s: version %s is kept whole", version.name, version.number)
        self.prune()

    def prune(self) -> None:
        """Drop what is in a later version for long enough."""
        for version in self._catalogues.all():
            self._storage.bases.prune(version.id, version.number, now() - self._hours * HOUR)
