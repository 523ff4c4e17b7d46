"""The four kernels of an estimator, each of one signature, and those of a Gaussian belief.

A belief that keeps theta in ``vectors[0]`` and P in ``matrices[0]`` needs a ``learn`` of its own
and no other.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import types

from conlinucb.agent.estimators.state import STATE, State
from conlinucb.errors import InvalidInput
from conlinucb.numerics.compile import (
    FLOAT,
    INDEX,
    INT,
    MATRIX,
    SEED,
    VECTOR,
    VOID,
    Kernel,
    kernel,
)
from conlinucb.numerics.linalg import quadratics
from conlinucb.numerics.roots import add_root_times, transposed_root
from conlinucb.numerics.validation import Floats, Indices
from conlinucb.randomness import normal

REWARD, ANSWER = 0, 1
"""Where feedback comes from."""
REFUSED = -1
"""What a learning kernel returns for a value that it cannot take; it then changes nothing."""

LEARN = INT(STATE, VECTOR, INT, VECTOR, FLOAT, FLOAT, VECTOR)
"""(state, constants, source, x, value, weight, scratch (d,)) -> 1 where radii may grow from now,
0 where not, ``REFUSED`` for a value that cannot be."""
SCORE = VOID(STATE, VECTOR, MATRIX, INDEX, INT, VECTOR, VECTOR, MATRIX)
"""(state, width, arms, which, n, radii, extras, scratch (4, d)): ||x||_P and exploration."""
REACH = VOID(STATE, VECTOR, VECTOR)
"""(state, x, out): an arm as the belief about key-terms meets it."""
SAMPLE = VOID(STATE, VECTOR, SEED, VECTOR)
"""(state, width, seed, out): a taste drawn from the belief."""

LEARNS, SCORES = types.FunctionType(LEARN), types.FunctionType(SCORE)
REACHES, SAMPLES = types.FunctionType(REACH), types.FunctionType(SAMPLE)


@kernel(SCORE, pointer=True)
def belief_score(
    state: State,
    width: Floats,
    arms: Floats,
    which: Indices,
    n: int,
    radii: Floats,
    extras: Floats,
    scratch: Floats,
) -> None:
    """width[0] ||x||_P for the arms ``which[:n]``, four at a time."""
    quadratics(state.matrices, 0, arms, which, n, radii)
    for i in range(n):
        radii[i] = np.sqrt(radii[i])
        extras[i] = width[0] * radii[i]


@kernel(REACH, pointer=True)
def belief_reach(state: State, x: Floats, out: Floats) -> None:
    """The arm itself: answers and rewards bear on one belief."""
    for i in range(x.shape[0]):
        out[i] = x[i]


@kernel(VOID(MATRIX, FLOAT, SEED, VECTOR))
def add_draw(P: Floats, width: float, seed: np.uint64, out: Floats) -> None:
    """out += width L z with LL' = P and z standard normal: a draw of covariance width^2 P.

    Where P has no root by rounding, each coordinate is drawn by itself.
    """
    z = np.empty(P.shape[0])
    for i in range(P.shape[0]):
        z[i] = width * normal(seed, i)
    add_root_times(transposed_root(P), z, out)


@kernel(SAMPLE, pointer=True)
def belief_sample(state: State, width: Floats, seed: np.uint64, out: Floats) -> None:
    """theta + width[0] L z."""
    for i in range(out.shape[0]):
        out[i] = state.vectors[0, i]
    add_draw(state.matrices[0], width[0], seed, out)


@kernel(SAMPLE, pointer=True)
def no_sample(state: State, width: Floats, seed: np.uint64, out: Floats) -> None:
    """In place of one that nobody calls: it compiles faster."""


class Kernels(NamedTuple):
    """What the loop calls of an estimator; everything but ``learn`` has a default."""

    learn: Any
    score: Any = belief_score
    reach: Any = belief_reach
    sample: Any = belief_sample
    term_vector: int = 0
    """Which of the vectors is the estimate that answers bear on ..."""
    term_matrix: int = 0
    """... and which of the matrices its P."""


def checked_kernels(name: str, given: Any) -> None:
    """Refuse what the loop could not call, by the name of the estimator."""
    if given is None:
        return
    if not isinstance(given, Kernels):
        raise InvalidInput(f"kernels of estimator {name!r} must be Kernels(learn), got {given!r}.")
    for what, part in zip(Kernels._fields[:4], given[:4], strict=True):
        if not hasattr(part, "py_func"):
            raise InvalidInput(
                f"The kernel {what} of estimator {name!r} must be compiled, with @learn_kernel for "
                f"learn, got {part!r}; a plain function is called learn_arm."
            )


def learn_kernel(function: Any = None, *, cache: bool = False) -> Any:
    """Make (state, constants, source, x, value, weight, scratch) -> int a kernel for the loop.

    It changes the state in place and returns 1 where a radius may be larger afterwards than it
    was before, else 0: the loop then computes all radii anew. -1 refuses a value: nothing is
    changed, and the run ends with an error.

    >>> @learn_kernel
    ... def forgets_all(state, constants, source, x, value, weight, scratch):
    ...     return 0
    """

    def decorate(learn: Any) -> Kernel[Any, int]:
        return Kernel(learn, LEARN, cached=cache, pointer=True)

    return decorate if function is None else decorate(function)
