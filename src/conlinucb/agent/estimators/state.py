"""What was learned of one person: stacks of arrays, of one type for every estimator.

So that all estimators share one kernel signature, and a stranger's runs in the same loop. Two
places are fixed: ``vectors[0]`` is the estimate theta, ``matrices[0]`` the matrix P of the arms'
radii ||x||_P. The rest is the estimator's own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from conlinucb.errors import IncompatibleState
from conlinucb.numerics.compile import INDEX, MATRIX, STACK, VECTOR, tuple_type
from conlinucb.numerics.validation import Floats, Indices


class State(NamedTuple):
    """One person's arrays; changed in place by learning, and by nothing else."""

    matrices: Floats
    """(m, d, d); of a symmetric one the lower triangle counts."""
    vectors: Floats
    """(v, d)."""
    numbers: Floats
    """(n,)."""
    counts: Indices
    """(c,)."""

    @property
    def theta(self) -> Floats:
        """The estimate, (d,)."""
        return self.vectors[0]

    @property
    def P(self) -> Floats:
        """The matrix of the arms' radii, (d, d), lower triangle."""
        return self.matrices[0]


STATE = tuple_type(State, STACK, MATRIX, VECTOR, INDEX)


class Part(NamedTuple):
    """Under which name a piece of a stack is stored."""

    name: str
    stack: str
    at: int
    size: int = 0
    """How many rows of the stack; 0 for one row without an axis of its own."""


Layout = tuple[Part, ...]
PLAIN: Layout = (
    Part("matrices", "matrices", 0, -1),
    Part("vectors", "vectors", 0, -1),
    Part("numbers", "numbers", 0, -1),
    Part("counts", "counts", 0, -1),
)
"""Every stack under its own name: for estimators that say nothing else."""


def empty(d: int, matrices: int = 1, vectors: int = 1, numbers: int = 0, counts: int = 0) -> State:
    """A state of zeros.

    >>> empty(2).theta
    array([0., 0.])
    """
    return State(
        np.zeros((matrices, d, d)),
        np.zeros((vectors, d)),
        np.zeros(numbers),
        np.zeros(counts, dtype=np.int64),
    )


def copied(state: State) -> State:
    """A state to be written to."""
    return State(
        state.matrices.copy(), state.vectors.copy(), state.numbers.copy(), state.counts.copy()
    )


def part_of(state: State, part: Part) -> Floats | Indices:
    """A view of one named piece."""
    stack: Floats = getattr(state, part.stack)
    if part.size == 0:
        return stack[part.at]
    return stack[part.at :] if part.size < 0 else stack[part.at : part.at + part.size]


def named(state: State, layout: Layout) -> dict[str, Floats | Indices]:
    """All pieces by name, as views."""
    return {part.name: part_of(state, part) for part in layout}


def from_named(arrays: Mapping[str, object], layout: Layout, like: State) -> State:
    """The state whose pieces these are; of the shapes, types and finiteness of ``like``."""
    state = copied(like)
    for part in layout:
        place = part_of(state, part)
        found = np.asarray(arrays[part.name])
        if found.shape != place.shape or found.dtype != place.dtype or not np.isfinite(found).all():
            raise IncompatibleState(
                f"state_{part.name} must be {place.dtype} of shape {place.shape} with finite "
                f"entries, got {found.dtype} of shape {found.shape}."
            )
        place[...] = found
    return state
