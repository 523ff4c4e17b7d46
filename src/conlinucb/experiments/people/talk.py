"""One newcomer's rounds with one recommender: what was asked, recommended and liked."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np

from conlinucb.agent.agent import Agent
from conlinucb.agent.question import Question
from conlinucb.experiments.people.baselines import Baseline, Seen
from conlinucb.experiments.people.task import NEGATIVES, OWN, POOL, ROUNDS, Half, Log, Person
from conlinucb.numerics.validation import Floats, Indices


class Played(NamedTuple):
    """One person's rounds, (T,) each, and their answers."""

    rewards: Floats
    means: Floats
    """The pool's mean reward: what chance would bring."""
    bests: Floats
    asked: float
    answered: float
    yes: float


class Talk(Protocol):
    """A recommender in conversation with one person."""

    answers: list[float]
    """What was asked, in order; NaN for no answer."""

    def recommend(self, pool: Indices) -> int:
        """Ask what is due, then an arm of the pool."""
        ...

    def learn(self, arm: int, reward: float) -> None:
        """What the arm brought."""
        ...


def tell(talk: Talk, items: Half) -> None:
    """Items that the person names, with how they like them."""
    for arm, value in zip(*items, strict=True):
        talk.learn(int(arm), float(value))


Start = Callable[[Person], Talk]
"""A recommender meets a person."""


class Unasked:
    """A recommender that asks nothing."""

    def __init__(self, baseline: Baseline, known: Half | None = None) -> None:
        self._baseline, self._seen, self.answers = baseline, Seen(), list[float]()
        if known is not None:
            tell(self, known)

    def recommend(self, pool: Indices) -> int:
        """The best by its scores."""
        return int(pool[np.argmax(self._baseline.scores(self._seen, pool))])

    def learn(self, arm: int, reward: float) -> None:
        """Remember."""
        self._seen.arms.append(arm)
        self._seen.rewards.append(reward)


class Asked:
    """An agent that has heard some of a person's answers and items before the first round."""

    def __init__(self, agent: Agent, person: Person, says: Floats) -> None:
        self._agent, self._says = agent, says
        self._user = agent.new_user(seed=person.number)
        self.answers: list[float] = []

    def fill_in(self, terms: list[int]) -> None:
        """A questionnaire: the same key-terms for everybody."""
        for term in terms:
            said = float(self._says[term])
            self.answers.append(said)
            if not np.isnan(said):
                self._agent.volunteer(self._user, term, said)

    def recommend(self, pool: Indices) -> int:
        """Ask as long as a question is due, then the best."""
        while (question := self._agent.ask(self._user)) is not None:
            self.hear(question)
        return int(self._agent.recommend(self._user, pool).arms[0])

    def hear(self, question: Question) -> None:
        """What the person says of a key-term, if anything."""
        said = float(self._says[question.index])
        self.answers.append(said)
        self._agent.hear(self._user, question, None if np.isnan(said) else said)

    def learn(self, arm: int, reward: float) -> None:
        """A reward."""
        self._agent.learn(self._user, arm, reward)


def play(log: Log, person: Person, start: Start, yes: float) -> Played:
    """All rounds of one person."""
    talk, worth = start(person), dict(zip(*map(list, person.rewarded), strict=True))
    rewards, means, bests = (np.zeros(ROUNDS) for _ in range(3))
    gone: set[int] = set()
    for t in range(ROUNDS):
        pool = pool_of(log, person, t, gone)
        if not pool.size:  # everything is rated: nothing to gain in what rounds are left
            break
        values = np.array([worth.get(int(each), 0.0) for each in pool])
        arm = talk.recommend(pool)
        rewards[t] = worth.get(arm, 0.0)
        means[t], bests[t] = values.mean(), values.max()
        talk.learn(arm, float(rewards[t]))
        if not log.data.implicit:  # what was rated once is not recommended again
            gone.add(arm)
    said = np.array(talk.answers)
    heard = said[~np.isnan(said)]
    return Played(rewards, means, bests, said.size, heard.size, int((heard >= yes).sum()))


def pool_of(log: Log, person: Person, round: int, gone: set[int]) -> Indices:
    """What may be recommended: of ratings, items of the person's own that have not been yet; of an
    implicit log, some of their own among others that they never met."""
    key = person.number, person.draw, round, person.rewarded.items.tobytes()
    if key not in log.drawn:  # the same for every contender
        log.drawn[key] = _drawn(log, person, round)
    if log.data.implicit:
        return log.drawn[key]
    return np.array([each for each in log.drawn[key] if each not in gone][:POOL], dtype=np.int64)


def _drawn(log: Log, person: Person, round: int) -> Indices:
    """The pool of an implicit log; of ratings the order in which items come."""
    random = np.random.default_rng([log.seed, 5, person.number, person.draw, round])
    if not log.data.implicit:
        return random.permutation(person.rewarded.items)
    mine = random.permutation(person.rewarded.items)[:OWN]
    return random.permutation(np.concatenate([mine, never_met(log, person, random, POOL - OWN)]))


def never_met(log: Log, person: Person, random: np.random.Generator, size: int) -> Indices:
    """Different items that the person never met; fewer where there are fewer."""
    mine = set(log.all_of(person.number).items.tolist())
    found: list[int] = []
    most = min(size, len(log.data.item_ids) - len(mine))
    while len(found) < most:
        drawn = int(random.integers(len(log.data.item_ids)))
        if drawn not in mine:
            mine.add(drawn)
            found.append(drawn)
    return np.array(found, dtype=np.int64)


def favourites(log: Log, person: Person, count: int) -> Half:
    """Items that the person names: the best rated, or any of those met; each a 1."""
    items, values = person.asked
    chosen = np.argsort(-values, kind="stable")[:count]
    return Half(items[chosen], np.ones(chosen.size))


def known_half(log: Log, person: Person) -> Half:
    """Everything that questions could be answered from, with items never met where there are
    no ratings: the ceiling."""
    if not log.data.implicit:
        return person.asked
    random = np.random.default_rng([log.seed, 6, person.number, person.draw])
    others = never_met(log, person, random, NEGATIVES * person.asked.items.size)
    items = np.concatenate([person.asked.items, others])
    return Half(items, np.concatenate([person.asked.values, np.zeros(others.size)]))
