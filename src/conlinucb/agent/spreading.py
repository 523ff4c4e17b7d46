"""What an answer about a key-term teaches of those that are alike to it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from conlinucb.catalog.catalog import Catalog
from conlinucb.errors import InvalidInput
from conlinucb.numerics.validation import Floats, Indices

if TYPE_CHECKING:
    from conlinucb.agent.estimators.base import Estimator

Spread = Literal["full", "edges"]
SPREADS: tuple[Spread, ...] = ("full", "edges")


class Spreading(NamedTuple):
    """Along the catalogue's graph: an answer y about k also counts as one about each neighbour j.

    Its value is expected_j + A_kj (y - expected_k): as far as the two are alike, j is to what was
    expected of it as k is. Where nothing is expected, as without a prior, that is A_kj y.
    """

    start: Indices
    """(K + 1,) where each key-term's neighbours begin; (0,) where answers do not spread."""
    terms: Indices
    """The neighbours, ..."""
    shares: Floats
    """... how alike they are, A, ..."""
    weights: Floats
    """... and how much each counts against the answer itself."""
    expected: Floats
    """(K,) x~'mean: what the prior says of each key-term, on the scale of rewards."""

    features: Floats
    """(K, d) of all key-terms."""

    def of(self, term: int, value: float) -> Iterator[tuple[Floats, float, float]]:
        """Each neighbour's features, the value observed, and the weight against the answer's."""
        if not self.start.size:
            return
        further = value - self.expected[term]
        for at in range(self.start[term], self.start[term + 1]):
            j = int(self.terms[at])
            observed = self.expected[j] + self.shares[at] * further
            yield self.features[j], float(observed), float(self.weights[at])


NOWHERE = Spreading(*(np.empty(0, dtype=np.int64),) * 2, *(np.empty(0),) * 3, np.empty((0, 0)))
"""For agents that learn of nothing but what was asked about."""


def checked_spread(given: Any) -> Spread | None:
    """A way to spread, or None."""
    if given is not None and given not in SPREADS:
        raise InvalidInput(f"spread must be None, 'full' or 'edges', got {given!r}.")
    spread: Spread | None = given
    return spread


def spreading_of(catalog: Catalog, estimator: Estimator) -> Spreading:
    """How an estimator's answers spread on a catalogue."""
    if checked_spread(estimator.spread) is None:
        return NOWHERE
    start, terms, shares = catalog.term_graph.rows
    mean = estimator.term_belief(estimator.new_state(catalog.d), 1, 0).theta
    weights = shares if estimator.spread == "edges" else np.ones_like(shares)
    expected = np.asarray(catalog._terms @ mean)
    return Spreading(start, terms, shares, weights, expected, catalog._terms)
