"""HCB and pHCB as agents: the verbs by hand, and the rounds compiled."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from conlinucb.agent.advice import Advice
from conlinucb.agent.among import arm_of, pool_of
from conlinucb.agent.question import Question
from conlinucb.agent.user import User, from_arrays, kind_of, new_user
from conlinucb.algorithms.hierarchy.branches import branches_of
from conlinucb.algorithms.hierarchy.loop import AlongTree
from conlinucb.algorithms.hierarchy.ridges import Ridges
from conlinucb.algorithms.hierarchy.walk import Rules, decide, learn, new_scratch
from conlinucb.catalog.catalog import Catalog
from conlinucb.catalog.checked import ids_at
from conlinucb.catalog.given import checked_catalog
from conlinucb.errors import InvalidInput
from conlinucb.numerics.ties import threshold
from conlinucb.numerics.validation import Indices, number, positive, seed_of, whole
from conlinucb.people import People, play_round
from conlinucb.people.base import Place
from conlinucb.people.rounds import Happened
from conlinucb.randomness import derive
from conlinucb.simulation.loop.inputs import Output


def hcb(
    catalog: Catalog,
    *,
    levels: Sequence[int] | None = None,
    beta: float = 1.0,
    alpha: float = 0.5,
    most: int = 50,
) -> Hierarchical:
    """HCB: down the tree to the child of the largest index, then to the best arm of the leaf.

    LinUCB (``beta``, ``alpha``) at each depth and over the arms; a reward teaches all depths that
    it was found through. Of the children at most ``most`` / depth of the tree are looked at in each
    step, and ``most`` arms of the leaf: drawn for this round where there are more. The tree is
    ``catalog.tree`` or, with ``levels``, that of ``catalog.with_tree(levels)``.

    >>> import conlinucb as cl
    >>> catalog = cl.Catalog([[1.0, 0.0], [0.9, 0.1], [0.0, 1.0]]).with_tree([2, 3])
    >>> agent = cl.hcb(catalog)
    >>> user = agent.new_user()
    >>> agent.learn(user, 2, 1.0)
    >>> agent.recommend(user).arms
    array([2])
    """
    return Hierarchical(catalog, levels=levels, beta=beta, alpha=alpha, most=most)


def phcb(
    catalog: Catalog,
    *,
    levels: Sequence[int] | None = None,
    beta: float = 1.0,
    alpha: float = 0.5,
    most: int = 50,
    visits: float = 10.0,
    feedback: float = 0.1,
) -> Hierarchical:
    """pHCB: one LinUCB over an open field of nodes, index times depth, then the node's best arm.

    The field begins with the broadest nodes, of depth 2 below a root of depth 1. After a reward the
    node of depth g that it was found through opens into its children, if it has been visited at
    least ``visits`` log(g) times, with a mean reward of at least ``feedback`` log(g). At most
    ``most`` nodes and arms are looked at, drawn for this round where there are more. ``levels`` as
    of ``hcb``.

    >>> import conlinucb as cl
    >>> catalog = cl.Catalog([[1.0, 0.0], [0.9, 0.1], [0.0, 1.0]]).with_tree([2, 3])
    >>> agent = cl.phcb(catalog, visits=1.0)
    >>> user = agent.new_user()
    >>> agent.learn(user, 0, 1.0)
    >>> agent.open_nodes(user)
    array([1, 2, 3])
    """
    return Hierarchical(
        catalog,
        levels=levels,
        beta=beta,
        alpha=alpha,
        most=most,
        progressive={"visits": visits, "feedback": feedback},
    )


class Hierarchical:
    """An agent that finds arms along the catalogue's tree and asks nothing.

    Build one with ``hcb`` or ``phcb``. It holds parameters, no person's state.
    """

    def __init__(
        self,
        catalog: Catalog,
        *,
        levels: Sequence[int] | None,
        beta: float,
        alpha: float,
        most: int,
        progressive: Mapping[str, float] | None = None,
    ) -> None:
        self.catalog = checked_catalog(catalog)
        self.branches = branches_of(catalog if levels is None else catalog.with_tree(levels))
        opens = {} if progressive is None else dict(progressive)
        self.estimator = Ridges(
            self.branches, beta=beta, alpha=alpha, progressive=progressive is not None
        )
        most = whole("most", most, low=1)
        self.rules = Rules(
            number("alpha", alpha, low=0.0),
            most,
            max(1, most // self.branches.levels),
            int(progressive is not None),
            positive("visits", opens.get("visits", 1.0)),
            number("feedback", opens.get("feedback", 0.0)),
        )
        self._kind = kind_of(self.estimator)

    def parameters(self) -> dict[str, Any]:
        """What defines the algorithm, as values that JSON can hold."""
        rules = self.rules
        opens = {"visits": rules.visits, "feedback": rules.feedback} if rules.progressive else {}
        own = self.estimator
        return {"estimator": own.name, **own.parameters(), "most": rules.most, **opens}

    def new_user(self, seed: int = 0) -> User:
        """Someone who has said nothing yet; ``seed`` decides what is looked at of many."""
        return new_user(self.estimator, self.catalog.d, seed_of(seed))

    def load_user(self, arrays: Mapping[str, NDArray[Any]]) -> User:
        """The user that ``user.to_arrays()`` described; goes on exactly as that one would."""
        return from_arrays(arrays, self.estimator, self.catalog)

    def questions_left(self, user: User) -> int:
        """None: nothing is ever asked."""
        self._check(user)
        return 0

    def ask(
        self, user: User, pool: ArrayLike | None = None, offered: ArrayLike | None = None
    ) -> Question | None:
        """Nothing."""
        self._check(user)
        return None

    def hear(
        self, user: User, question: Question, answer: float | None, *, weight: float = 1.0
    ) -> None:
        """There is nothing to hear."""
        raise InvalidInput(f"This agent asks nothing, got an answer to {question!r}.")

    def recommend(
        self,
        user: User,
        pool: ArrayLike | None = None,
        k: int = 1,
        *,
        exclude: ArrayLike | None = None,
    ) -> Advice:
        """The arm that the way down leads to, and the k - 1 that it leads to without those before.

        Scores, means and radii are those of the LinUCB over the arms. Closes the round.
        """
        self._check(user)
        left = pool_of(self.catalog, pool, exclude)
        chosen = self._chosen(user, left, min(whole("k", k, low=1), left.size))
        round_ = user.rounds + 1
        found = self.estimator.score_arms(user.state, self.catalog._arms[chosen], round_, 0)
        means = self.catalog._arms[left] @ user.state.theta
        kth = float(np.partition(means, -chosen.size)[-chosen.size])
        user.close_round()
        return Advice(
            chosen,
            found.scores,
            found.means,
            found.radii,
            round_,
            found.means < threshold(kth),
            ids_at(self.catalog.arm_ids, chosen),
        )

    def _chosen(self, user: User, left: Indices, k: int) -> Indices:
        at, chosen = derive(user.seed, user.rounds + 1), np.empty(k, dtype=np.int64)
        scratch = new_scratch(self.branches)
        for i in range(k):
            known = self.branches, self.catalog._arms, self.rules, user.state, scratch
            place = decide(*known, left, at)
            chosen[i] = left[place]
            left = np.delete(left, place)
        return chosen

    def learn(self, user: User, arm: int | str, reward: float, *, weight: float = 1.0) -> None:
        """Take in the reward of an arm: now, later or never, recommended or not."""
        self._check(user)
        index, value = arm_of(self.catalog, arm), number("reward", reward)
        known = self.branches, self.catalog._arms, self.rules, user.state
        learn(*known, index, value, positive("weight", weight), np.empty(self.catalog.d))

    def open_nodes(self, user: User) -> Indices:
        """pHCB: the nodes that are open to this person, by key-term index."""
        self._check(user)
        if not self.rules.progressive:
            raise InvalidInput("hcb opens no nodes: all of them always are. See phcb.")
        return np.flatnonzero(user.state.counts[-len(self.branches.depth) :])

    def play_round(self, user: User, people: People, place: Place) -> Happened:
        """Recommend and learn."""
        return play_round(self, user, people, place)

    def check(self, people: People, rounds: int) -> None:
        """Anyone, for any time."""

    def most_questions(self, rounds: int) -> int:
        """None."""
        return 0

    def compiled_rounds(
        self, rounds: int, *, lazy: bool, timed: bool
    ) -> Callable[[Output], AlongTree]:
        """The same rounds in one kernel; all that is looked at is computed, ``lazy`` or not."""
        start = self.estimator.new_state(self.catalog.d)
        known = self.branches, self.catalog._arms, self.rules
        return lambda output: AlongTree(*known, start, output, timed)

    def __repr__(self) -> str:
        inside = ", ".join(f"{name}={value!r}" for name, value in self.parameters().items())
        return f"Hierarchical({inside}, on {self.catalog!r})"

    def _check(self, user: User) -> None:
        if not isinstance(user, User):
            raise InvalidInput(f"user must come from new_user() or load_user(), got {user!r}.")
        if user.kind != self._kind or user.state.theta.size != self.catalog.d:
            raise InvalidInput(
                f"This user has d = {user.state.theta.size} and {user.kind}; the agent has "
                f"d = {self.catalog.d} and {self._kind}."
            )
