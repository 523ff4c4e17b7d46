"""Populations as priors: read from the database once, and which agents take one."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from conlinucb.agent.priors import Population
from conlinucb.errors import ConlinucbError, Damaged
from conlinucb.service.storage import Storage

RECIPES = ("linucb", "arm_con", "conlinucb", "for_newcomers")
"""Whose belief starts from a prior that can be exchanged."""
AT_HAND = 64


@dataclass(frozen=True, eq=False)
class LearnedPrior:
    """A population and its number in the catalogue."""

    number: int
    prior: Population


def takes_population(agent: Mapping[str, Any]) -> bool:
    """Whether an agent's prior can be a population: not where it has one of its own.

    >>> takes_population({"recipe": "linucb"}), takes_population({"recipe": "conucb"})
    (True, False)
    """
    return agent.get("recipe") in RECIPES and "prior" not in agent


class LearnedPriors:
    """Populations by catalogue and number; they never change, so they are read once."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self._known: OrderedDict[tuple[int, int], LearnedPrior] = OrderedDict()

    def load(self, catalogue: int, number: int) -> LearnedPrior:
        """One population; raises ``Damaged`` where it cannot be read."""
        found = self._known.get((catalogue, number))
        if found is None:
            data = self._storage.populations.data(catalogue, number)
            try:
                found = LearnedPrior(number, Population.from_bytes(data))
            except ConlinucbError as error:
                raise Damaged(f"population {number} cannot be read: {error}") from error
            self._known[catalogue, number] = found
            while len(self._known) > AT_HAND:
                self._known.popitem(last=False)
        return found
