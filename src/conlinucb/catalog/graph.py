"""Which key-terms are alike: a graph from the arms they share, or one's own edges."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from conlinucb.errors import IncompatibleState
from conlinucb.numerics.validation import Floats, Indices, number, whole

if TYPE_CHECKING:
    from conlinucb.catalog.catalog import Catalog

HOPS, G = 1, 0.5
BLOCK = 1 << 16
"""Pairs of key-terms whose features are compared at once."""


class Rows(NamedTuple):
    """A graph as kernels take it: key-term k has terms[start[k]:start[k + 1]] as neighbours."""

    start: Indices
    terms: Indices
    weights: Floats


class TermGraph:
    """Key-terms and how alike they are: weights in (0, 1], both ways the same, none to itself.

    >>> from conlinucb import Catalog
    >>> catalog = Catalog([[1.0], [2.0], [4.0]], [[1, 0, 0], [1, 1, 0], [0, 1, 1]])
    >>> catalog.term_graph
    TermGraph(3 key-terms, 2 edges)
    >>> catalog.term_graph.neighbours(1), catalog.term_graph.weights.toarray()[1]
    (array([0, 2]), array([0.75, 0.  , 0.75]))
    """

    def __init__(self, weights: sparse.csr_array) -> None:
        self._weights = weights

    @property
    def weights(self) -> sparse.csr_array:
        """(K, K) the weight of each edge; a copy."""
        return self._weights.copy()

    @cached_property
    def rows(self) -> Rows:
        """The same by rows."""
        w = self._weights
        return Rows(w.indptr.astype(np.int64), w.indices.astype(np.int64), w.data)

    def neighbours(self, term: int) -> Indices:
        """The key-terms that a key-term has an edge to."""
        return self.rows.terms[self.rows.start[term] : self.rows.start[term + 1]].copy()

    @cached_property
    def digest(self) -> str:
        """A short hash of all edges: equal graphs, equal digests."""
        found = hashlib.sha256(str(self._weights.shape).encode())
        for part in self.rows:
            found.update(part.tobytes())
        return found.hexdigest()[:16]

    def __repr__(self) -> str:
        return f"TermGraph({self._weights.shape[0]} key-terms, {self._weights.nnz // 2} edges)"


@dataclass(frozen=True, eq=False)
class Links:
    """Where a catalogue's graph comes from: a rule about its arms, or edges that stay."""

    hops: int = HOPS
    g: float = G
    edges: sparse.csr_array | None = None
    said: bool = False
    """Whether ``with_graph`` said so; the rule is kept with the catalogue then."""

    def of(self, catalog: Catalog) -> TermGraph:
        """The graph of a catalogue."""
        if self.edges is not None:
            return TermGraph(self.edges)
        return TermGraph(co_occurrence(catalog, self.hops, self.g))

    def kept(self, catalog: Catalog) -> Links:
        """For a catalogue whose key-terms stay what they are: so does a graph that was asked for.

        The answers that people gave before then spread as those from now on do.
        """
        if not self.said or self.edges is not None:
            return self
        return replace(self, edges=catalog.term_graph._weights)

    def among(self, terms: int, kept: bool) -> Links:
        """For other key-terms; with ``kept`` more of them, behind those that there are."""
        if self.edges is None or not kept:
            return replace(self, edges=None)
        wider = self.edges.copy()
        wider.resize((terms, terms))
        return replace(self, edges=wider)

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """As named arrays; none where nothing was said."""
        if not self.said:
            return {}
        arrays: dict[str, NDArray[Any]] = {"graph_rule": np.array([self.hops, self.g])}
        if self.edges is not None:
            names = ("graph_start", "graph_terms", "graph_weights")
            arrays |= dict(zip(names, TermGraph(self.edges).rows, strict=True))
        return arrays

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], terms: int) -> Links:
        """What ``to_arrays`` described, if it fits so many key-terms."""
        if "graph_rule" not in arrays:
            return cls()
        hops, g = (float(each) for each in arrays["graph_rule"])
        rule = ruled(hops, g)
        if "graph_start" not in arrays:
            return rule
        parts = arrays["graph_weights"], arrays["graph_terms"], arrays["graph_start"]
        edges = sparse.csr_array(parts, shape=(terms, terms), dtype=np.float64)
        edges.check_format(full_check=True)  # one that points outside would crash kernels
        edges.sort_indices()
        within = (edges.data > 0) & (edges.data <= 1)
        if not within.all() or edges.diagonal().any() or (edges != edges.T).nnz:
            raise IncompatibleState("the graph's weights are not from 0 to 1, both ways the same.")
        return replace(rule, edges=edges)


def ruled(hops: Any, g: Any) -> Links:
    """A rule that was asked for, checked."""
    return Links(whole("hops", hops, low=1), number("g", g, low=0.0, high=1.0), said=True)


def co_occurrence(catalog: Catalog, hops: int, g: float) -> sparse.csr_array:
    """A = (1 - g) S_T + g S_C over key-terms that are at most so many hops apart, where positive.

    Two key-terms are adjacent where they share a live arm. H is the sum of the adjacency's powers
    up to ``hops``, without its diagonal: how many walks there are. S_T = H_ij / (D_i + D_j - H_ij)
    with D the sums of H's rows is Tanimoto's coefficient, S_C the cosine of both features.
    """
    has = sparse.csr_array(catalog._weights[catalog._live_arms] > 0).astype(np.float64)
    adjacent = _without_diagonal(sparse.csr_array(has.T @ has) > 0)
    walks = power = adjacent
    for _ in range(hops - 1):
        power = power @ adjacent
        walks = walks + power
    walks = _without_diagonal(walks)
    pairs = sparse.coo_array(walks)
    one, other = (each.astype(np.int64) for each in pairs.coords)
    sums = np.asarray(walks.sum(axis=1)).ravel()
    tanimoto = pairs.data / (sums[one] + sums[other] - pairs.data)
    weights = (1 - g) * tanimoto + g * _cosines(catalog._terms, one, other)
    near = weights > 0
    parts = np.minimum(weights[near], 1.0), (one[near], other[near])
    found = sparse.csr_array(parts, shape=walks.shape)
    found.sort_indices()
    return found


def _without_diagonal(square: Any) -> sparse.csr_array:
    found = sparse.coo_array(square).astype(np.float64)
    apart = found.coords[0] != found.coords[1]
    coords = tuple(each[apart] for each in found.coords)
    return sparse.csr_array((found.data[apart], coords), shape=found.shape)


def _cosines(rows: Floats, one: Indices, other: Indices) -> Floats:
    """Of rows, pair by pair; 0 where one has no length."""
    top = np.abs(rows).max(axis=1, initial=0.0, keepdims=True)
    units = rows / np.where(top > 0, top, 1.0)
    lengths = np.linalg.norm(units, axis=1, keepdims=True)
    units /= np.where(lengths > 0, lengths, 1.0)
    found = np.empty(one.size)
    for first in range(0, one.size, BLOCK):
        some = slice(first, first + BLOCK)
        found[some] = np.einsum("nd,nd->n", units[one[some]], units[other[some]])
    return found
