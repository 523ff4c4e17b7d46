"""Groups by k-means over what is believed of each person."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from conlinucb.agent.sharing.base import Course, Sharing
from conlinucb.agent.sharing.company import Company
from conlinucb.numerics import groups
from conlinucb.numerics.validation import whole


@dataclass(frozen=True)
class KMeans(Sharing):
    """k-means over everyone's own estimates, every so many rounds of all people.

    Everyone is in one group at first. When a visit is over and ``every`` more rounds are, people
    are grouped anew into ``n`` groups, fewer where fewer differ: centres start at the estimate
    that is farthest from the mean, each next one as far as can be from those before it. Nothing
    is left to chance.

    >>> KMeans(5)
    KMeans(n=5, every=50)
    """

    n: int
    every: int = 50

    def __post_init__(self) -> None:
        whole("n", self.n, low=1)
        whole("every", self.every, low=1)

    def course(self, company: Company) -> Course:
        """Group everyone anew from time to time."""
        return _Rhythm(self, company).look


class _Rhythm:
    def __init__(self, sharing: KMeans, company: Company) -> None:
        self.sharing, self.company, self.times = sharing, company, 0

    def look(self, person: int) -> None:
        """Someone's visit is over."""
        times = self.company.clock // self.sharing.every
        if times > self.times:
            self.times = times
            people = range(self.company.group_of.size)
            rows = groups.scaled(np.stack([self.company.theta(each) for each in people]))
            start = groups.farthest_first(rows, self.sharing.n)
            self.company.regroup(groups.numbered(groups.kmeans(rows, start)))
