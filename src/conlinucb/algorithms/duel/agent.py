"""ConDuel as an agent: the verbs by hand, and the rounds compiled."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from conlinucb.agent.advice import Advice
from conlinucb.agent.agent import Agent
from conlinucb.agent.among import arm_of, pool_of
from conlinucb.agent.estimators import Logistic
from conlinucb.agent.question import Question
from conlinucb.agent.recipes import EXPERIMENTS
from conlinucb.agent.relative import Said
from conlinucb.agent.strategies import strategy_of
from conlinucb.agent.user import User
from conlinucb.algorithms.duel.choice import STANDS, decide, look_at_all, new_scratch
from conlinucb.algorithms.duel.loop import Duels
from conlinucb.algorithms.duel.questions import TwoMembers, WidestTwo
from conlinucb.catalog.catalog import Catalog
from conlinucb.catalog.checked import ids_at
from conlinucb.errors import InvalidInput
from conlinucb.numerics.ties import threshold
from conlinucb.numerics.validation import Indices, positive
from conlinucb.people import People
from conlinucb.people.base import Place
from conlinucb.people.rounds import Happened, ask_all
from conlinucb.randomness import SELECT, derive
from conlinucb.simulation.four_verbs import FourVerbs
from conlinucb.simulation.loop.inputs import Output
from conlinucb.simulation.prepared import can_be_compiled, make_world, prepare

First = Literal["random", "best"]
B = Callable[[int], float]
STRATEGIES: dict[str, Callable[[], Any]] = {"max-radius": WidestTwo, "spanner": TwoMembers}


def conduel(
    catalog: Catalog,
    *,
    strategy: Any = "max-radius",
    beta: float = 10.0,
    alpha: float = 1.0,
    first: First = "random",
    schedule: B = EXPERIMENTS,
) -> Dueling:
    """Two arms a round, and which of them is preferred: after ConDuel (Yang et al., KDD 2024).

    One logistic estimate of duels between arms and between key-terms; ``beta`` is the strength of
    its prior. An arm stands where no other has a lead of more than ``alpha`` standard deviations of
    their difference. The ``first`` arm is any of these ("random") or has the largest mean ("best"),
    the second is the one of these that is farthest from it, or the first itself where it alone
    stands. Pairs of key-terms: "max-radius", the widest and the farthest from it, or "spanner", two
    members; or any strategy that asks about pairs.

    >>> import conlinucb as cl
    >>> catalog = cl.Catalog([[1.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [0.0, 1.0]])
    >>> agent = cl.conduel(catalog, first="best")
    >>> user = agent.new_user()
    >>> agent.recommend(user).arms
    array([0, 1])
    >>> for _ in range(60):
    ...     agent.learn(user, winner=1, loser=0)
    >>> agent.recommend(user).arms
    array([1, 1])
    """
    return Dueling(
        catalog, strategy=strategy, beta=beta, alpha=alpha, first=first, schedule=schedule
    )


class Dueling:
    """An agent that recommends two arms and learns which is preferred; see ``conduel``.

    It holds parameters, no person's state.
    """

    def __init__(
        self,
        catalog: Catalog,
        *,
        strategy: Any,
        beta: float,
        alpha: float,
        first: First,
        schedule: B,
    ) -> None:
        if first not in ("random", "best"):
            raise InvalidInput(f"first must be 'random' or 'best', got {first!r}.")
        known = isinstance(strategy, str) and strategy in STRATEGIES
        asks = STRATEGIES[strategy]() if known else strategy_of(strategy)
        if getattr(asks, "kind", "term") != "pair":
            raise InvalidInput(
                f"A dueling agent asks about pairs: strategy must be one of "
                f"{', '.join(STRATEGIES)} or have the kind 'pair', got {strategy!r}."
            )
        self.first: First = first
        estimator = Logistic(beta=beta, alpha=alpha)
        self.agent = Agent(catalog, estimator, strategy=asks, schedule=schedule)
        self.catalog, self.estimator = catalog, estimator

    def parameters(self) -> dict[str, Any]:
        """What defines the algorithm, as values that JSON can hold."""
        return {**self.agent.parameters(), "first": self.first}

    def new_user(self, seed: int = 0) -> User:
        """Someone who has said nothing yet; ``seed`` decides what is left to chance."""
        return self.agent.new_user(seed)

    def load_user(self, arrays: Mapping[str, NDArray[Any]]) -> User:
        """The user that ``user.to_arrays()`` described; goes on exactly as that one would."""
        return self.agent.load_user(arrays)

    def questions_left(self, user: User) -> int:
        """Questions that may still be asked before this round's recommendation."""
        return self.agent.questions_left(user)

    def ask(
        self, user: User, pool: ArrayLike | None = None, offered: ArrayLike | None = None
    ) -> Question | None:
        """The next question: which of two key-terms is liked more; None when none is due."""
        return self.agent.ask(user, pool, offered)

    def hear(
        self, user: User, question: Question, answer: Said | None, *, weight: float = 1.0
    ) -> None:
        """Take in the answer: "first" or "second", or a number from -1 (second) to 1 (first)."""
        self.agent.hear(user, question, answer, weight=weight)

    def candidates(self, user: User, pool: ArrayLike | None = None) -> Indices:
        """The arms of the pool that no other beats for certain; closes no round."""
        self.agent._check(user)
        arms = pool_of(self.catalog, pool)
        scratch = new_scratch(arms.size, self.catalog.d)
        look_at_all(self.catalog._arms, user.state, arms, self._width(user), scratch)
        return np.asarray(arms[scratch.known == STANDS])

    def recommend(
        self, user: User, pool: ArrayLike | None = None, *, exclude: ArrayLike | None = None
    ) -> Advice:
        """The two arms of the next duel; closes the round.

        Means are the chances that each is preferred to the other, scores x'theta, and both radii
        that of the difference.
        """
        self.agent._check(user)
        arms = pool_of(self.catalog, pool, exclude)
        scratch, round_ = new_scratch(arms.size, self.catalog.d), user.rounds + 1
        at = derive(derive(user.seed, round_), SELECT)
        random = int(self.first == "random")
        known = self.catalog._arms, user.state, arms, self._width(user)
        places = np.array(divmod(decide(*known, random, at, scratch), arms.size))
        user.close_round()
        scores = scratch.means[places]
        chances = self.estimator.expected(np.array([scores[0] - scores[1], scores[1] - scores[0]]))
        return Advice(
            arms[places],
            scores,
            chances,
            np.full(2, scratch.gaps[places[1]]),
            round_,
            scores < threshold(float(scratch.means.max())),
            ids_at(self.catalog.arm_ids, arms[places]),
        )

    def learn(
        self, user: User, winner: int | str, loser: int | str, *, weight: float = 1.0
    ) -> None:
        """Take in which of two arms is preferred, recommended or not; an arm's duel with itself
        teaches nothing."""
        self.agent._check(user)
        first, second = arm_of(self.catalog, winner), arm_of(self.catalog, loser)
        self._learn(user, first, second, 1.0, positive("weight", weight))

    def _learn(self, user: User, first: int, second: int, y: float, weight: float) -> None:
        if first != second:
            x = self.catalog._arms[first] - self.catalog._arms[second]
            self.estimator.learn_arm(user.state, x, y, weight)

    def _width(self, user: User) -> float:
        return float(self.estimator.width(user.rounds + 1, 0, self.catalog.d)[0])

    def play_round(self, user: User, people: People, place: Place) -> Happened:
        """Ask and hear, then recommend two arms and learn who won."""
        round_ = people.round(place)
        asked, asking = ask_all(self, user, people, place, round_)
        start = time.perf_counter()
        arms = self.recommend(user, round_.pool).arms
        choosing, (first, second) = time.perf_counter() - start, arms.tolist()
        y = None if first == second else people.duel(place, first, second)
        if y is not None:
            self._learn(user, first, second, y, 1.0)
        best, own = people.values(place, round_.pool).max(), people.values(place, arms)
        value = float(own[0] / 2.0 + own[1] / 2.0)
        times, pool = (choosing, asking), tuple(round_.pool.tolist())
        return Happened(
            asked, first, value, max(float(best) - value, 0.0), times, pool, also=(second,)
        )

    def check(self, people: People, rounds: int) -> None:
        """Whether the strategy can do with what is offered, and the schedule counts upwards."""
        FourVerbs(self.agent, "conduel").check(people, rounds)

    def most_questions(self, rounds: int) -> int:
        """By the schedule."""
        return FourVerbs(self.agent, "conduel").most_questions(rounds)

    def compiled_rounds(
        self, rounds: int, *, lazy: bool, timed: bool
    ) -> Callable[[Output], Duels] | None:
        """The same rounds in one kernel, where the strategy has one."""
        if not can_be_compiled(self.agent):
            return None
        ready = prepare(self.agent, rounds, lazy=lazy, timed=timed)
        world, random = make_world(self.catalog), int(self.first == "random")
        told = "Strategy of a dueling agent", FourVerbs(self.agent, "conduel").refusal()
        return lambda output: Duels(world, ready, output, *told, random=random)

    def __repr__(self) -> str:
        inside = ", ".join(f"{name}={value!r}" for name, value in self.parameters().items())
        return f"Dueling({inside}, on {self.catalog!r})"
