"""The switch: whether a round asks about a key-term of its best arm, or recommends that arm."""

from __future__ import annotations

import numpy as np

from conlinucb.algorithms.hier_linucb.counting import FIRST_TERM
from conlinucb.numerics.compile import FLOAT, INDEX, INT, kernel
from conlinucb.numerics.ties import threshold
from conlinucb.numerics.validation import Indices
from conlinucb.simulation.loop.inputs import WORLD, World
from conlinucb.simulation.loop.question import is_among

SHARE = 0.5
"""An answer is worth this share of what the key-term's best arm would bring."""


@kernel(INT(WORLD, INDEX, INDEX, INT))
def least_asked(world: World, counts: Indices, offered: Indices, arm: int) -> int:
    """Of the arm's offered key-terms the one that was asked about least, -1 where it has none."""
    everything = offered.shape[0] == world.terms.shape[0]
    found = -1
    for at in range(world.arm_start[arm], world.arm_start[arm + 1]):
        k = world.arm_terms[at]
        times = counts[FIRST_TERM + k]
        fewer = found < 0 or times < counts[FIRST_TERM + found]
        first = found >= 0 and times == counts[FIRST_TERM + found] and k < found
        if (fewer or first) and (everything or is_among(offered, k)):
            found = k
    return found


@kernel(INT(WORLD, FLOAT, INDEX, INDEX, INT, FLOAT, INT))
def asked_instead(
    world: World,
    kappa: float,
    counts: Indices,
    offered: Indices,
    arm: int,
    score: float,
    round: int,
) -> int:
    """The key-term to ask about in place of recommending the best arm, of this score; -1 for none.

    Both bounds are of one number, the arm's score: it is the key-term's best arm as far as known.
    """
    k = least_asked(world, counts, offered, arm)
    if k < 0:
        return -1
    n_k, n_a = 1 + counts[FIRST_TERM + k], 1 + counts[FIRST_TERM + world.terms.shape[0] + arm]
    wide = np.log(round + 1.0)
    optimistic = SHARE * score + kappa * np.sqrt(wide / n_k)
    cautious = score - kappa * np.sqrt(wide / n_a)
    return k if optimistic >= threshold(cautious) else -1


@kernel(INT(WORLD, INT, INT))
def belongs(world: World, arm: int, k: int) -> int:
    """Whether the arm has the key-term."""
    for at in range(world.arm_start[arm], world.arm_start[arm + 1]):
        if world.arm_terms[at] == k:
            return 1
    return 0
