"""ConUCB's estimate: key-terms first, and their estimate as the prior of the arms' one."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from conlinucb import theory
from conlinucb.agent.alpha import Alpha, TheoryAlpha, checked_alpha
from conlinucb.agent.estimators.base import (
    ArmScores,
    Influence,
    Ledger,
    TermBelief,
    Widths,
    at_round,
    check_ledger,
    new_ledger,
)
from conlinucb.numerics.compile import FLOAT, INDEX, MATRIX, VECTOR, VOID, kernel, tuple_type
from conlinucb.numerics.linalg import absorb, dot, full_matrix, quadratic, times
from conlinucb.numerics.shortlist import Factor
from conlinucb.numerics.validation import Floats, Indices, number, positive


class TwoStepState(NamedTuple):
    """Two ledgers in one flat tuple of arrays: the arms', then the key-terms'."""

    P: Floats
    M: Floats
    Y: Floats
    prior: Floats
    theta: Floats
    pending: Floats
    targets: Floats
    counts: Indices
    term_P: Floats
    term_M: Floats
    term_Y: Floats
    term_prior: Floats
    term_theta: Floats
    term_pending: Floats
    term_targets: Floats
    term_counts: Indices

    @property
    def arm_ledger(self) -> Ledger:
        return Ledger(*self[:8])

    @property
    def term_ledger(self) -> Ledger:
        return Ledger(*self[8:])


LEDGER = (MATRIX, MATRIX, VECTOR, VECTOR, VECTOR, MATRIX, VECTOR, INDEX)
STATE = tuple_type(TwoStepState, *LEDGER, *LEDGER)


@kernel(VOID(STATE, FLOAT, VECTOR, FLOAT, VECTOR))
def learn_term(state: TwoStepState, mix: float, x: Floats, y: float, v: Floats) -> None:
    """Take in the answer y about a key-term, in place: theta~ first, then theta by its change."""
    theta, term_theta, prior = state.theta, state.term_theta, state.prior
    before = term_theta.copy()
    absorb(
        state.term_P, state.term_M, state.term_Y, state.term_prior, term_theta,
        state.term_pending, state.term_targets, state.term_counts, x, y, 1.0, v,
    )  # fmt: skip
    for i in range(theta.shape[0]):
        prior[i] = (1.0 - mix) * term_theta[i]
        before[i] = (1.0 - mix) * (term_theta[i] - before[i])
    times(state.P, before, v)
    for i in range(theta.shape[0]):
        theta[i] += v[i]


@kernel(VOID(MATRIX, VECTOR, MATRIX, MATRIX, VECTOR, VECTOR, VECTOR))
def means_and_two_radii(
    P: Floats,
    theta: Floats,
    term_P: Floats,
    rows: Floats,
    means: Floats,
    radii: Floats,
    term_radii: Floats,
) -> None:
    """x'theta, ||x||_P and sqrt(x' P P~ P x) for each row, into the last three arrays (n,)."""
    v = np.empty(theta.shape[0])
    for i in range(rows.shape[0]):
        times(P, rows[i], v)
        means[i] = dot(rows[i], theta)
        radii[i] = np.sqrt(max(dot(rows[i], v), 0.0))
        term_radii[i] = np.sqrt(quadratic(term_P, v))


class TwoStep:
    """ConUCB: theta~ from answers alone, then theta = M^-1 (Y + (1 - mix) theta~).

    M = (1 - mix) I + mix sum xx' and Y = mix sum r x over arms; M~ = term_beta I + sum x~x~'
    over key-terms. An arm's score is x'theta + mix alpha ||x||_{M^-1}
    + (1 - mix) term_alpha sqrt(x' M^-1 M~^-1 M^-1 x). ``mix`` is the paper's lambda.

    >>> estimator = TwoStep(mix=0.5)
    >>> state = estimator.new_state(2)
    >>> estimator.learn_term(state, np.array([1.0, 0.0]), 1.0)
    >>> state.term_theta, state.theta
    (array([0.5, 0. ]), array([0.5, 0. ]))
    """

    name = "two-step"

    def __init__(
        self,
        *,
        mix: float = 0.5,
        term_beta: float = 1.0,
        alpha: float | TheoryAlpha = 0.25,
        term_alpha: float | TheoryAlpha = 0.25,
    ) -> None:
        self.mix = number("mix", mix, low=1e-9, high=1 - 1e-9)
        self.term_beta = positive("term_beta", term_beta)
        self.alpha: Alpha = checked_alpha("alpha", alpha)
        self.term_alpha: Alpha = checked_alpha("term_alpha", term_alpha)

    def parameters(self) -> dict[str, Any]:
        return {
            "mix": self.mix,
            "term_beta": self.term_beta,
            "alpha": self.alpha,
            "term_alpha": self.term_alpha,
        }

    def prior(self) -> dict[str, float]:
        return {"mix": self.mix, "term_beta": self.term_beta}

    def new_state(self, d: int) -> TwoStepState:
        return TwoStepState(*new_ledger(d, 1 - self.mix), *new_ledger(d, self.term_beta))

    def check_state(self, state: TwoStepState) -> None:
        check_ledger(state.arm_ledger)
        check_ledger(state.term_ledger)

    def learn_arm(self, state: TwoStepState, x: Floats, reward: float) -> None:
        absorb(*state.arm_ledger, x, reward, self.mix, np.empty_like(x))

    def learn_term(self, state: TwoStepState, x: Floats, answer: float) -> None:
        learn_term(state, self.mix, x, answer, np.empty_like(x))

    def widths(self, t: Indices, questions: Indices, d: int) -> Widths:
        """mix alpha_t and (1 - mix) term_alpha_t: constants, or what makes ConUCB's width hold."""
        alpha, term_alpha = np.full(t.shape, self.alpha), np.full(t.shape, self.term_alpha)
        if isinstance(self.alpha, TheoryAlpha):
            alpha = theory.conucb_alpha(t, d, self.mix, self.alpha.delta)
        if isinstance(self.term_alpha, TheoryAlpha):
            delta = self.term_alpha.delta
            term_alpha = theory.conucb_term_alpha(questions, d, self.term_beta, delta)
        return Widths(self.mix * alpha, (1 - self.mix) * term_alpha, term_alpha)

    def score_arms(self, state: TwoStepState, rows: Floats, t: int, questions: int) -> ArmScores:
        means, radii, term_radii = (np.empty(len(rows)) for _ in range(3))
        means_and_two_radii(state.P, state.theta, state.term_P, rows, means, radii, term_radii)
        widths = at_round(self, t, questions, rows.shape[1])
        return ArmScores(means, radii, means + widths.arm * radii + widths.term * term_radii)

    def factors(self, state: TwoStepState, t: int, questions: int) -> list[Factor]:
        """||x||_P = ||L'x|| with LL' = P, and sqrt(x'P P~ P x) = ||L~'P x||.

        P~ may be tiny where P is large, and the other way round: the exact second radius is
        rounded relative to both.
        """
        widths = at_round(self, t, questions, state.theta.size)
        full, size = full_matrix(state.P), np.linalg.norm
        first = np.asarray(np.linalg.cholesky(state.P).T)
        root = np.asarray(np.linalg.cholesky(state.term_P).T)
        return [
            Factor(float(widths.arm[0]), first, float(size(first))),
            Factor(float(widths.term[0]), root @ full, float(size(root) * size(full))),
        ]

    def term_belief(self, state: TwoStepState, t: int, questions: int) -> TermBelief:
        width = at_round(self, t, questions, state.theta.size).alpha
        return TermBelief(state.term_theta, full_matrix(state.term_P), float(width[0]))

    def reach(self, state: TwoStepState, rows: Floats) -> Floats:
        return np.ascontiguousarray(rows @ full_matrix(state.P))

    def influence(self, state: TwoStepState, x: Floats) -> Influence:
        """x'theta = mix sum r z'Px over arms + (1 - mix) sum y z~'P~Px over key-terms."""
        seen = full_matrix(state.P) @ x
        term_seen = full_matrix(state.term_P) @ seen
        return Influence(self.mix * seen, (1 - self.mix) * term_seen)

    def __repr__(self) -> str:
        inside = ", ".join(f"{name}={value!r}" for name, value in self.parameters().items())
        return f"TwoStep({inside})"
