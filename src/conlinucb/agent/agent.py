"""An agent: an estimator, a strategy and a schedule on a catalogue, driven from outside.

Four verbs make a round: ask and hear, as often as questions are due, then recommend and learn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from numpy.typing import ArrayLike, NDArray

from conlinucb.agent import asking, relative
from conlinucb.agent import schedule as schedules
from conlinucb.agent.advice import Advice, Newcomers, Ranking, known_propensities
from conlinucb.agent.among import arm_of, arms_of, offered_of, pool_of
from conlinucb.agent.by_parameters import ByParameters
from conlinucb.agent.estimators import ArmScores, Estimator, Influence, checked_estimator
from conlinucb.agent.gates import STOP, gate_of
from conlinucb.agent.many import recommend_many
from conlinucb.agent.picked import Picks
from conlinucb.agent.priors import answers_of, checked_answers
from conlinucb.agent.question import Question, question_about
from conlinucb.agent.questionnaire import Batch, chosen_together
from conlinucb.agent.relative import Learn, Lesson, PairUpdate, Said
from conlinucb.agent.rewards import advised, checked_rewards, new_notes
from conlinucb.agent.select import select_of
from conlinucb.agent.sharing import Sharing, checked_sharing
from conlinucb.agent.spreading import spreading_of
from conlinucb.agent.strategies import strategy_of
from conlinucb.agent.strategies.chooser import Chooser
from conlinucb.agent.strategies.group import Teaching
from conlinucb.agent.term_estimates import TermEstimates, expected_answer, term_estimates
from conlinucb.agent.user import User, check_user, from_arrays, kind_of, new_user
from conlinucb.catalog.catalog import Catalog
from conlinucb.catalog.given import checked_catalog
from conlinucb.errors import InvalidInput
from conlinucb.numerics.validation import Floats, positive, seed_of, whole


class Agent(ByParameters):
    """One algorithm on one catalogue; holds parameters, no person's state.

    Build one with ``linucb``, ``arm_con``, ``conucb`` or ``conlinucb``. ``asks`` says what
    questions are about: key-terms chosen by ``strategy``, or arms (the best of the pool);
    ``pair_update`` what a pair teaches: its "difference", the "winner", or "both" of it;
    ``sharing`` who learns together, in a ``Crowd`` or a simulation; ``rewards`` which rewards are
    asked for (None: all of them), as each ``Advice.wanted`` says.

    Wherever a verb takes arms or key-terms, a whole number is an index and a text an id. Agents
    are equal where their parameters and the content of their catalogues are.
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
        pair_update: PairUpdate = "difference",
        sharing: Sharing | None = None,
        rewards: Any = None,
    ) -> None:
        checked_catalog(catalog)
        if asks not in ("term", "arm"):
            raise InvalidInput(f"asks must be 'term' or 'arm', got {asks!r}.")
        self.catalog, self.estimator = catalog, checked_estimator(estimator)
        self._given = {"strategy": strategy, "schedule": schedule, "asks": asks, "select": select}
        self.pair_update = self._given["pair_update"] = relative.checked_update(pair_update)
        self.sharing = self._given["sharing"] = checked_sharing(sharing, estimator)
        self.rewards = self._given["rewards"] = checked_rewards(rewards)
        answers = answers_of(estimator.start, catalog)
        self.answers = checked_answers(answers, len(catalog.term_ids))
        self.select = select_of(select)
        self.schedule = schedules.checked(schedule)
        self.asks: Literal["term", "arm"] = asks
        self.strategy = None if strategy is None else strategy_of(strategy)
        self.chooser = None if self.strategy is None else Chooser(self.strategy, catalog)
        self.teaching = Teaching() if self.chooser is None else self.chooser.teaching
        self.gate = gate_of(schedule, self.strategy, asks, catalog)
        self.spreading = spreading_of(catalog, estimator)
        self._kind = kind_of(estimator)
        self._newcomers = Newcomers(catalog, estimator, self.select)
        self._worth: Chooser | None = None

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
        return self.replace(catalog=catalog)

    def new_user(self, seed: int = 0) -> User:
        """Someone who has said nothing yet; ``seed`` decides the strategy's random draws."""
        return new_user(self.estimator, self.catalog.d, seed_of(seed), new_notes(self.rewards))

    def load_user(self, arrays: Mapping[str, NDArray[Any]]) -> User:
        """The user that ``user.to_arrays()`` described; goes on exactly as that one would."""
        return from_arrays(arrays, self.estimator, self.catalog)

    def take_over(self, user: User, before: Agent) -> User:
        """The user of another agent, with this one's prior in place of that one's.

        Nothing is replayed: a state is its prior and the sums of w xx' and w y x, in which weights
        count against a reward's, so another noise changes nothing about them. Answers given before
        keep the scale and the weight with which they were taken in; only learning everything
        anew, by this agent, would put them on the scale of its own prior.

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

    def questions_left(self, user: User) -> int:
        """Questions that may still be asked before this round's recommendation, by the schedule.

        Of a schedule that looks, such as ``WhenWorth``, the most that can be: ``ask`` looks.
        """
        self._check(user)
        if not self.asks_at_all:
            return 0
        return max(0, schedules.questions(self.schedule, user.rounds + 1) - user.settled)

    def questions_due(
        self, user: User, pool: ArrayLike | None = None, offered: ArrayLike | None = None
    ) -> int:
        """Questions still to be answered or skipped before this round's recommendation.

        A question that is not asked before ``recommend`` lapses; it is not owed later. With a
        schedule that looks, such as ``WhenWorth``, there are none as soon as it lets none of the
        ``offered`` through for this ``pool`` (default: everything), which takes about as long as
        choosing one.
        """
        left = self.questions_left(user)
        if not left or user.open is not None or self.gate is None:
            return left
        arms, terms = pool_of(self.catalog, pool), offered_of(self.catalog, offered)
        return 0 if asking.decided(self, user, arms, terms) == STOP else left

    def ask(
        self, user: User, pool: ArrayLike | None = None, offered: ArrayLike | None = None
    ) -> Question | None:
        """The next question, or None when none is due or the schedule lets none through.

        As long as one is due, an open question is returned again, whatever is offered; it can be
        answered later, too. ``offered`` are the key-terms to choose from, in any order (default:
        all); ``pool`` the arms of this round, which some strategies look at.
        """
        arms, terms = pool_of(self.catalog, pool), offered_of(self.catalog, offered)
        if not self.questions_left(user) or not asking.can_be_asked(self, terms):
            return None
        if user.open is None:
            chosen = asking.choose_if_open(self, user, arms, terms)
            if chosen is None:
                return None
            place = user.questions + 1, user.rounds + 1
            pick = None if self.chooser is None else self.chooser.pick
            question = question_about(self.catalog, *chosen, *place, pick)
            user.was_asked(asking.probed(self, user, question))
        return user.open

    def hear(
        self, user: User, question: Question, answer: Said | Picks | None, *, weight: float = 1.0
    ) -> None:
        """Take in the answer to the open question; None means skipped and teaches nothing.

        A pair is answered by "first", "second", "both" or "neither", by how much more the first is
        liked, or by what each of the two is worth, (first, second): the words are (1, 0), (0, 1),
        (1, 1) and (0, 0). A group by what was picked: indices or ids, [] for none of these.
        ``weight`` is the answer's precision against that of others.
        """
        self._check(user)
        asking.check_open(user, question)
        if answer is not None:
            said = relative.checked_answer(self.catalog, question, answer, self.estimator.checked)
            about = question.kind, question.indices, question.number, question.round
            known = question_about(self.catalog, *about, question.pick)
            heavy = positive("weight", weight)
            self._hear(user, asking.probed(self, user, known), said, heavy)
        user.settled += question.round == user.rounds + 1
        user.open = None

    def volunteer(self, user: User, term: int | str, answer: float, *, weight: float = 1.0) -> None:
        """Take in an answer that nobody asked for: what someone says they like, to begin with.

        It is learned from like an answer about that key-term, on the same scale; no question is
        opened or closed by it, and strategies that look at ``times`` take the term for asked.

        >>> import conlinucb as cl
        >>> agent = cl.conlinucb(cl.Catalog([[1.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [0.0, 1.0]]))
        >>> user = agent.new_user()
        >>> agent.volunteer(user, 1, 1.0)
        >>> agent.recommend(user).arms
        array([1])
        """
        self._check(user)
        index = self.catalog.term_index(term) if isinstance(term, str) else whole("term", term)
        about = question_about(self.catalog, "term", (index,), user.questions, user.rounds + 1)
        said = self.estimator.checked("answer", answer), positive("weight", weight)
        self._hear(user, about, *said)
        user.was_about(about.indices)

    def value(
        self, user: User, pool: ArrayLike | None = None, offered: ArrayLike | None = None
    ) -> float:
        """What the best question is worth: by how much it improves the next recommendation.

        In units of reward, by the criterion of ``valuable`` whatever the agent's own strategy is,
        over the ``pool`` (default: all arms) and the ``offered`` key-terms (default: all).

        >>> import conlinucb as cl
        >>> catalog = cl.Catalog([[1.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [0.5, 0.5]])
        >>> agent = cl.conlinucb(catalog, prior=cl.Gaussian([0.2, 0.2], [[0.1, 0.0], [0.0, 0.1]]))
        >>> round(agent.value(agent.new_user()), 4)
        0.0129
        """
        self._check(user)
        arms, terms = pool_of(self.catalog, pool), offered_of(self.catalog, offered)
        return asking.most_valuable(self, user, arms, terms).gain

    def questionnaire(
        self,
        n: int,
        offered: ArrayLike | None = None,
        *,
        least: int = 2,
        alike: float | None = 0.9,
    ) -> list[int]:
        """Key-terms to ask every newcomer about, chosen together, the most informative first.

        By the criterion of ``informative``, each as if those before it had been answered, without
        what nobody answers and what fewer than ``least`` arms have. Where the arms of two key-terms
        are nearly the same (cosine of their weights above ``alike``; None: never mind) only one is
        asked about. Fewer than n where there are no more. ``volunteer`` takes the answers in.

        >>> import conlinucb as cl
        >>> arms, weights = [[1.0, 0.0], [0.9, 0.1], [0.0, 1.0]], [[1, 1, 0], [1, 1, 1], [0, 0, 1]]
        >>> cl.conlinucb(cl.Catalog(arms, weights)).questionnaire(3)
        [0, 2]
        """
        batch = Batch(self.catalog, self.estimator, self.answers)
        return chosen_together(
            batch, self.catalog, offered_of(self.catalog, offered), n, least, alike
        )

    def _hear(self, user: User, question: Question, answer: Said, weight: float) -> None:
        """Learn from an answer, on the scale that the prior says it is on."""
        how = self.pair_update, self.teaching, self.estimator.pairs, self.spreading
        learn = self.estimator.learn_arm if question.kind == "arm" else self.estimator.learn_term
        for each in relative.lessons(question, answer, self.answers, *how):
            self._take_in(user, learn, each._replace(weight=weight * each.weight), answer=True)

    def _take_in(self, user: User, learn: Learn, lesson: Lesson, *, answer: bool) -> None:
        """Everything that is learned of a person comes through here."""
        learn(user.state, *lesson)

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
        arms, ranking = pool_of(self.catalog, pool, exclude), self._ranking(user)
        best = self._newcomers.best(user, ranking, arms, whole("k", k, low=1))
        advice = advised(self, user, arms, best)
        user.close_round()
        return advice

    def recommend_many(
        self, users: Sequence[User], pools: Sequence[ArrayLike | None] | None = None, k: int = 1
    ) -> list[Advice]:
        """What ``recommend`` gives each user, with one pool for each (default: all arms).

        Where one of them is refused, nobody's round is closed.

        >>> import conlinucb as cl
        >>> agent = cl.linucb(cl.Catalog([[1.0, 0.0], [0.0, 1.0]], [[1.0], [1.0]], ["a", "b"]))
        >>> users = [agent.new_user(seed) for seed in range(2)]
        >>> agent.learn(users[1], "b", 1.0)
        >>> [advice.ids for advice in agent.recommend_many(users)]
        [('a',), ('b',)]
        """
        return recommend_many(self, users, pools, k)

    def learn(self, user: User, arm: int | str, reward: float, *, weight: float = 1.0) -> None:
        """Take in the reward of an arm: now, later or never, recommended or not.

        An arm that was never recommended, or has been removed since, is fine: the reward tells
        as much about the person's taste. ``weight`` is its precision against that of others.
        """
        self._check(user)
        features = self.catalog._arms[arm_of(self.catalog, arm)]
        value, heavy = self.estimator.checked("reward", reward), positive("weight", weight)
        self._take_in(user, self.estimator.learn_arm, Lesson(features, value, heavy), answer=False)

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
        return term_estimates(self.catalog, self.estimator, self.answers, user)

    def expects(self, user: User, question: Question) -> tuple[float, float]:
        """The answer expected to a question, and how uncertain that is.

        probe'theta and its standard deviation, both on the scale of answers; of an arm they are a
        reward's.
        """
        self._check(user)
        return expected_answer(self.catalog, self.estimator, self.answers, user, question)

    def score(self, user: User, arms: ArrayLike) -> ArmScores:
        """Expected rewards, radii and scores of these arms, removed ones too; closes no round."""
        self._check(user)
        return self._ranking(user).told(arms_of(self.catalog, arms))

    def propensities(
        self, user: User, pool: ArrayLike | None = None, k: int = 1, *, draws: int = 1000
    ) -> Floats:
        """How likely ``recommend`` is to put each arm of the pool among its k; closes no round.

        1 and 0 for "ucb" and "greedy", exact for "epsilon-greedy", a share of ``draws`` for
        "thompson": off by some sqrt(p (1 - p) / draws).

        >>> import conlinucb as cl
        >>> catalog = cl.Catalog([[1.0, 0.0], [0.0, 1.0]], [[1.0], [1.0]])
        >>> agent = cl.linucb(catalog, select=cl.EpsilonGreedy(0.2))
        >>> agent.propensities(agent.new_user())
        array([0.9, 0.1])
        """
        self._check(user)
        arms, many = pool_of(self.catalog, pool), whole("draws", draws, low=1)
        return known_propensities(self._ranking(user), arms, whole("k", k, low=1), many)

    def influence(self, user: User, arm: int | str) -> Influence:
        """How each reward and answer bears on an arm's mean: the parts of all of them add up.

        ``of_answer`` takes an answer as this agent would now, on its prior's scale.

        >>> import numpy as np, conlinucb as cl
        >>> agent = cl.conlinucb(cl.Catalog([[1.0, 0.0], [0.6, 0.8]], [[1.0], [0.0]]))
        >>> user = agent.new_user()
        >>> agent.learn(user, 0, 1.0)
        >>> part = 1.0 * agent.catalog.arms[0] @ agent.influence(user, 1).arm
        >>> bool(abs(part - agent.catalog.arms[1] @ user.theta) < 1e-12)
        True
        """
        self._check(user)
        found = self.estimator.influence(user.state, self.catalog._arms[arm_of(self.catalog, arm)])
        found = found._replace(pair_update=self.pair_update, teaching=self.teaching)
        return found._replace(answers=self.answers, spreading=self.spreading)

    def __repr__(self) -> str:
        return (
            f"Agent({self.estimator!r}, strategy={self.strategy!r}, asks={self.asks!r}, "
            f"schedule={self.schedule!r}, on {self.catalog!r})"
        )

    def _check(self, user: User) -> None:
        check_user(user, self._kind, self.catalog.d)

    def _ranking(self, user: User) -> Ranking:
        return Ranking(self.catalog, self.estimator, self.select, self.schedule, user)
