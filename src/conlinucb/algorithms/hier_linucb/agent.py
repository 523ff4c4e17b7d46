"""Hier-LinUCB as an agent: the verbs by hand, and the rounds compiled."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from conlinucb.agent.advice import Advice
from conlinucb.agent.agent import Agent
from conlinucb.agent.among import offered_of, pool_of
from conlinucb.agent.asking import check_open
from conlinucb.agent.priors import Prior
from conlinucb.agent.question import Question, question_about
from conlinucb.agent.schedule import Never
from conlinucb.agent.user import User
from conlinucb.algorithms.hier_linucb.counting import FIRST_TERM, STANDS, Counting
from conlinucb.algorithms.hier_linucb.loop import AskOrRecommend
from conlinucb.algorithms.hier_linucb.switch import SHARE, asked_instead, belongs
from conlinucb.catalog.catalog import Catalog
from conlinucb.catalog.given import checked_catalog
from conlinucb.numerics.ties import first_best
from conlinucb.numerics.validation import Indices, number, positive
from conlinucb.people import People
from conlinucb.people.base import Place
from conlinucb.people.rounds import Happened
from conlinucb.simulation.loop.inputs import Output
from conlinucb.simulation.prepared import make_world, prepare


def hier_linucb(
    catalog: Catalog,
    *,
    kappa: float = 0.1,
    prior: Prior | None = None,
    beta: float | None = None,
    alpha: float | None = None,
) -> HierLinUCB:
    """Hier-LinUCB: a round asks about a key-term or recommends an arm, and both are rewarded.

    The best arm of the pool is that of LinUCB (``beta``, 1, or a ``prior``; ``alpha``, 0.5, or 1
    with a prior). A key-term of it is asked about in its place while what half of the arm's score
    may be is no less than what the arm's is at least; ``kappa`` is how wide that is taken. An
    answer is half of what the key-term's best arm in the pool would bring.

    >>> import conlinucb as cl
    >>> catalog = cl.Catalog([[1.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [0.0, 1.0]])
    >>> agent = cl.hier_linucb(catalog, kappa=0.2)
    >>> user = agent.new_user()
    >>> question = agent.ask(user)
    >>> question.index
    0
    >>> agent.hear(user, question, 0.5)
    >>> agent.ask(user) is None, agent.recommend(user).arms, user.rounds
    (True, array([0]), 2)
    """
    usual = 0.5 if prior is None else 1.0
    options: dict[str, Any] = {"prior": prior, "alpha": usual if alpha is None else alpha}
    if beta is not None or prior is None:
        options["beta"] = 1.0 if beta is None else beta
    return HierLinUCB(catalog, options, kappa=kappa)


class HierLinUCB:
    """An agent whose rounds ask or recommend; build one with ``hier_linucb``.

    It holds parameters, no person's state.
    """

    def __init__(self, catalog: Catalog, options: Mapping[str, Any], *, kappa: float) -> None:
        self.catalog = checked_catalog(catalog)
        self.kappa = number("kappa", kappa, low=0.0)
        self.counting = Counting(catalog, **options)
        self.items = Agent(catalog, self.counting, schedule=Never())
        self._world = make_world(catalog)

    def parameters(self) -> dict[str, Any]:
        """What defines the algorithm, as values that JSON can hold."""
        own = self.counting
        return {"estimator": own.name, **own.parameters(), "kappa": self.kappa}

    def new_user(self, seed: int = 0) -> User:
        """Someone who has said nothing yet."""
        return self.items.new_user(seed)

    def load_user(self, arrays: Mapping[str, NDArray[Any]]) -> User:
        """The user that ``user.to_arrays()`` described; goes on exactly as that one would."""
        return self.items.load_user(arrays)

    def ask(
        self, user: User, pool: ArrayLike | None = None, offered: ArrayLike | None = None
    ) -> Question | None:
        """The key-term that this round asks about, or None where it recommends."""
        self._check(user)
        arms, terms = pool_of(self.catalog, pool), offered_of(self.catalog, offered)
        if user.open is not None and user.open.round == user.rounds + 1:
            return user.open
        scores = self.items._ranking(user).scores(arms).scores
        best = first_best(scores)
        known = self.kappa, user.state.counts, terms, int(arms[best]), float(scores[best])
        k = int(asked_instead(self._world, *known, user.rounds + 1))
        if k < 0:
            return None
        user.state.counts[STANDS] = arms[best]
        place = user.questions + 1, user.rounds + 1
        user.was_asked(question_about(self.catalog, "term", (k,), *place))
        return user.open

    def hear(
        self, user: User, question: Question, answer: float | None, *, weight: float = 1.0
    ) -> None:
        """Take in half of what the key-term's best arm would bring; closes the question's round.

        It is learned from as the reward of the arm that stood for the key-term. None means skipped
        and teaches nothing.
        """
        self._check(user)
        check_open(user, question)
        if answer is not None:
            value, heavy = number("answer", answer), positive("weight", weight)
            x = self.catalog._arms[self.stands_for(user)]
            self.counting.learn_arm(user.state, x, value / SHARE, heavy)
        user.state.counts[FIRST_TERM + question.index] += 1
        user.open = None
        if question.round == user.rounds + 1:
            user.close_round()

    def recommend(
        self,
        user: User,
        pool: ArrayLike | None = None,
        k: int = 1,
        *,
        exclude: ArrayLike | None = None,
    ) -> Advice:
        """The k best arms of the pool, by their upper confidence bounds; closes the round."""
        self._check(user)
        advice = self.items.recommend(user, pool, k, exclude=exclude)
        user.state.counts[FIRST_TERM + len(self.catalog.term_ids) + advice.arms] += 1
        return advice

    def learn(self, user: User, arm: int | str, reward: float, *, weight: float = 1.0) -> None:
        """Take in the reward of an arm: now, later or never."""
        self._check(user)
        self.items.learn(user, arm, reward, weight=weight)

    def stands_for(self, user: User) -> int:
        """The arm that stood for the key-term of the last question: its best, as far as known."""
        self._check(user)
        return int(user.state.counts[STANDS])

    def play_round(self, user: User, people: People, place: Place) -> Happened:
        """Ask and hear, or recommend and learn.

        A round that asks has the arm that stands for the key-term in place of one recommended.
        """
        round_, start = people.round(place), time.perf_counter()
        pool, most = round_.pool, float(people.values(place, round_.pool).max())
        question = self.ask(user, pool, round_.offered)
        seconds = time.perf_counter() - start
        if question is not None:
            reward, value = self._answer(people, place, pool, question.index)
            arm = self.stands_for(user)
            self.hear(user, question, reward)
            asked = ((question, reward),)
            return Happened(asked, arm, reward, most - value, (0.0, seconds), tuple(pool.tolist()))
        arm = int(self.recommend(user, pool).arms[0])
        said = people.reward(place, arm)
        if said is not None:
            self.learn(user, arm, said)
        value = float(people.values(place, np.array([arm]))[0])
        seconds = time.perf_counter() - start
        return Happened((), arm, said, most - value, (seconds, 0.0), tuple(pool.tolist()))

    def _answer(
        self, people: People, place: Place, pool: Indices, k: int
    ) -> tuple[float | None, float]:
        """Half of what the key-term's best arm of the pool brings, and half of its value."""
        has = np.array([belongs(self._world, each, k) for each in pool.tolist()], dtype=bool)
        values = people.values(place, pool[has])
        best = int(np.argmax(values))
        said = people.reward(place, int(pool[has][best]))
        return None if said is None else SHARE * said, SHARE * float(values[best])

    def check(self, people: People, rounds: int) -> None:
        """Anyone, for any time."""

    def most_questions(self, rounds: int) -> int:
        """One a round."""
        return rounds

    def compiled_rounds(
        self, rounds: int, *, lazy: bool, timed: bool
    ) -> Callable[[Output], AskOrRecommend]:
        """The same rounds in one kernel."""
        ready = prepare(self.items, rounds, lazy=lazy, timed=timed)
        return lambda output: AskOrRecommend(self._world, ready, self.kappa, output)

    def __repr__(self) -> str:
        inside = ", ".join(f"{name}={value!r}" for name, value in self.parameters().items())
        return f"HierLinUCB({inside}, on {self.catalog!r})"

    def _check(self, user: User) -> None:
        self.items._check(user)
        self.counting.check_sizes(user.state)
