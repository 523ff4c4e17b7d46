"""Clusters that are split and merged as people turn out to differ, after SCLUB."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from conlinucb.agent.sharing.base import Course, Sharing
from conlinucb.agent.sharing.company import Company
from conlinucb.numerics.validation import Floats, number


@dataclass(frozen=True)
class Clusters(Sharing):
    """Everyone is in one cluster at first, and leaves it who turns out to differ.

    When someone's visit is over, they are split from their cluster c if ||theta_i - theta_c|| >
    a (F(N_i) + F(N_c)), F(n) = sqrt((1 + ln(1 + n)) / (1 + n)) and N the rounds of the person and
    of the cluster. Then any two clusters are merged whose estimates are closer than half of
    a (F + F), the first pair by their numbers first, as long as there is one, and all of whose
    members have come in the present phase: phase s = 1, 2, ... has 2^s rounds of all people. With
    a = 0 everyone is soon alone, with a large one nobody ever is.

    >>> import conlinucb as cl
    >>> catalog = cl.Catalog([[1.0, 0.0], [0.0, 1.0]], [[1.0], [1.0]])
    >>> crowd = cl.Crowd(cl.linucb(catalog, sharing=Clusters(a=0.5)), people=3)
    >>> for _ in range(9):
    ...     for person, likes in enumerate([0, 1, 1]):
    ...         arm = crowd.recommend(person).arms[0]
    ...         crowd.learn(person, arm, float(arm == likes))
    >>> crowd.groups
    array([1, 0, 0])
    """

    a: float

    def __post_init__(self) -> None:
        number("a", self.a, low=0.0)

    def course(self, company: Company) -> Course:
        """Phases of checks."""
        return _Phases(self.a, company).look


def shrinking(n: Floats | float) -> Floats:
    """F(n): about how far an estimate from n rounds may be off."""
    return np.asarray(np.sqrt((1.0 + np.log(1.0 + n)) / (1.0 + n)))


class _Phases:
    """The checks of one run. Clusters that are as they were at the last check are not compared
    anew with each other."""

    def __init__(self, a: float, company: Company) -> None:
        self.a, self.company = a, company
        people, d = company.group_of.size, company.start.theta.size
        self.came = np.zeros(people, dtype=bool)
        """Who came in this phase."""
        self.ready = np.zeros(people, dtype=bool)
        """By cluster: whether all its members did."""
        self.thetas, self.off = np.zeros((people, d)), np.zeros(people)
        """By cluster: its estimate, and F of its rounds, as of the last check."""
        self.phase, self.end = 1, 2

    def look(self, person: int) -> None:
        """This person's visit is over."""
        company = self.company
        self.came[person] = True
        changed = {*company.touched, int(company.group_of[person])}
        if self._differs(person):
            changed.add(company.split(person))
        for each in changed:
            self._note(each)
        while (pair := self._nearest(changed)) is not None:
            kept = company.merge(*pair)
            self.ready[pair[1]] = False
            changed = changed - {pair[1]} | {kept}
            self._note(kept)
        while company.clock >= self.end:
            self.phase += 1
            self.end += 2**self.phase
            self.came[:] = False
            self.ready[:] = False

    def _differs(self, person: int) -> bool:
        company, group = self.company, self.company.group(person)
        if group.members.size == 1:
            return False
        apart = np.linalg.norm(company.theta(person) - company.belief(person).state.theta)
        off = shrinking(company.rounds[person]) + shrinking(group.rounds)
        return bool(apart > self.a * off)

    def _note(self, number: int) -> None:
        group = self.company.groups[number]
        self.thetas[number] = self.company.belief(int(group.members[0])).state.theta
        self.off[number] = shrinking(group.rounds)
        self.ready[number] = self.came[group.members].all()

    def _nearest(self, changed: set[int]) -> tuple[int, int] | None:
        """The first pair of clusters to merge, by their numbers; one of them has changed."""
        found = []
        for each in changed:
            if self.ready[each]:
                apart = np.linalg.norm(self.thetas - self.thetas[each], axis=1)
                near = self.ready & (apart < self.a * (self.off + self.off[each]) / 2.0)
                near[each] = False
                found += [(min(each, i), max(each, i)) for i in np.flatnonzero(near).tolist()]
        return min(found, default=None)
