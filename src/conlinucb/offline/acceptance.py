"""Which decisions of a log may pass for the target's own: rejection sampling."""

from __future__ import annotations

import numpy as np

from conlinucb.numerics.validation import Floats, seed_of
from conlinucb.randomness import derive, uniform


def accepted(weights: Floats, bound: float, seed: int) -> Floats:
    """1 for decisions taken with chance w / bound, else 0."""
    return np.asarray(dice(seed, weights.size) < weights / max(bound, 1e-300), dtype=np.float64)


def dice(seed: int, decisions: int) -> Floats:
    """A number in [0, 1) for each decision, by its place in the log."""
    at = derive(seed_of(seed), 1)
    return np.array([uniform(at, i) for i in range(decisions)])
