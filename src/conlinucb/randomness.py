"""Random numbers as a pure function of where they are used, never of call order.

A number is a hash of (seed, stream, position): SplitMix64 outputs whose starting points are
themselves hashed. So any draw can be repeated alone, in any order, on any thread or machine.
"""

from __future__ import annotations

import numpy as np

from conlinucb._compile import FLOAT, INT, SEED, kernel

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
TO_UNIT = 1.0 / 9007199254740992.0  # 2^-53

QUESTIONS = 1
"""Stream of a strategy's own draws."""


@kernel(SEED(SEED))
def mix(z: np.uint64) -> np.uint64:
    """SplitMix64's output function: a bijection of 64 bits in which every bit matters."""
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@kernel(SEED(SEED, INT))
def derive(seed: np.uint64, key: int) -> np.uint64:
    """A new seed from a seed and a key; chains: derive(derive(seed, repeat), user)."""
    return mix(mix(seed + GOLDEN) ^ mix((np.uint64(key) + np.uint64(1)) * GOLDEN))


@kernel(FLOAT(SEED, INT))
def uniform(seed: np.uint64, position: int) -> float:
    """Number ``position`` of the seed's sequence, uniform in [0, 1)."""
    bits = mix(seed + np.uint64(position + 1) * GOLDEN)
    return np.float64(bits >> np.uint64(11)) * TO_UNIT


@kernel(INT(SEED, INT, INT))
def uniform_index(seed: np.uint64, position: int, n: int) -> int:
    """Number ``position`` of the seed's sequence, uniform over 0 .. n - 1, both included."""
    return min(int(uniform(seed, position) * n), n - 1)
