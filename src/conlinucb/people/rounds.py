"""One round in Python: the same for a simulation by hand, the page's comparison and your own."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from conlinucb.agent.advice import Advice
from conlinucb.agent.picked import Picked
from conlinucb.agent.question import Question
from conlinucb.agent.relative import Word
from conlinucb.agent.user import User
from conlinucb.catalog.catalog import Catalog
from conlinucb.numerics.validation import Indices
from conlinucb.people.base import People, Place, Round


@dataclass(frozen=True)
class Happened:
    """What one round was."""

    questions: tuple[tuple[Question, float | Word | Picked | None], ...]
    """What was asked, and the answers, of a group what was picked; None for no answer."""
    arm: int
    reward: float | None
    regret: float
    """The best value of the pool less that of the arm."""
    seconds: tuple[float, float]
    """Spent on choosing the arm, and on choosing questions."""
    pool: tuple[int, ...] = ()
    """The arms that the choice was among."""
    propensity: float | None = None
    """How likely the arm was; None where ``select`` does not tell."""
    also: tuple[int, ...] = ()
    """What was recommended beside the arm: the other one of a duel."""
    wanted: bool = True
    """Whether the reward was asked for; one that was not is not learned."""


class Asking(Protocol):
    """What questions need of an agent."""

    catalog: Catalog

    def questions_left(self, user: User) -> int:
        """Questions that may still be asked before this round's recommendation."""
        ...

    def ask(self, user: User, pool: Indices, offered: Indices | None) -> Question | None:
        """The next question."""
        ...

    def hear(self, user: User, question: Question, answer: Any) -> None:
        """Take in the answer."""
        ...


class Verbs(Asking, Protocol):
    """What one round needs of an agent: ``Agent`` and others have it."""

    def recommend(self, user: User, pool: Indices) -> Advice:
        """The best arm; closes the round."""
        ...

    def learn(self, user: User, arm: int, reward: float) -> None:
        """Take in the arm's reward."""
        ...


def play_round(
    agent: Verbs,
    user: User,
    people: People,
    place: Place,
    *,
    once: bool = False,
    most: int | None = None,
) -> Happened:
    """Ask and hear as long as questions are due, then recommend and learn.

    As a service asks: ``once`` about each key-term, and at most ``most`` questions of one person.

    >>> import conlinucb as cl
    >>> catalog = cl.Catalog([[1.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [0.0, 1.0]])
    >>> agent = cl.conlinucb(catalog, schedule=cl.Every(1))
    >>> people = cl.LinearUsers([[1.0, 0.0]], pool_size=2)
    >>> place = people.place(catalog, seed=0, repeat=0, user=0, round=1)
    >>> happened = play_round(agent, agent.new_user(place.seed), people, place)
    >>> [question.ids for question, answer in happened.questions], happened.arm
    ([(0,)], 0)
    """
    round_ = people.round(place)
    asked, asking = ask_all(agent, user, people, place, round_, once=once, most=most)
    start = time.perf_counter()
    advice = agent.recommend(user, round_.pool)
    choosing, arm = time.perf_counter() - start, int(advice.arms[0])
    chance = None if advice.propensities is None else float(advice.propensities[0])
    reward = people.reward(place, arm)
    if reward is not None and advice.wanted:
        agent.learn(user, arm, reward)
    values = people.values(place, round_.pool)
    own = people.values(place, np.array([arm]))[0]
    regret = float(values.max() - own)
    seconds, pool = (choosing, asking), tuple(round_.pool.tolist())
    return Happened(asked, arm, reward, regret, seconds, pool, chance, wanted=advice.wanted)


def ask_all(
    agent: Asking,
    user: User,
    people: People,
    place: Place,
    round_: Round,
    *,
    once: bool = False,
    most: int | None = None,
) -> tuple[tuple[tuple[Question, float | Word | Picked | None], ...], float]:
    """The questions of a round with their answers, and the seconds that choosing them took."""
    asked, asking = [], 0.0
    for number in range(agent.questions_left(user)):
        offered = _not_asked(agent, user, round_.offered) if once else round_.offered
        if (offered is not None and not offered.size) or user.questions == most:
            break
        start = time.perf_counter()
        question = agent.ask(user, round_.pool, offered)
        asking += time.perf_counter() - start
        if question is None:  # nothing is worth it, or can be asked about: no pair of one
            break
        answer = _said(people, place, question, number)
        agent.hear(user, question, answer)
        asked.append((question, answer))
    return tuple(asked), asking


def _said(
    people: People, place: Place, question: Question, number: int
) -> float | Word | Picked | None:
    """Of a group, what is picked."""
    if question.kind == "group":
        return people.pick(place, question, number)
    return people.answer(place, question, number)


def _not_asked(agent: Asking, user: User, offered: Indices | None) -> Indices:
    """The key-terms that have not come up yet."""
    terms = agent.catalog.live_terms if offered is None else offered
    return terms[~np.isin(terms, list(user.times))]
