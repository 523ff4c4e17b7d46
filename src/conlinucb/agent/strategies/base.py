"""What a strategy sees, and what it must be.

A strategy is a pure function of what it is shown: the same view gives the same term. So it
can be replayed, retracted and run on any thread.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, NamedTuple, Protocol, TypeVar, overload

import numpy as np

from conlinucb.catalog.catalog import Catalog
from conlinucb.numerics.compile import (
    FLOAT,
    INDEX,
    INT,
    MATRIX,
    SEED,
    VECTOR,
    compiled_for,
    tuple_type,
)
from conlinucb.numerics.validation import Floats, Indices


class View(NamedTuple):
    """All that a strategy may base its choice on. K terms, n pool arms, d features."""

    terms: Floats
    """(K, d) features of all key-terms."""
    offered: Indices
    """(m,) the terms that may be asked now, in ascending order."""
    theta: Floats
    """(d,) the estimate, as the key-terms see it (ConUCB: theta~)."""
    cov: Floats
    """(d, d) its covariance P, so ||x~||_P is a term's radius (ConUCB: M~^-1)."""
    alpha: float
    """Exploration width of this round."""
    pool: Indices
    """(n,) arms of this round; empty unless the strategy sets ``needs_pool``."""
    reach: Floats
    """(n, d) those arms as the belief meets them: reach cov x~ is the effect of asking x~."""
    arm_start: Indices
    arm_terms: Indices
    """Arm a belongs to arm_terms[arm_start[a]:arm_start[a + 1]] ..."""
    arm_weights: Floats
    """... with these weights."""
    bounds: Floats
    """(K,) upper bounds of the terms' radii, inf where unknown; may be lowered in place."""
    constants: Floats
    """What the strategy's own ``prepare`` returned for this catalogue."""
    seed: np.uint64
    """This user's seed; see ``conlinucb.randomness``."""
    asked: int
    """Questions asked of this user before this one."""
    round: int
    """The round, from 1."""


VIEW = tuple_type(
    View,
    *(MATRIX, INDEX, VECTOR, MATRIX, FLOAT, INDEX, MATRIX),
    *(INDEX, INDEX, VECTOR, VECTOR, VECTOR, SEED, INT, INT),
)
SIGNATURE = INT(VIEW)
"""The one signature of every strategy's kernel."""


class Strategy(Protocol):
    """Which key-term to ask: an object with a name and a plain ``choose(view)``, or, for
    speed, a ``kernel`` made by ``strategy_kernel``. Both return one of ``view.offered``.

    The attributes and ``prepare`` of ``TermStrategy`` may be given as well.
    """

    name: str

    def choose(self, view: View) -> int:
        """The term to ask about."""
        ...


class TermStrategy:
    """Defaults for a strategy: no pool, any offered terms, nothing to prepare, no parameters."""

    name = "unnamed"
    needs_pool = False
    """Whether ``view.pool`` and ``view.reach`` are wanted: they cost time."""
    fixed_terms = False
    """Whether the strategy is made for one set of terms, all of them, offered every time."""

    def prepare(self, catalog: Catalog) -> Floats:
        """Numbers the choice needs of this catalogue, (any,); computed once."""
        return np.empty(0)

    def __repr__(self) -> str:
        inside = ", ".join(f"{name}={value!r}" for name, value in vars(self).items())
        return f"{type(self).__name__}({inside})"


Function = TypeVar("Function", bound=Callable[..., int])


@overload
def strategy_kernel(function: Function) -> Function: ...
@overload
def strategy_kernel(*, cache: bool) -> Callable[[Function], Function]: ...
def strategy_kernel(function: Any = None, *, cache: bool = False) -> Any:
    """Compile a function of a ``View`` into a kernel that the fast loop takes as it is.

    >>> @strategy_kernel
    ... def first_offered(view):
    ...     return view.offered[0]
    """

    def decorate(choose: Function) -> Function:
        compiled: Function = compiled_for(choose, SIGNATURE, cached=cache, pointer=True)
        return compiled

    return decorate if function is None else decorate(function)


class Deferred:
    """A kernel of this package, compiled or loaded when an agent first needs it."""

    def __init__(self, function: Callable[[View], int]) -> None:
        self.function = function

    @cached_property
    def compiled(self) -> Callable[[View], int]:
        """The kernel itself."""
        kernel: Callable[[View], int] = compiled_for(
            self.function, SIGNATURE, cached=True, pointer=True
        )
        return kernel

    def __call__(self, view: View) -> int:
        return self.compiled(view)
