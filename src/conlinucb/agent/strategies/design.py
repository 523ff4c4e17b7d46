"""After GraphConUCB: ask about the members of an optimal design, each as often as it says."""

from __future__ import annotations

import numpy as np

from conlinucb.agent.design import GAP, optimal_design
from conlinucb.agent.strategies.base import TermStrategy, View, strategy_kernel
from conlinucb.agent.strategies.lazy import widest
from conlinucb.catalog.catalog import Catalog
from conlinucb.errors import InvalidInput
from conlinucb.numerics.ties import ranking
from conlinucb.numerics.validation import Floats, positive
from conlinucb.randomness import QUESTIONS, derive, uniform

SHARE = 0.15


@strategy_kernel(cache=True)
def by_design(view: View) -> int:
    """One of the offered members, drawn by weight, or the widest term where none is offered.

    ``constants`` are the weights of all terms, 0 for those that are no members.
    """
    total = 0.0
    for k in view.offered:
        total += view.constants[k]
    if not total > 0.0:
        no_means = np.zeros(view.offered.shape[0])
        return widest(view.terms, view.offered, view.cov, no_means, 1.0, view.bounds)
    left = total * uniform(derive(view.seed, QUESTIONS), view.asked)
    last = view.offered[0]
    for k in view.offered:
        if view.constants[k] > 0.0:
            last = k
            left -= view.constants[k]
            if left < 0.0:
                break
    return last


class OptimalDesign(TermStrategy):
    """k drawn with replacement from a G-optimal design of the terms, to a gap (``optimal_design``).

    Its ``share`` d log d terms of the largest weights, 0.15 as a third party's code of GraphConUCB
    has it, or the whole design with ``share=None``. So few do not span d dimensions: the neighbours
    that answers spread to are meant to do the rest. Where no member is offered, the term of the
    largest radius.
    """

    name = "design"
    kernel = by_design

    def __init__(self, *, share: float | None = SHARE, gap: float = GAP) -> None:
        self.share = None if share is None else positive("share", share)
        self.gap = positive("gap", gap)

    def prepare(self, catalog: Catalog) -> Floats:
        """The weights of all terms."""
        live, d = catalog.live_terms, catalog.d
        if not catalog.terms[live].any():
            raise InvalidInput("The design strategy needs key-terms whose features are not zero.")
        weights = optimal_design(catalog.terms[live], gap=self.gap).weights
        found = np.zeros(len(catalog.term_ids))
        most = live.size if self.share is None else int(np.ceil(self.share * d * np.log(d)))
        members = ranking(weights, max(most, 1))
        found[live[members]] = weights[members]
        return found
