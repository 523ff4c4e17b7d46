"""What HCB and pHCB keep of a person: ridge regressions of arms and nodes, and who is open."""

from __future__ import annotations

from typing import Any

import numpy as np

from conlinucb.agent.estimators import Estimator, ledger
from conlinucb.agent.estimators.state import Part, State, empty
from conlinucb.algorithms.hierarchy.branches import Branches
from conlinucb.errors import IncompatibleState
from conlinucb.numerics.validation import number, positive


class Ridges(Estimator):
    """LinUCB over the arms, and one for each depth or, ``progressive``, one over all open nodes.

    theta and P are those of the arms, so means and radii of arms are as LinUCB has them.
    """

    def __init__(self, branches: Branches, *, beta: float, alpha: float, progressive: bool) -> None:
        self._branches, self._progressive = branches, progressive
        self.name = "phcb" if progressive else "hcb"
        self.beta, self.alpha = positive("beta", beta), number("alpha", alpha, low=0.0)
        self.tree = branches.digest
        self._nodes = len(branches.depth) if progressive else 0
        names = ["", "nodes_"] if progressive else [""] + [
            f"depth_{i + 1}_" for i in range(branches.levels)
        ]  # fmt: skip
        self._ledgers = len(names)
        parts = [part for i, name in enumerate(names) for part in ledger.layout(name, i)]
        self.layout = (*parts, *self._counted())

    def parameters(self) -> dict[str, Any]:
        """All parameters by name."""
        return {"beta": self.beta, "alpha": self.alpha, "tree": self.tree}

    def _counted(self) -> list[Part]:
        """Visits and feedback of each node, and whether it is open."""
        nodes, numbers, counts = self._nodes, ledger.NUMBERS, ledger.COUNTS
        if not nodes:
            return []
        visits = self._ledgers * counts
        return [
            Part("feedback", "numbers", self._ledgers * numbers, nodes),
            Part("visits", "counts", visits, nodes),
            Part("open", "counts", visits + nodes, nodes),
        ]

    def new_state(self, d: int) -> State:
        """Nothing learned, the broadest nodes open."""
        many = self._ledgers
        numbers = many * ledger.NUMBERS + self._nodes
        counts = many * ledger.COUNTS + 2 * self._nodes
        state = empty(d, many * ledger.MATRICES, many * ledger.VECTORS, numbers, counts)
        for i in range(many):
            ledger.begin(state, i, self.beta * np.eye(d), np.zeros(d))
        if self._nodes:
            state.counts[-self._nodes :] = self._branches.depth == 1
        return state

    def check_state(self, state: State) -> None:
        """Refuse contents that no run of rewards leads to."""
        for i in range(self._ledgers):
            ledger.check(state, i)
        if self._nodes:
            visits, opened = np.split(state.counts[-2 * self._nodes :], 2)
            branches = self._branches
            above = np.add.reduceat(opened[branches.path], branches.path_start[:-1])
            if (visits < 0).any() or (opened < 0).any() or (above != 1).any():
                raise IncompatibleState("visits must be counts, and one node above each arm open.")
