"""The same version of a catalogue under the other populations that are stored."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterator
from dataclasses import replace

from conlinucb.errors import Damaged, InvalidInput
from conlinucb.service.catalogues.learned import LearnedPriors
from conlinucb.service.catalogues.version import CatalogueVersion
from conlinucb.service.storage import Storage

logger = logging.getLogger("conlinucb.service")


class OtherPopulations:
    """Makes an agent for each population once, for as long as a version is served."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self._priors = LearnedPriors(storage)
        self._made: dict[int, tuple[int, dict[int, CatalogueVersion | None]]] = {}

    def of(self, version: CatalogueVersion, bases: Collection[str]) -> Iterator[CatalogueVersion]:
        """Those for which there is one of these bases, the latest first."""
        about = f"{version.base} "
        if not any(each.startswith(about) and each != version.basis for each in bases):
            return
        stored = self._storage.populations.all(version.id)
        numbers = [each.number for each in stored if each.base == version.base]
        for number in [*numbers[::-1], 0]:
            other = self._under(version, number)
            if other is not None and other.basis != version.basis and other.basis in bases:
                yield other

    def _under(self, version: CatalogueVersion, number: int) -> CatalogueVersion | None:
        known = self._made.get(version.id)
        if known is None or known[0] != version.number:
            known = self._made[version.id] = (version.number, {})
        if number not in known[1]:
            known[1][number] = self._make(version, number)
        return known[1][number]

    def _make(self, version: CatalogueVersion, number: int) -> CatalogueVersion | None:
        if not number:
            return replace(version, population=None)
        try:
            other = replace(version, population=self._priors.load(version.id, number))
            assert other.basis
            return other
        except (Damaged, InvalidInput) as error:
            logger.warning("catalogue %s: population %s: %s", version.name, number, error)
            return None
