"""What an agent needs of an estimator."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np

from conlinucb.errors import IncompatibleState
from conlinucb.numerics.linalg import PENDING
from conlinucb.numerics.shortlist import Factor
from conlinucb.numerics.validation import Floats, Indices


class ArmScores(NamedTuple):
    """For each row asked about: x'theta, ||x||_P, and mean plus exploration."""

    means: Floats
    radii: Floats
    scores: Floats


class TermBelief(NamedTuple):
    """What a strategy may know: theta and its covariance as the key-terms see it, and alpha."""

    theta: Floats
    cov: Floats
    alpha: float


class Influence(NamedTuple):
    """How feedback bears on one mean x'theta, (d,) each: y (z @ arm) is the part of it that a
    reward y of an arm with features z has, and y (z @ term) that of an answer about a key-term.
    The parts of everything learned add up to the mean.
    """

    arm: Floats
    term: Floats


class Widths(NamedTuple):
    """Exploration of several rounds at once, (T,) each."""

    arm: Floats
    """Factor of an arm's ||x||_P."""
    term: Floats
    """Factor of the second radius sqrt(x'P P~ P x); 0 on one matrix."""
    alpha: Floats
    """What a strategy gets as alpha."""


class Estimator(Protocol):
    """Parameters of an estimate. The state it works on is a NamedTuple of arrays, one a user.

    ``learn_*`` change a state in place; nothing else does. ``t`` is the round (from 1) and
    ``questions`` is floor(b(t)); both matter to ``TheoryAlpha`` only.
    """

    name: str

    def parameters(self) -> dict[str, Any]:
        """All parameters by name."""
        ...

    def prior(self) -> dict[str, float]:
        """The parameters that a stored state depends on."""
        ...

    def new_state(self, d: int) -> Any:
        """The state of someone who has said nothing."""
        ...

    def check_state(self, state: Any) -> None:
        """Raise IncompatibleState for arrays that are no state of this estimator."""
        ...

    def learn_arm(self, state: Any, x: Floats, reward: float) -> None:
        """Take in the reward of an arm with features x."""
        ...

    def learn_term(self, state: Any, x: Floats, answer: float) -> None:
        """Take in the answer about a key-term with features x."""
        ...

    def widths(self, t: Indices, questions: Indices, d: int) -> Widths:
        """The exploration widths of rounds t."""
        ...

    def score_arms(self, state: Any, rows: Floats, t: int, questions: int) -> ArmScores:
        """Scores of arms (n, d)."""
        ...

    def factors(self, state: Any, t: int, questions: int) -> list[Factor]:
        """Widths and matrices F such that a score is x'theta + the sum of width ||F x||."""
        ...

    def term_belief(self, state: Any, t: int, questions: int) -> TermBelief:
        """The belief that key-term answers bear on."""
        ...

    def reach(self, state: Any, rows: Floats) -> Floats:
        """Arms (n, d) as the term belief meets them: Z with Z cov x~ the effect of asking x~."""
        ...

    def influence(self, state: Any, x: Floats) -> Influence:
        """How each piece of feedback bears on x'theta."""
        ...


class Ledger(NamedTuple):
    """One ridge regression: M, its inverse P, moment Y, prior and theta = P (Y + prior).

    Of P and M the lower triangles count; see ``conlinucb.numerics.linalg``.
    """

    P: Floats
    M: Floats
    Y: Floats
    prior: Floats
    theta: Floats
    pending: Floats
    """(32, d): observations that M has not taken in yet, and ..."""
    targets: Floats
    """... their values."""
    counts: Indices
    """(3,): updates since P was last computed from M, pending ones, 1 if ill-conditioned."""


def new_ledger(d: int, strength: float) -> Ledger:
    """M = strength I, and nothing learned."""
    eye = np.eye(d)
    empty = np.zeros(d), np.zeros(d), np.zeros(d), np.zeros((PENDING, d)), np.zeros(PENDING)
    return Ledger(eye / strength, eye * strength, *empty, np.zeros(3, dtype=np.int64))


def check_ledger(ledger: Ledger) -> None:
    """Refuse contents that no run of updates leads to: kernels trust them."""
    fresh, pending, ill = (int(n) for n in ledger.counts)
    if fresh < 0 or not 0 <= pending < PENDING or ill not in (0, 1):
        raise IncompatibleState(f"counts are {ledger.counts.tolist()}, which cannot be.")
    for name in ("P", "M"):
        if not (np.diagonal(getattr(ledger, name)) > 0).all():
            raise IncompatibleState(f"{name} is not positive definite.")


def at_round(estimator: Estimator, t: int, questions: int, d: int) -> Widths:
    """The widths of one round."""
    return estimator.widths(np.array([t]), np.array([questions]), d)
