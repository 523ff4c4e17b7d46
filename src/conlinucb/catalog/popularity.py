"""How well known or liked an arm is among everybody, as one of its features."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from conlinucb.errors import InvalidInput, UnknownName, nearest
from conlinucb.numerics.validation import LARGEST, Floats, indices, positive

PULL = 5.0
"""A mean of ratings is shrunk as if the arm had this many average ones more: about the variance
of one film's ratings over that between films in MovieLens."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Popularity:
    """The feature of a catalogue that says how popular each arm is, and what it is made of.

    Of counts it is (log(1 + count) - shift) / scale. Of mean ratings it is the mean, shrunk
    towards ``shift``, the average arm's, by ``pull`` ratings more: (mean - shift) / scale.
    """

    column: int
    """The feature's place."""
    counts: Floats
    """(N,): how many people each arm has, or ratings."""
    sums: Floats | None
    """(N,): the sum of each arm's ratings; None where there are only counts."""
    shift: float
    scale: float
    pull: float = PULL

    def __post_init__(self) -> None:
        for array in (self.counts, self.sums):
            if array is not None:
                array.flags.writeable = False

    @property
    def features(self) -> Floats:
        """(N,): the feature of each arm."""
        return self._feature(self.counts, self.sums)

    @property
    def newcomer(self) -> float:
        """The feature of an arm that nobody met: of count 0, or of average ratings."""
        none = np.zeros(1)
        return float(self._feature(none, None if self.sums is None else none)[0])

    def without(self, arm: ArrayLike, value: ArrayLike) -> Any:
        """The feature as it would be without one person's own count or rating of that arm.

        ``arm`` is an index, or many, and ``value`` what the person added: to the count, or the
        one rating. A prior fitted on the same feedback must leave the person out, or it takes
        their own rating for knowledge about them. Never below count 0.

        >>> from conlinucb import Catalog
        >>> catalog = Catalog([[1.0], [2.0]], [[1.0], [1.0]]).with_popularity([3, 1])
        >>> popularity = catalog.popularity
        >>> bool(popularity.without(0, 2) == catalog.arms[1, popularity.column])
        True
        """
        arms, values = _pairs(arm, value, len(self.counts))
        if self.sums is None:
            if (values < 0).any():
                raise InvalidInput(f"A count is not negative, got {float(values.min())!r}.")
            left, sums = self.counts[arms] - values, None
        else:
            left = self.counts[arms] - 1.0
            sums = np.where(left > 0, self.sums[arms] - values, 0.0)
        found = self._feature(np.maximum(left, 0.0), sums)
        return found if found.ndim else float(found)

    def grown(self, n: int) -> Popularity:
        """With n arms more that nobody met."""
        none = np.zeros(n)
        sums = None if self.sums is None else np.concatenate([self.sums, none])
        return replace(self, counts=np.concatenate([self.counts, none]), sums=sums)

    def _feature(self, counts: Floats, sums: Floats | None) -> Floats:
        return np.asarray((_level(counts, sums, self.shift, self.pull) - self.shift) / self.scale)


def _level(counts: Floats, sums: Floats | None, average: float, pull: float) -> Floats:
    if sums is None:
        return np.log1p(counts)
    return np.asarray((sums + pull * average) / (counts + pull))


def popularity_of(
    values: Any,
    counts: Any,
    *,
    ids: Sequence[Any],
    live: NDArray[np.bool_],
    column: int,
    pull: float,
) -> Popularity:
    """Popularity standardised over the arms that are there.

    Ratings are shrunk towards the mean over arms in which each counts as far as it is known,
    n / (n + pull): so the average over arms is that of an arm without ratings.
    """
    pull = positive("pull", pull)
    given = "counts" if counts is not None else "values"
    number = _column(given, values if counts is None else counts, ids)
    if (number < 0).any():
        arm = int(np.argmax(number < 0))
        raise InvalidInput(
            f"{given} must not be negative, got {float(number[arm])!r} for arm {ids[arm]!r}."
        )
    if counts is not None:
        _refuse_unrated(values, number, ids)
    sums = None if counts is None else _column("values", values, ids) * number
    shift = 0.0 if sums is None else _average(number[live], sums[live], pull)
    level = _level(number, sums, shift, pull)[live]
    if sums is None:
        shift = float(level.mean())
    scale = float(level.std())
    if scale <= 1e-12 * max(1.0, abs(shift)):
        scale = 1.0  # all are alike: the feature is 0 everywhere
    return Popularity(column=column, counts=number, sums=sums, shift=shift, scale=scale, pull=pull)


def _average(counts: Floats, sums: Floats, pull: float) -> float:
    if not counts.any():
        raise InvalidInput("counts are all 0: no arm has a rating, so there is no mean.")
    return float((sums / (counts + pull)).sum() / (counts / (counts + pull)).sum())


def _refuse_unrated(values: Any, counts: Floats, ids: Sequence[Any]) -> None:
    """Ratings that are counted must have a mean."""
    values = _by_id(values)
    if isinstance(values, Mapping):
        lost = [each for each, n in zip(ids, counts, strict=True) if n > 0 and each not in values]
        if lost:
            raise InvalidInput(f"counts has {lost[0]!r}, but values has no mean rating of it.")


def _by_id(given: Any) -> Any:
    """A pandas series as a table: its order need not be that of the arms."""
    return given.to_dict() if hasattr(given, "to_dict") and hasattr(given, "index") else given


def _column(name: str, given: Any, ids: Sequence[Any]) -> Floats:
    """One finite number an arm: an array, or a table by arm id in which absent ones are 0."""
    given = _by_id(given)
    if isinstance(given, Mapping):
        place = {each: i for i, each in enumerate(ids)}
        unknown = [each for each in given if each not in place]
        if unknown:
            raise UnknownName(
                f"{name}: no arm has the id {unknown[0]!r}.{nearest(unknown[0], ids)}"
            )
        given = [given.get(each, 0.0) for each in ids]
    found = _floats(name, given)
    if found.shape != (len(ids),):
        raise InvalidInput(
            f"{name} must be one number for each of {len(ids)} arms, or a table by arm id; got "
            f"shape {found.shape}."
        )
    return found


def _pairs(arm: ArrayLike, value: ArrayLike, size: int) -> tuple[Any, Floats]:
    arms, values = np.asarray(arm), _floats("value", value)
    arms = arms if arms.size else arms.astype(np.int64)
    indices("arm", np.unique(arms), size=size)
    if values.ndim and values.shape != arms.shape:
        raise InvalidInput(
            f"value must be one number, or one for each arm, shape {arms.shape}; got shape "
            f"{values.shape}."
        )
    return arms, values


def _floats(name: str, given: Any) -> Floats:
    try:
        found = np.array(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"{name} must be numbers: {error}") from None
    bad = ~(np.abs(found) <= LARGEST)
    if bad.any():
        where = np.argwhere(bad)[0]
        raise InvalidInput(
            f"{name}{list(map(int, where))} is {found[tuple(where)].item()!r}; every entry must be "
            f"finite and at most {LARGEST:g} in magnitude ({int(bad.sum())} are not)."
        )
    return found
