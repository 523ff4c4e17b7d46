"""How high things stand in this process, told twice a second."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from conlinucb.service.catalogues.version import CatalogueVersion
from conlinucb.service.conversations.cache import StateCache
from conlinucb.service.observe import observer

_MEMORY = Path("/proc/self/statm")


class Levels:
    """Remembers which catalogues it told of: those that are gone stand at 0."""

    def __init__(self) -> None:
        self._told: set[str] = set()

    def report(self, versions: Iterable[CatalogueVersion], cache: StateCache) -> None:
        """Tell how things are now."""
        observer.level("workers", 1)
        if _MEMORY.is_file():  # Linux
            observer.level("memory_bytes", _resident())
        cache.report()
        served = {each.name: each for each in versions}
        for name in self._told - served.keys():
            observer.level("catalogue_version", 0, catalogue=name)
            observer.level("population_version", 0, catalogue=name)
        for name, each in served.items():
            in_use = each.population.number if each.population else 0
            observer.level("catalogue_version", each.number, catalogue=name)
            observer.level("population_version", in_use, catalogue=name)
        self._told |= served.keys()


def _resident() -> int:
    pages = int(_MEMORY.read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")
