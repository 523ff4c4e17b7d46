"""The catalogue: arms with features, and key-terms that are weighted means of arms."""

from __future__ import annotations

import hashlib
import json
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from conlinucb.catalog.from_tables import FromTables
from conlinucb.errors import IncompatibleState, InvalidInput, UnknownName, nearest
from conlinucb.numerics.svd import warn_of_rank
from conlinucb.numerics.validation import Floats, Indices, Singles, finite_entries, indices, matrix

Id = str | int
Array = TypeVar("Array", bound=NDArray[Any])
PACKING = (zipfile.BadZipFile, zlib.error)
FORMAT = 1
"""Version of the file that ``save`` writes."""
_DAMAGE = (LookupError, ValueError, TypeError, AttributeError, EOFError, *PACKING)


class Catalog(FromTables):
    """Arms (N, d), and weights (N, K) that say how much each arm belongs to each key-term.

    A key-term's feature is the weighted mean of its arms: x~_k = sum_a w[a,k] x_a / sum_a w[a,k].
    A warning names the rank where the arms span fewer than d dimensions. A catalogue never
    changes: ``add_arms`` and ``remove_arms`` return a new one, in which every old index still
    means the same arm or term.

    >>> catalog = Catalog([[1.0, 0.0], [0.0, 1.0]], [[1.0], [1.0]], term_ids=["calm"])
    >>> catalog.terms
    array([[0.5, 0.5]])
    >>> catalog.term_index("calm")
    0
    """

    def __init__(
        self,
        arms: ArrayLike,
        weights: Any,
        arm_ids: Sequence[Id] | None = None,
        term_ids: Sequence[Id] | None = None,
    ) -> None:
        self.report = {}
        self.basis = None
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
        self._weights = _weights(weights, arms.shape[0])
        self.arm_ids = _ids("arm_ids", arm_ids, arms.shape[0])
        self.term_ids = _ids("term_ids", term_ids, self._weights.shape[1])
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
        return _read_only(self._arms)

    @property
    def terms(self) -> Floats:
        """Features of all key-terms, (K, d); read-only."""
        return _read_only(self._terms)

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
        return _read_only(self._live_arms)

    @property
    def live_terms(self) -> Indices:
        """Indices of the key-terms that still have an arm; read-only."""
        return _read_only(self._live_terms)

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
        return _look_up("arm", arm_id, self._arm_lookup)

    def term_index(self, term_id: Id) -> int:
        """Index of the key-term with this id."""
        return _look_up("key-term", term_id, self._term_lookup)

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
        they were, so that answers given before mean the same as those given from now on.

        >>> catalog = Catalog([[1.0, 0.0], [0.0, 1.0]], [[1.0], [1.0]])
        >>> larger = catalog.add_arms([[0.6, 0.8]], [[1.0]])
        >>> len(larger), larger.arm_ids
        (3, (0, 1, 2))
        """
        fresh = matrix("arms", arms, columns=self.d)
        more = _weights(weights, fresh.shape[0], columns=len(self.term_ids))
        if arm_ids is None:
            arm_ids = _unused_ids(len(self), fresh.shape[0], self._arm_lookup)
        ids = [*self.arm_ids, *_ids("arm_ids", arm_ids, fresh.shape[0])]
        live = np.concatenate([self._live, np.ones(fresh.shape[0], dtype=bool)])
        weights = sparse.vstack([self._weights, more], format="csr")
        return self._like(np.vstack([self._arms, fresh]), weights, ids, live, keep_terms)

    def remove_arms(self, removed: ArrayLike, *, keep_terms: bool = False) -> Catalog:
        """A new catalogue in which these indices are never in a pool again.

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
        present[indices(name, arms, size=len(self))] = live
        return self._like(self._arms, self._weights, self.arm_ids, present, keep_terms)

    def _like(
        self,
        arms: Floats,
        weights: Any,
        arm_ids: Sequence[Id],
        live: NDArray[np.bool_],
        keep_terms: bool,
    ) -> Catalog:
        changed = Catalog.__new__(Catalog)
        changed.report, changed.basis = self.report, self.basis
        kept = self._terms if keep_terms else None
        changed._setup(arms, weights, arm_ids, self.term_ids, live, kept)
        return changed

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Everything as named arrays, as ``save`` writes them; read-only."""
        return {name: _read_only(array) for name, array in self._arrays().items()}

    def _arrays(self) -> dict[str, NDArray[Any]]:
        start, terms, data = self._graph
        more = {"terms": self._terms} if self._kept_terms else {}
        if self.basis is not None:
            more["basis"] = self.basis
        return more | {
            "format": np.array(FORMAT),
            "arms": self._arms,
            "live": self._live,
            "weights_start": start,
            "weights_terms": terms,
            "weights_data": data,
            "arm_ids": _encode(self.arm_ids),
            "term_ids": _encode(self.term_ids),
        }

    def save(self, path: str | Path) -> None:
        """Write the catalogue as one .npz file of plain arrays, no pickle."""
        with Path(path).open("wb") as file:
            np.savez(file, allow_pickle=False, **self.to_arrays())

    @classmethod
    def load(cls, path: str | Path) -> Catalog:
        """Read what ``save`` wrote; the version is the same afterwards."""
        try:
            with Path(path).open("rb") as file, np.load(file, allow_pickle=False) as stored:
                return cls._read({name: stored[name] for name in stored.files})
        except _DAMAGE as error:
            raise IncompatibleState(f"{path} is not a catalogue of ours: {error}") from error

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Catalog:
        """The catalogue that ``to_arrays`` described."""
        try:
            return cls._read(arrays)
        except _DAMAGE as error:
            raise IncompatibleState(f"These arrays are no catalogue: {error!r}") from error

    @classmethod
    def _read(cls, arrays: Mapping[str, NDArray[Any]]) -> Catalog:
        if int(arrays["format"]) != FORMAT:
            raise IncompatibleState(f"format {int(arrays['format'])} is not {FORMAT}.")
        arm_ids, term_ids = _decode(arrays["arm_ids"]), _decode(arrays["term_ids"])
        parts = (arrays["weights_data"], arrays["weights_terms"], arrays["weights_start"])
        weights = sparse.csr_array(parts, shape=(len(arm_ids), len(term_ids)))
        weights.check_format(full_check=True)  # a graph that points outside would crash kernels
        live = np.array(arrays["live"])
        if live.shape != (len(arm_ids),) or live.dtype != bool:
            raise IncompatibleState(f"live is {live.dtype} of shape {live.shape}.")
        catalog = cls.__new__(cls)
        arms = matrix("arms", arrays["arms"])
        shape = (len(term_ids), arms.shape[1])
        catalog.report, catalog.basis = {}, _optional(arrays, "basis", shape)
        catalog._setup(arms, weights, arm_ids, term_ids, live, _optional(arrays, "terms", shape))
        return catalog

    def __len__(self) -> int:
        """Number of arms, removed ones included, so that every index is below it."""
        return int(self._arms.shape[0])

    def __repr__(self) -> str:
        return (
            f"Catalog({self.live_arms.size} arms, {self.live_terms.size} key-terms, "
            f"d={self.d}, version={self.version})"
        )


def _optional(
    arrays: Mapping[str, NDArray[Any]], name: str, shape: tuple[int, int]
) -> Floats | None:
    if name not in arrays:
        return None
    found = matrix(name, arrays[name])
    if found.shape != shape:
        raise IncompatibleState(f"{name} must have shape {shape}, got {found.shape}.")
    return found


def _read_only(array: Array) -> Array:
    view = array.view()
    view.flags.writeable = False
    return view


def _weights(value: Any, rows: int, columns: int | None = None) -> sparse.csr_array:
    """Checked weights as sparse rows, without stored zeros, columns in order."""
    try:
        result = sparse.csr_array(value, dtype=np.float64, copy=True)
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"weights must be a sparse or dense matrix: {error}") from None
    wanted = (rows, result.shape[-1] if columns is None else columns)
    if result.ndim != 2 or result.shape != wanted:
        raise InvalidInput(
            f"weights must have one row for each arm and one column for each key-term, "
            f"{wanted[0]} x {'K' if columns is None else columns}; got shape {result.shape}."
        )
    result.sum_duplicates()
    finite_entries("weights.data", result.data)
    if result.data.size and result.data.min() < 0:
        raise InvalidInput(f"weights must not be negative, got {result.data.min()!r}.")
    result.eliminate_zeros()
    return result


def _ids(name: str, given: Iterable[Id] | None, size: int) -> tuple[Id, ...]:
    if given is None:
        return tuple(range(size))
    if isinstance(given, (str, bytes)) or not isinstance(given, Iterable):
        raise InvalidInput(f"{name} must be a list of {size} ids, got {given!r}.")
    ids = tuple(int(each) if isinstance(each, np.integer) else each for each in given)
    if len(ids) != size:
        raise InvalidInput(f"{name} must hold {size} ids, got {len(ids)}.")
    for each in ids:
        if isinstance(each, bool) or not isinstance(each, (str, int)):
            raise InvalidInput(f"{name} must be strings or integers, got {each!r}.")
    twice = [each for each, count in Counter(ids).items() if count > 1]
    if twice:
        raise InvalidInput(f"{name} must be distinct, but {twice[0]!r} stands there twice.")
    return ids


def _unused_ids(first: int, count: int, taken: dict[Id, int]) -> list[Id]:
    clash = [i for i in range(first, first + count) if i in taken]
    if clash:
        raise InvalidInput(f"The next free index {clash[0]} is already an id; pass arm_ids.")
    return list(range(first, first + count))


def _look_up(kind: str, wanted: Id, known: dict[Id, int]) -> int:
    try:
        return known[wanted]
    except (KeyError, TypeError):
        raise UnknownName(f"No {kind} has the id {wanted!r}.{nearest(wanted, known)}") from None


def _encode(ids: Sequence[Id]) -> NDArray[np.uint8]:
    return np.frombuffer(json.dumps(list(ids)).encode(), dtype=np.uint8)


def _decode(encoded: NDArray[np.uint8]) -> list[Id]:
    decoded: list[Id] = json.loads(encoded.tobytes().decode())
    return decoded
