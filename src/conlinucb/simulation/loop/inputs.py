"""What the loop is given, as tuples of arrays and numbers with fixed Numba types."""

from __future__ import annotations

from typing import NamedTuple

from conlinucb.numerics.compile import FLOAT, INDEX, INT, MATRIX, SINGLES, VECTOR, tuple_type
from conlinucb.numerics.validation import Floats, Indices, Singles


class World(NamedTuple):
    """A catalogue."""

    arms: Floats
    short_arms: Singles
    """The arms in single precision, to find the few that are worth a closer look."""
    terms: Floats
    live_arms: Indices
    live_terms: Indices
    arm_start: Indices
    arm_terms: Indices
    arm_weights: Floats
    norms: Floats
    """(N,) length of each arm's features."""


class Chance(NamedTuple):
    """How people and rounds are drawn."""

    noise: float
    term_noise: float
    pool_size: int
    offered_size: int
    """0 for all terms."""
    shared_noise: int


class Algorithm(NamedTuple):
    """An agent."""

    two_step: int
    asks_arms: int
    needs_pool: int
    lazy: int
    """1 to compute only the radii that can matter; 0 to compute all of them."""
    timed: int
    mix: float
    """Weight of an arm's reward; 1 on one matrix."""
    strength: float
    """The prior's strength: beta, or 1 - mix."""
    term_strength: float
    """term_beta; not used on one matrix."""
    questions: Indices
    """(T,) questions of each round."""
    arm_widths: Floats
    """(T,) the factor of ||x||_P in an arm's score."""
    term_widths: Floats
    """(T,) the factor of the second radius; 0 on one matrix."""
    alphas: Floats
    """(T,) what the strategy gets as alpha."""
    constants: Floats
    """What the strategy prepared."""


class Output(NamedTuple):
    """Where one user's results go."""

    logged: Indices
    """(L,) the rounds, from 1, after which a row is written."""
    metrics: Floats
    """(L, 6): see METRICS."""
    arms: Indices
    """(T,) or (0,): the recommended arms, if wanted."""
    asked: Indices
    """(questions,) or (0,): what was asked about, if wanted."""


METRICS = ("regret", "error", "questions", "repeated", "arm_seconds", "term_seconds")

WORLD = tuple_type(World, MATRIX, SINGLES, MATRIX, INDEX, INDEX, INDEX, INDEX, VECTOR, VECTOR)
CHANCE = tuple_type(Chance, FLOAT, FLOAT, INT, INT, INT)
ALGORITHM = tuple_type(
    Algorithm,
    *(INT, INT, INT, INT, INT),
    *(FLOAT, FLOAT, FLOAT),
    *(INDEX, VECTOR, VECTOR, VECTOR, VECTOR),
)
OUTPUT = tuple_type(Output, INDEX, MATRIX, INDEX, INDEX)
