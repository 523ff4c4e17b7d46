"""What was given as a catalogue is one."""

from __future__ import annotations

from typing import Any

from conlinucb.catalog.catalog import Catalog
from conlinucb.errors import InvalidInput


def checked_catalog(given: Any) -> Catalog:
    """The catalogue; anything else is refused."""
    if not isinstance(given, Catalog):
        raise InvalidInput(f"catalog must be a Catalog, got {given!r}.")
    return given
