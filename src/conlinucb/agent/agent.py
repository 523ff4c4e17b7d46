"""An agent: an estimator, a strategy and a schedule on a catalogue, driven from outside.

Four verbs make a round: ask and hear, as often as questions are due, then recommend and learn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from conlinucb.agent import schedule as schedules
from conlinucb.agent.advice import Advice, Ranking
from conlinucb.agent.describe import parts, plain
from conlinucb.agent.estimators import ArmScores, Estimator, Influence, State
from conlinucb.agent.estimators.kernels import checked_kernels
from conlinucb.agent.question import Kind, Question, question_about
from conlinucb.agent.select import Choosing, UpperConfidence, select_of
from conlinucb.agent.strategies import View, strategy_of
from conlinucb.agent.strategies.chooser import Chooser
from conlinucb.agent.user import User, from_arrays, kind_of, new_user
from conlinucb.catalog.catalog import Catalog
from conlinucb.errors import InvalidInput, QuestionClosed
from conlinucb.numerics.shortlist import LARGE
from conlinucb.numerics.ties import first_best
from conlinucb.numerics.validation import Floats, Indices, indices, number, positive, seed_of, whole


@dataclass(frozen=True, eq=False)
class TermEstimates:
    """What is believed of every key-term, (K,) each."""

    means: Floats
    """Expected answers x~'theta."""
    radii: Floats
    """Uncertainties of the belief that answers bear on; ConUCB's is that of theta~."""


class Agent:
    """One algorithm on one catalogue; holds parameters, no person's state.

    Build one with ``linucb``, ``arm_con``, ``conucb`` or ``conlinucb``. ``asks`` says what
    questions are about: key-terms chosen by ``strategy``, or arms (the best of the pool).
    """

    def __init__(
        self,
        catalog: Catalog,
        estimator: Estimator,
        *,
        strategy: Any = None,
        schedule: Callable[[int], float],
        asks: Literal["term", "arm"] = "term",
        select: Any = "ucb",
    ) -> None:
        if not isinstance(catalog, Catalog):
            raise InvalidInput(f"catalog must be a Catalog, got {catalog!r}.")
        self.catalog = catalog
        if asks not in ("term", "arm"):
            raise InvalidInput(f"asks must be 'term' or 'arm', got {asks!r}.")
        if not isinstance(estimator, Estimator):
            raise InvalidInput(
                f"estimator must be an Estimator such as Ridge(), got {estimator!r}."
            )
        checked_kernels(estimator.name, estimator.kernels)
        self.estimator = estimator
        self.select = select_of(select)
        self.schedule = schedules.checked(schedule)
        self.asks: Literal["term", "arm"] = asks
        self.strategy = None if strategy is None else strategy_of(strategy)
        self.chooser = None if self.strategy is None else Chooser(self.strategy, catalog)
        self._kind = kind_of(estimator)
        self._to_newcomers: tuple[int, int, Advice] | None = None
        self._blank: State | None = None

    @property
    def asks_at_all(self) -> bool:
        """False for an agent that has no way to choose a question, whatever its schedule."""
        return self.asks == "arm" or self.chooser is not None

    def on(self, catalog: Catalog) -> Agent:
        """The same algorithm on another version of the catalogue; its users can go on.

        >>> import conlinucb as cl
        >>> agent = cl.linucb(cl.Catalog([[1.0, 0.0], [0.0, 1.0]], [[1.0], [1.0]]))
        >>> user = agent.new_user()
        >>> agent.on(agent.catalog.remove_arms([0])).recommend(user).arms
        array([1])
        """
        if not isinstance(catalog, Catalog) or catalog.d != self.catalog.d:
            raise InvalidInput(f"on() takes a Catalog with d = {self.catalog.d}, got {catalog!r}.")
        return Agent(
            catalog,
            self.estimator,
            strategy=self.strategy,
            schedule=self.schedule,
            asks=self.asks,
            select=self.select,
        )

    def new_user(self, seed: int = 0) -> User:
        """Someone who has said nothing yet; ``seed`` decides the strategy's random draws."""
        return new_user(self.estimator, self.catalog.d, seed_of(seed))

    def load_user(self, arrays: Mapping[str, NDArray[Any]]) -> User:
        """The user that ``user.to_arrays()`` described; goes on exactly as that one would."""
        return from_arrays(arrays, self.estimator, self.catalog)

    def take_over(self, user: User, before: Agent) -> User:
        """The user of another agent, with this one's prior in place of that one's.

        Nothing is replayed: a state is its prior and the sums of what was learned.

        >>> import conlinucb as cl
        >>> catalog = cl.Catalog([[1.0, 0.0], [0.0, 1.0]], [[1.0], [1.0]])
        >>> old, new = cl.linucb(catalog, beta=1.0), cl.linucb(catalog, beta=3.0)
        >>> user = old.new_user()
        >>> old.learn(user, 0, 1.0)
        >>> new.take_over(user, old).theta
        array([0.25, 0.  ])
        """
        before._check(user)
        moved = replace(user, kind=self._kind, layout=self.estimator.layout)
        moved.state = self.estimator.exchange(user.state, before.estimator)
        return moved

    def questions_due(self, user: User) -> int:
        """Questions still to be answered or skipped before this round's recommendation.

        A question that is not asked before ``recommend`` lapses; it is not owed later.
        """
        self._check(user)
        if not self.asks_at_all:
            return 0
        return max(0, schedules.questions(self.schedule, user.rounds + 1) - user.settled)

    def ask(
        self, user: User, pool: ArrayLike | None = None, offered: ArrayLike | None = None
    ) -> Question | None:
        """The next question, or None when none is due.

        As long as one is due, an open question is returned again, whatever is offered; it can be
        answered later, too. ``offered`` are the
        indices of the key-terms to choose from, in any order (default: all); ``pool`` the arms
        of this round, which some strategies look at.
        """
        arms, terms = self._pool(pool), self._offered(offered)
        if not self.questions_due(user) or not self._can_be_asked(terms):
            return None
        if user.open is None:
            kind, about = self._choose(user, arms, terms)
            number, now = user.questions + 1, user.rounds + 1
            user.was_asked(question_about(self.catalog, kind, about, number, now))
        return user.open

    def hear(
        self, user: User, question: Question, answer: float | None, *, weight: float = 1.0
    ) -> None:
        """Take in the answer to the open question; None means skipped and teaches nothing.

        ``weight`` is the answer's precision against that of others.
        """
        self._check(user)
        if not isinstance(question, Question):
            raise InvalidInput(f"question must be a Question from ask(), got {question!r}.")
        if question != user.open:
            raise QuestionClosed(
                f"{question} is not open: it was answered before, or never asked of this user. "
                f"Open now: {user.open}."
            )
        if answer is not None:
            value, heavy = number("answer", answer), positive("weight", weight)
            place = question.number, question.round
            known = question_about(self.catalog, question.kind, question.indices, *place)
            learn = self._learner("arm" if question.kind == "arm" else "term")
            learn(user.state, known.probe, value, heavy)
        user.settled += question.round == user.rounds + 1
        user.open = None

    def recommend(
        self,
        user: User,
        pool: ArrayLike | None = None,
        k: int = 1,
        *,
        exclude: ArrayLike | None = None,
    ) -> Advice:
        """The k best arms of the pool (default: all) without the excluded ones; closes the round.

        Returns fewer than k where there are fewer. The order follows the tie rule.
        """
        self._check(user)
        advice = self._advice(user, self._pool(pool, exclude), whole("k", k, low=1))
        user.close_round()
        return advice

    def learn(self, user: User, arm: int, reward: float, *, weight: float = 1.0) -> None:
        """Take in the reward of an arm: now, later or never, recommended or not.

        An arm that was never recommended, or has been removed since, is fine: the reward tells
        as much about the person's taste. ``weight`` is its precision against that of others.
        """
        self._check(user)
        index, arms = whole("arm", arm), self.catalog._arms
        if index >= len(arms):
            raise InvalidInput(f"arm must be an index from 0 to {len(arms) - 1}, got {index}.")
        value, heavy = number("reward", reward), positive("weight", weight)
        self._learner("arm")(user.state, arms[index], value, heavy)

    def estimates(self, user: User) -> TermEstimates:
        """What is believed of every key-term, asked about or not.

        >>> import conlinucb as cl
        >>> agent = cl.conlinucb(cl.Catalog([[1.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [0.0, 1.0]]))
        >>> user = agent.new_user()
        >>> agent.learn(user, 0, 1.0)
        >>> agent.estimates(user).means.round(2)
        array([0.87, 0.  ])
        """
        self._check(user)
        terms = self.catalog._terms
        cov = self.estimator.term_belief(user.state, user.rounds + 1, 0).cov
        squares = np.einsum("kd,kd->k", terms @ cov, terms)
        return TermEstimates(terms @ user.state.theta, np.sqrt(np.maximum(squares, 0.0)))

    def expects(self, user: User, question: Question) -> tuple[float, float]:
        """The answer expected to a question, and how uncertain that is: probe'theta, its radius."""
        self._check(user)
        belief = self.estimator.term_belief(user.state, user.rounds + 1, 0)
        about = question.kind, question.indices, question.number, question.round
        probe = question_about(self.catalog, *about).probe
        radius = np.sqrt(max(float(probe @ belief.cov @ probe), 0.0))
        return float(probe @ user.state.theta), float(radius)

    def score(self, user: User, arms: ArrayLike) -> ArmScores:
        """Means, radii and scores of these arms, removed ones too; closes no round."""
        self._check(user)
        return self._ranking(user).scores(indices("arms", arms, size=len(self.catalog)))

    def influence(self, user: User, arm: int) -> Influence:
        """How each reward and answer bears on an arm's mean: the parts of all of them add up.

        >>> import conlinucb as cl
        >>> agent = cl.conlinucb(cl.Catalog([[1.0, 0.0], [0.6, 0.8]], [[1.0], [0.0]]))
        >>> user = agent.new_user()
        >>> agent.learn(user, 0, 1.0)
        >>> part = 1.0 * agent.catalog.arms[0] @ agent.influence(user, 1).arm
        >>> bool(np.isclose(part, agent.catalog.arms[1] @ user.theta))
        True
        """
        self._check(user)
        index = int(indices("arm", [whole("arm", arm)], size=len(self.catalog))[0])
        return self.estimator.influence(user.state, self.catalog._arms[index])

    def parameters(self) -> dict[str, Any]:
        """What defines the algorithm, as values that JSON can hold."""
        asked = "arm" if self.asks == "arm" else self.chooser and self.chooser.name
        own = parts(self.strategy)
        return {
            "estimator": self.estimator.name,
            **{name: plain(value) for name, value in self.estimator.parameters().items()},
            "strategy": asked,
            **{f"strategy_{name}": plain(value) for name, value in own.items()},
            "schedule": plain(self.schedule),
            **({} if isinstance(self.select, UpperConfidence) else {"select": plain(self.select)}),
        }

    def __repr__(self) -> str:
        return (
            f"Agent({self.estimator!r}, strategy={self.strategy!r}, asks={self.asks!r}, "
            f"schedule={self.schedule!r}, on {self.catalog!r})"
        )

    def _check(self, user: User) -> None:
        if not isinstance(user, User):
            raise InvalidInput(f"user must come from new_user() or load_user(), got {user!r}.")
        if user.kind != self._kind or user.state.theta.size != self.catalog.d:
            raise InvalidInput(
                f"This user has d = {user.state.theta.size} and {user.kind}; the agent has "
                f"d = {self.catalog.d} and {self._kind}."
            )

    def _learner(self, source: str) -> Callable[..., None]:
        return self.estimator.learn_arm if source == "arm" else self.estimator.learn_term

    def _pool(self, pool: ArrayLike | None, exclude: ArrayLike | None = None) -> Indices:
        if pool is None:
            arms = self.catalog._live_arms
        else:
            arms = indices("pool", pool, size=len(self.catalog))
            removed = arms[~self.catalog._live[arms]]
            if removed.size:
                raise InvalidInput(f"pool holds arm {removed[0]}, which has been removed.")
        if exclude is not None:
            kept = np.ones(len(self.catalog), dtype=bool)
            kept[indices("exclude", exclude, size=len(self.catalog))] = False
            arms = arms[kept[arms]]
        if not arms.size:
            raise InvalidInput("The pool is empty: there is no arm to choose from.")
        return arms

    def _offered(self, offered: ArrayLike | None) -> Indices:
        if offered is None:
            return self.catalog._live_terms
        terms = np.sort(indices("offered", offered, size=len(self.catalog.term_ids)))
        if not terms.size:
            raise InvalidInput("offered is empty: there is no key-term to ask about.")
        gone = terms[~self.catalog._offered[terms]]
        if gone.size:
            raise InvalidInput(f"offered holds key-term {gone[0]}, all of whose arms are removed.")
        return terms

    def _ranking(self, user: User) -> Ranking:
        return Ranking(self.catalog, self.estimator, self.select, self.schedule, user)

    def _advice(self, user: User, arms: Indices, k: int) -> Advice:
        """The k best; for newcomers to a large catalogue, who are all alike, looked up once."""
        alike = isinstance(self.select, Choosing) and not self.select.samples
        if arms.size < LARGE or arms is not self.catalog._live_arms or not alike:
            return self._ranking(user).best(arms, k)
        if not all(map(np.array_equal, user.state, self._newcomer())):
            return self._ranking(user).best(arms, k)
        known = self._to_newcomers  # several threads may be here
        if known is None or known[:2] != (user.rounds, k):
            found = self._ranking(user).best(arms, k)
            known = self._to_newcomers = user.rounds, k, found
        return deepcopy(known[2])

    def _newcomer(self) -> State:
        """The state of someone of whom nothing was learned."""
        if self._blank is None:
            self._blank = self.estimator.new_state(self.catalog.d)
        return self._blank

    def _can_be_asked(self, terms: Indices) -> bool:
        """False for a pair of fewer than two."""
        return self.chooser is None or self.chooser.kind != "pair" or terms.size >= 2

    def _choose(self, user: User, arms: Indices, offered: Indices) -> tuple[Kind, tuple[int, ...]]:
        """What the next question is about."""
        if self.asks == "arm":
            return "arm", (int(arms[first_best(self._ranking(user).scores(arms).scores)]),)
        assert self.chooser is not None
        return self.chooser.kind, self._choose_terms(user, arms, offered)

    def _choose_terms(self, user: User, arms: Indices, offered: Indices) -> tuple[int, ...]:
        chooser = self.chooser
        assert chooser is not None
        chooser.check_offered(offered, self.catalog)
        t = user.rounds + 1
        belief = self.estimator.term_belief(user.state, t, schedules.asked_by(self.schedule, t))
        if chooser.needs_pool:
            reach = self.estimator.reach(user.state, self.catalog._arms[arms])
        else:
            arms, reach = arms[:0], np.empty((0, self.catalog.d))
        view = View(
            self.catalog._terms,
            offered,
            belief.theta,
            belief.cov,
            belief.alpha,
            arms,
            reach,
            *self.catalog._graph,
            np.full(len(self.catalog.term_ids), np.inf),
            chooser.constants,
            user.seed,
            user.questions,
            t,
        )
        return chooser.choose(view)
