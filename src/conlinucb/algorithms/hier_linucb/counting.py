"""A ridge estimate that counts how often each key-term was asked about, each arm recommended."""

from __future__ import annotations

from typing import Any

import numpy as np

from conlinucb.agent.estimators import Ridge, State, ledger
from conlinucb.agent.estimators.state import Part
from conlinucb.catalog.catalog import Catalog
from conlinucb.errors import IncompatibleState, InvalidInput

STANDS = ledger.COUNTS
"""Where a state has the arm that stands for the open question's key-term; behind it are the counts
of all key-terms ..."""
FIRST_TERM = STANDS + 1
"""... and then of all arms."""


class Counting(Ridge):
    """One ridge estimate of arms, and how often each was recommended, or asked about."""

    name = "counting"

    def __init__(self, catalog: Catalog, **options: Any) -> None:
        super().__init__(**options)
        self._arms = len(catalog)
        self._counted = len(catalog.term_ids) + len(catalog)
        self.layout = (*ledger.layout(), Part("times", "counts", STANDS, 1 + self._counted))

    def new_state(self, d: int) -> State:
        """The state of someone who has said nothing."""
        alone = super().new_state(d)
        more = np.zeros(1 + self._counted, dtype=np.int64)
        return alone._replace(counts=np.concatenate([alone.counts, more]))

    def check_sizes(self, state: State) -> None:
        """Refuse the user of another catalogue."""
        if state.counts.size != FIRST_TERM + self._counted:
            raise InvalidInput(
                f"This user's counts are of {state.counts.size - FIRST_TERM} key-terms and arms, "
                f"the agent's of {self._counted}: another catalogue."
            )

    def check_state(self, state: State) -> None:
        """Refuse counts that no rounds lead to."""
        super().check_state(state._replace(counts=state.counts[:STANDS]))
        said = state.counts[STANDS:]
        if (said < 0).any() or said[0] >= self._arms:
            raise IncompatibleState("times are of arms and key-terms that are not there.")
