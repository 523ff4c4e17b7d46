"""The gate of ``WhereThin``: whether some direction is known too little for this round."""

from __future__ import annotations

import numpy as np

from conlinucb.agent.gates.base import GO, STOP
from conlinucb.agent.strategies.base import TermStrategy, View, strategy_kernel
from conlinucb.agent.strategies.gain_bounds import largest_stretch
from conlinucb.agent.strategies.thinnest import basis_of, within
from conlinucb.catalog.catalog import Catalog
from conlinucb.numerics.compile import kernel
from conlinucb.numerics.linalg import cholesky
from conlinucb.numerics.validation import Floats

MARGIN = 1e-9
"""An eigenvalue is below a level only if it is by this much, relatively: not by rounding."""


@kernel("b1(f8[:,::1], f8)")
def is_above(P: Floats, level: float) -> bool:
    """Whether an eigenvalue of P exceeds the level: whether level I - P is not positive definite.

    Where the trace or a norm is below the level none does, where a diagonal entry is above it one
    does; only between the two does it take a factorisation, and no eigenvalue is computed.
    """
    trace = largest = 0.0
    for i in range(P.shape[0]):
        trace += P[i, i]
        largest = max(largest, P[i, i])
    if trace < level or largest > level:
        return largest > level
    if largest_stretch(P) < level:
        return False
    rest, L = -P, np.zeros_like(P)
    for i in range(P.shape[0]):
        rest[i, i] += level
    return not cholesky(rest, L)


@strategy_kernel(cache=True)
def go_where_thin(view: View) -> int:
    """GO while P has an eigenvalue above 1 / (c t), which is one of M below c t."""
    P = within(view.cov, view.constants[1:])
    level = (1.0 + MARGIN) / (view.constants[0] * view.round)
    return GO if is_above(P, level) else STOP


class Thin(TermStrategy):
    """Whether M, as far as key-terms can tell, has an eigenvalue below ``c`` times the round."""

    name = "thin"
    kernel = go_where_thin

    def __init__(self, c: float) -> None:
        self.c = c

    def prepare(self, catalog: Catalog) -> Floats:
        """c, then a basis of what key-terms span, where that is not everything."""
        return np.append(self.c, basis_of(catalog))
