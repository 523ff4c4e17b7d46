"""People who share, driven from outside: the verbs of an agent, by the number of a person."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from conlinucb.agent.advice import Advice
from conlinucb.agent.agent import Agent
from conlinucb.agent.question import Question
from conlinucb.agent.relative import Learn, Lesson
from conlinucb.agent.sharing import Company
from conlinucb.agent.user import User
from conlinucb.errors import InvalidInput
from conlinucb.numerics.validation import Floats, Indices, seed_of, whole
from conlinucb.randomness import derive


class Sharer(Agent):
    """An agent of which everything that it learns of somebody, others may learn, too."""

    speaker = -1
    """Of whom it learns."""

    def __init__(self, agent: Agent, company: Company) -> None:
        super().__init__(agent.catalog, agent.estimator, **agent._given)
        self._company = company

    def _take_in(self, user: User, learn: Learn, lesson: Lesson, *, answer: bool) -> None:
        super()._take_in(user, learn, lesson, answer=answer)
        for other in self._company.also(self.speaker, answer):
            learn(other.state, *lesson)


class Crowd:
    """Everyone whom an agent with ``sharing`` meets, by number from 0.

    Who is asked something, or gets a recommendation, is there until another one does; then the
    agent's ``sharing`` looks at the groups. What somebody says later is no visit.

    The agent itself knows one person at a time: who comes from ``agent.new_user()`` is in no
    crowd, and shares with nobody.

    >>> import conlinucb as cl
    >>> catalog = cl.Catalog([[1.0, 0.0], [0.0, 1.0]], [[1.0], [1.0]])
    >>> crowd = Crowd(cl.linucb(catalog, sharing=cl.Groups(["a", "b", "a"])), people=3)
    >>> crowd.learn(0, 1, 1.0)
    >>> [crowd.recommend(person).arms[0].item() for person in range(3)]
    [1, 0, 1]
    """

    def __init__(self, agent: Agent, people: int, *, seed: int = 0) -> None:
        if not isinstance(agent, Agent) or agent.sharing is None:
            raise InvalidInput(
                f"A crowd needs an agent with sharing, such as linucb(catalog, sharing=Clusters"
                f"(a=1.0)), got {agent!r}."
            )
        many = whole("people", people, low=1)
        self.company = Company(agent.sharing, agent.estimator, agent.catalog.d, many)
        own = derive(seed_of(seed), 0)  # as of the first repeat of a simulation
        self._users = [agent.new_user(int(derive(own, each))) for each in range(many)]
        self.agent = Sharer(agent, self.company)

    def __len__(self) -> int:
        return len(self._users)

    @property
    def groups(self) -> Indices:
        """The number of each person's group, (people,); a copy."""
        return self.company.group_of.copy()

    def user(self, person: int) -> User:
        """A person as the agent knows them, to be looked at: the state is what decides for them."""
        number = whole("person", person)
        if number >= len(self._users):
            raise InvalidInput(f"person must be from 0 to {len(self._users) - 1}, got {person!r}.")
        self.agent.speaker = number
        self._users[number].state = self.company.belief(number).state
        return self._users[number]

    def theta(self, person: int) -> Floats:
        """The estimate from what this person said alone, (d,); a copy."""
        self.user(person)
        return self.company.theta(int(person)).copy()

    def arrive(self, person: int) -> User:
        """This person is there now, whoever else was is gone; ``ask`` and ``recommend`` call it."""
        self.user(person)
        self.company.arrive(int(person))
        return self.user(person)

    def questions_due(self, person: int, *given: Any, **options: Any) -> int:
        """``Agent.questions_due`` of this person."""
        return self.agent.questions_due(self.arrive(person), *given, **options)

    def ask(
        self, person: int, pool: ArrayLike | None = None, offered: ArrayLike | None = None
    ) -> Question | None:
        """``Agent.ask`` of this person."""
        return self.agent.ask(self.arrive(person), pool, offered)

    def hear(
        self, person: int, question: Question, answer: float | None, *, weight: float = 1.0
    ) -> None:
        """``Agent.hear`` of this person."""
        self.agent.hear(self.user(person), question, answer, weight=weight)

    def volunteer(
        self, person: int, term: int | str, answer: float, *, weight: float = 1.0
    ) -> None:
        """``Agent.volunteer`` of this person."""
        self.agent.volunteer(self.user(person), term, answer, weight=weight)

    def recommend(
        self,
        person: int,
        pool: ArrayLike | None = None,
        k: int = 1,
        *,
        exclude: ArrayLike | None = None,
    ) -> Advice:
        """``Agent.recommend`` of this person."""
        advice = self.agent.recommend(self.arrive(person), pool, k, exclude=exclude)
        self.company.closed(int(person))
        return advice

    def learn(self, person: int, arm: int | str, reward: float, *, weight: float = 1.0) -> None:
        """``Agent.learn`` of this person."""
        self.agent.learn(self.user(person), arm, reward, weight=weight)
