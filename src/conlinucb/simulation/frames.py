"""Columns as a frame of whichever library is installed."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from conlinucb.errors import MissingExtra, UnknownName

LIBRARIES = ("pandas", "polars")


def frame_of(columns: Mapping[str, NDArray[Any]], library: str | None = None) -> Any:
    """A frame of pandas or polars; by default of whichever is installed, pandas first."""
    if library is not None and library not in LIBRARIES:
        raise UnknownName(f"library must be 'pandas' or 'polars', got {library!r}.")
    for name in LIBRARIES if library is None else (library,):
        try:
            return importlib.import_module(name).DataFrame(dict(columns))
        except ModuleNotFoundError:
            continue
    raise MissingExtra("frames", "to_frame")
