"""What people do to answers: wrappers around any people, and around one another."""

from __future__ import annotations

from typing import Any

import numpy as np

from conlinucb.agent.question import Question
from conlinucb.agent.relative import Word
from conlinucb.catalog.catalog import Catalog
from conlinucb.errors import InvalidInput
from conlinucb.numerics.validation import Floats, Indices, number, whole
from conlinucb.people.base import Opinions, People, Place, Round, opinions_of
from conlinucb.people.compiled import (
    LIES,
    REFUSES,
    YES_NO,
    Compiled,
    Met,
    Rounds,
    Voice,
    changed,
    coded,
    compiled_people,
    worded,
)
from conlinucb.randomness import DRIFT, derive, uniform


class Wrapped(People):
    """People around people: everything as the inner ones have it, unless overridden."""

    def __init__(self, people: People) -> None:
        if not isinstance(people, People):
            raise InvalidInput(f"{type(self).__name__} takes people, got {people!r}.")
        self.people = people

    @property
    def pool_size(self) -> int:  # type: ignore[override]
        """Of the inner people."""
        return self.people.pool_size

    @property
    def offered_size(self) -> int | None:  # type: ignore[override]
        """Of the inner people."""
        return self.people.offered_size

    def __len__(self) -> int:
        return len(self.people)

    def answer(self, place: Place, question: Question, number: int) -> float | Word | None:
        """As the inner people."""
        return self.people.answer(place, question, number)

    def opinions(self, place: Place, question: Question, number: int) -> Opinions:
        """As the inner people."""
        return opinions_of(self.people, place, question, number)

    def reward(self, place: Place, arm: int) -> float | None:
        """As the inner people."""
        return self.people.reward(place, arm)

    def duel(self, place: Place, first: int, second: int) -> float | None:
        """As the inner people."""
        return self.people.duel(place, first, second)

    def values(self, place: Place, arms: Indices) -> Floats:
        """As the inner people."""
        return self.people.values(place, arms)

    def taste(self, place: Place) -> Floats | None:
        """As the inner people."""
        return self.people.taste(place)

    def round(self, place: Place) -> Round:
        """As the inner people."""
        return self.people.round(place)

    def user_seed(self, seed: int, repeat: int, user: int) -> int:
        """As the inner people."""
        return self.people.user_seed(seed, repeat, user)

    def check(self, catalog: Catalog) -> None:
        """As the inner people."""
        self.people.check(catalog)

    def fingerprint(self) -> dict[str, str]:
        """As the inner people."""
        inner: Any = getattr(self.people, "fingerprint", dict)
        found: dict[str, str] = inner()
        return found


class AnswerChange(Wrapped):
    """A wrapper that changes answers by one row of numbers, so that the loop can do the same."""

    def row(self) -> tuple[float, float, float, float]:
        """Which change, and its three numbers."""
        raise InvalidInput(f"{type(self).__name__} has no row().")

    def depth(self) -> int:
        """How many changes there are inside: each has draws of its own."""
        inner, found = self.people, 0
        while isinstance(inner, Wrapped):
            found += isinstance(inner, AnswerChange)
            inner = inner.people
        return found

    def answer(self, place: Place, question: Question, number: int) -> float | Word | None:
        """What the inner people would say, changed."""
        said = self.people.answer(place, question, number)
        word = isinstance(said, str)
        rows = np.vstack([np.full((self.depth(), 4), -1.0), [self.row()]])
        nobody = np.empty(0), 0, np.empty(0), np.empty(0), 0, 0, 0.0, 0.0, 0
        voice = Voice(*nobody, rows, np.uint64(place.seed), compared=np.empty(int(word)))
        pair = int(question.kind == "pair")
        heard = changed(voice, pair, place.round, number, coded(said))
        return worded(heard) if word else None if np.isnan(heard) else heard

    def opinions(self, place: Place, question: Question, number: int) -> Opinions:
        """The inner people's, and one change more to what is picked by them."""
        values, changes = super().opinions(place, question, number)
        return Opinions(values, np.vstack([changes, [self.row()]]))

    def compiled(self) -> Compiled | None:
        """The inner people's, with one change more."""
        inner = compiled_people(self.people)
        return None if inner is None else _WithChange(inner, self)

    def parameters(self) -> dict[str, Any]:
        """The inner people's, and this change."""
        _, *numbers = self.row()
        return {**self.people.parameters(), f"{type(self).__name__} {self.depth()}": numbers}


class _WithChange:
    def __init__(self, inner: Compiled, change: AnswerChange) -> None:
        self._inner, self._row = inner, np.array([change.row()])

    def meet(self, catalog: Catalog, seed: int, user: int) -> Met:
        return _MetWithChange(self._inner.meet(catalog, seed, user), self._row)


class _MetWithChange:
    def __init__(self, met: Met, row: Floats) -> None:
        self._met = met
        rows = np.vstack([met.voice.changes, row])
        self.voice = met.voice._replace(changes=rows)

    def rounds(self, first: int, count: int) -> Rounds:
        return self._met.rounds(first, count)


class YesNo(AnswerChange):
    """People who answer yes (1) or no (0): yes from ``at`` on.

    >>> import conlinucb as cl
    >>> people = cl.YesNo(cl.LinearUsers([[1.0, 0.0]], pool_size=2), at=0.3)
    """

    def __init__(
        self, people: People, at: float = 0.5, *, yes: float = 1.0, no: float = 0.0
    ) -> None:
        super().__init__(people)
        self.at = number("at", at)
        self.yes, self.no = number("yes", yes), number("no", no)

    def row(self) -> tuple[float, float, float, float]:
        """The border, and the two answers."""
        return YES_NO, self.at, self.yes, self.no


class Refuses(AnswerChange):
    """People who leave a question unanswered with this probability."""

    def __init__(self, people: People, probability: float) -> None:
        super().__init__(people)
        self.probability = number("probability", probability, low=0.0, high=1.0)

    def row(self) -> tuple[float, float, float, float]:
        """The probability."""
        return REFUSES, self.probability, 0.0, 0.0


class Lies(AnswerChange):
    """People who say the opposite, ``low + high`` less the answer, with this probability."""

    def __init__(
        self, people: People, probability: float, *, low: float = 0.0, high: float = 1.0
    ) -> None:
        super().__init__(people)
        self.probability = number("probability", probability, low=0.0, high=1.0)
        self.low, self.high = number("low", low), number("high", high)

    def row(self) -> tuple[float, float, float, float]:
        """The probability, and the range."""
        return LIES, self.probability, self.low, self.high


class Drifts(Wrapped):
    """People whose taste drifts: within ``rounds`` rounds each becomes like another of them.

    In round t a person rewards and answers as the other with the chance t / rounds, and values
    are the mean of both. They are met by hand, not by the compiled loop.
    """

    def __init__(self, people: People, rounds: int) -> None:
        super().__init__(people)
        self.rounds = whole("rounds", rounds, low=1)

    def share(self, place: Place) -> float:
        """How much of the other there is by now."""
        return min(place.round / self.rounds, 1.0)

    def other(self, place: Place) -> Place:
        """The same round of the person whom this one becomes."""
        return place._replace(user=(place.user + 1) % len(self))

    def _as(self, place: Place, position: int) -> Place:
        drawn = uniform(derive(place.at, DRIFT), position)
        return self.other(place) if drawn < self.share(place) else place

    def answer(self, place: Place, question: Question, number: int) -> float | Word | None:
        """As one of the two."""
        return self.people.answer(self._as(place, number + 1), question, number)

    def opinions(self, place: Place, question: Question, number: int) -> Opinions:
        """As one of the two."""
        return opinions_of(self.people, self._as(place, number + 1), question, number)

    def reward(self, place: Place, arm: int) -> float | None:
        """As one of the two."""
        return self.people.reward(self._as(place, 0), arm)

    def duel(self, place: Place, first: int, second: int) -> float | None:
        """As one of the two."""
        return self.people.duel(self._as(place, 0), first, second)

    def values(self, place: Place, arms: Indices) -> Floats:
        """Between the two."""
        share = self.share(place)
        now, later = self.people.values(place, arms), self.people.values(self.other(place), arms)
        return (1 - share) * now + share * later

    def taste(self, place: Place) -> Floats | None:
        """Between the two, where there are tastes."""
        now, later = self.people.taste(place), self.people.taste(self.other(place))
        share = self.share(place)
        return None if now is None or later is None else (1 - share) * now + share * later

    def parameters(self) -> dict[str, Any]:
        """The inner people's, and how fast they drift."""
        return {**self.people.parameters(), "drift": self.rounds}
