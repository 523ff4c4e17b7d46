"""The catalogue: arms with features, and key-terms that are weighted means of arms."""

from __future__ import annotations

import hashlib
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from conlinucb import atomic
from conlinucb.catalog import stored
from conlinucb.catalog.appended import Appended
from conlinucb.catalog.checked import (
    Id,
    checked_ids,
    checked_weights,
    look_up,
    read_only,
    unused_ids,
)
from conlinucb.catalog.from_tables import FromTables
from conlinucb.catalog.graph import Links
from conlinucb.catalog.made_terms import MadeTerms
from conlinucb.catalog.popularity import PULL, Popularity, popularity_of
from conlinucb.errors import IncompatibleState, InvalidInput
from conlinucb.numerics.svd import warn_of_rank
from conlinucb.numerics.validation import Floats, Indices, Singles, indices, matrix
from conlinucb.shown import Shown

PACKING = (zipfile.BadZipFile, zlib.error)
_DAMAGE = (LookupError, ValueError, TypeError, AttributeError, EOFError, *PACKING)


class Catalog(FromTables, MadeTerms, Shown):
    """Arms (N, d), and weights (N, K) that say how much each arm belongs to each key-term.

    A key-term's feature is the weighted mean of its arms: x~_k = sum_a w[a,k] x_a / sum_a w[a,k].
    Without weights there are none: ``with_clusters`` and ``with_tree`` make some. A warning names
    the rank where the arms span fewer than d dimensions. A catalogue never changes: ``add_arms``
    and ``remove_arms`` return a new one, in which every old index still means the same.

    >>> catalog = Catalog([[1.0, 0.0], [0.0, 1.0]], [[1.0], [1.0]], term_ids=["calm"])
    >>> catalog.terms
    array([[0.5, 0.5]])
    >>> catalog.term_index("calm")
    0
    """

    def __init__(
        self,
        arms: ArrayLike,
        weights: Any = None,
        arm_ids: Sequence[Id] | None = None,
        term_ids: Sequence[Id] | None = None,
    ) -> None:
        self.report = {}
        self.basis = None
        self._appended = Appended()
        self._setup(matrix("arms", arms), weights, arm_ids, term_ids, live=None)
        warn_of_rank(self._arms)

    def _setup(
        self,
        arms: Floats,
        weights: Any,
        arm_ids: Sequence[Id] | None,
        term_ids: Sequence[Id] | None,
        live: NDArray[np.bool_] | None,
        terms: Floats | None = None,
    ) -> None:
        if arms.shape[0] == 0 or arms.shape[1] == 0:
            raise InvalidInput(
                f"A catalogue needs at least one arm and one feature, got shape {arms.shape}."
            )
        self._arms = arms
        self._weights = checked_weights(weights, arms.shape[0])
        self.arm_ids = checked_ids("arm_ids", arm_ids, arms.shape[0])
        self.term_ids = checked_ids("term_ids", term_ids, self._weights.shape[1])
        self._live = np.ones(arms.shape[0], dtype=bool) if live is None else live
        if not self._live.any():
            raise InvalidInput("A catalogue needs at least one arm, but every arm is removed.")
        self._terms, self._offered = self._term_features()
        self._kept_terms = terms is not None
        if terms is not None:
            self._terms = terms

    def _term_features(self) -> tuple[Floats, NDArray[np.bool_]]:
        """Features of all terms, and which of them still have an arm.

        A term whose arms are all removed is no longer offered; so that an open question about
        it can still be answered, its features are then the mean over all the arms it had.
        """
        total = np.asarray(self._weights.sum(axis=0)).ravel()
        if (total <= 0).any():
            k = int(np.argmax(total <= 0))
            raise InvalidInput(
                f"Key-term {self.term_ids[k]!r} (column {k} of weights) has no positive weight; "
                f"every key-term needs at least one arm. {int((total <= 0).sum())} have none."
            )
        live = self._weights.multiply(self._live[:, None]).tocsr()
        live_total = np.asarray(live.sum(axis=0)).ravel()
        offered = live_total > 0
        sums = live.T @ self._arms
        if not offered.all():
            sums[~offered] = (self._weights.T @ self._arms)[~offered]
        terms = sums / np.where(offered, live_total, total)[:, None]
        return np.ascontiguousarray(terms), offered

    @property
    def arms(self) -> Floats:
        """Features of all arms, (N, d), removed ones included; read-only."""
        return read_only(self._arms)

    @property
    def terms(self) -> Floats:
        """Features of all key-terms, (K, d); read-only."""
        return read_only(self._terms)

    @property
    def weights(self) -> sparse.csr_array:
        """Weights of all arms, (N, K); a copy."""
        return self._weights.copy()

    @property
    def d(self) -> int:
        """Number of features."""
        return int(self._arms.shape[1])

    @property
    def live_arms(self) -> Indices:
        """Indices of the arms that are not removed; read-only."""
        return read_only(self._live_arms)

    @property
    def live_terms(self) -> Indices:
        """Indices of the key-terms that still have an arm; read-only."""
        return read_only(self._live_terms)

    @property
    def constant(self) -> int | None:
        """The feature that is 1 for every arm and key-term, if ``with_constant`` appended one."""
        return self._appended.constant

    @property
    def popularity(self) -> Popularity | None:
        """The feature that ``with_popularity`` appended, and what it is made of."""
        return self._appended.popularity

    # What kernels take: the same arrays, writable, since Numba tells the two kinds apart.
    @cached_property
    def _live_arms(self) -> Indices:
        return np.flatnonzero(self._live)

    @cached_property
    def _live_terms(self) -> Indices:
        return np.flatnonzero(self._offered)

    @cached_property
    def _arm_norms(self) -> Floats:
        # Divided by the largest entry first: squares of very small ones would be 0.
        top = max(float(np.abs(self._arms).max()), 1e-300)
        rows = self._arms / top
        return np.asarray(top * np.sqrt(np.einsum("nd,nd->n", rows, rows)))

    @cached_property
    def _short_arms(self) -> Singles:
        """The arms in single precision, none longer than 1, with zeros up to 16 n features."""
        short = np.zeros((len(self), -(-self.d // 16) * 16), dtype=np.float32)
        short[:, : self.d] = self._arms / max(self._arm_norms.max(), 1e-300)
        return short

    @cached_property
    def _graph(self) -> tuple[Indices, Indices, Floats]:
        """The weights by rows: arm a has terms[start[a]:start[a + 1]] with those weights."""
        w = self._weights
        return w.indptr.astype(np.int64), w.indices.astype(np.int64), w.data

    @cached_property
    def version(self) -> str:
        """A short hash of everything in the catalogue: equal content, equal version."""
        digest = hashlib.sha256()
        for name, array in sorted(self.to_arrays().items()):
            digest.update(f"{name}{array.dtype.str}{array.shape}".encode())
            digest.update(array.tobytes())
        return digest.hexdigest()[:16]

    @cached_property
    def _arm_lookup(self) -> dict[Id, int]:
        return {each: i for i, each in enumerate(self.arm_ids)}

    @cached_property
    def _term_lookup(self) -> dict[Id, int]:
        return {each: i for i, each in enumerate(self.term_ids)}

    def arm_index(self, arm_id: Id) -> int:
        """Index of the arm with this id."""
        return look_up("arm", arm_id, self._arm_lookup)

    def term_index(self, term_id: Id) -> int:
        """Index of the key-term with this id."""
        return look_up("key-term", term_id, self._term_lookup)

    def add_arms(
        self,
        arms: ArrayLike,
        weights: Any,
        arm_ids: Sequence[Id] | None = None,
        *,
        keep_terms: bool = False,
    ) -> Catalog:
        """A new catalogue with these arms at the end; weights (n, K) over the same key-terms.

        The key-terms' features become the means of all arms or, with ``keep_terms``, stay what
        they were, so that answers given before mean the same as those given from now on. Where
        the catalogue has a constant or popularity, arms come without it: they get a 1, and the
        popularity of an arm that nobody met.

        >>> catalog = Catalog([[1.0, 0.0], [0.0, 1.0]], [[1.0], [1.0]])
        >>> larger = catalog.add_arms([[0.6, 0.8]], [[1.0]])
        >>> len(larger), larger.arm_ids
        (3, (0, 1, 2))
        """
        fresh = self._appended.completed(matrix("arms", arms), self.d)
        matrix("arms", fresh, columns=self.d)
        more = checked_weights(weights, fresh.shape[0], columns=len(self.term_ids))
        if arm_ids is None:
            arm_ids = unused_ids(len(self), fresh.shape[0], self._arm_lookup)
        ids = [*self.arm_ids, *checked_ids("arm_ids", arm_ids, fresh.shape[0])]
        live = np.concatenate([self._live, np.ones(fresh.shape[0], dtype=bool)])
        weights = sparse.vstack([self._weights, more], format="csr")
        kept = self._terms if keep_terms else None
        grown = self._appended.grown(fresh.shape[0])
        rows = np.vstack([self._arms, fresh])
        return self._like(rows, weights, ids, live, kept, grown, keep_terms)

    def remove_arms(self, removed: ArrayLike, *, keep_terms: bool = False) -> Catalog:
        """A new catalogue in which these arms, by index or id, are never in a pool again.

        Indices stay valid, what people taught about a removed arm stays valid, and the
        key-terms' features become the means of the arms that are left or, with ``keep_terms``,
        stay what they were.
        """
        return self._with_live("removed", removed, False, keep_terms)

    def restore_arms(self, restored: ArrayLike, *, keep_terms: bool = False) -> Catalog:
        """A new catalogue in which these removed arms are back."""
        return self._with_live("restored", restored, True, keep_terms)

    def _with_live(self, name: str, arms: ArrayLike, live: bool, keep_terms: bool) -> Catalog:
        present = self._live.copy()
        present[indices(name, arms, size=len(self), find=self.arm_index)] = live
        kept = self._terms if keep_terms else None
        parts = self._arms, self._weights, self.arm_ids, present, kept, self._appended
        return self._like(*parts, keep_terms)

    def with_constant(self) -> Catalog:
        """A new catalogue with a 1 appended to the features of every arm, and so of every key-term.

        What everybody likes or dislikes alike is then learned by one number.

        >>> catalog = Catalog([[2.0], [4.0]], [[1.0], [1.0]]).with_constant()
        >>> catalog.arms[0], catalog.terms[0], catalog.constant
        (array([2., 1.]), array([3., 1.]), 1)
        """
        if self.constant is not None:
            raise InvalidInput(f"The catalogue has a constant already, feature {self.constant}.")
        appended = Appended(self.d, self.popularity)
        return self._with_feature(np.ones(len(self)), appended)

    def with_popularity(self, values: Any, *, counts: Any = None, pull: float = PULL) -> Catalog:
        """A new catalogue with the arms' popularity appended to their features.

        ``values`` are counts, of which it takes the logarithm of 1 + count; or mean ratings of
        ``counts`` ratings each, shrunk to the average arm's as if each had ``pull`` ratings more
        of it. Both are standardised over the arms that are there. Each is an array in the order
        of the arms, or a table by arm id in which absent arms have 0.

        >>> catalog = Catalog([[2.0], [4.0]], [[1.0], [1.0]], ["a", "b"])
        >>> catalog.with_popularity({"a": 10, "b": 1000}).arms
        array([[ 2., -1.],
               [ 4.,  1.]])
        """
        if self.popularity is not None:
            column = self.popularity.column
            raise InvalidInput(f"The catalogue has popularity already, feature {column}.")
        popularity = popularity_of(
            values, counts, ids=self.arm_ids, live=self._live, column=self.d, pull=pull
        )
        return self._with_feature(popularity.features, Appended(self.constant, popularity))

    def _with_feature(self, column: Floats, appended: Appended) -> Catalog:
        arms = np.hstack([self._arms, column[:, None]])
        new = self._like(arms, self._weights, self.arm_ids, self._live, None, appended)
        if not self._kept_terms:
            return new
        kept = np.hstack([self._terms, new._terms[:, -1:]])
        return self._like(arms, self._weights, self.arm_ids, self._live, kept, appended)

    def _like(
        self,
        arms: Floats,
        weights: Any,
        arm_ids: Sequence[Id],
        live: NDArray[np.bool_],
        kept_terms: Floats | None,
        appended: Appended,
        keep_graph: bool = False,
    ) -> Catalog:
        changed = Catalog.__new__(Catalog)
        changed.report, changed.basis, changed._appended = self.report, self.basis, appended
        changed._links = self._links.kept(self) if keep_graph else self._links
        changed._setup(arms, weights, arm_ids, self.term_ids, live, kept_terms)
        return changed

    def _linked(self, links: Links) -> Catalog:
        kept = self._terms if self._kept_terms else None
        parts = self._arms, self._weights, self.arm_ids, self._live, kept, self._appended
        changed = self._like(*parts)
        changed._links, changed.thetas, changed.user_ids = links, self.thetas, self.user_ids
        return changed

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Everything as named arrays, as ``save`` writes them; read-only."""
        return {name: read_only(array) for name, array in stored.arrays_of(self).items()}

    def save(self, path: str | Path) -> None:
        """Write one .npz file of plain arrays, no pickle, whole or not at all."""
        with atomic.writing(Path(path)) as file:
            np.savez(file, allow_pickle=False, **self.to_arrays())

    @classmethod
    def load(cls, path: str | Path) -> Catalog:
        """Read what ``save`` wrote; the version is the same afterwards."""
        file = atomic.existing(path)
        try:
            with file.open("rb") as opened, np.load(opened, allow_pickle=False) as found:
                return stored.from_arrays(cls, {name: found[name] for name in found.files})
        except _DAMAGE as error:
            raise IncompatibleState(f"{path} is not a catalogue of ours: {error}") from error

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Catalog:
        """The catalogue that ``to_arrays`` described."""
        try:
            return stored.from_arrays(cls, arrays)
        except _DAMAGE as error:
            raise IncompatibleState(f"These arrays are no catalogue: {error!r}") from error

    def __len__(self) -> int:
        """Number of arms, removed ones included, so that every index is below it."""
        return int(self._arms.shape[0])

    def facts(self) -> dict[str, object]:
        """What a notebook shows."""
        counts = {"arms": self.live_arms.size, "key-terms": self.live_terms.size}
        return {**counts, "features": self.d, "version": self.version}

    def __repr__(self) -> str:
        sizes = f"{self.live_arms.size} arms, {self.live_terms.size} key-terms, d={self.d}"
        return f"Catalog({sizes}, version={self.version})"
