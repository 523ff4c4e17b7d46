"""Random numbers as a pure function of where they are used, never of call order.

A number is a hash of (seed, stream, position): SplitMix64 outputs whose starting points are
themselves hashed. So any draw can be repeated alone, in any order, on any thread or machine.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from conlinucb.numerics.compile import FLOAT, INDEX, INT, MARKS, SEED, VOID, kernel
from conlinucb.numerics.validation import Indices

Marks = NDArray[np.uint8]

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
TO_UNIT = 1.0 / 9007199254740992.0  # 2^-53

QUESTIONS = 0
"""Stream of a strategy's own draws, from the user's seed (rounds are keyed from 1)."""
POOL, OFFERED, REWARD_NOISE, ANSWER_NOISE, ARM_ANSWER_NOISE = 1, 2, 3, 4, 5
"""Streams of people, from a round's seed."""
SELECT = 6
"""Stream of the way to choose arms, from a round's seed."""
EXPLORE = 11
"""Stream of the service's recommendations at random, from a round's seed."""
PROPENSITY = 12
"""Stream of the draws that say how likely an arm was, from a round's seed."""
BRANCHES = 20
"""Stream of what is looked at of a tree, from a round's seed: arms, then nodes step by step."""
CLICK, REFUSAL, LIE, DRIFT = 7, 8, 9, 10
"""More streams of people: whether they click, refuse to answer, lie; how their taste moves."""
COMPARED = 13
"""Stream of the noise with which people see each of the two of a pair."""
DUEL = 15
"""Stream of who wins a duel of two arms, from a round's seed."""
GROUP_NOISE = 16
"""One more: the noise of what they think of each of a group."""

REWARD_ASKED = 17
"""Stream of whether a round's reward is asked for, from a round's seed."""
VISIT = 14
"""Stream of how long people stay and when they come, from the seed of the round it begins with."""


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
    return np.float64(np.int64(bits >> np.uint64(11))) * TO_UNIT  # signed converts faster


@kernel(INT(SEED, INT, INT))
def uniform_index(seed: np.uint64, position: int, n: int) -> int:
    """Number ``position`` of the seed's sequence, uniform over 0 .. n - 1, both included."""
    return min(int(uniform(seed, position) * n), n - 1)


@kernel(FLOAT(SEED, INT))
def normal(seed: np.uint64, position: int) -> float:
    """Number ``position`` of the seed's sequence of standard normal draws (Box and Muller)."""
    radius = np.sqrt(-2.0 * np.log(1.0 - uniform(seed, 2 * position)))
    return float(radius * np.cos(2.0 * np.pi * uniform(seed, 2 * position + 1)))


@kernel(VOID(SEED, INDEX, MARKS, INDEX))
def distinct(seed: np.uint64, among: Indices, marks: Marks, out: Indices) -> None:
    """Fill ``out`` with different members of ``among``, every ordered choice equally likely.

    ``marks`` (one for each member) is scratch, all zero before and after. Few of many are drawn
    again on a clash; many of few by a shuffle, where clashes would be the rule.
    """
    n, size = among.shape[0], out.shape[0]
    if 2 * size <= n:
        position = 0
        for i in range(size):
            at = uniform_index(seed, position, n)
            position += 1
            while marks[at] != 0:
                at = uniform_index(seed, position, n)
                position += 1
            marks[at] = 1
            out[i] = at
        for i in range(size):
            marks[out[i]] = 0
            out[i] = among[out[i]]
    else:
        shuffled = among.copy()
        for i in range(size):
            at = i + uniform_index(seed, i, n - i)
            shuffled[i], shuffled[at] = shuffled[at], shuffled[i]
            out[i] = shuffled[i]
