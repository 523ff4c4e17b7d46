"""Ask along the direction of which least is known: where M is thin."""

from __future__ import annotations

import numpy as np

from conlinucb.agent.strategies.base import VIEW, TermStrategy, View, strategy_kernel
from conlinucb.catalog.catalog import Catalog
from conlinucb.numerics.compile import MATRIX, VECTOR, kernel
from conlinucb.numerics.linalg import dot, times
from conlinucb.numerics.ties import first_best
from conlinucb.numerics.validation import Floats

SAME = 1e-6
"""Eigenvalues that differ by less, relatively, are taken for one of several directions."""
NO_DIRECTION = 1e-10
"""Of the longest direction: what is shorter is none that key-terms have."""


def basis_of(catalog: Catalog) -> Floats:
    """Orthonormal rows (r, d), flat, that span the key-terms; empty where they span everything."""
    terms = catalog._terms[catalog._live_terms]
    _, lengths, rows = np.linalg.svd(terms, full_matrices=False)
    known = lengths > NO_DIRECTION * lengths.max()
    return np.empty(0) if known.sum() == catalog.d else np.ascontiguousarray(rows[known]).ravel()


@kernel(MATRIX(MATRIX, VECTOR))
def within(P: Floats, basis: Floats) -> Floats:
    """B P B' (r, r) of orthonormal rows B; P itself where there are none."""
    d = P.shape[0]
    if not basis.shape[0]:
        return P
    rows = basis.copy().reshape((basis.shape[0] // d, d))
    found, seen = np.empty((rows.shape[0], rows.shape[0])), np.empty(d)
    for i in range(rows.shape[0]):
        times(P, rows[i], seen)
        for j in range(rows.shape[0]):
            found[i, j] = dot(rows[j], seen)
    return found


@kernel(MATRIX(MATRIX, VECTOR))
def thin_directions(P: Floats, basis: Floats) -> Floats:
    """The eigenvectors of P's largest eigenvalue, as rows; of B P B', in terms of B's rows."""
    values, vectors = np.linalg.eigh(within(P, basis))
    n = values.shape[0]
    least = values[n - 1] * (1.0 - SAME)
    count = 0
    while count < n and values[n - 1 - count] >= least:
        count += 1
    d = P.shape[0]
    found = np.zeros((count, d))
    for i in range(count):
        for j in range(n):
            share = vectors[j, n - 1 - i]
            if not basis.shape[0]:
                found[i, j] = share
            else:
                for column in range(d):
                    found[i, column] += share * basis[j * d + column]
    return found


@kernel(VECTOR(VIEW, MATRIX))
def lifts(view: View, directions: Floats) -> Floats:
    """sqrt(chance weight) times the length of each offered term's part along these directions."""
    found = np.empty(view.offered.shape[0])
    for i in range(found.shape[0]):
        k, square = view.offered[i], 0.0
        for j in range(directions.shape[0]):
            square += dot(directions[j], view.terms[k]) ** 2
        found[i] = np.sqrt(view.chances[k] * view.weights[k] * square)
    return found


@strategy_kernel(cache=True)
def thinnest(view: View) -> int:
    """argmax sqrt(chance weight) |x~'v|, v the eigenvector of P's largest eigenvalue."""
    return view.offered[first_best(lifts(view, thin_directions(view.cov, view.constants)))]


class Thinnest(TermStrategy):
    """k = argmax over the offered terms of sqrt(chance_k weight_k) |x~_k'v|.

    v is the eigenvector of M's least eigenvalue among the directions that key-terms span; where
    several are least (within 1e-6 of it), |x~'v| is the length of the part of x~ in their span, so
    that neither the sign of v nor the choice of a basis matters. By so much an answer is expected
    to lift that eigenvalue. Made for ``WhereThin``, which asks until none is below a level.
    """

    name = "thinnest"
    draws = "never"
    kernel = thinnest

    def prepare(self, catalog: Catalog) -> Floats:
        """A basis of what key-terms span, where that is not everything."""
        return basis_of(catalog)
