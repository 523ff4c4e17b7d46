"""How a kernel is compiled: when first needed, for one signature, without the GIL, kept on disk."""

from __future__ import annotations

import hashlib
import importlib
import logging
import sys
import threading
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, Generic, ParamSpec, TypeVar

from numba import njit, types
from numba.core.caching import NullCache

logger = logging.getLogger("conlinucb")
Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

FLOAT = types.float64
INT = types.int64
SEED = types.uint64
VOID = types.void
VECTOR = types.Array(types.float64, 1, "C")
MATRIX = types.Array(types.float64, 2, "C")
STACK = types.Array(types.float64, 3, "C")
INDEX = types.Array(types.int64, 1, "C")
INDICES = types.Array(types.int64, 2, "C")
SINGLES = types.Array(types.float32, 2, "C")
SHORTS = types.Array(types.float32, 1, "C")
MARKS = types.Array(types.uint8, 1, "C")

# Sums may be reordered for the vector units; NaN and infinity keep their meaning.
FAST_MATH = frozenset({"contract", "reassoc", "nsz"})

KERNEL_FILES = (
    *("randomness.py", "numerics/*.py", "agent/estimators/*.py"),
    *(
        "agent/priors/fitting/*.py",
        "agent/strategies/*.py",
        "agent/gates/*.py",
        "agent/rewards/*.py",
    ),
    *("people/*.py", "simulation/loop/*.py", "algorithms/*/*.py"),
)
COMPILING = "compiling kernels, once for this installation: seconds to minutes ..."

# One lock for all kernels: compiling one compiles, or loads, those it calls.
_compiling = threading.RLock()
_told: list[bool] = []


def tuple_type(cls: type, *fields: Any) -> Any:
    """The Numba type of a NamedTuple class with fields of these types."""
    if len(set(fields)) == 1:  # Numba has a type of its own for equal fields
        return types.NamedUniTuple(fields[0], len(fields), cls)
    return types.NamedTuple(fields, cls)


class Kernel(Generic[Arguments, Result]):
    """A function that is compiled, or loaded from the cache, when it is first needed.

    Called from Python it is a function like any other; other kernels call it by its name.
    """

    def __init__(
        self,
        function: Callable[Arguments, Result],
        signature: Any,
        *,
        cached: bool = True,
        inner: bool = False,
        pointer: bool = False,
    ) -> None:
        self.py_func = function
        self.signature = signature
        self._options = {"cached": cached, "inner": inner, "pointer": pointer}
        self._compiled: Any = None
        self.__doc__ = function.__doc__
        self.__name__ = function.__name__
        self.__module__ = function.__module__
        self.__wrapped__ = function  # what doctest and help look at

    @property
    def compiled(self) -> Any:
        """What Numba made of it; with ``pointer`` it can be handed to a kernel as an argument."""
        if self._compiled is None:
            with _compiling:
                if self._compiled is None:
                    self._compiled = _compile(self.py_func, self.signature, **self._options)
        return self._compiled

    @property
    def _numba_type_(self) -> Any:
        """What it is to another kernel that calls it."""
        return types.Dispatcher(self.compiled)

    def __call__(self, *args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        """Run it, compiled."""
        return (self._compiled or self.compiled)(*args, **kwargs)  # type: ignore[no-any-return]

    def __reduce__(self) -> Any:
        """By name where another process can import it, else by value, without what was compiled."""
        module = sys.modules.get(self.__module__)
        if self.__module__ != "__main__" and getattr(module, self.__name__, None) is self:
            return (_imported, (self.__module__, self.__name__))
        return _anew, (self.py_func, self.signature, self._options)


def _imported(module: str, name: str) -> Any:
    return getattr(importlib.import_module(module), name)


def _anew(function: Any, signature: Any, options: dict[str, bool]) -> Kernel[Any, Any]:
    return Kernel(function, signature, **options)


def kernel(
    signature: Any, *, inner: bool = False, pointer: bool = False
) -> Callable[[Callable[Arguments, Result]], Kernel[Arguments, Result]]:
    """Make the decorated function a kernel for ``signature``.

    An ``inner`` kernel is called by other kernels only, and is compiled faster for it.
    """

    def decorate(function: Callable[Arguments, Result]) -> Kernel[Arguments, Result]:
        return Kernel(function, signature, inner=inner, pointer=pointer)

    return decorate


def _compile(function: Any, signature: Any, *, cached: bool, inner: bool, pointer: bool) -> Any:
    """``function`` compiled for one signature and no other."""
    options: dict[str, Any] = {"no_cfunc_wrapper": not pointer, "no_cpython_wrapper": inner}
    compiled: Any = njit(nogil=True, fastmath=set(FAST_MATH), error_model="numpy", **options)(
        function
    )
    if cached:
        _cache(compiled)
    compiled.compile(signature)
    compiled.disable_compile()
    _tell_once(compiled)
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
        logger.info(COMPILING)
