"""People with a hidden taste theta: what linear and click people share."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from conlinucb.agent.question import Question
from conlinucb.catalog.catalog import Catalog
from conlinucb.errors import InvalidInput
from conlinucb.numerics.compile import (
    FLOAT,
    INDEX,
    INDICES,
    INT,
    MARKS,
    MATRIX,
    SEED,
    VECTOR,
    VOID,
    kernel,
)
from conlinucb.numerics.linalg import dot, products
from conlinucb.numerics.validation import Floats, Indices, matrix, number, whole
from conlinucb.people.base import Opinions, People, Place
from conlinucb.people.compiled import (
    IDENTITY,
    Rounds,
    Voice,
    answer_noise,
    duelled,
    linked,
    no_changes,
    rewarded,
)
from conlinucb.people.picking import opinion_noise
from conlinucb.randomness import (
    CLICK,
    OFFERED,
    POOL,
    REWARD_NOISE,
    Marks,
    derive,
    distinct,
    normal,
    uniform,
)


class TasteUsers(People):
    """People with thetas; ``link`` says what x'theta is worth, ``clicks`` that it is a chance."""

    link = IDENTITY
    clicks = False

    def __init__(
        self,
        thetas: ArrayLike,
        *,
        noise: float,
        term_noise: float,
        pool_size: int,
        offered_size: int | None,
        shared_noise: bool,
    ) -> None:
        self.thetas = matrix("thetas", thetas)
        if not len(self.thetas):
            raise InvalidInput("thetas must hold at least one user, got none.")
        self.noise = number("noise", noise, low=0.0)
        self.term_noise = number("term_noise", term_noise, low=0.0)
        self.pool_size = whole("pool_size", pool_size, low=1)
        self.offered_size = (
            None if offered_size is None else whole("offered_size", offered_size, low=1)
        )
        self.shared_noise = bool(shared_noise)

    def __len__(self) -> int:
        return len(self.thetas)

    def check(self, catalog: Catalog) -> None:
        """Refuse a catalogue that these people cannot meet."""
        if self.thetas.shape[1] != catalog.d:
            raise InvalidInput(
                f"thetas have {self.thetas.shape[1]} features, the catalogue has {catalog.d}."
            )
        super().check(catalog)

    def taste(self, place: Place) -> Floats:
        """theta*."""
        return self.thetas[place.user]

    def values(self, place: Place, arms: Indices) -> Floats:
        """x'theta*, linked."""
        rows, theta = place.catalog._arms, self.taste(place)
        most = 2 * arms.size > len(rows)  # then copying rows takes longer than all products
        found = products(rows, theta)[arms] if most else products(rows[arms], theta)
        return np.array([linked_value(self.link, each) for each in found]) if self.link else found

    def reward(self, place: Place, arm: int) -> float | None:
        """The arm's value with noise, or 1 with that chance."""
        value = float(self.values(place, np.array([arm]))[0])
        return rewarded(int(self.clicks), value, chance_of(int(self.clicks), self.noise, place.at))

    def answer(self, place: Place, question: Question, number: int) -> float | None:
        """The value of what is asked about, of a pair the difference, with noise."""
        voice = self.voice(place.catalog, place.seed, place.user, table=False)
        about_arm = int(question.kind == "arm")
        rows = place.catalog._arms if about_arm else place.catalog._terms
        found = products(rows[list(question.indices)], self.taste(place))
        if self.link:
            found = np.array([linked_value(self.link, each) for each in found])
        plain = found[0] - found[1] if question.kind == "pair" else found.mean()
        return float(plain + answer_noise(voice, about_arm, place.round, number))

    def opinions(self, place: Place, question: Question, number: int) -> Opinions:
        """The value of each of a group, with noise of its own."""
        voice = self.voice(place.catalog, place.seed, place.user, table=False)
        found = products(place.catalog._terms[list(question.indices)], self.taste(place))
        for i, value in enumerate(found):
            plain = linked_value(self.link, value) if self.link else value
            found[i] = plain + opinion_noise(voice, place.round, number, i)
        return Opinions(found)

    def table(self, catalog: Catalog, user: int) -> Floats:
        """x~'theta* of every key-term, before link and noise, (K,)."""
        return products(catalog._terms, self.thetas[user])

    def duel(self, place: Place, first: int, second: int) -> float | None:
        """By a chance that is logistic in (x_first - x_second)'theta*."""
        voice = self.voice(place.catalog, place.seed, place.user, table=False)
        return duelled(voice, place.catalog._arms, first, second, place.round)

    def voice(self, catalog: Catalog, seed: int, user: int, *, table: bool = True) -> Voice:
        """How this person answers; with a table of all key-terms, or by theta."""
        theta = self.thetas[user]
        known = self.table(catalog, user) if table else np.empty(0)
        if table and self.link:
            known = np.array([linked_value(self.link, each) for each in known])
        sounds = self.noise, self.term_noise, int(self.shared_noise)
        worth = np.full(len(catalog) if table else 0, np.nan)
        clicks = int(self.clicks)
        return Voice(
            worth, clicks, known, theta, 1, self.link, *sounds, no_changes(), np.uint64(seed)
        )

    def compiled(self) -> Any:
        """Rounds and answers by kernels."""
        return self

    def meet(self, catalog: Catalog, seed: int, user: int) -> MetTaste:
        """A person, for the compiled loop."""
        return MetTaste(self, catalog, seed, user)

    def parameters(self) -> dict[str, Any]:
        """Everything but the thetas, as plain values."""
        return {
            "users": len(self.thetas),
            "noise": self.noise,
            "term_noise": self.term_noise,
            "pool_size": self.pool_size,
            "offered_size": self.offered_size,
            "shared_noise": self.shared_noise,
        }

    def fingerprint(self) -> dict[str, str]:
        """A hash of the thetas."""
        return {"thetas": hashlib.sha256(self.thetas.tobytes()).hexdigest()[:16]}


class MetTaste:
    """One person's rounds, made block by block."""

    def __init__(self, people: TasteUsers, catalog: Catalog, seed: int, user: int) -> None:
        self._people, self._catalog = people, catalog
        self._theta, self._seed = people.thetas[user], np.uint64(seed)
        self.voice = people.voice(catalog, seed, user)
        self._marks = np.zeros(max(len(catalog), len(catalog.term_ids)), dtype=np.uint8)

    def rounds(self, first: int, count: int) -> Rounds:
        """Rounds first .. first + count - 1."""
        people, catalog, size = self._people, self._catalog, self._people.pool_size
        varies = people.offered_size is not None
        offered = np.empty((count, people.offered_size or 0), dtype=np.int64)
        made = Rounds(
            np.arange(0, (count + 1) * size, size),
            np.empty(count * size, dtype=np.int64),
            np.empty(count),
            np.empty(count),
            offered if varies else catalog._live_terms[None, :],
        )
        make_rounds(
            catalog._arms, catalog._live_arms, catalog._live_terms, self._theta, self._seed,
            people.link, int(people.clicks), people.noise, first, size,
            self.voice.worth, self._marks, made.pool, made.best, made.chance, offered,
        )  # fmt: skip
        return made


@kernel(FLOAT(INT, FLOAT))
def linked_value(link: int, value: float) -> float:
    """What x'theta is worth."""
    return linked(link, value)


@kernel(FLOAT(INT, FLOAT, SEED))
def chance_of(clicks: int, noise: float, at: np.uint64) -> float:
    """What chance brings to the reward of the round of seed ``at``."""
    if clicks:
        return uniform(derive(at, CLICK), 0)
    return noise * normal(derive(at, REWARD_NOISE), 0)


@kernel(VOID(SEED, INDEX, MARKS, INDEX), inner=True)
def draw_ascending(seed: np.uint64, among: Indices, marks: Marks, out: Indices) -> None:
    """Different members of ``among``, which is ascending, in its order; marks is scratch."""
    distinct(seed, among, marks, out)
    for i in range(out.shape[0]):
        marks[out[i]] = 1
    place = 0
    for i in range(among.shape[0]):
        if marks[among[i]] == 1:
            out[place] = among[i]
            marks[among[i]] = 0
            place += 1


@kernel(
    VOID(
        *(MATRIX, INDEX, INDEX, VECTOR, SEED, INT, INT, FLOAT, INT, INT),
        *(VECTOR, MARKS, INDEX, VECTOR, VECTOR, INDICES),
    )
)
def make_rounds(
    arms: Floats,
    live_arms: Indices,
    live_terms: Indices,
    theta: Floats,
    seed: np.uint64,
    link: int,
    clicks: int,
    noise: float,
    first: int,
    size: int,
    known: Floats,
    marks: Marks,
    pool: Indices,
    best: Floats,
    chance: Floats,
    offered: Indices,
) -> None:
    """Fill the last four: pools, their largest values, chance, and the offered terms.

    ``known`` (N,) keeps the values that were computed, NaN elsewhere.
    """
    for b in range(best.shape[0]):
        at = derive(seed, first + b)
        start = b * size
        distinct(derive(at, POOL), live_arms, marks, pool[start : start + size])
        if offered.shape[1] > 0:
            draw_ascending(derive(at, OFFERED), live_terms, marks, offered[b])
        chance[b] = chance_of(clicks, noise, at)
        largest = -np.inf
        for i in range(start, start + size):
            a = pool[i]
            if np.isnan(known[a]):
                known[a] = linked(link, dot(arms[a], theta))
            largest = max(largest, known[a])
        best[b] = largest
