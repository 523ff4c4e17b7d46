"""What a simulation needs of an agent: the four verbs, or rounds of its own.

Most agents are an ``Agent``: an estimator, a strategy and a schedule, whose rounds are all alike.
An algorithm whose rounds are not, that recommends two arms, asks in place of recommending, or walks
down a tree, says itself what a round is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from conlinucb.agent.agent import Agent
from conlinucb.catalog.catalog import Catalog
from conlinucb.people import People
from conlinucb.people.base import Place
from conlinucb.people.compiled import Rounds, Voice
from conlinucb.people.rounds import Happened
from conlinucb.simulation.loop.inputs import Output


class CompiledRounds(Protocol):
    """One person's rounds under one agent, compiled."""

    def play(self, block: Rounds, voice: Voice, start: int) -> None:
        """Play a block of rounds, ``start`` (from 0) being the first, and write what came of it.

        Blocks come in order. Everything goes where the ``Output`` it was made for says.
        """
        ...


class OwnRounds(Protocol):
    """An agent that says itself what a round is; ``simulate`` and ``tune`` take it like any other.

    It holds parameters and no person's state, and is the same for the same parameters.
    """

    catalog: Catalog

    def parameters(self) -> dict[str, Any]:
        """What defines it, as values that JSON can hold."""
        ...

    def new_user(self, seed: int = 0) -> Any:
        """Someone who has said nothing yet, with the estimate ``theta`` (d,) of their taste."""
        ...

    def play_round(self, user: Any, people: People, place: Place) -> Happened:
        """One round by hand: what is recommended, rewarded, asked, answered, learned."""
        ...

    def check(self, people: People, rounds: int) -> None:
        """Refuse people whom it cannot meet, and more rounds than it can play."""
        ...

    def most_questions(self, rounds: int) -> int:
        """How many questions it asks in so many rounds, at most."""
        ...

    def compiled_rounds(
        self, rounds: int, *, lazy: bool, timed: bool
    ) -> Callable[[Output], CompiledRounds] | None:
        """The same rounds compiled, for anyone whose results go to an ``Output``; None for none.

        Called once for all people. ``lazy`` is whether what cannot matter may be left out,
        ``timed`` whether seconds are logged.
        """
        ...


AnyAgent = Agent | OwnRounds
"""What ``simulate`` takes."""
NEEDED = ("parameters", "new_user", "play_round", "check", "most_questions", "compiled_rounds")
"""What an agent with rounds of its own has, beside its catalogue."""


def is_agent(given: Any) -> bool:
    """Whether a simulation can play it."""
    if isinstance(given, Agent):
        return True
    known = isinstance(getattr(given, "catalog", None), Catalog) and not isinstance(given, type)
    return known and all(callable(getattr(given, name, None)) for name in NEEDED)
