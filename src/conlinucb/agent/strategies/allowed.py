"""What may be asked at all: not twice, nothing narrow, nothing that nobody answers."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from conlinucb.agent.strategies.base import VIEW, View
from conlinucb.catalog.catalog import Catalog
from conlinucb.numerics.compile import INDEX, INT, kernel, tuple_type
from conlinucb.numerics.validation import Floats, Indices

SILENT = 1 << 40
"""More than any number of times that a key-term came up."""
NARROW = 1


def breadth(catalog: Catalog, least: int) -> Floats:
    """(K,) 1 for key-terms that at least so many live arms have, 0 for narrow ones."""
    present = catalog._weights.multiply(catalog._live[:, None]).tocsr() > 0
    counts = np.asarray(present.sum(axis=0)).ravel()
    return np.asarray(counts >= least, dtype=np.float64)


@kernel(INT(VIEW, INT))
def shyness(view: View, k: int) -> int:
    """0 of a broad term, NARROW of a narrow one; SILENT more where no answer would tell anything.

    ``view.constants`` begins with breadth.
    """
    narrow = NARROW if view.constants[k] == 0.0 else 0
    return narrow if view.chances[k] * view.weights[k] > 0.0 else SILENT + narrow


@kernel(INDEX(VIEW))
def allowed_terms(view: View) -> Indices:
    """Positions in ``view.offered`` of what may be asked.

    Those that came up least often, and of these the broad before the narrow; what nobody answers,
    or whose answer tells nothing, only where there is nothing else.
    """
    n = view.offered.shape[0]
    reluctance = np.empty(n, dtype=np.int64)
    least = 2 * SILENT
    for i in range(n):
        k = view.offered[i]
        reluctance[i] = 2 * view.times[k] + shyness(view, k)
        least = min(least, reluctance[i])
    return np.flatnonzero(reluctance == least)


class Wanted(NamedTuple):
    """Which pairs may be asked: of ``which`` those whose ``pair_reluctance`` is ``least``."""

    which: Indices
    asked: Indices
    """(m,) pairs asked about before, lower * K + higher, ascending."""
    reluctance: Indices
    """(K,) how little each key-term is wanted."""
    least: int


WANTED = tuple_type(Wanted, INDEX, INDEX, INDEX, INT)


@kernel(INT(INDEX, INDEX, INT, INT))
def pair_reluctance(asked: Indices, reluctance: Indices, i: int, j: int) -> int:
    """How little the pair of key-terms i < j is wanted: twice the times it was asked, and the more
    reluctant of the two."""
    found = max(reluctance[i], reluctance[j])
    if asked.shape[0] > 0:
        code = i * reluctance.shape[0] + j
        before = np.searchsorted(asked, code, "left")
        found += 2 * (np.searchsorted(asked, code, "right") - before)
    return int(found)


@kernel(INDEX(VIEW))
def asked_before(view: View) -> Indices:
    """``view.pairs``, whichever of the two came first."""
    terms, codes = view.terms.shape[0], np.empty(view.pairs.shape[0], dtype=np.int64)
    for i in range(codes.shape[0]):
        one, other = view.pairs[i] // terms, view.pairs[i] % terms
        codes[i] = min(one, other) * terms + max(one, other)
    return np.sort(codes)


@kernel(INT(INDEX, INDEX, INT))
def all_asked(asked: Indices, reluctance: Indices, most: int) -> int:
    """1 where no pair of key-terms of at most this reluctance is left that was never asked."""
    terms, n, done = reluctance.shape[0], 0, 0
    for k in range(terms):
        n += reluctance[k] <= most
    for i in range(asked.shape[0]):
        one, other = asked[i] // terms, asked[i] % terms
        if i == 0 or asked[i] != asked[i - 1]:
            done += reluctance[one] <= most and reluctance[other] <= most
    return int(done >= n * (n - 1) // 2)


@kernel(WANTED(VIEW))
def wanted_pairs(view: View) -> Wanted:
    """The pairs asked least often, of these the broad before those with a narrow key-term; what
    nobody answers only where there is nothing else."""
    asked = asked_before(view)
    reluctance = np.full(view.terms.shape[0], 4 * SILENT)  # of those that are not offered
    for k in view.offered:
        reluctance[k] = shyness(view, k)
    for most in (0, NARROW):
        if not all_asked(asked, reluctance, most):
            return Wanted(np.flatnonzero(reluctance <= most), asked, reluctance, most)
    which = np.flatnonzero(reluctance <= NARROW)
    if which.shape[0] < 2:
        which = view.offered
    least = 8 * SILENT
    for i in range(which.shape[0]):
        for j in range(i + 1, which.shape[0]):
            least = min(least, pair_reluctance(asked, reluctance, which[i], which[j]))
    return Wanted(which, asked, reluctance, least)
