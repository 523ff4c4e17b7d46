"""A strategy made ready for one catalogue."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from conlinucb.agent.question import Kind
from conlinucb.agent.strategies.base import TermStrategy, View
from conlinucb.catalog.catalog import Catalog
from conlinucb.errors import ConlinucbError, InvalidInput, StrategyError
from conlinucb.numerics.validation import Floats, Indices


class Chooser:
    """Calls a strategy and checks what it answers; a stranger's object needs no base class."""

    def __init__(self, strategy: Any, catalog: Catalog) -> None:
        if not catalog.live_terms.size:
            raise InvalidInput("A catalogue without key-terms has nothing to ask about.")
        self.strategy = strategy
        self.name: str = getattr(strategy, "name", type(strategy).__name__)
        self.kind: Kind = getattr(strategy, "kind", TermStrategy.kind)
        if self.kind not in ("term", "pair"):
            raise InvalidInput(
                f"The kind of strategy {self.name!r} must be 'term' or 'pair', got {self.kind!r}."
            )
        self.needs_pool = bool(getattr(strategy, "needs_pool", TermStrategy.needs_pool))
        self.fixed_terms = bool(getattr(strategy, "fixed_terms", TermStrategy.fixed_terms))
        self.kernel = getattr(strategy, "kernel", None)
        if self.kernel is not None and not hasattr(self.kernel, "py_func"):
            raise InvalidInput(
                f"The kernel of strategy {self.name!r} must be compiled with @strategy_kernel, "
                f"got {self.kernel!r}; a plain function is called choose."
            )
        self.constants = self._prepare(catalog)

    def _prepare(self, catalog: Catalog) -> Floats:
        if not hasattr(self.strategy, "prepare"):
            return np.empty(0)
        try:
            return np.ascontiguousarray(self.strategy.prepare(catalog), dtype=np.float64).ravel()
        except ConlinucbError:
            raise
        except Exception as error:
            raise StrategyError(f"Strategy {self.name!r} failed to prepare: {error!r}") from error

    def check_offered(self, offered: Indices, catalog: Catalog) -> None:
        """Refuse a subset of the terms where the strategy is made for all of them."""
        if self.fixed_terms and offered.size != catalog.live_terms.size:
            raise InvalidInput(
                f"Strategy {self.name!r} is made for a fixed set of key-terms, but {offered.size} "
                f"of {catalog.live_terms.size} were offered. Use 'max-radius' where the offered "
                f"terms vary, or a catalogue of the terms you want."
            )

    def choose(self, view: View) -> tuple[int, ...]:
        """The strategy's choice, of ``view.offered``, or an error that names both."""
        try:
            choice = self.kernel(view) if self.kernel else self.strategy.choose(_guarded(view))
            chosen = self._decoded(choice, len(view.terms))
        except Exception as error:
            raise StrategyError(
                f"Strategy {self.name!r} failed in round {view.round}: {error!r}"
            ) from error
        for each in chosen:
            at = np.searchsorted(view.offered, each)
            if at == view.offered.size or view.offered[at] != each:
                raise StrategyError(
                    f"Strategy {self.name!r} chose term {each} in round {view.round}, which is "
                    f"not among the {view.offered.size} offered terms."
                )
        if len(set(chosen)) < len(chosen):
            raise StrategyError(f"Strategy {self.name!r} chose a pair of the same, {chosen[0]}.")
        return chosen

    def _decoded(self, choice: Any, terms: int) -> tuple[int, ...]:
        """A term; or two, as a tuple or as first * K + second, which a kernel can return."""
        if self.kind == "term":
            return (operator.index(choice),)
        if isinstance(choice, tuple):
            first, second = choice
            return operator.index(first), operator.index(second)
        return divmod(operator.index(choice), terms)


def _guarded(view: View) -> View:
    """The view with arrays that plain Python cannot write to, but for the bounds."""
    fields = view._asdict()
    for name, value in fields.items():
        if isinstance(value, np.ndarray) and name != "bounds":
            fields[name] = value.view()
            fields[name].flags.writeable = False
    return View(**fields)
