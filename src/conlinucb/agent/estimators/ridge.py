"""One ridge regression for arms and key-terms alike: LinUCB, Arm-Con and every ConLinUCB."""

from __future__ import annotations

from typing import Any

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
from conlinucb.numerics.compile import kernel
from conlinucb.numerics.linalg import absorb, dot, full_matrix, quadratic
from conlinucb.numerics.shortlist import Factor
from conlinucb.numerics.validation import Floats, Indices, positive


@kernel("void(f8[:,::1], f8[::1], f8[:,::1], f8[::1], f8[::1])")
def means_and_radii(P: Floats, theta: Floats, rows: Floats, means: Floats, radii: Floats) -> None:
    """x'theta and ||x||_P for each row; results in ``means`` and ``radii`` (n,)."""
    for i in range(rows.shape[0]):
        means[i] = dot(rows[i], theta)
        radii[i] = np.sqrt(quadratic(P, rows[i]))


class Ridge:
    """M = beta I + sum xx', theta = M^-1 sum y x, over rewards and answers together (Eq. 6).

    An arm's score is x'theta + alpha_t ||x||_P (Eq. 7).

    >>> ridge = Ridge(beta=1.0, alpha=0.5)
    >>> state = ridge.new_state(2)
    >>> ridge.learn_arm(state, np.array([1.0, 0.0]), 1.0)
    >>> state.theta
    array([0.5, 0. ])
    """

    name = "ridge"

    def __init__(self, *, beta: float = 1.0, alpha: float | TheoryAlpha = 0.5) -> None:
        self.beta = positive("beta", beta)
        self.alpha: Alpha = checked_alpha("alpha", alpha)

    def parameters(self) -> dict[str, Any]:
        return {"beta": self.beta, "alpha": self.alpha}

    def prior(self) -> dict[str, float]:
        return {"beta": self.beta}

    def new_state(self, d: int) -> Ledger:
        return new_ledger(d, self.beta)

    def check_state(self, state: Ledger) -> None:
        check_ledger(state)

    def learn_arm(self, state: Ledger, x: Floats, reward: float) -> None:
        absorb(*state, x, reward, 1.0, np.empty_like(x))

    def learn_term(self, state: Ledger, x: Floats, answer: float) -> None:
        absorb(*state, x, answer, 1.0, np.empty_like(x))

    def widths(self, t: Indices, questions: Indices, d: int) -> Widths:
        """alpha_t: the constant, or Eq. 8."""
        alpha = np.full(t.shape, self.alpha)
        if isinstance(self.alpha, TheoryAlpha):
            alpha = theory.alpha(t, questions, d, self.beta, self.alpha.delta)
        return Widths(alpha, np.zeros(t.shape), alpha)

    def score_arms(self, state: Ledger, rows: Floats, t: int, questions: int) -> ArmScores:
        means, radii = np.empty(len(rows)), np.empty(len(rows))
        means_and_radii(state.P, state.theta, rows, means, radii)
        width = at_round(self, t, questions, rows.shape[1]).arm
        return ArmScores(means, radii, means + width * radii)

    def factors(self, state: Ledger, t: int, questions: int) -> list[Factor]:
        """||x||_P = ||L'x|| with LL' = P."""
        width = at_round(self, t, questions, state.theta.size).arm
        root = np.asarray(np.linalg.cholesky(state.P).T)
        return [Factor(float(width[0]), root, float(np.linalg.norm(root)))]

    def term_belief(self, state: Ledger, t: int, questions: int) -> TermBelief:
        width = at_round(self, t, questions, state.theta.size).alpha
        return TermBelief(state.theta, full_matrix(state.P), float(width[0]))

    def reach(self, state: Ledger, rows: Floats) -> Floats:
        return rows

    def influence(self, state: Ledger, x: Floats) -> Influence:
        """x'theta = sum y z'Px, whatever z is."""
        seen = full_matrix(state.P) @ x
        return Influence(seen, seen)

    def __repr__(self) -> str:
        return f"Ridge(beta={self.beta!r}, alpha={self.alpha!r})"
