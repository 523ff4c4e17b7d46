"""Perturbations of key-terms, number by number, from the package's uniform draws alone."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from conlinucb.randomness import QUESTIONS, derive, uniform

Floats = NDArray[np.float64]


def xi(seed: int, asked: int, k: int, d: int, rho: float = 0.1, R: float = 0.3) -> Floats:
    """The first d numbers of a sequence that lie within [-R, R]."""
    at = derive(derive(derive(np.uint64(seed), QUESTIONS), asked), k)
    found: list[float] = []
    position = 0
    while len(found) < d:
        one, other = (float(uniform(at, 2 * position + i)) for i in (0, 1))
        position += 1
        if rho == 0.0:
            found.append(0.0)
        elif rho <= R:
            x = rho * math.sqrt(-2 * math.log(1 - one)) * math.cos(2 * math.pi * other)
            found += [x] * (abs(x) <= R)
        else:
            x = R * (2 * one - 1)
            found += [x] * (other < math.exp(-(x**2) / (2 * rho**2)))
    return np.array(found)
