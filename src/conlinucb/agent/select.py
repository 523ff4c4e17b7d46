"""Which arm: what a belief is turned into before arms are ranked by it."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np

from conlinucb.errors import InvalidInput, UnknownName, nearest
from conlinucb.numerics.ties import ranking
from conlinucb.numerics.validation import Floats, number, whole
from conlinucb.randomness import derive, uniform


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
    """A way to choose arms of your own: ``rank`` gives each arm a score, the best is taken.

    One that logs also has ``propensities(seen, k)``: for each arm, how likely ``rank`` is to put it
    among the k best, whatever the seed is.
    """

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
    """The largest x'theta for a theta drawn from the belief, alpha times as wide as it is.

    With ``draws`` every recommendation says how likely each of its arms was: the share of so many
    further draws, and the one that decided, in which the arm was among the best. 1 over that share
    has the expectation 1/p to a relative (1 - p)^(draws + 1), so weights of offline evaluation are
    as good as unbiased. Without ``draws`` nothing is computed, and nothing is said.

    >>> Thompson(draws=200)
    Thompson(draws=200)
    """

    name = "thompson"
    samples = True

    def __init__(self, draws: int = 0) -> None:
        self.draws = whole("draws", draws)

    def __repr__(self) -> str:
        return f"Thompson(draws={self.draws})" if self.draws else "Thompson()"


class Greedy(Choosing):
    """The largest mean: no exploration."""

    name = "greedy"


class EpsilonGreedy:
    """The best means, or in a share ``epsilon`` of the rounds any arms, all equally likely.

    So the propensity of every arm is known exactly, and none is below epsilon k / n.

    >>> import conlinucb as cl
    >>> catalog = cl.Catalog([[1.0, 0.0], [0.0, 1.0]], [[1.0], [1.0]])
    >>> agent = cl.linucb(catalog, select=EpsilonGreedy(0.2))
    >>> agent.recommend(agent.new_user()).propensities
    array([0.9])
    """

    name = "epsilon-greedy"

    def __init__(self, epsilon: float = 0.1) -> None:
        self.epsilon = number("epsilon", epsilon, low=0.0, high=1.0)

    def rank(self, seen: Seen) -> Floats:
        """The means, or random numbers."""
        if not uniform(seen.seed, 0) < self.epsilon:
            return seen.means
        dice = derive(seen.seed, 1)
        return np.array([uniform(dice, i) for i in range(seen.means.size)])

    def propensities(self, seen: Seen, k: int) -> Floats:
        """How likely each arm is to be among the k best of ``rank``."""
        best = ranking(seen.means, k)
        found = np.full(seen.means.size, self.epsilon * best.size / seen.means.size)
        found[best] += 1.0 - self.epsilon
        return found

    def __repr__(self) -> str:
        return f"EpsilonGreedy(epsilon={self.epsilon})"


SELECTS: dict[str, Any] = {
    each.name: each for each in (UpperConfidence, Thompson, Greedy, EpsilonGreedy)
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
