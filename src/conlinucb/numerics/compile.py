"""How a kernel is compiled: explicit signature, without the GIL, cached on disk."""

from __future__ import annotations

import hashlib
import sys
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from numba import njit, types
from numba.core.caching import NullCache

Function = TypeVar("Function", bound=Callable[..., Any])

FLOAT = types.float64
INT = types.int64
SEED = types.uint64
VOID = types.void
VECTOR = types.Array(types.float64, 1, "C")
MATRIX = types.Array(types.float64, 2, "C")
INDEX = types.Array(types.int64, 1, "C")
SINGLES = types.Array(types.float32, 2, "C")
SHORTS = types.Array(types.float32, 1, "C")
MARKS = types.Array(types.uint8, 1, "C")

# Sums may be reordered for the vector units; NaN and infinity keep their meaning.
FAST_MATH = frozenset({"contract", "reassoc", "nsz"})

KERNEL_FILES = (
    *("randomness.py", "numerics/*.py", "agent/estimators/*.py"),
    *("agent/strategies/*.py", "simulation/loop/*.py"),
)
COMPILING = "conlinucb: compiling kernels, once for this installation: some 10 s ..."

_told: list[bool] = []


def tuple_type(cls: type, *fields: Any) -> Any:
    """The Numba type of a NamedTuple class with fields of these types."""
    if len(set(fields)) == 1:  # Numba has a type of its own for equal fields
        return types.NamedUniTuple(fields[0], len(fields), cls)
    return types.NamedTuple(fields, cls)


def kernel(signature: Any, *, inner: bool = False) -> Callable[[Function], Function]:
    """Compile the decorated function for ``signature`` now, or load it from the cache.

    An ``inner`` kernel is called by other kernels only, and is compiled faster for it.
    """

    def decorate(function: Function) -> Function:
        compiled: Function = compiled_for(function, signature, cached=True, inner=inner)
        _tell_once(compiled)
        return compiled

    return decorate


def compiled_for(
    function: Any, signature: Any, *, cached: bool, pointer: bool = False, inner: bool = False
) -> Any:
    """``function`` compiled for one signature and no other.

    With ``pointer`` a kernel can be handed to another one as an argument.
    """
    options: dict[str, Any] = {"no_cfunc_wrapper": not pointer, "no_cpython_wrapper": inner}
    compiled: Any = njit(nogil=True, fastmath=set(FAST_MATH), error_model="numpy", **options)(
        function
    )
    if cached:
        _cache(compiled)
    compiled.compile(signature)
    compiled.disable_compile()
    return compiled


def _cache(compiled: Any) -> None:
    """Keep the compiled kernel on disk, and make it stale when any kernel here has changed.

    Numba looks at the kernel's own file only, but what it calls is compiled into it: after an
    edit or an upgrade an old copy would go on running. Without a folder that can be written to,
    kernels are compiled in every process.
    """
    try:
        compiled.enable_caching()
        file = compiled._cache._cache_file
        file._source_stamp = (file._source_stamp, _sources())
    except (RuntimeError, AttributeError) as error:
        compiled._cache = NullCache()
        _warn_once(f"conlinucb's kernels are not cached ({error}); set NUMBA_CACHE_DIR.")


@cache
def _warn_once(message: str) -> None:
    warnings.warn(message, RuntimeWarning, stacklevel=2)


@cache
def _sources() -> str:
    """A hash of the sources that hold kernels."""
    digest = hashlib.sha256()
    package = Path(__file__).parent.parent
    for pattern in KERNEL_FILES:
        for path in sorted(package.glob(pattern)):
            digest.update(path.read_bytes())
    return digest.hexdigest()


def _tell_once(compiled: Any) -> None:
    """Say what the wait is for when a kernel was not in the cache: more will follow."""
    if compiled.stats.cache_misses and not _told:
        _told.append(True)
        print(COMPILING, file=sys.stderr)
