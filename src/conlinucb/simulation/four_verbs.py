"""The rounds of an ``Agent``: the four verbs by hand, or the compiled loop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from conlinucb.agent import schedule as schedules
from conlinucb.agent.agent import Agent
from conlinucb.agent.user import User
from conlinucb.catalog.catalog import Catalog
from conlinucb.errors import InvalidInput, StrategyError
from conlinucb.people import People, play_round
from conlinucb.people.base import Place
from conlinucb.people.compiled import Rounds, Voice
from conlinucb.people.rounds import Happened
from conlinucb.simulation.loop.inputs import Output, World
from conlinucb.simulation.own_rounds import AnyAgent, OwnRounds
from conlinucb.simulation.prepared import Prepared, can_be_compiled, make_world, prepare


def rounds_of(agent: AnyAgent, name: str) -> OwnRounds:
    """What plays an agent's rounds; ``name`` is for errors."""
    return FourVerbs(agent, name) if isinstance(agent, Agent) else agent


class FourVerbs:
    """Ask and hear as long as questions are due, then recommend and learn."""

    def __init__(self, agent: Agent, name: str) -> None:
        self.agent, self.name = agent, name
        self.catalog: Catalog = agent.catalog

    @property
    def places(self) -> int:
        """That a question takes in a trace: one for each key-term of a group."""
        return 1 if self.agent.chooser is None else self.agent.chooser.size

    def parameters(self) -> dict[str, Any]:
        """The agent's."""
        return self.agent.parameters()

    def new_user(self, seed: int = 0) -> User:
        """Someone who has said nothing yet."""
        return self.agent.new_user(seed)

    def play_round(self, user: User, people: People, place: Place) -> Happened:
        """One round by hand."""
        return play_round(self.agent, user, people, place)

    def check(self, people: People, rounds: int) -> None:
        """Whether the strategy can do with what is offered, and the schedule counts upwards."""
        chooser, catalog = self.agent.chooser, self.catalog
        if people.offered_size is not None and chooser is not None:
            chooser.check_offered(catalog.live_terms[: people.offered_size], catalog)
        schedules.checked(self.agent.schedule, rounds)
        if self.agent.sharing is not None:
            self.agent.sharing.check(len(people))

    def most_questions(self, rounds: int) -> int:
        """By the schedule."""
        agent = self.agent
        return schedules.asked_by(agent.schedule, rounds) if agent.asks_at_all else 0

    def compiled_rounds(
        self, rounds: int, *, lazy: bool, timed: bool
    ) -> Callable[[Output], Looped] | None:
        """The loop of all estimators and strategies that have kernels."""
        if not can_be_compiled(self.agent):
            return None
        world = make_world(self.catalog)
        ready = prepare(self.agent, rounds, lazy=lazy, timed=timed)
        strategy = self.agent.chooser.name if self.agent.chooser else "none"
        where = f"Strategy {strategy!r} of agent {self.name!r}"
        return lambda output: Looped(world, ready, output, where, self.refusal())

    def refusal(self) -> str:
        """What is said of feedback that the estimator does not take."""
        estimator = self.agent.estimator
        span = "" if estimator.range is None else " from {:g} to {:g}".format(*estimator.range)
        return (
            f"Agent {self.name!r}: the estimator {estimator.name!r} takes rewards and answers"
            f"{span} only. People who say yes or no: YesNo(people)."
        )


class Looped:
    """One person's rounds in the compiled loop, block after block."""

    def __init__(
        self, world: World, ready: Prepared, output: Output, where: str, refusal: str
    ) -> None:
        self.world, self.ready, self.output = world, ready, output
        self.where, self.refusal = where, refusal
        self.state = ready.newcomer()
        self.work: Any = None
        self.progress = np.zeros(2, dtype=np.int64)

    def play(self, block: Rounds, voice: Voice, start: int) -> None:
        """Play a block of rounds."""
        from conlinucb.simulation.loop.question import OUT_OF_RANGE, WRONGS

        self.make_room(block)
        try:
            wrong = self._played(block, voice, start)
        except Exception as error:
            raise StrategyError(self._told(f"failed: {error!r}")) from error
        if wrong == OUT_OF_RANGE:
            raise InvalidInput(
                f"{self.refusal} Round {self.progress[0]}: {float(self.work.found[0])!r}."
            )
        if wrong:
            raise StrategyError(self._told(f"{WRONGS[wrong].format(self.progress[1])}."))

    def _played(self, block: Rounds, voice: Voice, start: int) -> int:
        """What went wrong, or 0."""
        from conlinucb.simulation.loop.play import play  # compiled, or loaded, when first needed

        return play(
            self.world, block, voice, self.ready.algorithm, self.ready.functions,
            self.state, self.work, self.output, start, self.progress,
        )  # fmt: skip

    def make_room(self, block: Rounds) -> None:
        """Pools may grow from block to block."""
        largest = int(np.diff(block.start).max())
        if self.work is not None and self.work.scores.size >= largest:
            return
        fresh = self.ready.workspace(self.world, largest)
        if self.work is not None:
            fresh = self.work._replace(scores=fresh.scores, true=fresh.true)
        self.work = fresh

    def _told(self, what: str) -> str:
        return f"{self.where}, round {self.progress[0]}: {what}"
