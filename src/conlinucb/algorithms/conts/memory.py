"""What a conversation remembers beside the belief: what was asked, accepted and refused in it."""

from __future__ import annotations

from typing import Any

import numpy as np

from conlinucb.agent.estimators import Ridge, State, ledger
from conlinucb.agent.estimators.state import STATE, Part
from conlinucb.catalog.catalog import Catalog
from conlinucb.errors import IncompatibleState
from conlinucb.numerics.compile import INT, kernel

TURNS = ledger.COUNTS
"""Where a state counts the turns of the conversation; behind it are marks of all key-terms ..."""
FIRST_TERM = TURNS + 1
"""... and then of all arms: 1 for those that were refused."""
ASKED, ACCEPTED = 1, 2
"""Marks of key-terms."""


class Conversing(Ridge):
    """One ridge estimate of key-terms and arms alike, and the conversation it is in."""

    name = "conversing"

    def __init__(self, catalog: Catalog, **options: Any) -> None:
        super().__init__(**options)
        self._marks = len(catalog.term_ids) + len(catalog)
        self.layout = (
            *ledger.layout(),
            Part("conversation", "counts", TURNS, 1 + self._marks),
        )

    def new_state(self, d: int) -> State:
        """The state of someone who has said nothing, at the start of a conversation."""
        alone = super().new_state(d)
        more = np.zeros(1 + self._marks, dtype=np.int64)
        return alone._replace(counts=np.concatenate([alone.counts, more]))

    def check_state(self, state: State) -> None:
        """Refuse marks that no conversation leads to."""
        super().check_state(state._replace(counts=state.counts[:TURNS]))
        said = state.counts[TURNS:]
        if (said < 0).any() or (said[1:] > ACCEPTED).any():
            raise IncompatibleState("the conversation has marks that cannot be.")


@kernel(INT(STATE, INT))
def forget(state: State, turns: int) -> int:
    """Begin a conversation anew where it has had so many turns, else 0; the belief stays."""
    if state.counts[TURNS] < turns:
        return 0
    for i in range(TURNS, state.counts.shape[0]):
        state.counts[i] = 0
    return 1
