"""What a gate says, and what makes one ready for a catalogue.

A schedule says how many questions a round has at most. One with a method ``gate(strategy)`` also
looks before each of them: the gate it returns is an object like a strategy, with a ``kernel`` made
by ``strategy_kernel`` or a plain ``choose(view)``, that returns STOP, GO or a key-term. It is shown
what a strategy is shown and must depend on nothing else.
"""

from __future__ import annotations

import operator
from typing import Any

from conlinucb.agent.strategies.base import View
from conlinucb.agent.strategies.chooser import Chooser
from conlinucb.catalog.catalog import Catalog
from conlinucb.errors import InvalidInput

STOP, GO = -1, -2
"""No more questions in this round; or one that the strategy chooses. What is not negative is the
key-term to ask about, where the gate knows what the strategy would choose."""


class Gate(Chooser):
    """A schedule's gate made ready for one catalogue."""

    what = "The gate"

    def decide(self, view: View) -> int:
        """STOP, GO or one of ``view.offered``."""
        found = self.called(view, operator.index)
        if found not in (STOP, GO):
            self.check_choice(view, found)
        return found


def gate_of(schedule: Any, strategy: Any, asks: str, catalog: Catalog) -> Gate | None:
    """The schedule's gate for questions that this strategy chooses; None where it has none."""
    make = getattr(schedule, "gate", None)
    if make is None:
        return None
    if asks == "arm":
        raise InvalidInput(
            f"{type(schedule).__name__} looks at questions about key-terms, but this agent asks "
            f"about arms. Use Linear(b), Every(n) or another b(t)."
        )
    return None if strategy is None else Gate(make(strategy), catalog)
