"""Some of the people: a part that can be tuned on while the others are kept for the score."""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Hashable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from conlinucb.agent.question import Question
from conlinucb.agent.relative import Word
from conlinucb.catalog.catalog import Catalog
from conlinucb.numerics.validation import Floats, Indices, indices
from conlinucb.people.answer_changes import Wrapped
from conlinucb.people.base import Opinions, People, Place, Round, opinions_of
from conlinucb.people.compiled import Compiled, Met, compiled_people
from conlinucb.people.logged import LoggedPeople


class Part(Wrapped):
    """The people with these numbers; each meets the same chance as among all of them.

    >>> import conlinucb as cl
    >>> everyone = cl.LinearUsers([[1.0, 0.0], [0.0, 1.0], [0.6, 0.8]], pool_size=2)
    >>> some = Part(everyone, [2, 0])
    >>> len(some), some.user_seed(0, 0, 1) == everyone.user_seed(0, 0, 0)
    (2, True)
    """

    def __init__(self, people: People, members: ArrayLike) -> None:
        super().__init__(people)
        self.members: Indices = indices("members", members, size=len(people))

    def __len__(self) -> int:
        return int(self.members.size)

    def user_seed(self, seed: int, repeat: int, user: int) -> int:
        """That of the person among all."""
        return self.people.user_seed(seed, repeat, int(self.members[user]))

    def answer(self, place: Place, question: Question, number: int) -> float | Word | None:
        """As the person among all."""
        return self.people.answer(self._among_all(place), question, number)

    def opinions(self, place: Place, question: Question, number: int) -> Opinions:
        """As the person among all."""
        return opinions_of(self.people, self._among_all(place), question, number)

    def reward(self, place: Place, arm: int) -> float | None:
        """As the person among all."""
        return self.people.reward(self._among_all(place), arm)

    def duel(self, place: Place, first: int, second: int) -> float | None:
        """As the person among all."""
        return self.people.duel(self._among_all(place), first, second)

    def values(self, place: Place, arms: Indices) -> Floats:
        """As the person among all."""
        return self.people.values(self._among_all(place), arms)

    def taste(self, place: Place) -> Floats | None:
        """As the person among all."""
        return self.people.taste(self._among_all(place))

    def round(self, place: Place) -> Round:
        """As the person among all."""
        return self.people.round(self._among_all(place))

    def table(self, catalog: Catalog, user: int) -> Floats:
        """What each key-term is worth to the person among all, where the inner people tell."""
        people: Any = self.people
        found: Floats = people.table(catalog, int(self.members[user]))
        return found

    def compiled(self) -> Compiled | None:
        """The inner people's, by their numbers among all."""
        inner = compiled_people(self.people)
        return None if inner is None else _CompiledPart(inner, self.members)

    def parameters(self) -> dict[str, Any]:
        """The inner people's, and how many they are."""
        return {**self.people.parameters(), "users": len(self)}

    def fingerprint(self) -> dict[str, str]:
        """The inner people's, and who is among them."""
        digest = hashlib.sha256(self.members.tobytes()).hexdigest()[:16]
        return {**super().fingerprint(), "members": digest}

    def _among_all(self, place: Place) -> Place:
        return place._replace(user=int(self.members[place.user]))


class _CompiledPart:
    def __init__(self, inner: Compiled, members: Indices) -> None:
        self._inner, self._members = inner, members

    def meet(self, catalog: Catalog, seed: int, user: int) -> Met:
        return self._inner.meet(catalog, seed, int(self._members[user]))


def part_of(people: People, members: ArrayLike) -> People:
    """Some of the people, who answer as all do: who drifts becomes like another of the part."""
    if not isinstance(people, Wrapped) or isinstance(people, Part):
        return Part(people, members)
    outer = copy.copy(people)
    outer.people = part_of(people.people, members)
    return outer


def persons(people: People, catalog: Catalog) -> list[Hashable]:
    """Something that tells each person from others: their taste or log, else their number here."""
    if isinstance(people, Part):
        everyone = persons(people.people, catalog)
        return [everyone[each] for each in people.members]
    if isinstance(people, Wrapped):
        return persons(people.people, catalog)
    return [_person(people, catalog, user) for user in range(len(people))]


def _person(people: People, catalog: Catalog, user: int) -> Hashable:
    if isinstance(people, LoggedPeople):
        return np.nan_to_num(people.row(user), nan=-np.inf).tobytes()
    taste = people.taste(people.place(catalog, 0, 0, user, 1))
    return (id(people), user) if taste is None else taste.tobytes()
