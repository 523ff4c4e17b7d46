"""One's own edges between key-terms: a matrix, or rows of two key-terms and a weight."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from conlinucb.catalog.columns import read_columns
from conlinucb.errors import InvalidInput
from conlinucb.numerics.validation import Floats, number, whole

if TYPE_CHECKING:
    from conlinucb.catalog.catalog import Catalog

Edges = dict[tuple[int, int], float]


def edges_of(catalog: Catalog, given: Any) -> sparse.csr_array:
    """Checked edges, both ways, without those of weight 0 and of key-terms to themselves."""
    if sparse.issparse(given) or isinstance(given, np.ndarray):
        return _from_matrix(catalog, given)
    if isinstance(given, (list, tuple)):
        return _symmetric(catalog, _from_rows(catalog, given))
    return _symmetric(catalog, _from_table(catalog, given))


def _from_matrix(catalog: Catalog, given: Any) -> sparse.csr_array:
    terms = len(catalog.term_ids)
    try:
        found = sparse.coo_array(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"edges must be a matrix of numbers: {error}") from None
    if found.shape != (terms, terms):
        raise InvalidInput(
            f"edges must have a row and a column for each key-term, {terms} x {terms}; got shape "
            f"{found.shape}. Edges by id are a list of (term, term, weight), or a table."
        )
    found.sum_duplicates()
    own = found.coords[0] == found.coords[1]
    found.data[own] = 0.0
    wrong = ~((found.data >= 0) & (found.data <= 1))  # also catches NaN
    if wrong.any():
        at = int(np.argmax(wrong))
        i, j = (int(each[at]) for each in found.coords)
        _checked(catalog, i, j, found.data[at].item())
    full = sparse.csr_array(found)
    uneven = sparse.coo_array(full - full.T)
    if np.any(uneven.data):
        at = int(np.argmax(uneven.data != 0))
        i, j = (int(each[at]) for each in uneven.coords)
        raise InvalidInput(
            f"edges must be the same both ways; {_named(catalog, i, j)} has {full[i, j].item()!r} "
            f"one way and {full[j, i].item()!r} the other."
        )
    full.eliminate_zeros()
    full.sort_indices()
    return full


def _from_rows(catalog: Catalog, given: Iterable[Any]) -> Iterator[tuple[int, int, Any]]:
    """Rows of two key-terms, by index or id, and perhaps a weight."""
    for row in given:
        if isinstance(row, (str, bytes)) or not isinstance(row, Iterable):
            raise InvalidInput(f"An edge is (term, term, weight), got {row!r}.")
        one, *rest = tuple(row) or (None,)
        if len(rest) not in (1, 2):
            raise InvalidInput(f"An edge is (term, term, weight), got {row!r}.")
        yield _index(catalog, one), _index(catalog, rest[0]), rest[1] if len(rest) > 1 else 1.0


def _index(catalog: Catalog, term: Any) -> int:
    if isinstance(term, str):
        return catalog.term_index(term)
    index, terms = whole("term of an edge", term), len(catalog.term_ids)
    if index >= terms:
        raise InvalidInput(f"The term of an edge must be from 0 to {terms - 1}, got {index}.")
    return index


def _from_table(catalog: Catalog, given: Any) -> Iterator[tuple[int, int, Any]]:
    """A table with columns term and other, ids both, and perhaps weight."""
    columns = read_columns(given, ("term", "other"), ("weight",), what="The table of edges")
    terms, others = (columns[role].to_pylist() for role in ("term", "other"))
    weights: Floats = np.ones(len(terms))
    if "weight" in columns:
        weights = columns.numbers("weight")
    for one, other, weight in zip(terms, others, weights.tolist(), strict=True):
        yield catalog.term_index(one), catalog.term_index(other), weight


def _symmetric(catalog: Catalog, rows: Iterable[tuple[int, int, Any]]) -> sparse.csr_array:
    """Each edge both ways; an edge that is there twice must have one weight."""
    found: Edges = {}
    for i, j, given in rows:
        if i == j:
            continue
        weight = _checked(catalog, i, j, given)
        if found.setdefault((min(i, j), max(i, j)), weight) != weight:
            raise InvalidInput(
                f"{_named(catalog, i, j)} is there twice, with weights "
                f"{found[min(i, j), max(i, j)]!r} and {weight!r}."
            )
    pairs = [pair for pair, weight in found.items() if weight > 0]
    one, other = (np.array([pair[end] for pair in pairs], dtype=np.int64) for end in (0, 1))
    data = np.array([found[pair] for pair in pairs])
    both = np.concatenate([one, other]), np.concatenate([other, one])
    terms = len(catalog.term_ids)
    full = sparse.csr_array((np.concatenate([data, data]), both), shape=(terms, terms))
    full.sort_indices()
    return full


def _checked(catalog: Catalog, i: int, j: int, weight: Any) -> float:
    return number(f"The weight of {_named(catalog, i, j)}", weight, low=0.0, high=1.0)


def _named(catalog: Catalog, i: int, j: int) -> str:
    return f"the edge {catalog.term_ids[i]!r} - {catalog.term_ids[j]!r}"
