"""ConLinUCB-BS: ask about the members of a barycentric spanner, at random."""

from __future__ import annotations

import numpy as np

from conlinucb.agent.spanner import barycentric_spanner
from conlinucb.agent.strategies.base import TermStrategy, View, strategy_kernel
from conlinucb.catalog.catalog import Catalog
from conlinucb.errors import InvalidInput
from conlinucb.numerics.validation import Floats, number
from conlinucb.randomness import QUESTIONS, derive, uniform_index


@strategy_kernel(cache=True)
def any_member(view: View) -> int:
    """One of the spanner's terms; ``constants`` holds their indices, exact in float64."""
    members = view.constants
    stream = derive(view.seed, QUESTIONS)
    return int(members[uniform_index(stream, view.asked, members.shape[0])])


class SpannerMember(TermStrategy):
    """k uniform, with replacement, over a C-approximate barycentric spanner of all terms."""

    name = "spanner"
    fixed_terms = True
    kernel = any_member

    def __init__(self, *, C: float = 1.0) -> None:
        self.C = number("C", C, low=1.0)

    def prepare(self, catalog: Catalog) -> Floats:
        live = catalog.live_terms
        if not catalog.terms[live].any():
            raise InvalidInput("The spanner strategy needs key-terms whose features are not zero.")
        members = live[barycentric_spanner(catalog.terms[live], self.C).indices]
        return np.sort(members).astype(np.float64)
