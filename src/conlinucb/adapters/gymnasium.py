"""People as Gymnasium environments: an episode is one person, a step is a round or a question.

Importing this module registers ``conlinucb/People-v0`` and ``conlinucb/Conversation-v0``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conlinucb.agent.question import question_about
from conlinucb.agent.relative import as_number
from conlinucb.catalog.catalog import Catalog
from conlinucb.catalog.given import checked_catalog
from conlinucb.errors import InvalidInput, MissingExtra
from conlinucb.numerics.validation import LARGEST, Floats, number, whole
from conlinucb.people.base import People, Place, Round, checked_people

try:
    import gymnasium
    from gymnasium import spaces
    from gymnasium.vector import SyncVectorEnv
except ModuleNotFoundError:
    raise MissingExtra("gymnasium", "conlinucb.adapters.gymnasium") from None

Step = tuple[Any, float, bool, bool, dict[str, Any]]


class PeopleEnv(gymnasium.Env[Any, Any]):
    """One person a time: seen are the features of the round's pool, and one of its arms is taken.

    ``reset(seed=, options={"user": i, "repeat": j})`` begins the same rounds that ``simulate`` with
    that seed plays; without options the person is ``user`` or, where that is None, drawn. After
    ``rounds`` rounds the episode is truncated. The info has ``seed`` (for ``agent.new_user``),
    ``user``, ``round``, ``pool`` (indices of the arms) and ``action_mask``, and after a step the
    ``regret`` of the arm taken and whether anything was ``observed``: where it is False the person
    gave no reward to learn from, and the reward reads 0. A pool of fewer than ``pool_size`` arms is
    filled up with zeros that cannot be taken.

    >>> import conlinucb as cl
    >>> catalog = cl.Catalog([[1.0, 0.0], [0.0, 1.0], [0.6, 0.8]], np.ones((3, 1)))
    >>> people = cl.LinearUsers([[1.0, 0.0]], noise=0.0, pool_size=2)
    >>> env = PeopleEnv(catalog, people, rounds=10)
    >>> seen, info = env.reset(seed=0)
    >>> seen.shape, info["pool"].tolist()
    ((2, 2), [2, 0])
    >>> seen, reward, terminated, truncated, info = env.step(1)
    >>> reward, info["regret"], info["round"]
    (1.0, 0.0, 2)
    """

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012, as the base class has it

    def __init__(
        self,
        catalog: Catalog,
        people: People,
        *,
        rounds: int = 1000,
        user: int | None = None,
        pool_size: int | None = None,
    ) -> None:
        checked_people(people).check(checked_catalog(catalog))
        self.catalog, self.people = catalog, people
        self.rounds, self.user = whole("rounds", rounds, low=1), user
        size = people.pool_size if pool_size is None else pool_size
        self.pool_size = whole("pool_size", size, low=1)
        self._actions = self.pool_size
        self.action_space = spaces.Discrete(self._actions)
        self.observation_space = self._pool_space()
        self._at: tuple[int, int, int] | None = None
        if user is not None:
            self._person(user)

    def _pool_space(self) -> spaces.Box:
        """Every feature between the least and the largest of the catalogue, and 0."""
        low = np.minimum(self.catalog.arms.min(axis=0), 0.0)
        high = np.maximum(self.catalog.arms.max(axis=0), 0.0)
        shape = self.pool_size, self.catalog.d
        return spaces.Box(
            np.broadcast_to(low, shape), np.broadcast_to(high, shape), dtype=np.float64
        )

    def _person(self, user: Any) -> int:
        index = whole("user", user)
        if index >= len(self.people):
            raise InvalidInput(f"user must be from 0 to {len(self.people) - 1}, got {index}.")
        return index

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin with someone's first round."""
        super().reset(seed=seed)
        given = dict(options or {})
        user, repeat = given.pop("user", self.user), given.pop("repeat", 0)
        if given:
            raise InvalidInput(f"reset takes the options user and repeat, got {sorted(given)}.")
        drawn = int(self.np_random.integers(len(self.people)))
        run = int(self.np_random.integers(2**62)) if seed is None else seed
        self._at = run, whole("repeat", repeat), drawn if user is None else self._person(user)
        self._begin(1)
        return self._seen(), self._info()

    def _begin(self, round: int) -> None:
        if self._at is None:
            raise InvalidInput("reset() comes before step().")
        run, repeat, user = self._at
        self.place: Place = self.people.place(self.catalog, run, repeat, user, round)
        self.round: Round = self.people.round(self.place)
        if self.round.pool.size > self.pool_size:
            raise InvalidInput(
                f"The pool of round {round} has {self.round.pool.size} arms: make the environment "
                f"with pool_size={self.round.pool.size}, it has {self.pool_size}."
            )

    def step(self, action: Any) -> Step:
        """Recommend the arm at this position of the pool; the next round is there."""
        if self._at is None:
            raise InvalidInput("reset() comes before step().")
        return self._recommend(self._checked(action))

    def _checked(self, action: Any) -> int:
        position, allowed = whole("action", action), self._mask()
        if position >= allowed.size or not allowed[position]:
            raise InvalidInput(
                f"action {position} cannot be taken now: the pool has {self.round.pool.size} arms, "
                f"and info['action_mask'] tells what can."
            )
        return position

    def _recommend(self, position: int) -> Step:
        arm, pool = int(self.round.pool[position]), self.round.pool
        reward = self.people.reward(self.place, arm)
        values = self.people.values(self.place, pool)
        told = {"regret": float(values.max() - values[position]), "observed": reward is not None}
        self._begin(self.place.round + 1)
        truncated = self.place.round > self.rounds
        return self._seen(), float(reward or 0.0), False, truncated, {**self._info(), **told}

    def _seen(self) -> Any:
        return self._features()

    def _features(self) -> Floats:
        rows = np.zeros((self.pool_size, self.catalog.d))
        rows[: self.round.pool.size] = self.catalog.arms[self.round.pool]
        return rows

    def _mask(self) -> NDArray[np.int8]:
        mask = np.zeros(self._actions, dtype=np.int8)
        mask[: self.round.pool.size] = 1
        return mask

    def _info(self) -> dict[str, Any]:
        pool = np.full(self.pool_size, -1)
        pool[: self.round.pool.size] = self.round.pool
        where = {
            "seed": np.uint64(self.place.seed),
            "user": self.place.user,
            "round": self.place.round,
        }
        return {**where, "pool": pool, "action_mask": self._mask()}


class ConversationEnv(PeopleEnv):
    """The same with questions: action ``pool_size + k`` asks about key-term k, and costs ``cost``.

    Seen are the ``pool``, the key-term just asked about (``asked``: k + 1, 0 for none), its
    ``answer`` (0 where there is none, and ``answered`` says so) and how many questions are ``left``
    in this round, of ``questions``. A question closes no round.

    >>> import conlinucb as cl
    >>> catalog = cl.Catalog([[1.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [0.0, 1.0]])
    >>> people = cl.LinearUsers([[1.0, 0.0]], noise=0.0, term_noise=0.0, pool_size=2)
    >>> env = ConversationEnv(catalog, people, questions=1)
    >>> seen, info = env.reset(seed=0)
    >>> seen, reward, _, _, info = env.step(2 + 0)  # do you like key-term 0?
    >>> seen["answer"], int(seen["left"]), info["round"]
    (array([1.]), 0, 1)
    """

    def __init__(
        self,
        catalog: Catalog,
        people: People,
        *,
        questions: int = 3,
        cost: float = 0.0,
        rounds: int = 1000,
        user: int | None = None,
        pool_size: int | None = None,
    ) -> None:
        self.questions = whole("questions", questions, low=1)
        self.cost = number("cost", cost, low=0.0)
        super().__init__(catalog, people, rounds=rounds, user=user, pool_size=pool_size)
        terms = len(catalog.term_ids)
        self._actions = self.pool_size + terms
        self.action_space = spaces.Discrete(self._actions)
        self.observation_space = spaces.Dict(
            {
                "pool": self._pool_space(),
                "asked": spaces.Discrete(terms + 1),
                "answer": spaces.Box(-LARGEST, LARGEST, (1,), np.float64),
                "answered": spaces.Discrete(2),
                "left": spaces.Discrete(self.questions + 1),
            }
        )

    def _begin(self, round: int) -> None:
        super()._begin(round)
        self._asked, self._count = 0, 0
        self._answer: float | None = None

    def step(self, action: Any) -> Step:
        """Recommend, or ask."""
        if self._at is None:
            raise InvalidInput("reset() comes before step().")
        position = self._checked(action)
        if position < self.pool_size:
            return self._recommend(position)
        term = position - self.pool_size
        question = question_about(self.catalog, "term", (term,), self._count + 1, self.place.round)
        said = self.people.answer(self.place, question, self._count)
        self._answer = None if said is None else as_number(said)
        self._asked, self._count = term + 1, self._count + 1
        told = {"regret": 0.0, "observed": self._answer is not None}
        return self._seen(), 0.0 - self.cost, False, False, {**self._info(), **told}

    def _seen(self) -> Any:
        return {
            "pool": self._features(),
            "asked": np.int64(self._asked),
            "answer": np.array([self._answer or 0.0]),
            "answered": np.int64(self._answer is not None),
            "left": np.int64(self.questions - self._count),
        }

    def _mask(self) -> NDArray[np.int8]:
        mask = super()._mask()
        if self._count < self.questions:
            offered = self.catalog.live_terms if self.round.offered is None else self.round.offered
            mask[self.pool_size + offered] = 1
        return mask


class PeopleVectorEnv(SyncVectorEnv):
    """Many people side by side, one environment each: the people of one run with one seed.

    ``users`` are whom (default: all), ``num_envs`` the first so many; other arguments go to
    ``PeopleEnv``, or with ``questions`` to ``ConversationEnv``.

    >>> import conlinucb as cl
    >>> catalog = cl.Catalog([[1.0, 0.0], [0.0, 1.0], [0.6, 0.8]], np.ones((3, 1)))
    >>> people = cl.LinearUsers(np.eye(2), pool_size=2)
    >>> envs = PeopleVectorEnv(catalog, people, rounds=10)
    >>> seen, infos = envs.reset(seed=0)
    >>> seen.shape, infos["user"]
    ((2, 2, 2), array([0, 1]))
    """

    def __init__(
        self,
        catalog: Catalog,
        people: People,
        *,
        users: Sequence[int] | None = None,
        num_envs: int | None = None,
        **options: Any,
    ) -> None:
        whom = range(len(checked_people(people))) if users is None else users
        chosen = whom if num_envs is None else whom[: whole("num_envs", num_envs, low=1)]
        kind = ConversationEnv if "questions" in options else PeopleEnv

        def maker(user: int) -> Any:
            return lambda: kind(catalog, people, user=user, **options)

        super().__init__([maker(user) for user in chosen])

    def reset(
        self,
        *,
        seed: int | list[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Any, dict[str, Any]]:
        """Everybody's first round; one seed is that of the run, for all of them."""
        shared: list[int | None] | None
        shared = [seed] * self.num_envs if isinstance(seed, int) else seed
        return super().reset(seed=shared, options=options)


for _name in ("People", "Conversation"):
    if f"conlinucb/{_name}-v0" not in gymnasium.registry:
        gymnasium.register(
            f"conlinucb/{_name}-v0",
            entry_point=f"{__name__}:{_name}Env",
            vector_entry_point=f"{__name__}:PeopleVectorEnv" if _name == "People" else None,
        )
