"""Which arm: what a belief is turned into before arms are ranked by it."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np

from conlinucb.errors import InvalidInput, UnknownName, nearest
from conlinucb.numerics.validation import Floats


class Seen(NamedTuple):
    """What is believed of each arm of a pool, (n,) each, and where a draw may come from."""

    means: Floats
    radii: Floats
    extras: Floats
    """Exploration: alpha times the radius, where there is one radius."""
    seed: np.uint64
    """Of this user and round; see ``conlinucb.randomness``."""
    round: int


class Select(Protocol):
    """A way to choose arms of your own: ``rank`` gives each arm a score, the best is taken."""

    name: str

    def rank(self, seen: Seen) -> Floats:
        """A score for each arm."""
        ...


class Choosing:
    """A way that the loop knows: by the mean or by a draw, with or without exploration."""

    name = "unnamed"
    explores = False
    """Whether an arm's uncertainty is added to its score."""
    samples = False
    """Whether arms are ranked by a taste drawn from the belief."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


class UpperConfidence(Choosing):
    """The largest mean + alpha ||x||_P."""

    name = "ucb"
    explores = True


class Thompson(Choosing):
    """The largest x'theta for a theta drawn from the belief, alpha times as wide as it is."""

    name = "thompson"
    samples = True


class Greedy(Choosing):
    """The largest mean: no exploration."""

    name = "greedy"


SELECTS: dict[str, type[Choosing]] = {
    each.name: each for each in (UpperConfidence, Thompson, Greedy)
}


def select_of(given: Any) -> Any:
    """The way to select with this name, or the object itself."""
    if isinstance(given, str):
        if given not in SELECTS:
            raise UnknownName(f"No select is called {given!r}.{nearest(given, SELECTS)}")
        return SELECTS[given]()
    if isinstance(given, type) or not (isinstance(given, Choosing) or hasattr(given, "rank")):
        raise InvalidInput(
            f"select must be one of {', '.join(SELECTS)} or an object with rank(seen), "
            f"got {given!r}."
        )
    return given
