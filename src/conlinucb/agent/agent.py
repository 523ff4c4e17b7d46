"""An agent: an estimator, a strategy and a schedule on a catalogue, driven from outside.

Four verbs make a round: ask and hear, as often as questions are due, then recommend and learn.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from conlinucb.agent import schedule as schedules
from conlinucb.agent.estimators import ArmScores, Estimator, Influence
from conlinucb.agent.strategies import View, strategy_of
from conlinucb.agent.strategies.chooser import Chooser
from conlinucb.agent.user import Question, User, from_arrays, kind_of
from conlinucb.catalog.catalog import Catalog
from conlinucb.errors import InvalidInput, QuestionClosed
from conlinucb.numerics.shortlist import LARGE, Arms, Shortlist, shortlist
from conlinucb.numerics.ties import first_best, ranking, threshold
from conlinucb.numerics.validation import Floats, Indices, indices, number, seed_of, whole


@dataclass(frozen=True, eq=False)
class Advice:
    """A recommendation, best arm first."""

    arms: Indices
    """Indices of the recommended arms."""
    scores: Floats
    """Mean plus exploration: what they are ranked by."""
    means: Floats
    """Expected rewards x'theta."""
    radii: Floats
    """Uncertainties ||x||_P."""
    round: int
    """The round this recommendation closed, from 1."""
    exploring: NDArray[np.bool_]
    """True where the arm is not among the k best means: it is here to be learned about."""


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
    ) -> None:
        if not isinstance(catalog, Catalog):
            raise InvalidInput(f"catalog must be a Catalog, got {catalog!r}.")
        self.catalog = catalog
        if asks not in ("term", "arm"):
            raise InvalidInput(f"asks must be 'term' or 'arm', got {asks!r}.")
        if isinstance(estimator, type) or not hasattr(estimator, "new_state"):
            raise InvalidInput(f"estimator must be one such as Ridge(), got {estimator!r}.")
        self.estimator = estimator
        self.schedule = schedules.checked(schedule)
        self.asks: Literal["term", "arm"] = asks
        self.strategy = None if strategy is None else strategy_of(strategy)
        self.chooser = None if self.strategy is None else Chooser(self.strategy, catalog)
        self._kind = kind_of(estimator)
        self._to_newcomers: tuple[int, int, Advice] | None = None

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
        )

    def new_user(self, seed: int = 0) -> User:
        """Someone who has said nothing yet; ``seed`` decides the strategy's random draws."""
        return User(self.estimator.new_state(self.catalog.d), self._kind, seed_of(seed))

    def load_user(self, arrays: Mapping[str, NDArray[Any]]) -> User:
        """The user that ``user.to_arrays()`` described; goes on exactly as that one would."""
        sizes = self.catalog.d, len(self.catalog), len(self.catalog.term_ids)
        return from_arrays(arrays, self.estimator, *sizes)

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
        if not self.questions_due(user):
            return None
        if user.open is None:
            choose = self._best_arm if self.asks == "arm" else self._choose_term
            index = choose(user, arms, terms)
            user.was_asked(Question(self.asks, index, user.questions + 1, user.rounds + 1))
        return user.open

    def hear(self, user: User, question: Question, answer: float | None) -> None:
        """Take in the answer to the open question; None means skipped and teaches nothing."""
        self._check(user)
        if not isinstance(question, Question):
            raise InvalidInput(f"question must be a Question from ask(), got {question!r}.")
        if question != user.open:
            raise QuestionClosed(
                f"{question} is not open: it was answered before, or never asked of this user. "
                f"Open now: {user.open}."
            )
        if answer is not None:
            self._absorb(user, question.kind, question.index, number("answer", answer))
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

    def learn(self, user: User, arm: int, reward: float) -> None:
        """Take in the reward of an arm: now, later or never, recommended or not.

        An arm that was never recommended, or has been removed since, is fine: the reward tells
        as much about the person's taste.
        """
        self._check(user)
        self._absorb(user, "arm", whole("arm", arm), number("reward", reward))

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

    def score(self, user: User, arms: ArrayLike) -> ArmScores:
        """Means, radii and scores of these arms, removed ones too; closes no round."""
        self._check(user)
        return self._score(user, indices("arms", arms, size=len(self.catalog)))

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
        own = _parts(self.strategy)
        return {
            "estimator": self.estimator.name,
            **{name: _plain(value) for name, value in self.estimator.parameters().items()},
            "strategy": asked,
            **{f"strategy_{name}": _plain(value) for name, value in own.items()},
            "schedule": _plain(self.schedule),
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

    def _absorb(self, user: User, kind: str, index: int, value: float) -> None:
        learn = self.estimator.learn_arm if kind == "arm" else self.estimator.learn_term
        features = self.catalog._arms if kind == "arm" else self.catalog._terms
        if index >= len(features):
            raise InvalidInput(
                f"{kind} must be an index from 0 to {len(features) - 1}, got {index}."
            )
        learn(user.state, features[index], value)

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

    def _advice(self, user: User, arms: Indices, k: int) -> Advice:
        """The k best; for newcomers to a large catalogue, who are all alike, looked up once."""
        if arms.size < LARGE or arms is not self.catalog._live_arms or not self._is_new(user):
            return self._best(user, arms, k)
        known = self._to_newcomers  # several threads may be here
        if known is None or known[:2] != (user.rounds, k):
            known = self._to_newcomers = user.rounds, k, self._best(user, arms, k)
        return deepcopy(known[2])

    def _is_new(self, user: User) -> bool:
        """Whether nothing was learned of this person."""
        blank = self.estimator.new_state(self.catalog.d)
        return all(map(np.array_equal, user.state, blank))

    def _best(self, user: User, arms: Indices, k: int) -> Advice:
        listed = self._shortlist(user, arms, k)
        kept = arms if listed is None else arms[listed.by_score]
        found = self._score(user, kept)
        means = found.means if listed is None else self._means(user, arms[listed.by_mean])
        best = ranking(found.scores, k)
        kth = np.partition(means, -len(best))[-len(best)]
        return Advice(
            kept[best],
            found.scores[best],
            found.means[best],
            found.radii[best],
            user.rounds + 1,
            found.means[best] < threshold(float(kth)),
        )

    def _shortlist(self, user: User, arms: Indices, k: int) -> Shortlist | None:
        """Of a large pool, what is worth an exact look; None for all of it."""
        if arms.size < LARGE or k >= arms.size or not hasattr(self.estimator, "factors"):
            return None
        t, catalog = user.rounds + 1, self.catalog
        try:
            factors = self.estimator.factors(user.state, t, schedules.asked_by(self.schedule, t))
        except np.linalg.LinAlgError:  # too ill-conditioned for a rough look
            return None
        looked_at = Arms(catalog._arms, catalog._short_arms, catalog._arm_norms, arms)
        return shortlist(
            looked_at, user.state.theta, factors, k, lambda some: self._score(user, some).scores
        )

    def _means(self, user: User, arms: Indices) -> Floats:
        if not user.state.theta.any():
            return np.zeros(arms.size)
        everything = arms.size == len(self.catalog)
        rows = self.catalog._arms if everything else self.catalog._arms[arms]
        return np.asarray(rows @ user.state.theta)

    def _score(self, user: User, arms: Indices) -> ArmScores:
        everything = arms.size == len(self.catalog) and arms is self.catalog._live_arms
        rows = self.catalog._arms if everything else self.catalog._arms[arms]
        t = user.rounds + 1
        return self.estimator.score_arms(user.state, rows, t, schedules.asked_by(self.schedule, t))

    def _best_arm(self, user: User, arms: Indices, offered: Indices) -> int:
        return int(arms[first_best(self._score(user, arms).scores)])

    def _choose_term(self, user: User, arms: Indices, offered: Indices) -> int:
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


def _plain(value: Any) -> Any:
    """A value as JSON can hold it: equal for equal parameters, whatever their address."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, np.ndarray):
        digest = hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()[:16]
        return f"array{value.shape} {digest}"
    text = getattr(value, "__qualname__", None) or repr(value)
    if " at 0x" not in text:
        return text
    parts = {name: _plain(part) for name, part in _parts(value).items()}
    return f"{type(value).__qualname__}({parts})"


def _parts(value: Any) -> dict[str, Any]:
    """An object's own attributes, in a dictionary or in slots."""
    slots = getattr(type(value), "__slots__", ())
    named = (slots,) if isinstance(slots, str) else slots
    return {name: getattr(value, name) for name in named if hasattr(value, name)} | getattr(
        value, "__dict__", {}
    )
