"""Items by their vectors alone: features of a fitting size, and groups to talk about."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from conlinucb.catalog.catalog import Catalog
from conlinucb.catalog.group_names import WORD
from conlinucb.errors import InvalidInput
from conlinucb.numerics.svd import singular_vectors
from conlinucb.numerics.validation import Floats

D = 50
"""Directions in which vectors are kept, where nobody says how many."""
BETWEEN = ", "
"""Between what a group is named by."""


@dataclass(frozen=True, eq=False)
class Lens:
    """From vectors as they come to features: less their mean, in the directions in which they
    differ most, of length 1 on average."""

    mean: Floats
    """(n,)"""
    directions: Floats
    """(n, d)"""

    @classmethod
    def of(cls, vectors: Floats, d: int | None) -> Lens:
        """That of a whole catalogue."""
        mean = vectors.mean(axis=0)
        apart = vectors - mean
        found = _directions(apart, D if d is None else d)
        length = float(np.sqrt(np.mean(((apart @ found) ** 2).sum(axis=1))))
        if not length > 0:
            raise InvalidInput(
                "The vectors of all items are the same: nothing tells one from another."
            )
        return cls(mean, found / length)

    def seen(self, vectors: Floats) -> Floats:
        """The features of items with these vectors."""
        if vectors.shape[1] != self.mean.size:
            raise InvalidInput(
                f"features must be the item's vector of {self.mean.size} numbers, as those of the "
                f"other items, got {vectors.shape[1]}."
            )
        return np.ascontiguousarray((vectors - self.mean) @ self.directions)

    def to_arrays(self) -> dict[str, Any]:
        """As named arrays."""
        return {"lens_mean": self.mean, "lens_directions": self.directions}

    @classmethod
    def from_arrays(cls, arrays: dict[str, Any]) -> Lens | None:
        """What ``to_arrays`` made, taken out of ``arrays``; None where there is none."""
        if "lens_mean" not in arrays:
            return None
        return cls(arrays.pop("lens_mean"), arrays.pop("lens_directions"))


def _directions(apart: Floats, most: int) -> Floats:
    """(n, d): all of them where there are no more than ``most``, else the leading ones."""
    n = apart.shape[1]
    if n <= most:
        return np.eye(n)
    k = min(most, max(len(apart) - 1, 1))
    return singular_vectors(apart.T @ apart, k)[2]


def of_vectors(
    vectors: Floats, ids: Sequence[str], titles: Sequence[str], d: int | None, groups: int | None
) -> tuple[Catalog, Lens]:
    """A catalogue of items that have a vector and no topics: groups of near ones are its topics."""
    lens = Lens.of(vectors, d)
    bare = Catalog.from_embeddings(lens.seen(vectors), ids)
    made = grouped(bare, titles, groups)
    return made.with_constant(), lens


def grouped(bare: Catalog, titles: Sequence[str], groups: int | None) -> Catalog:
    """With groups as topics, named by words of the titles or by the titles in their middle."""
    if groups is not None and groups > bare.live_arms.size:
        raise InvalidInput(
            f"groups is {groups}, but there are {bare.live_arms.size} items: choose fewer."
        )
    return bare.with_clusters(groups, titles=titles)


def in_groups(catalog: Catalog, features: Floats, weights: Any) -> sparse.csr_array:
    """Topics of more items, (n, K): those they have, of none the group that is nearest."""
    own = catalog.d - len(catalog._appended.columns)
    terms, found = catalog.terms[:, :own], sparse.lil_array(weights)
    for i in np.flatnonzero(np.asarray(found.sum(axis=1)).ravel() == 0):
        apart = terms - features[i]
        found[i, int(np.argmin((apart**2).sum(axis=1)))] = 1.0
    return sparse.csr_array(found)


def questions_about(
    catalog: Catalog, titles: Iterable[str], nouns: str, written: Mapping[str, str] | None = None
) -> dict[str, str]:
    """How a group is asked about: by two that are in it, or by words that its titles share."""
    known = set(titles)
    asked = {
        str(each): f"Do you like {nouns} {_like(str(each), known)}?" for each in catalog.term_ids
    }
    return asked | dict(written or {})


def _like(name: str, titles: Collection[str]) -> str:
    """What a group is like, by its name.

    >>> _like("Heat, Ronin", {"Heat", "Ronin"}), _like("alien, moon", {"Alien", "Alien Moon"})
    ('such as Heat and Ronin', "such as those with 'alien' or 'moon' in the title")
    """
    parts = name.split(BETWEEN)
    are_titles = all(each in titles for each in parts)
    if are_titles or not all(WORD.fullmatch(each) and each.islower() for each in parts):
        return f"such as {' and '.join(parts)}"
    return f"such as those with {' or '.join(map(repr, parts))} in the title"
