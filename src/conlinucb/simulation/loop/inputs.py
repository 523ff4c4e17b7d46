"""What the loop is given, as tuples of arrays and numbers with fixed Numba types."""

from __future__ import annotations

from typing import NamedTuple

from conlinucb.agent.priors import Answers, PairScale
from conlinucb.agent.spreading import Spreading
from conlinucb.agent.strategies.group import TEACHING, Teaching
from conlinucb.numerics.compile import FLOAT, INDEX, INT, MATRIX, SINGLES, VECTOR, tuple_type
from conlinucb.numerics.validation import Floats, Indices, Singles


class World(NamedTuple):
    """A catalogue."""

    arms: Floats
    short_arms: Singles
    """The arms in single precision, to find the few that are worth a closer look."""
    longest: float
    """Length of the longest arm."""
    terms: Floats
    arm_start: Indices
    arm_terms: Indices
    arm_weights: Floats


class Algorithm(NamedTuple):
    """An agent."""

    kind: int
    """What questions are about: TERM, ARM, PAIR or GROUP."""
    needs_pool: int
    lazy: int
    """1 to compute only the radii that can matter; 0 to compute all of them."""
    timed: int
    samples: int
    """1 to rank arms by a taste drawn from the belief."""
    term_vector: int
    term_matrix: int
    questions: Indices
    """(T,) questions of each round."""
    widths: Floats
    """(T, w) exploration of scores, as the estimator's kernels take it; zeros for none."""
    spreads: Floats
    """(T, w) the same for drawing a taste."""
    bound: Floats
    """(T,) an arm's exploration is at most this times its radius; 0 for none."""
    alphas: Floats
    """(T,) what the strategy gets as alpha."""
    constants: Floats
    """What the strategy prepared."""
    learning: Floats
    """What the estimator's learning kernel gets."""
    answers: Answers
    """What answers about key-terms mean, (K,) each."""
    pairs: PairScale
    """What the estimator makes of the answer about a pair."""
    weights: Floats
    """(K,) how much an answer counts against a reward in all: what a strategy sees."""
    noise: float
    """The variance that a strategy sees."""
    gated: int
    """1 where the schedule looks before each question, ..."""
    gate_needs_pool: int
    gate_constants: Floats
    """... and what its gate prepared."""
    own_probe: int
    """1 where the strategy says what an answer is taken for."""
    pair_update: int
    """What a pair teaches: its place in PAIR_UPDATES."""
    group: int
    """Key-terms of a group at most, ..."""
    best: int
    """... 1 where the best of them is asked for, and ..."""
    teaching: Teaching
    """... what picking teaches."""
    spreading: Spreading
    """What answers about key-terms teach of their neighbours."""
    choosy: int
    """1 where not every reward is asked for, ..."""
    reward_constants: Floats
    """... what decides it gets, ..."""
    reward_noise: float
    """... and the variance of a reward, the unit of P."""


class Output(NamedTuple):
    """Where one user's results go."""

    logged: Indices
    """(L,) the rounds, from 1, after which a row is written."""
    metrics: Floats
    """(L, 10): see METRICS."""
    arms: Indices
    """(T,) or (0,): the recommended arms, if wanted."""
    asked: Indices
    """(questions,) or (0,): what was asked about, if wanted; of groups so many places for each."""
    hit: float
    """The least reward that counts as a hit."""


TERM, ARM, PAIR, GROUP = 0, 1, 2, 3
METRICS = (
    *("regret", "error", "questions", "repeated", "arm_seconds", "term_seconds"),
    *("reward", "answered", "hits", "rewards_asked"),
)

WORLD = tuple_type(World, MATRIX, SINGLES, FLOAT, MATRIX, INDEX, INDEX, VECTOR)
ANSWERS = tuple_type(Answers, VECTOR, VECTOR, VECTOR, VECTOR)
SPREADING = tuple_type(Spreading, INDEX, INDEX, VECTOR, VECTOR, VECTOR, MATRIX)
PAIR_SCALE = tuple_type(PairScale, FLOAT, FLOAT, FLOAT, FLOAT)
ALGORITHM = tuple_type(
    Algorithm,
    *(INT, INT, INT, INT, INT, INT, INT),
    *(INDEX, MATRIX, MATRIX, VECTOR, VECTOR, VECTOR, VECTOR),
    *(ANSWERS, PAIR_SCALE, VECTOR, FLOAT, INT, INT, VECTOR, INT, INT, INT, INT),
    *(TEACHING, SPREADING, INT, VECTOR, FLOAT),
)
OUTPUT = tuple_type(Output, INDEX, MATRIX, INDEX, INDEX, FLOAT)
