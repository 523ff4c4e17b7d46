"""One ridge regression for arms and key-terms alike: LinUCB, Arm-Con and every ConLinUCB."""

from __future__ import annotations

from typing import Any

from conlinucb import theory
from conlinucb.agent.alpha import TheoryAlpha, checked_alpha
from conlinucb.agent.estimators import ledger
from conlinucb.agent.estimators.base import Estimator, Influence, Widths
from conlinucb.agent.estimators.kernels import ANSWER, LEARN, Kernels
from conlinucb.agent.estimators.ledger import enter
from conlinucb.agent.estimators.one_matrix import OneMatrix
from conlinucb.agent.estimators.state import State, copied
from conlinucb.agent.priors import Isotropic, Prior
from conlinucb.agent.spreading import Spread, checked_spread
from conlinucb.errors import InvalidInput
from conlinucb.numerics.compile import kernel
from conlinucb.numerics.linalg import full_matrix
from conlinucb.numerics.validation import Floats, Indices


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


class Ridge(OneMatrix):
    """M = M_0 + sum w xx', theta = M^-1 (M_0 mean + sum w y x), rewards and answers alike (Eq. 6).

    M_0 is beta I with mean 0, or what ``prior`` says. An arm's exploration is alpha_t ||x||_P
    (Eq. 7). ``answer_weight`` is how much an answer counts against a reward, ``spread`` whether it
    also teaches the key-term's neighbours (``Estimator.spread``).

    >>> import numpy as np
    >>> ridge = Ridge(beta=1.0, alpha=0.5)
    >>> state = ridge.new_state(2)
    >>> ridge.learn_arm(state, np.array([1.0, 0.0]), 1.0)
    >>> state.theta
    array([0.5, 0. ])
    """

    name = "ridge"
    kernels = Kernels(learn)

    def __init__(
        self,
        *,
        beta: float | None = None,
        alpha: float | TheoryAlpha = 0.5,
        prior: Prior | None = None,
        answer_weight: float = 1.0,
        spread: Spread | None = None,
    ) -> None:
        self._begin(beta, prior, answer_weight)
        self.alpha = checked_alpha("alpha", alpha)
        if isinstance(self.alpha, TheoryAlpha) and not isinstance(self.start, Isotropic):
            raise InvalidInput("TheoryAlpha is the paper's Eq. 8, which knows beta only: no prior.")
        self.spread = checked_spread(spread)
        self.noise = float(self.start.noise)

    def _more(self) -> dict[str, Any]:
        return ({} if self.spread is None else {"spread": self.spread}) | super()._more()

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
        if before.spread != self.spread:
            raise InvalidInput(
                f"What was learned with spread {before.spread!r} cannot be taken over with "
                f"{self.spread!r}."
            )
        return self._with_sums_of(state, before)

    def sums(self, state: State, start: State) -> Floats:
        return ledger.sums(state, 0, start)[None]

    def with_sums(self, start: State, sums: Floats) -> State:
        state = copied(start)
        ledger.restart(state, 0, sums[0])
        return state
