"""One ridge regression for arms and key-terms alike: LinUCB, Arm-Con and every ConLinUCB."""

from __future__ import annotations

from typing import Any

import numpy as np

from conlinucb import theory
from conlinucb.agent.alpha import TheoryAlpha, checked_alpha
from conlinucb.agent.estimators import ledger
from conlinucb.agent.estimators.base import Estimator, Influence, Widths
from conlinucb.agent.estimators.kernels import ANSWER, LEARN, Kernels
from conlinucb.agent.estimators.ledger import enter
from conlinucb.agent.estimators.state import State, empty
from conlinucb.agent.priors import Isotropic, Prior, prior_of, strength_or_prior
from conlinucb.errors import InvalidInput
from conlinucb.numerics.compile import kernel
from conlinucb.numerics.linalg import full_matrix
from conlinucb.numerics.validation import Floats, Indices, positive

BETA = 1.0


@kernel(LEARN, pointer=True)
def learn(
    state: State,
    constants: Floats,
    source: int,
    x: Floats,
    value: float,
    weight: float,
    v: Floats,
) -> int:
    """M += w xx', Y += w y x; an answer's w is ``constants[0]`` times its own."""
    return enter(state, 0, x, value, weight * constants[0] if source == ANSWER else weight, v)


class Ridge(Estimator):
    """M = M_0 + sum w xx', theta = M^-1 (M_0 mean + sum w y x), rewards and answers alike (Eq. 6).

    M_0 is beta I with mean 0, or what ``prior`` says. An arm's exploration is alpha_t ||x||_P
    (Eq. 7). ``answer_weight`` is how much an answer counts against a reward.

    >>> ridge = Ridge(beta=1.0, alpha=0.5)
    >>> state = ridge.new_state(2)
    >>> ridge.learn_arm(state, np.array([1.0, 0.0]), 1.0)
    >>> state.theta
    array([0.5, 0. ])
    """

    name = "ridge"
    kernels = Kernels(learn)
    layout = ledger.layout()
    either = ("beta", "prior")

    def __init__(
        self,
        *,
        beta: float | None = None,
        alpha: float | TheoryAlpha = 0.5,
        prior: Prior | None = None,
        answer_weight: float = 1.0,
    ) -> None:
        if prior is not None and beta is not None:
            raise InvalidInput(f"A prior takes the place of beta; got both, beta={beta!r}.")
        self.start = Isotropic(BETA if beta is None else beta) if prior is None else prior_of(prior)
        self.alpha = checked_alpha("alpha", alpha)
        if isinstance(self.alpha, TheoryAlpha) and not isinstance(self.start, Isotropic):
            raise InvalidInput("TheoryAlpha is the paper's Eq. 8, which knows beta only: no prior.")
        self.answer_weight = positive("answer_weight", answer_weight)
        self.noise = float(self.start.noise)

    @property
    def beta(self) -> float:
        """The strength of an isotropic prior."""
        if not isinstance(self.start, Isotropic):
            raise InvalidInput(f"{self.start!r} has no beta.")
        return self.start.beta

    def arguments(self) -> dict[str, Any]:
        return strength_or_prior("beta", self.start)

    def parameters(self) -> dict[str, Any]:
        return {**self.start.digest(), "alpha": self.alpha, **self._weight()}

    def prior(self) -> dict[str, Any]:
        return {**self.start.digest(), **self._weight()}

    def _weight(self) -> dict[str, float]:
        return {} if self.answer_weight == 1.0 else {"answer_weight": self.answer_weight}

    def constants(self) -> Floats:
        return np.array([self.answer_weight])

    def new_state(self, d: int) -> State:
        state = empty(d, ledger.MATRICES, ledger.VECTORS, ledger.NUMBERS, ledger.COUNTS)
        ledger.begin(state, 0, *self.start.start(d))
        return state

    def check_state(self, state: State) -> None:
        ledger.check(state, 0)

    def widths(self, t: Indices, questions: Indices, d: int) -> Widths:
        """alpha_t: the constant, or Eq. 8."""
        if not isinstance(self.alpha, TheoryAlpha):
            return super().widths(t, questions, d)
        alpha = theory.alpha(t, questions, d, self.beta, self.alpha.delta)
        return Widths(alpha[:, None], alpha, alpha)

    def influence(self, state: State, x: Floats) -> Influence:
        """x'theta = sum w y z'Px, whatever z is, and what the prior's moment adds."""
        seen = full_matrix(state.P) @ x
        return Influence(seen, self.answer_weight * seen, float(seen @ state.vectors[ledger.PRIOR]))

    def exchange(self, state: State, before: Estimator) -> State:
        """This prior and the old sums: their weights count against a reward, whatever its noise."""
        if not isinstance(before, Ridge):
            raise InvalidInput(f"Only a ridge state can be taken over, got one of {before!r}.")
        if before.answer_weight != self.answer_weight:
            raise InvalidInput(
                f"What was learned with answer_weight {before.answer_weight!r} cannot be taken "
                f"over with {self.answer_weight!r}."
            )
        d = state.theta.size
        mine = self.new_state(d)
        ledger.restart(mine, 0, ledger.statistics(state, 0, before.new_state(d)))
        return mine
