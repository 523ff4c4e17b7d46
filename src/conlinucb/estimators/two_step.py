"""ConUCB's estimate: key-terms first, and their estimate as the prior of the arms' one."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from conlinucb import theory
from conlinucb._compile import kernel
from conlinucb.alpha import Alpha, TheoryAlpha, checked_alpha
from conlinucb.estimators.base import ArmScores, Ledger, TermBelief, new_ledger
from conlinucb.linalg import absorb, dot, quadratic, times
from conlinucb.validation import Floats, Indices, number, positive


class TwoStepState(NamedTuple):
    """Two ledgers in one flat tuple of arrays: the arms', then the key-terms'."""

    P: Floats
    M: Floats
    Y: Floats
    prior: Floats
    theta: Floats
    age: Indices
    term_P: Floats
    term_M: Floats
    term_Y: Floats
    term_prior: Floats
    term_theta: Floats
    term_age: Indices

    @property
    def arm_ledger(self) -> Ledger:
        return Ledger(*self[:6])

    @property
    def term_ledger(self) -> Ledger:
        return Ledger(*self[6:])


@kernel("void(f8[:,::1], f8[::1], f8[:,::1], f8[:,::1], f8[::1], f8[::1], f8[::1])")
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

    def learn_arm(self, state: TwoStepState, x: Floats, reward: float) -> None:
        absorb(*state.arm_ledger, x, reward, self.mix, np.empty_like(x))

    def learn_term(self, state: TwoStepState, x: Floats, answer: float) -> None:
        before = state.term_theta.copy()
        absorb(*state.term_ledger, x, answer, 1.0, np.empty_like(x))
        state.prior[:] = (1 - self.mix) * state.term_theta
        change = np.empty_like(x)
        times(state.P, (1 - self.mix) * (state.term_theta - before), change)
        state.theta[:] += change

    def alphas_at(self, t: int, questions: int, d: int) -> tuple[float, float]:
        """alpha_t and term_alpha_t: constants, or what makes ConUCB's width hold."""
        arm, term = self.alpha, self.term_alpha
        if isinstance(arm, TheoryAlpha):
            arm = float(theory.conucb_alpha(t, d, self.mix, arm.delta))
        if isinstance(term, TheoryAlpha):
            term = float(theory.conucb_term_alpha(questions, d, self.term_beta, term.delta))
        return arm, term

    def score_arms(self, state: TwoStepState, rows: Floats, t: int, questions: int) -> ArmScores:
        means, radii, term_radii = (np.empty(len(rows)) for _ in range(3))
        means_and_two_radii(state.P, state.theta, state.term_P, rows, means, radii, term_radii)
        arm, term = self.alphas_at(t, questions, rows.shape[1])
        scores = means + self.mix * arm * radii + (1 - self.mix) * term * term_radii
        return ArmScores(means, radii, scores)

    def term_belief(self, state: TwoStepState, t: int, questions: int) -> TermBelief:
        width = self.alphas_at(t, questions, state.theta.size)[1]
        return TermBelief(state.term_theta, state.term_P, width)

    def reach(self, state: TwoStepState, rows: Floats) -> Floats:
        return np.ascontiguousarray(rows @ state.P)

    def __repr__(self) -> str:
        inside = ", ".join(f"{name}={value!r}" for name, value in self.parameters().items())
        return f"TwoStep({inside})"
