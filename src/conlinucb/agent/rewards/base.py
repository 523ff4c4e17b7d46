"""What a way of asking for rewards is shown, and how it is called by hand.

It looks once a round, after the recommendation and before its reward. What a round loses counts in
any case; what was not asked for is not learned.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple, Protocol, overload

import numpy as np
from numba import types

from conlinucb.agent.advice import Advice
from conlinucb.agent.estimators import State
from conlinucb.agent.estimators.state import STATE
from conlinucb.agent.user import User
from conlinucb.errors import InvalidInput
from conlinucb.numerics.compile import FLOAT, INDEX, INT, MATRIX, SEED, VECTOR, Kernel, tuple_type
from conlinucb.numerics.validation import Floats, Indices


class Recommended(NamedTuple):
    """What a round has come to: all that a way of asking may base its decision on."""

    state: State
    """What is believed: theta in ``vectors[0]``, P in ``matrices[0]``, lower triangle."""
    arms: Floats
    """(N, d) features of all arms."""
    pool: Indices
    """(n,) the arms of this round."""
    arm: int
    """The recommended one."""
    noise: float
    """Variance of a reward: the unit of P."""
    seed: np.uint64
    """This user's seed; see ``conlinucb.randomness``."""
    round: int
    """The round, from 1."""
    constants: Floats
    """What the way's own ``constants()`` returned."""
    notes: Floats
    """(1 + notes,) how many rewards were asked for before, then what the way writes down."""


RECOMMENDED = tuple_type(Recommended, STATE, MATRIX, INDEX, INT, FLOAT, SEED, INT, VECTOR, VECTOR)
WANTS = INT(RECOMMENDED)
"""The one signature: 1 to ask for the reward, 0 not to."""
WANTED = types.FunctionType(WANTS)


Wants = Callable[[Recommended], int]


@overload
def rewards_kernel(function: Wants, *, cache: bool = ...) -> Kernel[[Recommended], int]: ...


@overload
def rewards_kernel(*, cache: bool = ...) -> Callable[[Wants], Kernel[[Recommended], int]]: ...


def rewards_kernel(function: Any = None, *, cache: bool = False) -> Any:
    """Make (recommended) -> 1 or 0 a kernel for the loop.

    >>> @rewards_kernel
    ... def in_even_rounds(now):
    ...     return 1 - now.round % 2
    """

    def decorate(wants: Wants) -> Kernel[[Recommended], int]:
        return Kernel(wants, WANTS, cached=cache, pointer=True)

    return decorate if function is None else decorate(function)


class Rewards(Protocol):
    """Whether a reward is asked for: an object with a ``kernel`` made by ``rewards_kernel``.

    It may have ``constants()``, numbers that the kernel is given, and ``notes``, how many numbers
    it writes down of each person.
    """

    kernel: Any


@rewards_kernel(cache=True)
def always(now: Recommended) -> int:
    """Every reward is asked for; where that is so nobody asks."""
    return 1


def checked_rewards(given: Any) -> Any:
    """The way of asking for rewards, None for all of them."""
    kernel = getattr(given, "kernel", None)
    if given is None or (hasattr(kernel, "py_func") and not isinstance(given, type)):
        return given
    raise InvalidInput(
        f"rewards must be None (all are asked for), Sometimes(share), FirstRounds(n), "
        f"Uncertain(share), WorthLearning(cost) or an object with a kernel made by "
        f"rewards_kernel, got {given!r}."
    )


def constants_of(way: Any) -> Floats:
    """What its kernel is given."""
    told = way.constants() if hasattr(way, "constants") else ()
    return np.ascontiguousarray(told, dtype=np.float64)


def new_notes(way: Any) -> Floats:
    """Of a person of whom nothing was written down."""
    return np.zeros(0 if way is None else 1 + int(getattr(way, "notes", 0)))


def advised(agent: Any, user: User, pool: Indices, advice: Advice) -> Advice:
    """The advice with whether its best arm's reward is wanted, which is noted."""
    way = agent.rewards
    if way is None:
        return advice
    empty = new_notes(way)
    notes = user.notes.copy() if user.notes.size == empty.size else empty
    noise, arm = float(agent.estimator.noise), int(advice.arms[0])
    seen = user.state, agent.catalog._arms, pool, arm, noise, user.seed, advice.round
    wanted = bool(way.kernel(Recommended(*seen, constants_of(way), notes)))
    notes[0] += wanted
    user.notes = notes
    return replace(advice, wanted=wanted)
