"""Which two key-terms: the widest and what is farthest from it, or two of a spanner."""

from __future__ import annotations

import numpy as np

from conlinucb.agent.strategies import SpannerMember, TermStrategy
from conlinucb.agent.strategies.base import View, strategy_kernel
from conlinucb.agent.strategies.lazy import widest
from conlinucb.catalog.catalog import Catalog
from conlinucb.errors import InvalidInput
from conlinucb.numerics.linalg import quadratic
from conlinucb.numerics.ties import first_best
from conlinucb.numerics.validation import Floats
from conlinucb.randomness import QUESTIONS, derive, uniform_index


@strategy_kernel(cache=True)
def widest_two(view: View) -> int:
    """argmax ||x~||_P, and the argmax of ||x~ - that||_P."""
    offered = view.offered
    scores = np.zeros(offered.shape[0])
    first = widest(view.terms, offered, view.cov, scores, 1.0, view.bounds)
    away = np.empty(view.terms.shape[1])
    for i in range(offered.shape[0]):
        for j in range(away.shape[0]):
            away[j] = view.terms[offered[i], j] - view.terms[first, j]
        scores[i] = -1.0 if offered[i] == first else np.sqrt(quadratic(view.cov, away))
    return int(first * view.terms.shape[0] + offered[first_best(scores)])


@strategy_kernel(cache=True)
def two_members(view: View) -> int:
    """Two different members of the spanner, every pair equally likely."""
    members, stream = view.constants, derive(view.seed, QUESTIONS)
    first = uniform_index(stream, 2 * view.asked, members.shape[0])
    second = uniform_index(stream, 2 * view.asked + 1, members.shape[0] - 1)
    second += second >= first
    return int(members[first] * view.terms.shape[0] + members[second])


class WidestTwo(TermStrategy):
    """The key-term of the largest radius, and the one whose difference to it has."""

    name, kind, kernel = "max-radius", "pair", widest_two


class TwoMembers(SpannerMember):
    """Two different key-terms of a barycentric spanner, at random."""

    kind, kernel = "pair", two_members

    def prepare(self, catalog: Catalog) -> Floats:
        """The members' indices."""
        members = super().prepare(catalog)
        if members.size < 2:
            raise InvalidInput(
                "A pair needs a spanner of two key-terms; those here span one direction only."
            )
        return members
