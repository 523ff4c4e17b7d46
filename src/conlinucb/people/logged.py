"""Real people: rewards and answers from tables, pools of their own."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from conlinucb.agent.question import Question
from conlinucb.catalog.catalog import Catalog
from conlinucb.errors import InvalidInput
from conlinucb.numerics.validation import Floats, Indices, number, whole
from conlinucb.people.base import Opinions, People, Place, Round, drawn
from conlinucb.people.compiled import IDENTITY, Rounds, Voice, no_changes
from conlinucb.randomness import OFFERED, POOL, derive

OTHERS = 100
"""Key under a round's pool stream for the arms that are not the person's own."""


class LoggedPeople(People):
    """People as a log has them: what they gave is what they give.

    ``rewards`` is a table people x arms, sparse or with NaN where nothing is known; ``answers``
    one of people x key-terms (default: the mean of a person's own rewards over the term's arms).
    A pool holds ``pool_size`` arms of the person's own, or with ``own=2`` two of these and others
    that are unknown, worth ``unknown`` (None: not to be learned from). ``pools`` (people, rounds,
    n) says them outright; after the last round they begin again. ``withheld``, a table people x
    arms, has the arms that are in no pool of a person: those that their answers come from.

    >>> import conlinucb as cl
    >>> catalog = cl.Catalog([[1.0, 0.0], [0.0, 1.0], [0.6, 0.8]], np.eye(3))
    >>> people = LoggedPeople([[1.0, 0.0, np.nan], [np.nan, 1.0, 0.5]], pool_size=2)
    >>> people.round(people.place(catalog, seed=0, repeat=0, user=1, round=1)).pool
    array([1, 2])
    """

    def __init__(
        self,
        rewards: Any,
        answers: ArrayLike | None = None,
        *,
        pools: ArrayLike | None = None,
        pool_size: int = 10,
        own: int | None = None,
        unknown: float | None = 0.0,
        offered_size: int | None = None,
        withheld: Any = None,
    ) -> None:
        self.rewards = _table("rewards", rewards)
        self.answers = None if answers is None else _dense("answers", answers, "key-terms")
        self.pool_size = whole("pool_size", pool_size, low=1)
        self.own = None if own is None else whole("own", own)
        self.unknown = np.nan if unknown is None else number("unknown", unknown)
        self.offered_size = (
            None if offered_size is None else whole("offered_size", offered_size, low=1)
        )
        self.pools = None if pools is None else _pools(pools)
        self.withheld = None if withheld is None else _table("withheld", withheld)
        if not len(self):
            raise InvalidInput("rewards must have a row for at least one person, got none.")
        if self.own is not None and self.own > self.pool_size:
            raise InvalidInput(f"own is {self.own}, but pools hold {self.pool_size} arms.")

    def __len__(self) -> int:
        return int(self.rewards.shape[0])

    def check(self, catalog: Catalog) -> None:
        """Refuse tables that are not of this catalogue, and people without a pool."""
        _fits("rewards", self.rewards.shape, (len(self), len(catalog)))
        if self.answers is not None:
            _fits("answers", self.answers.shape, (len(self), len(catalog.term_ids)))
        if self.withheld is not None:
            _fits("withheld", self.withheld.shape, self.rewards.shape)
        if self.pools is not None:
            _fits("pools", self.pools.shape, (len(self), *self.pools.shape[1:]))
            if self.pools.min() < 0 or self.pools.max() >= len(catalog):
                raise InvalidInput(f"pools must hold arms from 0 to {len(catalog) - 1}.")
            if not catalog._live[self.pools].all():
                removed = self.pools[~catalog._live[self.pools]][0]
                raise InvalidInput(f"pools hold arm {removed}, which has been removed.")
        else:
            self._check_pools(catalog)
        if self.offered_size is not None and self.offered_size > catalog.live_terms.size:
            raise InvalidInput(
                f"offered_size is {self.offered_size}, but the catalogue has only "
                f"{catalog.live_terms.size} key-terms."
            )

    def _check_pools(self, catalog: Catalog) -> None:
        """Refuse people of whose arms none is left to make a pool of."""
        live, everybody = catalog._live_arms, range(len(self))
        mine = np.array([self._own(each, live).size for each in everybody])
        others = np.array([self._others(each, live).size for each in everybody])
        none = mine == 0 if self.own is None else (others == 0) & (np.minimum(mine, self.own) == 0)
        if none.any():
            raise InvalidInput(
                f"Person {np.argmax(none)} has no arm left for a pool: {mine[np.argmax(none)]} "
                f"with a reward and {others[np.argmax(none)]} without, own is {self.own}."
            )

    def arms_of(self, user: int) -> Indices:
        """The arms that a reward of this person is known for."""
        row = slice(self.rewards.indptr[user], self.rewards.indptr[user + 1])
        return np.asarray(self.rewards.indices[row], dtype=np.int64)

    def row(self, user: int) -> Floats:
        """The person's reward of every arm, (N,)."""
        known = np.full(self.rewards.shape[1], self.unknown)
        row = slice(self.rewards.indptr[user], self.rewards.indptr[user + 1])
        known[self.arms_of(user)] = self.rewards.data[row]
        return known

    def round(self, place: Place) -> Round:
        """Arms of the person's own, with others where asked for."""
        offered = None
        if self.offered_size is not None:
            live = place.catalog._live_terms
            offered = np.sort(drawn(place.at, OFFERED, live, self.offered_size))
        return Round(self._pool(place), offered)

    def _pool(self, place: Place) -> Indices:
        if self.pools is not None:
            return self.pools[place.user, (place.round - 1) % self.pools.shape[1]]
        mine = self._own(place.user, place.catalog._live_arms)
        wanted = self.pool_size if self.own is None else self.own
        pool = drawn(place.at, POOL, mine, min(wanted, mine.size))
        if self.own is None:
            return pool
        rest = self._others(place.user, place.catalog._live_arms)
        more = min(self.pool_size - pool.size, rest.size)
        both = np.concatenate([pool, drawn(derive(place.at, OTHERS), POOL, rest, more)])
        return drawn(derive(place.at, OTHERS), OFFERED, both, both.size)

    def _own(self, user: int, live: Indices) -> Indices:
        return np.setdiff1d(np.intersect1d(self.arms_of(user), live), self._apart(user))

    def _others(self, user: int, live: Indices) -> Indices:
        return np.setdiff1d(np.setdiff1d(live, self.arms_of(user)), self._apart(user))

    def _apart(self, user: int) -> Indices:
        if self.withheld is None:
            return np.empty(0, dtype=np.int64)
        row = slice(self.withheld.indptr[user], self.withheld.indptr[user + 1])
        return np.asarray(self.withheld.indices[row], dtype=np.int64)

    def reward(self, place: Place, arm: int) -> float | None:
        """What the log has."""
        found = float(self.row(place.user)[arm])
        return None if np.isnan(found) else found

    def duel(self, place: Place, first: int, second: int) -> float | None:
        """Whichever the log has more of; None where it has nothing of one."""
        if np.isnan(self.row(place.user)[[first, second]]).any():
            return None
        return super().duel(place, first, second)

    def values(self, place: Place, arms: Indices) -> Floats:
        """What the log has; what is not to be learned from is worth nothing."""
        return np.nan_to_num(self.row(place.user)[arms])

    def table(self, catalog: Catalog, user: int) -> Floats:
        """The person's answer about every key-term, NaN for none."""
        if self.answers is not None:
            return np.ascontiguousarray(self.answers[user])
        mine = self.arms_of(user)
        weights = catalog.weights[mine]
        total = np.asarray(weights.sum(axis=0), dtype=np.float64).ravel()
        sums = np.asarray(weights.T @ self.row(user)[mine]).ravel()
        return np.divide(sums, total, out=np.full(total.size, np.nan), where=total > 0)

    def answer(self, place: Place, question: Question, number: int) -> float | None:
        """What the log has; of a pair the difference, of an arm its reward."""
        if question.kind == "arm":
            return self.reward(place, question.index)
        known = self.table(place.catalog, place.user)[list(question.indices)]
        found = known[0] - known[1] if question.kind == "pair" else known.mean()
        return None if np.isnan(found) else float(found)

    def opinions(self, place: Place, question: Question, number: int) -> Opinions:
        """What the log has of each of a group."""
        return Opinions(self.table(place.catalog, place.user)[list(question.indices)])

    def compiled(self) -> Any:
        """Rounds from the tables."""
        return self

    def meet(self, catalog: Catalog, seed: int, user: int) -> _MetLogged:
        """A person, for the compiled loop."""
        return _MetLogged(self, catalog, seed, user)

    def parameters(self) -> dict[str, Any]:
        """Everything but the tables, as plain values."""
        return {
            "people": "LoggedPeople",
            "users": len(self),
            "pool_size": self.pool_size,
            "own": self.own,
            "unknown": None if np.isnan(self.unknown) else self.unknown,
            "offered_size": self.offered_size,
        }

    def fingerprint(self) -> dict[str, str]:
        """A hash of the tables."""
        digest = hashlib.sha256()
        for each in (self.rewards.indptr, self.rewards.indices, self.rewards.data):
            digest.update(np.ascontiguousarray(each).tobytes())
        for table in (self.answers, self.pools):
            digest.update(b"" if table is None else np.ascontiguousarray(table).tobytes())
        if self.withheld is not None:
            digest.update(b"withheld")
            digest.update(np.ascontiguousarray(self.withheld.indptr).tobytes())
            digest.update(np.ascontiguousarray(self.withheld.indices).tobytes())
        return {"tables": digest.hexdigest()[:16]}


class _MetLogged:
    def __init__(self, people: LoggedPeople, catalog: Catalog, seed: int, user: int) -> None:
        self._people, self._catalog, self._seed, self._user = people, catalog, seed, user
        self._row = people.row(user)
        silent = np.zeros(catalog.d), 0, IDENTITY, 0.0, 0.0, 0
        table = people.table(catalog, user)
        self.voice = Voice(self._row, 0, table, *silent, no_changes(), np.uint64(seed))

    def rounds(self, first: int, count: int) -> Rounds:
        places = [
            Place(self._catalog, self._seed, self._user, t) for t in range(first, first + count)
        ]
        rounds = [self._people.round(each) for each in places]
        pools = [each.pool for each in rounds]
        start = np.concatenate([[0], np.cumsum([each.size for each in pools])])
        pool = np.concatenate(pools)
        best = np.maximum.reduceat(np.nan_to_num(self._row[pool]), start[:-1])
        same = self._people.offered_size is None
        offered = [self._catalog._live_terms] if same else [each.offered for each in rounds]
        stacked = np.stack([each for each in offered if each is not None])
        return Rounds(start, pool, best, np.zeros(count), stacked)


def _table(name: str, given: Any) -> Any:
    """people x arms as compressed rows; what is not stored, or NaN, is unknown."""
    if sparse.issparse(given):
        table = sparse.csr_array(given).astype(np.float64)
        table.sum_duplicates()
        if not np.isfinite(table.data).all():
            raise InvalidInput(f"{name} must hold finite numbers; leave out what is not known.")
        return table
    dense = _dense(name, given, "arms")
    rows, columns = np.nonzero(~np.isnan(dense))
    return sparse.csr_array((dense[rows, columns], (rows, columns)), shape=dense.shape)


def _dense(name: str, given: Any, columns: str) -> Floats:
    """A table of finite numbers, and NaN where nothing is known."""
    if sparse.issparse(given):
        known = sparse.coo_array(given)
        given = np.full(known.shape, np.nan)
        given[known.coords] = known.data
    try:
        dense = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidInput(f"{name} must be a table of numbers, got {given!r}.") from None
    if dense.ndim != 2:
        raise InvalidInput(f"{name} must be a table people x {columns}, got shape {dense.shape}.")
    if np.isinf(dense).any():
        raise InvalidInput(f"{name} must hold finite numbers, and NaN where nothing is known.")
    return dense


def _pools(given: ArrayLike) -> Indices:
    """(people, rounds, n) different arms in each."""
    pools = np.asarray(given)
    if pools.ndim != 3 or not pools.size or pools.dtype.kind not in "iu":
        raise InvalidInput(
            f"pools must be whole numbers (people, rounds, n), got {pools.dtype} of shape "
            f"{pools.shape}."
        )
    if (np.diff(np.sort(pools, axis=2), axis=2) == 0).any():
        raise InvalidInput("pools must hold different arms in each round; some arm is there twice.")
    return pools.astype(np.int64)


def _fits(name: str, found: tuple[int, ...], wanted: tuple[int, ...]) -> None:
    if found != wanted:
        raise InvalidInput(f"{name} must have shape {wanted} for this catalogue, got {found}.")
