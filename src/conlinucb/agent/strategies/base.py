"""What a strategy sees, and what it must be.

A strategy is a pure function of what it is shown: the same view gives the same term. So it
can be replayed, retracted and run on any thread.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple, Protocol, overload

import numpy as np

from conlinucb.agent.question import Kind
from conlinucb.catalog.catalog import Catalog
from conlinucb.numerics.compile import (
    FLOAT,
    INDEX,
    INT,
    MATRIX,
    SEED,
    VECTOR,
    VOID,
    Kernel,
    tuple_type,
)
from conlinucb.numerics.validation import Floats, Indices

Draws = Literal["never", "evenly"]

NOTHING: Floats = np.empty(0)
NOBODY: Indices = np.empty(0, dtype=np.int64)


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
    weights: Floats = NOTHING
    """(K,) how precise an answer about each term is against a reward: its noise is 1 / weight."""
    chances: Floats = NOTHING
    """(K,) how likely a question about each term is answered at all."""
    times: Indices = NOBODY
    """(K,) how often each term was asked about, or told of, before."""
    means: Floats = NOTHING
    """(n,) expected rewards of the pool's arms; empty unless the strategy sets ``needs_pool``."""
    noise: float = 1.0
    """Variance of a reward: sqrt(noise) times reach cov x~ is in units of reward (ConUCB: times
    (1 - mix)^2)."""
    pairs: Indices = NOBODY
    """(asked,) the pairs asked about before, first * K + second; empty unless questions are."""
    memory: Floats = NOTHING
    """(2 K,) of a group's choices, to write to: zeros at the first, kept to the last; else empty.
    Nothing else than how fast the same choice is found may depend on it."""


VIEW = tuple_type(
    View,
    *(MATRIX, INDEX, VECTOR, MATRIX, FLOAT, INDEX, MATRIX),
    *(INDEX, INDEX, VECTOR, VECTOR, VECTOR, SEED, INT, INT),
    *(VECTOR, VECTOR, INDEX, VECTOR, FLOAT, INDEX, VECTOR),
)
SIGNATURE = INT(VIEW)
"""The one signature of every strategy's kernel."""
PROBE = VOID(MATRIX, INT, SEED, INT, VECTOR, VECTOR)
"""(terms, k, seed, asked, constants, out): the direction that an answer about term k is taken for,
where a strategy has a ``probe`` of its own; ``asked`` are the questions before this one."""


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
    kind: Kind = "term"
    """"term"; "pair" where two terms are chosen, a tuple of both or first * K + second; "group"
    where up to ``size`` are: a tuple of all, or one at a time, as if those before were answered."""
    needs_pool = False
    """Whether ``view.pool`` and ``view.reach`` are wanted: they cost time."""
    fixed_terms = False
    """Whether the strategy is made for one set of terms, all of them, offered every time."""

    draws: Draws | None = None
    """How likely a choice is: "never" where nothing is left to chance, "evenly" where each offered
    term is as likely; None where that cannot be told. The service's log keeps it."""

    def prepare(self, catalog: Catalog) -> Floats:
        """Numbers the choice needs of this catalogue, (any,); computed once."""
        return np.empty(0)

    def __repr__(self) -> str:
        inside = ", ".join(f"{name}={value!r}" for name, value in vars(self).items())
        return f"{type(self).__name__}({inside})"


Choice = Callable[[View], int]


@overload
def strategy_kernel(function: Choice) -> Kernel[[View], int]: ...
@overload
def strategy_kernel(*, cache: bool) -> Callable[[Choice], Kernel[[View], int]]: ...
def strategy_kernel(function: Any = None, *, cache: bool = False) -> Any:
    """Make a function of a ``View`` a kernel that the fast loop takes as it is.

    It is compiled when first needed; ``cache=True`` keeps it on disk.

    >>> @strategy_kernel
    ... def first_offered(view):
    ...     return view.offered[0]
    """

    def decorate(choose: Choice) -> Kernel[[View], int]:
        return Kernel(choose, SIGNATURE, cached=cache, pointer=True)

    return decorate if function is None else decorate(function)
