"""ConTS as an agent: the verbs by hand, and the rounds compiled."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from conlinucb.agent.advice import Advice
from conlinucb.agent.among import arm_of, offered_of, pool_of
from conlinucb.agent.priors import Prior, answers_of, checked_answers
from conlinucb.agent.question import Question, question_about
from conlinucb.agent.user import User, from_arrays, kind_of, new_user
from conlinucb.algorithms.conts.loop import Conversations
from conlinucb.algorithms.conts.memory import ACCEPTED, FIRST_TERM, TURNS, Conversing
from conlinucb.algorithms.conts.turn import (
    Rules,
    Scratch,
    hear,
    learn,
    new_scratch,
    things_of,
    turn,
)
from conlinucb.catalog.catalog import Catalog
from conlinucb.catalog.checked import ids_at
from conlinucb.catalog.given import checked_catalog
from conlinucb.errors import InvalidInput, QuestionClosed
from conlinucb.numerics.ties import ranking, threshold
from conlinucb.numerics.validation import Floats, Indices, number, positive, seed_of, whole
from conlinucb.people import People, play_round
from conlinucb.people.base import Place
from conlinucb.people.rounds import Happened
from conlinucb.randomness import SELECT, derive
from conlinucb.simulation.loop.inputs import Output

TURNS_OF_A_CONVERSATION = 15


def conts(
    catalog: Catalog,
    *,
    prior: Prior | None = None,
    beta: float | None = None,
    alpha: float | None = None,
    answer_weight: float = 1.0,
    accept: float = 0.5,
    success: float = 0.5,
    turns: int = TURNS_OF_A_CONVERSATION,
    most: int = TURNS_OF_A_CONVERSATION,
) -> ConTS:
    """ConTS: Thompson sampling over arms and key-terms alike; the better one is the next turn.

    ``prior`` says where people start, a ``Population`` at the mean of those known; without one it
    is a ridge of strength ``beta`` (1). For each turn a taste is drawn, ``alpha`` times as wide as
    the belief (0.5, or 1 with a prior). A key-term with the best score is asked about, an arm is
    recommended; key-terms are compared as directions of an average arm's length. An answer of at
    least ``accept`` accepts the key-term: from then on only arms that have all that was accepted
    are in question, or those of the pool that have most of it. What was asked, or refused with a
    reward below ``success``, does not come again in this conversation, which ends with a success or
    after so many ``turns``; the belief stays. At most ``most`` questions come in one round.

    >>> import conlinucb as cl
    >>> tags = {"item": ["Heat", "Heat", "Alien", "Alien", "Solaris", "Solaris", "Moon"],
    ...         "tag": ["crime", "drama", "space", "horror", "space", "drama", "space"]}
    >>> agent = cl.conts(cl.Catalog.from_tags(tags))
    >>> user = agent.new_user(seed=23)
    >>> while (question := agent.ask(user)) is not None:
    ...     agent.hear(user, question, float(question.ids == ("space",)))
    >>> agent.accepted(user), agent.recommend(user).ids
    (('space',), ('Alien',))
    """
    options = {"prior": prior, "alpha": _alpha(alpha, prior), "answer_weight": answer_weight}
    if beta is not None or prior is None:
        options["beta"] = 1.0 if beta is None else beta
    return ConTS(catalog, options, accept=accept, success=success, turns=turns, most=most)


def _alpha(given: float | None, prior: Prior | None) -> float:
    if given is not None:
        return number("alpha", given, low=0.0)
    return 0.5 if prior is None else 1.0


class ConTS:
    """An agent whose turns ask or recommend; build one with ``conts``.

    It holds parameters, no person's state.
    """

    def __init__(
        self,
        catalog: Catalog,
        options: Mapping[str, Any],
        *,
        accept: float,
        success: float,
        turns: int,
        most: int,
    ) -> None:
        self.catalog = checked_catalog(catalog)
        self.estimator = Conversing(catalog, **options)
        answers = answers_of(self.estimator.start, catalog)
        self.answers = checked_answers(answers, len(catalog.term_ids))
        self.things = things_of(catalog, self.answers)
        self.rules = Rules(
            self.estimator.width(1, 0, catalog.d),
            self.estimator.answer_weight,
            number("accept", accept),
            number("success", success),
            whole("turns", turns, low=1),
            whole("most", most),
        )
        self._kind = kind_of(self.estimator)

    def parameters(self) -> dict[str, Any]:
        """What defines the algorithm, as values that JSON can hold."""
        own, rules = self.estimator, self.rules
        said = {name: getattr(rules, name) for name in ("accept", "success", "turns", "most")}
        return {"estimator": own.name, **own.parameters(), **said}

    def new_user(self, seed: int = 0) -> User:
        """Someone who has said nothing yet; ``seed`` decides the draws."""
        return new_user(self.estimator, self.catalog.d, seed_of(seed))

    def load_user(self, arrays: Mapping[str, NDArray[Any]]) -> User:
        """The user that ``user.to_arrays()`` described; goes on exactly as that one would."""
        return from_arrays(arrays, self.estimator, self.catalog)

    def accepted(self, user: User) -> tuple[Any, ...]:
        """The ids of the key-terms that were accepted in this conversation."""
        self._check(user)
        marks = user.state.counts[FIRST_TERM : FIRST_TERM + len(self.catalog.term_ids)]
        return ids_at(self.catalog.term_ids, np.flatnonzero(marks == ACCEPTED))

    def turns(self, user: User) -> int:
        """Questions and recommendations of this conversation so far."""
        self._check(user)
        return int(user.state.counts[TURNS])

    def questions_left(self, user: User) -> int:
        """Questions that may still come before this round's recommendation."""
        self._check(user)
        return max(0, self.rules.most - user.settled)

    def ask(
        self, user: User, pool: ArrayLike | None = None, offered: ArrayLike | None = None
    ) -> Question | None:
        """The key-term that has the best score, or None where an arm of the pool has it."""
        arms, terms = pool_of(self.catalog, pool), offered_of(self.catalog, offered)
        if not self.questions_left(user):
            return None
        if user.open is None:
            found = self._turn(user, arms, terms, user.settled)[0]
            if found < 0:
                return None
            place = user.questions + 1, user.rounds + 1
            user.was_asked(question_about(self.catalog, "term", (found,), *place))
        return user.open

    def hear(
        self, user: User, question: Question, answer: float | None, *, weight: float = 1.0
    ) -> None:
        """Take in the answer to the open question; None means skipped and teaches nothing."""
        self._check(user)
        if not isinstance(question, Question):
            raise InvalidInput(f"question must be a Question from ask(), got {question!r}.")
        if question != user.open:
            raise QuestionClosed(f"{question} is not open. Open now: {user.open}.")
        value = np.nan if answer is None else number("answer", answer)
        known = self.things, self.rules, user.state, new_scratch(self.things, 0)
        hear(*known, question.index, value, positive("weight", weight))
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
        """The k best arms in question, by the draw of this turn; closes the round.

        Where fewer are in question, those follow that have fewer of the accepted key-terms, and
        at last the refused ones.
        """
        self._check(user)
        left = pool_of(self.catalog, pool, exclude)
        wanted = min(whole("k", k, low=1), left.size)
        _, scratch = self._turn(user, left, left[:0], user.settled)
        scores = self.catalog._arms[left] @ scratch.taste
        chosen = left[_in_tiers(scratch.near[: left.size], scores, wanted)]
        round_ = user.rounds + 1
        found = self.estimator.score_arms(user.state, self.catalog._arms[chosen], round_, 0)
        means = self.catalog._arms[left] @ user.state.theta
        kth = float(np.partition(means, -wanted)[-wanted])
        user.state.counts[TURNS] += 1
        user.close_round()
        return Advice(
            chosen,
            self.catalog._arms[chosen] @ scratch.taste,
            found.means,
            found.radii,
            round_,
            found.means < threshold(kth),
            ids_at(self.catalog.arm_ids, chosen),
        )

    def learn(self, user: User, arm: int | str, reward: float, *, weight: float = 1.0) -> None:
        """Take in an arm's reward: a success ends the conversation, else the arm is refused."""
        self._check(user)
        index, value = arm_of(self.catalog, arm), number("reward", reward)
        known = self.things, self.rules, user.state, new_scratch(self.things, 0)
        learn(*known, index, value, positive("weight", weight))

    def play_round(self, user: User, people: People, place: Place) -> Happened:
        """Ask and hear as long as a key-term wins, then recommend and learn."""
        return play_round(self, user, people, place)

    def check(self, people: People, rounds: int) -> None:
        """Anyone, for any time."""

    def most_questions(self, rounds: int) -> int:
        """The most in every round."""
        return rounds * self.rules.most

    def compiled_rounds(
        self, rounds: int, *, lazy: bool, timed: bool
    ) -> Callable[[Output], Conversations]:
        """The same rounds in one kernel; every score is computed, ``lazy`` or not."""
        start = self.estimator.new_state(self.catalog.d)
        return lambda output: Conversations(self.things, self.rules, start, output, timed)

    def __repr__(self) -> str:
        inside = ", ".join(f"{name}={value!r}" for name, value in self.parameters().items())
        return f"ConTS({inside}, on {self.catalog!r})"

    def _turn(self, user: User, pool: Indices, offered: Indices, asked: int) -> tuple[int, Scratch]:
        """What comes next, and what was drawn and found on the way."""
        scratch = new_scratch(self.things, pool.size)
        at = derive(derive(derive(user.seed, user.rounds + 1), SELECT), asked)
        known = self.things, self.rules, user.state, scratch
        return int(turn(*known, pool, offered, at, asked)), scratch

    def _check(self, user: User) -> None:
        if not isinstance(user, User):
            raise InvalidInput(f"user must come from new_user() or load_user(), got {user!r}.")
        sizes = user.state.theta.size, user.state.counts.size
        wanted = self.catalog.d, FIRST_TERM + len(self.catalog.term_ids) + len(self.catalog)
        if user.kind != self._kind or sizes != wanted:
            raise InvalidInput(
                f"This user has {user.kind} on a catalogue of other sizes or another agent; this "
                f"one has {self._kind} on {self.catalog!r}."
            )


def _in_tiers(near: Indices, scores: Floats, k: int) -> Indices:
    """Places of the k best, those that are nearest first."""
    found: list[int] = []
    for each in np.unique(near)[::-1]:
        tier = np.flatnonzero(near == each)
        found += tier[ranking(scores[tier], k - len(found))].tolist()
        if len(found) == k:
            break
    return np.array(found, dtype=np.int64)
