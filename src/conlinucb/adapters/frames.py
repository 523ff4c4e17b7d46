"""Tables of feedback in, recommendations for many people out: fit, partial_fit, predict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from conlinucb.agent.agent import Agent
from conlinucb.agent.among import pool_of
from conlinucb.agent.given import checked_agent
from conlinucb.agent.priors.fitting.table import person_keys
from conlinucb.agent.user import User
from conlinucb.catalog.columns import encode, read_columns
from conlinucb.errors import InvalidInput, UnknownName, nearest
from conlinucb.numerics.validation import LARGEST, Floats, Indices, positive
from conlinucb.shown import people_text


class BatchRecommender:
    """One state for each person of a table, learned in the order of its rows.

    A table is a pandas, polars or pyarrow one, a dictionary of columns, or a file. ``person``,
    ``arm`` and ``reward`` name its columns; a column "weight" is taken where there is one. In
    tables arms are always ids, and each row is a round of its person. People are told apart by
    their ids as text: 7 and "7" are one. Predictions change nothing; someone who is in no row is a
    newcomer.

    >>> import conlinucb as cl
    >>> catalog = cl.Catalog([[1.0, 0.0], [0.0, 1.0]], [[1.0], [1.0]], ["a", "b"])
    >>> log = {"person": ["ann", "bob"], "arm": ["b", "a"], "reward": [1.0, 0.9]}
    >>> recommender = BatchRecommender(cl.linucb(catalog)).fit(log)
    >>> recommender.predict(["ann", "bob", "eve"])
    array(['b', 'a', 'a'], dtype=object)
    >>> recommender.predict_expectations(["ann", "bob"])
    array([[0.  , 0.5 ],
           [0.45, 0.  ]])
    """

    def __init__(
        self, agent: Agent, *, person: str = "person", arm: str = "arm", reward: str = "reward"
    ) -> None:
        self.agent = checked_agent(agent)
        self.person, self.arm, self.reward = person, arm, reward
        self.users: dict[str, User] = {}
        """Everybody who was in a row, by id as text."""

    def __repr__(self) -> str:
        return f"BatchRecommender({self.agent!r}, {people_text(len(self.users))})"

    @property
    def arms_(self) -> tuple[Any, ...]:
        """The ids of all arms that may be recommended: the columns of expectations."""
        return tuple(self.agent.catalog.arm_ids[arm] for arm in self.agent.catalog.live_arms)

    def fit(self, table: Any) -> Self:
        """Forget everybody, then learn from the table; where it is refused nothing is forgotten."""
        return self._learn(table, {})

    def partial_fit(self, table: Any) -> Self:
        """Learn from more rows; where they are refused nothing is learned."""
        return self._learn(table, self.users)

    def _learn(self, table: Any, users: dict[str, User]) -> Self:
        columns = read_columns(
            table,
            ("person", "arm", "reward"),
            ("weight",),
            names=self._names("person", "arm", "reward"),
            numbers=("reward", "weight"),
            empty=("reward",),
        )
        codes, ids = columns.codes("person")
        people = [str(each) for each in ids]
        arms = self._arms(columns["arm"])
        rewards = columns.numbers("reward", low=-LARGEST)
        weights = np.ones(arms.size)
        if "weight" in columns:
            weights = columns.numbers("weight")
            for extreme in (weights.min(), weights.max()):  # before anything is learned
                positive("weight", extreme)
        self.users = {**users, **{each: self._new(each) for each in people if each not in users}}
        rows = zip(codes.tolist(), arms.tolist(), rewards, weights, strict=True)
        for code, arm, reward, weight in rows:
            user = self.users[people[code]]
            self.agent.learn(user, arm, reward, weight=weight)
            user.close_round()
        return self

    def _names(self, *roles: str) -> dict[str, str]:
        """Those that are not the usual ones: a Table may say what it calls the others."""
        return {role: name for role in roles if (name := getattr(self, role)) != role}

    def _arms(self, column: Any) -> Indices:
        """Indices of the ids in a column; an id that is a number may be written as text."""
        codes, ids = encode(column)
        known = self.agent.catalog._arm_lookup
        texts = {str(each): index for each, index in known.items()} if ids else {}
        found = np.array([known.get(each, texts.get(str(each), -1)) for each in ids])[codes]
        if (found < 0).any():
            row = int(np.argmax(found < 0))
            wrong = ids[codes[row]]
            raise UnknownName(
                f"Column {self.arm!r} holds {wrong!r} in row {row}, which is the id of no arm."
                f"{nearest(wrong, known)}"
            )
        return found

    def predict(
        self, persons: Any, pools: Sequence[ArrayLike | None] | None = None, k: int = 1
    ) -> NDArray[Any]:
        """Ids of the best arm for each person, (n,), or of the k best, (n, k); None where a pool
        has fewer. ``persons`` are ids, or a table with a column of them.
        """
        users = [replace(user) for user in self._people(persons)]
        advices = self.agent.recommend_many(users, pools, k)
        found = np.full((len(users), k), None, dtype=object)
        for row, advice in zip(found, advices, strict=True):
            row[: len(advice.ids)] = advice.ids
        return found[:, 0] if k == 1 else found

    def predict_expectations(self, persons: Any, arms: ArrayLike | None = None) -> Floats:
        """Expected rewards, (people, arms): of ``arms`` by id or index, or of all of ``arms_``."""
        pool = pool_of(self.agent.catalog, arms)
        tastes = [user.state.theta for user in self._people(persons)]
        thetas = np.array(tastes).reshape(-1, self.agent.catalog.d)
        return np.asarray(thetas @ self.agent.catalog.arms[pool].T)

    def _people(self, persons: Any) -> list[User]:
        if isinstance(persons, (str, bytes)):
            raise InvalidInput(f"persons must be a list of ids or a table, got {persons!r}.")
        if isinstance(persons, dict) or hasattr(persons, "columns"):  # of any kind of table
            found = read_columns(persons, ("person",), names=self._names("person"))
            codes, ids = found.codes("person")
            persons = [ids[code] for code in codes.tolist()]
        each = persons.tolist() if hasattr(persons, "tolist") else list(persons)
        return [self.users.get(str(one)) or self._new(str(one)) for one in each]

    def _new(self, person: str) -> User:
        return self.agent.new_user(int(person_keys([person])[0]))

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The constructor's arguments; with ``deep`` also the agent's, "agent__name"."""
        given = {"agent": self.agent, "person": self.person, "arm": self.arm, "reward": self.reward}
        inner = self.agent.get_params() if deep else {}
        return given | {f"agent__{name}": value for name, value in inner.items()}

    def set_params(self, **changes: Any) -> Self:
        """Change arguments, or with "agent__name" the agent's in an agent of its own."""
        known = self.get_params(deep=False)
        inner = {name[7:]: changes.pop(name) for name in list(changes) if name[:7] == "agent__"}
        for name in changes:
            if name not in known:
                raise UnknownName(f"The recommender has no {name!r}.{nearest(name, known)}")
        known.update(changes)
        known["agent"] = known["agent"].replace(**inner)
        vars(self).update(known)
        return self
