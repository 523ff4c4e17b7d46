"""What a person says to a question of any kind, and a conversation that has such questions."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from conlinucb.agent.question import Question
from conlinucb.experiments.people.task import Person, as_yes_no
from conlinucb.numerics.validation import Floats, Indices


class Asks(Protocol):
    """An agent of any kind, as a conversation drives it."""

    def new_user(self, seed: int = 0) -> Any:
        """Someone who has said nothing yet."""
        ...

    def ask(self, user: Any, pool: Any = None) -> Question | None:
        """A question, if one is due."""
        ...

    def hear(self, user: Any, question: Question, answer: Any) -> None:
        """Its answer."""
        ...

    def recommend(self, user: Any, pool: Any = None) -> Any:
        """Advice."""
        ...

    def learn(self, user: Any, arm: int, reward: float) -> None:
        """A reward."""
        ...


class Says:
    """What one person answers, from how they like each key-term; None where nothing is known."""

    def __init__(self, exact: Floats, yes: float) -> None:
        self._exact, self._plain = exact, as_yes_no(exact, yes)

    def answer(self, question: Question) -> Any:
        """Yes or no as 1 or 0, a word about a pair, what is picked of a group."""
        if question.kind == "pair":
            return self._word(question)
        if question.kind == "group":
            return self._picked(question)
        said = float(self._plain[question.index])
        return None if np.isnan(said) else said

    def _word(self, question: Question) -> str | None:
        first, second = (float(self._exact[each]) for each in question.indices)
        if np.isnan(first) or np.isnan(second):
            return None
        if first == second:
            return "both" if self._plain[question.index] else "neither"
        return "first" if first > second else "second"

    def _picked(self, question: Question) -> list[int] | None:
        """All they would say yes to, or the one they like best of these."""
        known = [each for each in question.indices if not np.isnan(self._exact[each])]
        liked = [each for each in known if self._plain[each]]
        if not known:
            return None
        if question.pick == "best" and liked:
            return [max(liked, key=lambda each: float(self._exact[each]))]
        return liked

    def yes(self, answer: Any) -> float:
        """For counting: 1 for a yes, a preference or a pick; NaN for no answer."""
        if answer is None:
            return float("nan")
        if isinstance(answer, str):
            return float(answer != "neither")
        return float(bool(answer))


class AnyQuestion:
    """A conversation in which questions are of any kind, ``most`` of them in all.

    Whoever chooses between a question and an item, ``among_pool``, is shown the round's items.
    """

    def __init__(
        self, agent: Asks, person: Person, says: Says, most: int, among_pool: bool = False
    ) -> None:
        self._agent, self._says, self._most, self._among_pool = agent, says, most, among_pool
        self._user = agent.new_user(seed=person.number)
        self.answers: list[float] = []

    def recommend(self, pool: Indices) -> int:
        """Ask as long as a question is due, then the best."""
        while len(self.answers) < self._most:
            question = self._agent.ask(self._user, pool if self._among_pool else None)
            if question is None:
                break
            answer = self._says.answer(question)
            self.answers.append(self._says.yes(answer))
            self._agent.hear(self._user, question, answer)
        return int(self._agent.recommend(self._user, pool).arms[0])

    def learn(self, arm: int, reward: float) -> None:
        """A reward."""
        self._agent.learn(self._user, arm, reward)
