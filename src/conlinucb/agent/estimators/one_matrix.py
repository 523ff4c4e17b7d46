"""What estimators on one ledger share: where it begins, how it is stored, another prior for it."""

from __future__ import annotations

from typing import Any

import numpy as np

from conlinucb.agent.estimators import ledger
from conlinucb.agent.estimators.base import Estimator
from conlinucb.agent.estimators.state import State, empty
from conlinucb.agent.priors import Isotropic, Prior, Start, prior_of, strength_or_prior
from conlinucb.errors import InvalidInput
from conlinucb.numerics.validation import Floats, positive

BETA = 1.0


class OneMatrix(Estimator):
    """M = M_0 + sum w xx' for arms and key-terms alike, from beta I or from a prior."""

    layout = ledger.layout()
    either = ("beta", "prior")

    def _begin(self, beta: float | None, prior: Prior | None, answer_weight: float) -> None:
        if prior is not None and beta is not None:
            raise InvalidInput(f"A prior takes the place of beta; got both, beta={beta!r}.")
        self.start = Isotropic(BETA if beta is None else beta) if prior is None else prior_of(prior)
        self.answer_weight = positive("answer_weight", answer_weight)

    @property
    def beta(self) -> float:
        """The strength of an isotropic prior."""
        if not isinstance(self.start, Isotropic):
            raise InvalidInput(f"{self.start!r} has no beta.")
        return self.start.beta

    def arguments(self) -> dict[str, Any]:
        return strength_or_prior("beta", self.start)

    def parameters(self) -> dict[str, Any]:
        return {**self.start.digest(), "alpha": self.alpha, **self._more()}

    def prior(self) -> dict[str, Any]:
        return {**self.start.digest(), **self._more()}

    def _more(self) -> dict[str, Any]:
        """The parameters that are not as usual, and that a stored state depends on."""
        return {} if self.answer_weight == 1.0 else {"answer_weight": self.answer_weight}

    def constants(self) -> Floats:
        return np.array([self.answer_weight])

    def new_state(self, d: int) -> State:
        state = empty(d, ledger.MATRICES, ledger.VECTORS, ledger.NUMBERS, ledger.COUNTS)
        ledger.begin(state, 0, *self._first(d))
        return state

    def _first(self, d: int) -> Start:
        """The prior in the units of P."""
        return self.start.start(d)

    def check_state(self, state: State) -> None:
        ledger.check(state, 0)

    def _with_sums_of(self, state: State, before: Estimator) -> State:
        """A newcomer's state with what was learned in this one, under the prior of ``before``."""
        if before.answer_weight != self.answer_weight:
            raise InvalidInput(
                f"What was learned with answer_weight {before.answer_weight!r} cannot be taken "
                f"over with {self.answer_weight!r}."
            )
        d = state.theta.size
        mine = self.new_state(d)
        ledger.restart(mine, 0, ledger.sums(state, 0, before.new_state(d)))
        return mine
