"""People who, asked about a pair, compare its two key-terms and say a word."""

from __future__ import annotations

from typing import Any

import numpy as np

from conlinucb.agent.question import Question
from conlinucb.agent.relative import Word
from conlinucb.catalog.catalog import Catalog
from conlinucb.errors import InvalidInput
from conlinucb.numerics.validation import Floats, number
from conlinucb.people.answer_changes import Wrapped
from conlinucb.people.base import Opinions, People, Place, opinions_of
from conlinucb.people.compiled import (
    Compiled,
    Met,
    Rounds,
    Voice,
    compiled_people,
    duelled,
    no_changes,
    preferred,
    worded,
)


class Compares(Wrapped):
    """People who answer a pair by "first" or "second", whichever seems worth more to them.

    They see each of the two with ``noise`` of its own (default: the people's ``term_noise``, or
    none), on what people with a taste have as x~'theta* and people of a log as their answer. Where
    the two are within ``near`` of each other they say "both" or, if their mean is below ``liked``,
    "neither"; where one is not known, nothing. With ``logistic`` the noises are such that the first
    is preferred with the chance 1 / (1 + e^-(difference / noise)), and duels of arms are decided by
    the same noise where there is a taste. All other questions and duels are answered as by the
    inner people, who are ``LinearUsers``, ``ClickUsers``, ``LoggedPeople`` or any with a
    ``table``.

    >>> import conlinucb as cl
    >>> catalog = cl.Catalog([[1.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [0.0, 1.0]])
    >>> people = cl.Compares(cl.ClickUsers([[0.9, 0.2]], link="clip", pool_size=2))
    >>> from conlinucb.agent.question import question_about
    >>> place = people.place(catalog, seed=0, repeat=0, user=0, round=1)
    >>> people.answer(place, question_about(catalog, "pair", (0, 1), number=1, round=1), 0)
    'first'
    """

    def __init__(
        self,
        people: People,
        *,
        noise: float | None = None,
        near: float = 0.0,
        liked: float = 0.5,
        logistic: bool = False,
    ) -> None:
        super().__init__(people)
        if not hasattr(people, "table"):
            raise InvalidInput(
                f"Compares takes LinearUsers, ClickUsers, LoggedPeople or people with a "
                f"table(catalog, user) of what each key-term is worth, got {people!r}."
            )
        own = getattr(people, "term_noise", 0.0)
        self.noise = number("noise", own if noise is None else noise, low=0.0)
        self.near = number("near", near, low=0.0)
        self.liked = number("liked", liked)
        self.logistic = bool(logistic)

    def answer(self, place: Place, question: Question, number: int) -> float | Word | None:
        """A word about a pair, anything else as the inner people."""
        if question.kind != "pair":
            return self.people.answer(place, question, number)
        table = self._table(place.catalog, place.user)
        first, second = (float(table[each]) for each in question.indices)
        return worded(preferred(self._voice(place), first, second, place.round, number))

    def duel(self, place: Place, first: int, second: int) -> float | None:
        """With ``logistic`` by the noise and a taste, else as the inner people."""
        theta = self.people.taste(place) if self.logistic else None
        if theta is None:
            return self.people.duel(place, first, second)
        voice = self._voice(place)._replace(theta=theta, has_theta=1)
        return duelled(voice, place.catalog._arms, first, second, place.round)

    def opinions(self, place: Place, question: Question, number: int) -> Opinions:
        """As the inner people."""
        return opinions_of(self.people, place, question, number)

    def compiled(self) -> Compiled | None:
        """The inner people's, who compare."""
        inner = compiled_people(self.people)
        return None if inner is None else _Comparing(inner, self)

    def parameters(self) -> dict[str, Any]:
        """The inner people's, and how they compare."""
        rule = [self.noise, self.near, self.liked, *(["logistic"] if self.logistic else [])]
        return {**self.people.parameters(), "Compares": rule}

    def _voice(self, place: Place) -> Voice:
        nobody = np.empty(0), 0, np.empty(0), np.empty(0), 0, 0, 0.0, 0.0, 0
        return Voice(*nobody, no_changes(), np.uint64(place.seed), comparing=self._rule())

    def _rule(self) -> Floats:
        return np.array([self.noise, self.near, self.liked, self.logistic])

    def _table(self, catalog: Catalog, user: int) -> Floats:
        people: Any = self.people
        return np.ascontiguousarray(people.table(catalog, user), dtype=np.float64)


class _Comparing:
    def __init__(self, inner: Compiled, people: Compares) -> None:
        self._inner, self._people = inner, people

    def meet(self, catalog: Catalog, seed: int, user: int) -> Met:
        table, rule = self._people._table(catalog, user), self._people._rule()
        return _MetComparing(self._inner.meet(catalog, seed, user), table, rule)


class _MetComparing:
    def __init__(self, met: Met, table: Floats, rule: Floats) -> None:
        self._met = met
        self.voice = met.voice._replace(compared=table, comparing=rule)

    def rounds(self, first: int, count: int) -> Rounds:
        return self._met.rounds(first, count)
