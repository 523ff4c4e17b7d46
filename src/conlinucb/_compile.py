"""How a kernel is compiled: explicit signature, without the GIL, cached on disk."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, TypeVar

from numba import njit, types

Function = TypeVar("Function", bound=Callable[..., Any])

FLOAT = types.float64
INT = types.int64
SEED = types.uint64
VECTOR = types.Array(types.float64, 1, "C")
MATRIX = types.Array(types.float64, 2, "C")
INDEX = types.Array(types.int64, 1, "C")

# Sums may be reordered for the vector units; NaN and infinity keep their meaning.
FAST_MATH = frozenset({"contract", "reassoc", "nsz"})

_told: list[bool] = []


def kernel(signature: Any) -> Callable[[Function], Function]:
    """Compile the decorated function for ``signature`` now, or load it from the cache."""
    compile_ = njit(signature, nogil=True, cache=True, fastmath=set(FAST_MATH), error_model="numpy")

    def decorate(function: Function) -> Function:
        compiled: Function = compile_(function)
        _tell_once(compiled)
        return compiled

    return decorate


def _tell_once(compiled: Any) -> None:
    """Say what the wait is for, once, when the first kernel was not in the cache."""
    if not _told:
        cold = bool(compiled.stats.cache_misses)
        _told.append(cold)
        if cold:
            print("conlinucb: compiling kernels, once for this machine ...", file=sys.stderr)
