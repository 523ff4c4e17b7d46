"""A strategy made ready for one catalogue."""

from __future__ import annotations

from typing import Any

import numpy as np

from conlinucb.catalog import Catalog
from conlinucb.errors import ConlinucbError, InvalidInput, StrategyError
from conlinucb.strategies.base import TermStrategy, View
from conlinucb.validation import Floats, Indices


class Chooser:
    """Calls a strategy and checks what it answers; a stranger's object needs no base class."""

    def __init__(self, strategy: Any, catalog: Catalog) -> None:
        if not catalog.live_terms.size:
            raise InvalidInput("A catalogue without key-terms has nothing to ask about.")
        self.strategy = strategy
        self.name: str = getattr(strategy, "name", type(strategy).__name__)
        self.needs_pool = bool(getattr(strategy, "needs_pool", TermStrategy.needs_pool))
        self.fixed_terms = bool(getattr(strategy, "fixed_terms", TermStrategy.fixed_terms))
        self.kernel = getattr(strategy, "kernel", None)
        self._choose = self.kernel or strategy.choose
        self.constants: Floats = np.ascontiguousarray(
            strategy.prepare(catalog) if hasattr(strategy, "prepare") else np.empty(0),
            dtype=np.float64,
        )

    def check_offered(self, offered: Indices, catalog: Catalog) -> None:
        """Refuse a subset of the terms where the strategy is made for all of them."""
        if self.fixed_terms and offered.size != catalog.live_terms.size:
            raise InvalidInput(
                f"Strategy {self.name!r} is made for a fixed set of key-terms, but {offered.size} "
                f"of {catalog.live_terms.size} were offered. Use 'max-radius' where the offered "
                f"terms vary, or a catalogue of the terms you want."
            )

    def choose(self, view: View) -> int:
        """The strategy's choice, one of ``view.offered``, or an error that names both."""
        try:
            chosen = int(self._choose(view))
        except ConlinucbError:
            raise
        except Exception as error:
            raise StrategyError(
                f"Strategy {self.name!r} failed in round {view.round}: {error!r}"
            ) from error
        at = np.searchsorted(view.offered, chosen)
        if at == view.offered.size or view.offered[at] != chosen:
            raise StrategyError(
                f"Strategy {self.name!r} chose term {chosen} in round {view.round}, which is not "
                f"among the {view.offered.size} offered terms."
            )
        return chosen
