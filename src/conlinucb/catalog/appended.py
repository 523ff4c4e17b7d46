"""Features that are appended to those an arm came with: a constant, and its popularity."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conlinucb.catalog.popularity import Popularity
from conlinucb.errors import IncompatibleState, InvalidInput
from conlinucb.numerics.validation import Floats

Arrays = Mapping[str, NDArray[Any]]


@dataclass(frozen=True, eq=False)
class Appended:
    """Which of the last columns of a catalogue's features are what; none by default."""

    constant: int | None = None
    popularity: Popularity | None = None

    @property
    def columns(self) -> list[int]:
        """The appended columns, in any order."""
        popular = None if self.popularity is None else self.popularity.column
        return [each for each in (self.constant, popular) if each is not None]

    def completed(self, rows: Floats, d: int) -> Floats:
        """New arms' features (n, d), from those they come with; nobody has met them.

        Rows that have d columns already are taken if the appended ones are right.
        """
        own = d - len(self.columns)
        if not self.columns or rows.shape[1] not in (own, d):
            return rows
        full = np.empty((len(rows), d))
        full[:, :own] = rows[:, :own]
        if self.constant is not None:
            full[:, self.constant] = 1.0
        if self.popularity is not None:
            full[:, self.popularity.column] = self.popularity.newcomer
        if rows.shape[1] == d and not np.allclose(rows, full, rtol=1e-9, atol=1e-9):
            raise InvalidInput(
                f"New arms have a constant of 1 and the popularity of an arm that nobody met: pass "
                f"their {own} own features, and the other {d - own} are appended."
            )
        return full

    def grown(self, n: int) -> Appended:
        """With n arms more that nobody met."""
        return (
            self if self.popularity is None else replace(self, popularity=self.popularity.grown(n))
        )

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """As named arrays; none where nothing is appended."""
        arrays: dict[str, NDArray[Any]] = {}
        if self.constant is not None:
            arrays["constant"] = np.array(self.constant)
        if self.popularity is not None:
            popular = self.popularity
            arrays["popularity_column"] = np.array(popular.column)
            arrays["popularity_scale"] = np.array([popular.shift, popular.scale, popular.pull])
            arrays["popularity_counts"] = popular.counts
            if popular.sums is not None:
                arrays["popularity_sums"] = popular.sums
        return arrays

    @classmethod
    def from_arrays(cls, arrays: Arrays, arms: Floats) -> Appended:
        """What ``to_arrays`` described, if it fits the arms."""
        constant = int(arrays["constant"]) if "constant" in arrays else None
        found = cls(constant, _popularity(arrays, len(arms)))
        last = range(arms.shape[1] - len(found.columns), arms.shape[1])
        if sorted(found.columns) != list(last):
            raise IncompatibleState(
                f"constant and popularity must be the last of {arms.shape[1]} columns, "
                f"got {found.columns}."
            )
        if constant is not None and not (arms[:, constant] == 1.0).all():
            raise IncompatibleState(f"the constant, column {constant}, is not 1 everywhere.")
        popular = found.popularity
        if popular is not None and not np.allclose(arms[:, popular.column], popular.features):
            raise IncompatibleState(
                f"popularity, column {popular.column}, is not that of its counts."
            )
        return found


def _popularity(arrays: Arrays, n: int) -> Popularity | None:
    if "popularity_column" not in arrays:
        return None
    shift, scale, pull = (float(each) for each in arrays["popularity_scale"])
    return Popularity(
        column=int(arrays["popularity_column"]),
        counts=_stored("popularity_counts", arrays, n),
        sums=_stored("popularity_sums", arrays, n) if "popularity_sums" in arrays else None,
        shift=shift,
        scale=scale,
        pull=pull,
    )


def _stored(name: str, arrays: Arrays, n: int) -> Floats:
    found = np.array(arrays[name], dtype=np.float64)
    if found.shape != (n,) or not np.isfinite(found).all():
        raise IncompatibleState(f"{name} must hold {n} finite numbers, got shape {found.shape}.")
    return found
