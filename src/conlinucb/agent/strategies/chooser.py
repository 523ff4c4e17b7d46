"""A strategy made ready for one catalogue."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from conlinucb.agent.question import LARGEST_GROUP, PICKS, Kind, Pick
from conlinucb.agent.strategies.base import Draws, TermStrategy, View
from conlinucb.agent.strategies.group import Teaching, as_if_answered
from conlinucb.catalog.catalog import Catalog
from conlinucb.errors import ConlinucbError, InvalidInput, StrategyError
from conlinucb.numerics.validation import Floats, Indices

Read = TypeVar("Read")


class Chooser:
    """Calls a strategy and checks what it answers; a stranger's object needs no base class."""

    what = "Strategy"

    def __init__(self, strategy: Any, catalog: Catalog) -> None:
        if not catalog.live_terms.size:
            raise InvalidInput("A catalogue without key-terms has nothing to ask about.")
        self.strategy = strategy
        self.name: str = getattr(strategy, "name", type(strategy).__name__)
        self.kind: Kind = getattr(strategy, "kind", TermStrategy.kind)
        if self.kind not in ("term", "pair", "group"):
            raise InvalidInput(
                f"The kind of strategy {self.name!r} must be 'term', 'pair' or 'group', got "
                f"{self.kind!r}."
            )
        self.size: int = getattr(strategy, "size", 3) if self.kind == "group" else 1
        """Key-terms of a group at most, each of which takes a place in a trace."""
        self.pick: Pick | None = getattr(strategy, "pick", "any") if self.kind == "group" else None
        self.teaching: Teaching = getattr(strategy, "teaching", Teaching())
        self._check_group()
        self.needs_pool = bool(getattr(strategy, "needs_pool", TermStrategy.needs_pool))
        self.fixed_terms = bool(getattr(strategy, "fixed_terms", TermStrategy.fixed_terms))
        self.draws: Draws | None = getattr(strategy, "draws", TermStrategy.draws)
        if self.draws not in ("never", "evenly", None):
            raise InvalidInput(
                f"draws of strategy {self.name!r} must be 'never', 'evenly' or None, got "
                f"{self.draws!r}."
            )
        self.kernel = getattr(strategy, "kernel", None)
        if self.kernel is not None and not hasattr(self.kernel, "py_func"):
            raise InvalidInput(
                f"The kernel of strategy {self.name!r} must be compiled with @strategy_kernel, "
                f"got {self.kernel!r}; a plain function is called choose."
            )
        self.probe = getattr(strategy, "probe", None)
        """What an answer is taken for, by PROBE's arguments; None for the key-term itself."""
        self.constants = self._prepare(catalog)

    def _check_group(self) -> None:
        fits = self.pick in PICKS and 2 <= operator.index(self.size) <= LARGEST_GROUP
        if self.kind == "group" and not fits:
            raise InvalidInput(
                f"A group of strategy {self.name!r} must have a size from 2 to {LARGEST_GROUP} and "
                f"pick 'any' or 'best', got {self.size!r} and {self.pick!r}."
            )

    def _prepare(self, catalog: Catalog) -> Floats:
        if not hasattr(self.strategy, "prepare"):
            return np.empty(0)
        try:
            return np.ascontiguousarray(self.strategy.prepare(catalog), dtype=np.float64).ravel()
        except ConlinucbError:
            raise
        except Exception as error:
            raise StrategyError(
                f"{self.what} {self.name!r} failed to prepare: {error!r}"
            ) from error

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
        chosen = self._group(view) if self.kind == "group" else self._one(view)
        for each in chosen:
            self.check_choice(view, each)
        if len(set(chosen)) < len(chosen):
            raise StrategyError(
                f"Strategy {self.name!r} chose a {self.kind} of the same, {chosen[0]}."
            )
        return chosen

    def _one(self, view: View) -> tuple[int, ...]:
        return self.called(view, lambda choice: self._decoded(choice, len(view.terms)))

    def _group(self, view: View) -> tuple[int, ...]:
        """One after the other, each as if those before it had been answered."""
        chosen: tuple[int, ...] = ()
        left, cov, memory = view.offered, view.cov.copy(), np.zeros(2 * len(view.terms))
        for number in range(min(self.size, view.offered.size)):
            now = view._replace(
                offered=left,
                cov=cov,
                bounds=view.bounds.copy() if number else view.bounds,
                asked=view.asked * self.size + number,
                memory=memory,
            )
            found = self._one(now)
            if len(found) > 1:  # all of them at once
                return found
            self.check_choice(now, found[0])
            as_if_answered(cov, view.terms[found[0]], view.weights[found[0]])
            chosen, left = (*chosen, *found), left[left != found[0]]
        return chosen

    def called(self, view: View, read: Callable[[Any], Read]) -> Read:
        """What it answers, as ``read`` understands it; where that fails, an error that names it."""
        try:
            return read(self.kernel(view) if self.kernel else self.strategy.choose(_guarded(view)))
        except Exception as error:
            raise StrategyError(
                f"{self.what} {self.name!r} failed in round {view.round}: {error!r}"
            ) from error

    def check_choice(self, view: View, term: int) -> None:
        """Refuse a key-term that was not offered."""
        at = np.searchsorted(view.offered, term)
        if at == view.offered.size or view.offered[at] != term:
            raise StrategyError(
                f"{self.what} {self.name!r} chose term {term} in round {view.round}, which is "
                f"not among the {view.offered.size} offered terms."
            )

    def _decoded(self, choice: Any, terms: int) -> tuple[int, ...]:
        """A term; or two, as a tuple or as first * K + second, which a kernel can return."""
        if self.kind == "group" and isinstance(choice, tuple):
            if not 2 <= len(choice) <= self.size:
                raise InvalidInput(f"a group must be of 2 to {self.size}, got {choice!r}.")
            return tuple(operator.index(each) for each in choice)
        if self.kind != "pair":
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
