"""A clock that can be read inside a kernel, where the platform has one."""

from __future__ import annotations

import sys

import numpy as np
from numba import types

from conlinucb.numerics.compile import INDEX, INT, kernel
from conlinucb.numerics.validation import Indices

AVAILABLE = sys.platform in ("linux", "darwin")
_MONOTONIC = np.int32(6 if sys.platform == "darwin" else 1)

if AVAILABLE:
    _clock_gettime = types.ExternalFunction(
        "clock_gettime", types.int32(types.int32, types.CPointer(types.int64))
    )

    @kernel(INT(INDEX))
    def nanoseconds(scratch: Indices) -> int:
        """Monotonic time; ``scratch`` (2,) receives seconds and nanoseconds."""
        _clock_gettime(_MONOTONIC, scratch.ctypes)  # type: ignore[call-overload]
        return scratch[0] * 1_000_000_000 + scratch[1]

else:

    @kernel(INT(INDEX))
    def nanoseconds(scratch: Indices) -> int:
        """No clock here: always 0. ``simulate`` refuses ``timed=True`` on this platform."""
        return 0
