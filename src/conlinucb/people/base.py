"""What a simulation needs of people: who is there, what a round brings them, what they say.

Everything is a function of a ``Place``: whom, when, on which catalogue and with which seed. So any
round of any run can be replayed by hand, in any order, on any thread or machine.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from conlinucb.agent.picked import Picked
from conlinucb.agent.question import Question, question_about
from conlinucb.catalog.catalog import Catalog
from conlinucb.errors import InvalidInput
from conlinucb.numerics.validation import Floats, Indices, seed_of, whole
from conlinucb.randomness import DUEL, OFFERED, POOL, derive, distinct, uniform

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


class Opinions(NamedTuple):
    """What someone thinks of each of a group."""

    values: Floats
    """(n,), NaN for nothing."""
    changes: Floats = np.empty((0, 4))
    """(m, 4) what they do to answers, the innermost first: see ``Voice``."""


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

    def answer(self, place: Place, question: Question, number: int) -> Any:
        """What the person says to the round's question ``number``, from 0; None for nothing.

        A number; of a pair how much more the first is liked, or one of ``agent.relative.WORDS``.
        """
        raise InvalidInput(f"{type(self).__name__} has no answer(place, question, number).")

    def opinions(self, place: Place, question: Question, number: int) -> Opinions:
        """What the person thinks of each of a group: what they would answer about it alone."""
        found = []
        for each in question.indices:
            alone = question_about(place.catalog, "term", (each,), question.number, question.round)
            said = self.answer(place, alone, number)
            found.append(np.nan if said is None else said)
        return Opinions(np.array(found))

    def pick(self, place: Place, question: Question, number: int) -> Picked | None:
        """What the person picks of a group, by ``opinions``; None for no answer."""
        from conlinucb.people.picking import picked_by  # which is compiled, and knows people

        return picked_by(
            place.seed, place.round, question, number, *opinions_of(self, place, question, number)
        )

    def reward(self, place: Place, arm: int) -> float | None:
        """What recommending this arm brings; None for nothing that could be learned from."""
        raise InvalidInput(f"{type(self).__name__} has no reward(place, arm).")

    def values(self, place: Place, arms: Indices) -> Floats:
        """What these arms are worth to the person: regret is the best of the pool less this."""
        raise InvalidInput(f"{type(self).__name__} has no values(place, arms).")

    def duel(self, place: Place, first: int, second: int) -> float | None:
        """1.0 where the first of two arms is preferred, 0.0 for the second, None for nothing.

        Whichever is worth more, or by a coin; people with a taste draw it by their own chance.
        """
        values = self.values(place, np.array([first, second]))
        if values[0] == values[1]:
            return float(uniform(derive(place.at, DUEL), 0) < 0.5)
        return float(values[0] > values[1])

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


def opinions_of(people: People, place: Place, question: Question, number: int) -> Opinions:
    """A person's opinions of a group; by answers about each, where a class has its own of these."""
    owner = next(each for each in type(people).__mro__ if {"answer", "opinions"} & set(vars(each)))
    if "opinions" in vars(owner):
        return people.opinions(place, question, number)
    return People.opinions(people, place, question, number)


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
