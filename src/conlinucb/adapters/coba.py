"""Agents as Coba learners, people as Coba environments.

Coba has no questions: a learner recommends and learns. An environment is one person, since that is
whom an estimate is of; an experiment's results then pair learners person by person.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any

from conlinucb.agent.agent import Agent
from conlinucb.agent.among import arm_of
from conlinucb.agent.given import checked_agent
from conlinucb.agent.select import Choosing
from conlinucb.agent.user import User
from conlinucb.catalog.catalog import Catalog
from conlinucb.errors import InvalidInput, MissingExtra, UnknownName
from conlinucb.numerics.validation import whole
from conlinucb.people.base import People, checked_people

try:
    import coba
    from coba.environments import Environments
    from coba.primitives import Environment, Learner, SimulatedInteraction
except ModuleNotFoundError:
    raise MissingExtra("coba", "conlinucb.adapters.coba") from None


class AgentLearner(Learner):  # type: ignore[misc]  # coba is not typed
    """An agent that Coba asks for actions; the context says who the person is (None: one person).

    An action is an arm: its features as the catalogue has them, its id, or its index. The
    probability of an action is 1, or unknown where arms are drawn ("thompson", or a way to select
    of your own).

    >>> import conlinucb as cl
    >>> catalog = cl.Catalog([[1.0, 0.0], [0.0, 1.0]], [[1.0], [1.0]], ["a", "b"])
    >>> learner = AgentLearner(cl.linucb(catalog))
    >>> learner.learn(None, (0.0, 1.0), 1.0, 1.0)
    >>> learner.predict(None, [(1.0, 0.0), (0.0, 1.0)])
    ((0.0, 1.0), 1.0)
    """

    def __init__(self, agent: Agent, *, seed: int = 0) -> None:
        self.agent, self.seed = checked_agent(agent), seed
        self.users: dict[Hashable, User] = {}
        self._by_features: dict[tuple[float, ...], int] = {}
        for arm in agent.catalog.live_arms[::-1].tolist():  # the first of equal arms is left
            self._by_features[tuple(agent.catalog.arms[arm].tolist())] = arm
        known = agent.select
        self._certain = isinstance(known, Choosing) and not known.samples

    @property
    def params(self) -> Mapping[str, Any]:
        """What becomes columns of Coba's results."""
        return {"family": "conlinucb", **self.agent.parameters(), "seed": self.seed}

    def predict(self, context: Any, actions: Sequence[Any]) -> Any:
        """The action of the agent's recommendation from these."""
        arms = [self._arm(action) for action in actions]
        pool = list(dict.fromkeys(arms))  # equal arms stand for the same action
        best = int(self.agent.recommend(self._user(context), pool).arms[0])
        return actions[arms.index(best)], 1.0 if self._certain else None

    def learn(
        self, context: Any, action: Any, reward: float, probability: float | None, **rest: Any
    ) -> None:
        """Take in the reward of an action."""
        self.agent.learn(self._user(context), self._arm(action), reward)

    def _user(self, context: Any) -> User:
        who = tuple(context) if isinstance(context, list) else context
        if who not in self.users:
            self.users[who] = self.agent.new_user(self.seed)
        return self.users[who]

    def _arm(self, action: Any) -> int:
        if isinstance(action, (str, int)):
            return arm_of(self.agent.catalog, action)
        try:
            return self._by_features[tuple(float(each) for each in action)]
        except (KeyError, TypeError, ValueError):
            raise UnknownName(
                f"No arm of the catalogue has the features {action!r}; an action is an arm's "
                f"features, its id or its index."
            ) from None


class PersonEnvironment(Environment):  # type: ignore[misc]
    """Rounds of one person: the pool's features are the actions, and every reward is known.

    >>> import conlinucb as cl
    >>> catalog = cl.Catalog([[1.0, 0.0], [0.0, 1.0]], [[1.0], [1.0]])
    >>> people = cl.LinearUsers([[1.0, 0.0]], noise=0.0, pool_size=2)
    >>> first = next(PersonEnvironment(catalog, people, user=0, rounds=5).read())
    >>> first["actions"], first["rewards"]
    ([(0.0, 1.0), (1.0, 0.0)], [0.0, 1.0])
    """

    def __init__(
        self,
        catalog: Catalog,
        people: People,
        *,
        user: int,
        rounds: int,
        seed: int = 0,
        repeat: int = 0,
    ) -> None:
        checked_people(people).check(catalog)
        self.catalog, self.people = catalog, people
        self.user, self.rounds = whole("user", user), whole("rounds", rounds, low=1)
        self.seed, self.repeat = seed, repeat
        if self.user >= len(people):
            raise InvalidInput(f"user must be from 0 to {len(people) - 1}, got {user}.")

    @property
    def params(self) -> Mapping[str, Any]:
        """What becomes columns of Coba's results."""
        where = {"user": self.user, "rounds": self.rounds, "seed": self.seed, "repeat": self.repeat}
        return {"env_type": "conlinucb", **self.people.parameters(), **where}

    def read(self) -> Iterator[Any]:
        """The rounds, as ``simulate`` with this seed plays them."""
        for t in range(1, self.rounds + 1):
            place = self.people.place(self.catalog, self.seed, self.repeat, self.user, t)
            pool = self.people.round(place).pool
            rewards = [self.people.reward(place, int(arm)) for arm in pool]
            if None in rewards:
                raise InvalidInput(
                    f"Person {self.user} gives no reward in round {t} to arm "
                    f"{pool[rewards.index(None)]}; Coba needs one of every action."
                )
            actions = [tuple(row) for row in self.catalog.arms[pool].tolist()]
            yield SimulatedInteraction(None, actions, rewards)


def environments(
    catalog: Catalog, people: People, *, rounds: int, seed: int = 0, repeat: int = 0
) -> coba.Environments:
    """One environment for each of the people, to be given to ``coba.Experiment``."""
    return Environments(
        PersonEnvironment(catalog, people, user=user, rounds=rounds, seed=seed, repeat=repeat)
        for user in range(len(checked_people(people)))
    )
