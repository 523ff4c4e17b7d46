"""What may be asked at all: not twice, nothing narrow, nothing that nobody answers."""

from __future__ import annotations

import numpy as np

from conlinucb.agent.strategies.base import VIEW, View
from conlinucb.catalog.catalog import Catalog
from conlinucb.numerics.compile import INDEX, kernel
from conlinucb.numerics.validation import Floats, Indices

SILENT = 1 << 40
"""More than any number of times that a key-term came up."""


def breadth(catalog: Catalog, least: int) -> Floats:
    """(K,) 1 for key-terms that at least so many live arms have, 0 for narrow ones."""
    present = catalog._weights.multiply(catalog._live[:, None]).tocsr() > 0
    counts = np.asarray(present.sum(axis=0)).ravel()
    return np.asarray(counts >= least, dtype=np.float64)


@kernel(INDEX(VIEW))
def allowed_terms(view: View) -> Indices:
    """Positions in ``view.offered`` of what may be asked; ``view.constants`` begins with breadth.

    Those that came up least often, and of these the broad before the narrow; what nobody answers,
    or whose answer tells nothing, only where there is nothing else.
    """
    n = view.offered.shape[0]
    reluctance = np.empty(n, dtype=np.int64)
    least = 2 * SILENT
    for i in range(n):
        k = view.offered[i]
        reluctance[i] = 2 * view.times[k] + int(view.constants[k] == 0.0)
        if not view.chances[k] * view.weights[k] > 0.0:
            reluctance[i] += SILENT
        least = min(least, reluctance[i])
    return np.flatnonzero(reluctance == least)
