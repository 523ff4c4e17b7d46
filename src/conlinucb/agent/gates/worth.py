"""The gate of ``WhenWorth``: a question is worth more than it costs, or there is none."""

from __future__ import annotations

from typing import Any

import numpy as np

from conlinucb.agent.gates.base import GO, STOP
from conlinucb.agent.strategies.base import TermStrategy, View, strategy_kernel
from conlinucb.agent.strategies.valuable import Valuable, best_above
from conlinucb.catalog.catalog import Catalog
from conlinucb.numerics.validation import Floats


@strategy_kernel(cache=True)
def most_valuable_if_worth(view: View) -> int:
    """The most valuable question where that is worth more than ``constants[K + 2]``, else STOP."""
    cost = view.constants[view.terms.shape[0] + 2]
    term, gain = best_above(view, cost, 0)
    return term if gain > cost else STOP


@strategy_kernel(cache=True)
def go_if_worth(view: View) -> int:
    """GO where some question is worth more than ``constants[K + 2]``, else STOP."""
    cost = view.constants[view.terms.shape[0] + 2]
    return GO if best_above(view, cost, 1)[1] > cost else STOP


class Worth(TermStrategy):
    """Whether the best question is worth more than ``cost``, by the criterion of ``valuable``.

    With that strategy itself the gate also says which question it is, so that it is looked for
    once.
    """

    name = "worth"
    needs_pool = True

    def __init__(self, cost: float, strategy: Any) -> None:
        self.cost = cost
        self.valuable = strategy if isinstance(strategy, Valuable) else Valuable()
        self.kernel = most_valuable_if_worth if self.valuable is strategy else go_if_worth

    def prepare(self, catalog: Catalog) -> Floats:
        """What ``valuable`` needs, then the cost."""
        return np.append(self.valuable.prepare(catalog), self.cost)
