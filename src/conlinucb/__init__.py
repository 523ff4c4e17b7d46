"""Conversational contextual bandits: ask about key-terms, recommend items, learn from both."""

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from conlinucb._version import __version__ as __version__

if TYPE_CHECKING:
    from conlinucb._public import *


def __getattr__(name: str) -> Any:
    """All names at once, at the first: ``conlinucb.client`` needs neither NumPy nor Numba."""
    if name == "__all__" or not name.startswith("_"):
        if name != "__all__" and find_spec(f"{__name__}.{name}") is not None:
            return import_module(f"{__name__}.{name}")
        public = import_module(f"{__name__}._public")
        if hasattr(public, name):
            return getattr(public, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name)


def __dir__() -> list[str]:
    return sorted({*globals(), *import_module(f"{__name__}._public").__all__})
