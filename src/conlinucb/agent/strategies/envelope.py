"""The expected maximum of lines: what an answer that is not known yet will be worth."""

from __future__ import annotations

import math

import numpy as np

from conlinucb.numerics.compile import FLOAT, VECTOR, kernel
from conlinucb.numerics.validation import Floats

FAR = 37.0
"""Standard deviations beyond which a normal density is 0 in float64, near enough."""


@kernel(FLOAT(FLOAT))
def expected_excess(z: float) -> float:
    """E[max(Z - |z|, 0)] of a standard normal Z: density(z) - |z| P(Z > |z|), never negative.

    >>> round(float(expected_excess(0.0)), 6)
    0.398942
    """
    size = abs(z)
    if not size < FAR:
        return 0.0
    density = math.exp(-0.5 * size * size) / math.sqrt(2.0 * math.pi)
    return max(density - size * 0.5 * math.erfc(size / math.sqrt(2.0)), 0.0)


@kernel(FLOAT(VECTOR, VECTOR))
def expected_gain(heights: Floats, slopes: Floats) -> float:
    """E[max_a (heights_a + slopes_a Z)] - max_a heights_a for a standard normal Z, exactly.

    Along the upper envelope, from the least slope on: the next line is the one that crosses the
    present one first. Each bend at z adds its change of slope times ``expected_excess(z)``, so
    nothing cancels and nothing is negative (Frazier, Powell and Dayanik 2009).

    >>> round(float(expected_gain(np.array([0.0, 0.0]), np.array([-1.0, 1.0]))), 6)
    0.797885
    """
    n, now = heights.shape[0], 0
    for a in range(1, n):
        steeper = slopes[a] < slopes[now]
        if steeper or (slopes[a] == slopes[now] and heights[a] > heights[now]):
            now = a
    gain = 0.0
    for _ in range(n):
        following, bend = -1, np.inf
        for a in range(n):
            rise = slopes[a] - slopes[now]
            if rise > 0.0:
                z = (heights[now] - heights[a]) / rise
                first = z < bend or (z == bend and slopes[a] > slopes[following])
                if following < 0 or first:
                    following, bend = a, z
        if following < 0:
            break
        gain += (slopes[following] - slopes[now]) * expected_excess(bend)
        now = following
    return gain
