"""The people of one run who share: what was learned of each, and of each group."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from conlinucb.agent.estimators import Estimator, State
from conlinucb.agent.estimators.state import copied
from conlinucb.agent.sharing.base import Sharing
from conlinucb.errors import InvalidInput
from conlinucb.numerics.validation import Floats, Indices, whole


@dataclass(eq=False)
class Belief:
    """A state, and what the compiled rounds note of it; gone as soon as another takes its place."""

    state: State
    notes: dict[str, Any] = field(default_factory=dict)


@dataclass(eq=False)
class Group:
    """People who decide together."""

    members: Indices
    """Ascending."""
    belief: Belief | None
    """The prior and everything that was learned of any of them; None where only answers are
    shared."""
    rounds: int
    """Of all of them."""


class Company:
    """Everyone's own state, and the groups they are in.

    A visit lasts until another person arrives; then the ``sharing`` looks at the groups. A group's
    state is the prior with the sum of what was learned of each member:
    M_c = sum of M_i - (|c| - 1) M_0, and the moments likewise.
    """

    def __init__(self, sharing: Sharing, estimator: Estimator, d: int, people: int) -> None:
        whole("people", people, low=1)
        sharing.check(people)
        self.pooled, self.estimator = sharing.pooled, estimator
        self.start = estimator.new_state(d)
        self.own = [Belief(copied(self.start)) for _ in range(people)]
        self.rounds: Indices = np.zeros(people, dtype=np.int64)
        """Of each person."""
        self.clock = 0
        """Rounds of all of them."""
        self.group_of: Indices = np.zeros(people, dtype=np.int64)
        """The number of each person's group."""
        self.groups: dict[int, Group] = {}
        self.touched: set[int] = set()
        """Groups of whom something was learned since the groups were last looked at."""
        self._sums: dict[int, Floats] = {}
        self._present = -1
        self._start(sharing.first(people))
        self._course = sharing.course(self)

    def _start(self, labels: Any) -> None:
        first = np.asarray(labels)
        if first.shape != self.group_of.shape or first.dtype.kind not in "iu" or first.min() < 0:
            raise InvalidInput(
                f"first must give each of {self.group_of.size} people the number of a group, "
                f"got {labels!r}."
            )
        self.regroup(first)

    def arrive(self, person: int) -> Belief:
        """This person is here now, whoever else was is gone; what decides for them."""
        if person != self._present:
            before, self._present = self._present, person
            if before >= 0:
                self._course(before)
                self.touched.clear()
        return self.belief(person)

    def belief(self, person: int) -> Belief:
        """What decides for a person: their group's belief, or their own where only answers are
        shared."""
        return self.group(person).belief or self.own[person]

    def group(self, person: int) -> Group:
        """The group that a person is in."""
        return self.groups[int(self.group_of[person])]

    def also(self, person: int, answer: bool) -> list[Belief]:
        """Who else takes in what this person says, beside what decides for them: they themselves,
        or of an answer the others of the group."""
        self._sums.pop(person, None)
        self.touched.add(int(self.group_of[person]))
        if self.pooled:
            return [self.own[person]]
        members = self.group(person).members if answer else ()
        return [self.own[each] for each in members if each != person]

    def closed(self, person: int, rounds: int = 1) -> None:
        """So many rounds of this person are over."""
        self.touched.add(int(self.group_of[person]))
        self.rounds[person] += rounds
        self.group(person).rounds += rounds
        self.clock += rounds

    def theta(self, person: int) -> Floats:
        """The estimate from what this person said alone."""
        return self.own[person].state.theta

    def split(self, person: int) -> int:
        """Make this person a group of one; its number, the lowest that is free."""
        number, group = int(self.group_of[person]), self.group(person)
        if group.members.size == 1:
            return number
        free = next(i for i in range(self.group_of.size) if i not in self.groups)
        rest, left = None, int(self.rounds[person])
        if group.belief is not None:
            rest = self._with(self._learned(group.belief.state) - self._of(person))
        others = group.members[group.members != person]
        self.groups[number] = Group(others, rest, group.rounds - left)
        self.groups[free] = Group(np.array([person]), self._alone(person), left)
        self.group_of[person] = free
        return free

    def merge(self, one: int, other: int) -> int:
        """Make one group of two; it has the lower number."""
        low, high = min(one, other), max(one, other)
        kept, gone, both = self.groups[low], self.groups.pop(high), None
        if kept.belief is not None and gone.belief is not None:
            both = self._with(self._learned(kept.belief.state) + self._learned(gone.belief.state))
        members = np.sort(np.concatenate([kept.members, gone.members]))
        self.groups[low] = Group(members, both, kept.rounds + gone.rounds)
        self.group_of[gone.members] = low
        return low

    def regroup(self, labels: Indices) -> None:
        """Group everyone anew, by label; who stays with the same people keeps their belief."""
        before = {each.members.tobytes(): each for each in self.groups.values()}
        self.groups = {}
        for number in np.unique(labels):
            members = np.flatnonzero(labels == number)
            kept = before.get(members.tobytes())
            self.groups[int(number)] = kept or self._formed(members)
        self.group_of = np.array(labels, dtype=np.int64)

    def _formed(self, members: Indices) -> Group:
        belief = self._alone(int(members[0])) if members.size == 1 else None
        if self.pooled and belief is None:
            belief = self._with(_total(self._of(int(each)) for each in members))
        return Group(members, belief, int(self.rounds[members].sum()))

    def _alone(self, person: int) -> Belief | None:
        return Belief(copied(self.own[person].state)) if self.pooled else None

    def _learned(self, state: State) -> Floats:
        return self.estimator.sums(state, self.start)

    def _with(self, learned: Floats) -> Belief:
        if not learned.any():
            return Belief(copied(self.start))
        return Belief(self.estimator.with_sums(self.start, learned))

    def _of(self, person: int) -> Floats:
        """What was learned of one person; computed once for all who ask until there is more."""
        if person not in self._sums:
            self._sums[person] = self._learned(self.own[person].state)
        return self._sums[person]


def _total(sums: Iterable[Floats]) -> Floats:
    each = iter(sums)
    total = next(each).copy()
    for one in each:
        total += one
    return total
