"""What a simulation needs of people: who is there, what a round brings them, what they say.

Everything is a function of a ``Place``: whom, when, on which catalogue and with which seed. So any
round of any run can be replayed by hand, in any order, on any thread or machine.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from conlinucb.agent.question import Question
from conlinucb.catalog.catalog import Catalog
from conlinucb.errors import InvalidInput
from conlinucb.numerics.validation import Floats, Indices, seed_of, whole
from conlinucb.randomness import OFFERED, POOL, derive, distinct

if TYPE_CHECKING:
    from conlinucb.people.compiled import Compiled


class Place(NamedTuple):
    """One person's round, with all that chance depends on."""

    catalog: Catalog
    seed: int
    """Of the person in this run: ``People.user_seed``."""
    user: int
    """Which of the people, from 0."""
    round: int
    """From 1."""

    @property
    def at(self) -> np.uint64:
        """The seed of this round; ``conlinucb.randomness`` draws from it by stream."""
        return derive(np.uint64(self.seed), self.round)


class Round(NamedTuple):
    """What a round brings: every agent of a run meets the same."""

    pool: Indices
    """The arms that may be recommended."""
    offered: Indices | None
    """The key-terms that may be asked about, ascending; None for all of them."""


class People:
    """Who answers. People of your own give their number, ``answer``, ``reward`` and ``values``.

    Pools of ``pool_size`` arms are drawn without replacement for each person and round, and
    ``offered_size`` key-terms (None: all of them), unless ``round`` says otherwise.
    """

    pool_size: int = 50
    offered_size: int | None = None

    def __len__(self) -> int:
        """How many people there are."""
        raise InvalidInput(f"{type(self).__name__} must say how many people there are: __len__.")

    def answer(self, place: Place, question: Question, number: int) -> float | None:
        """What the person says to the round's question ``number``, from 0; None for nothing."""
        raise InvalidInput(f"{type(self).__name__} has no answer(place, question, number).")

    def reward(self, place: Place, arm: int) -> float | None:
        """What recommending this arm brings; None for nothing that could be learned from."""
        raise InvalidInput(f"{type(self).__name__} has no reward(place, arm).")

    def values(self, place: Place, arms: Indices) -> Floats:
        """What these arms are worth to the person: regret is the best of the pool less this."""
        raise InvalidInput(f"{type(self).__name__} has no values(place, arms).")

    def taste(self, place: Place) -> Floats | None:
        """The true theta, (d,), where there is one: the error of an estimate is measured by it."""
        return None

    def round(self, place: Place) -> Round:
        """The round's pool and offered key-terms."""
        catalog, offered = place.catalog, None
        if self.offered_size is not None:
            offered = np.sort(drawn(place.at, OFFERED, catalog._live_terms, self.offered_size))
        return Round(drawn(place.at, POOL, catalog._live_arms, self.pool_size), offered)

    def check(self, catalog: Catalog) -> None:
        """Refuse a catalogue that these people cannot meet."""
        if type(self).round is not People.round:  # pools and offered terms of their own
            return
        if self.pool_size > catalog.live_arms.size:
            raise InvalidInput(
                f"pool_size is {self.pool_size}, but the catalogue has only "
                f"{catalog.live_arms.size} arms."
            )
        if self.offered_size is not None and self.offered_size > catalog.live_terms.size:
            raise InvalidInput(
                f"offered_size is {self.offered_size}, but the catalogue has only "
                f"{catalog.live_terms.size} key-terms."
            )

    def user_seed(self, seed: int, repeat: int, user: int) -> int:
        """The seed with which ``simulate`` makes this user: ``agent.new_user(seed=...)``."""
        return int(derive(derive(seed_of(seed), whole("repeat", repeat)), whole("user", user)))

    def place(self, catalog: Catalog, seed: int, repeat: int, user: int, round: int) -> Place:
        """One person's round of a run with this seed."""
        own = self.user_seed(seed, repeat, user)
        return Place(catalog, own, user, whole("round", round, low=1))

    def compiled(self) -> Compiled | None:
        """The same people for the compiled loop; None where they are met by hand only.

        A class that overrides something of a compiled one is met by hand, unless it overrides
        this, too.
        """
        return None

    def parameters(self) -> dict[str, Any]:
        """What they are, as plain values: part of what a stored result must agree on."""
        return {"people": type(self).__name__, "users": len(self)}

    def __repr__(self) -> str:
        inside = ", ".join(f"{name}={value!r}" for name, value in self.parameters().items())
        return f"{type(self).__name__}({inside})"


def drawn(at: np.uint64, stream: int, among: Indices, size: int) -> Indices:
    """``size`` different members of ``among``, in random order."""
    out = np.empty(size, dtype=np.int64)
    distinct(derive(at, stream), among, np.zeros(among.size, dtype=np.uint8), out)
    return out


def checked_people(given: Any) -> People:
    """Whoever is met, refused where they are nobody: a catalogue, an array of tastes."""
    if not isinstance(given, People):
        raise InvalidInput(
            f"people must be People, such as LinearUsers, got {type(given).__name__}."
        )
    return given
