"""matplotlib, where it is installed, drawing into files only."""

from __future__ import annotations

import importlib
from typing import Any

from conlinucb.errors import MissingExtra


def pyplot() -> Any:
    """matplotlib.pyplot without a window."""
    try:
        importlib.import_module("matplotlib").use("Agg")
    except ModuleNotFoundError:
        raise MissingExtra("runner", "the picture") from None
    return importlib.import_module("matplotlib.pyplot")
