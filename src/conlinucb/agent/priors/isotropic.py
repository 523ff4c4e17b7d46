"""Nothing is known: every direction alike, around 0."""

from __future__ import annotations

from typing import Any

import numpy as np

from conlinucb.agent.priors.base import Start
from conlinucb.numerics.validation import positive


class Isotropic:
    """N(0, I / beta) with noise 1: ridge regression of strength beta.

    >>> Isotropic(0.5).start(2).precision
    array([[0.5, 0. ],
           [0. , 0.5]])
    """

    noise = 1.0

    def __init__(self, beta: float = 1.0) -> None:
        self.beta = positive("beta", beta)

    def start(self, d: int) -> Start:
        """beta I, and no mean."""
        return Start(np.eye(d) * self.beta, np.zeros(d))

    def digest(self) -> dict[str, Any]:
        """beta alone."""
        return {"beta": self.beta}

    def __repr__(self) -> str:
        return f"Isotropic(beta={self.beta!r})"


def strength_or_prior(name: str, start: Any) -> dict[str, Any]:
    """The arguments that an estimator with this start is made with: a strength or a prior.

    >>> strength_or_prior("beta", Isotropic(0.5))
    {'beta': 0.5, 'prior': None}
    """
    strength = start.beta if isinstance(start, Isotropic) else None
    return {name: strength, "prior": None if isinstance(start, Isotropic) else start}
