"""An agent as its parameters: told, changed, cloned, compared."""

from __future__ import annotations

import json
from typing import Any, Self

from conlinucb.agent.changes import nested, replaced
from conlinucb.agent.describe import parts, plain, same
from conlinucb.agent.estimators import Estimator
from conlinucb.agent.relative import PAIR_UPDATES, PairUpdate
from conlinucb.agent.select import UpperConfidence
from conlinucb.agent.strategies.chooser import Chooser
from conlinucb.catalog.catalog import Catalog
from conlinucb.shown import Shown

USUAL = PAIR_UPDATES[0]


class ByParameters(Shown):
    """What scikit-learn asks of an estimator, and equality: all of it goes by the parameters."""

    catalog: Catalog
    estimator: Estimator
    strategy: Any
    chooser: Chooser | None
    schedule: Any
    asks: str
    select: Any
    pair_update: PairUpdate
    sharing: Any
    rewards: Any
    _given: dict[str, Any]
    """The other arguments of the constructor, as they were given."""

    def parameters(self) -> dict[str, Any]:
        """What defines the algorithm, as values that JSON can hold."""
        asked = "arm" if self.asks == "arm" else self.chooser and self.chooser.name
        own = parts(self.strategy)
        return {
            "estimator": self.estimator.name,
            **{name: plain(value) for name, value in self.estimator.parameters().items()},
            "strategy": asked,
            **{f"strategy_{name}": plain(value) for name, value in own.items()},
            "schedule": plain(self.schedule),
            **({} if isinstance(self.select, UpperConfidence) else {"select": plain(self.select)}),
            **({} if self.pair_update == USUAL else {"pair_update": self.pair_update}),
            **({} if self.sharing is None else {"sharing": plain(self.sharing)}),
            **({} if self.rewards is None else {"rewards": plain(self.rewards)}),
        }

    def facts(self) -> dict[str, object]:
        """What a notebook shows: the parameters, and the catalogue it is on."""
        return {**self.parameters(), "catalog": repr(self.catalog)}

    def replace(self, **changes: Any) -> Self:
        """A new agent with these parameters in place of its own; users of this one can go on with
        it unless the prior, beta or the estimator is among them.

        A name is one of ``get_params()``, or the argument of a part alone: "alpha" for
        "estimator__alpha". Giving a prior takes away beta, and the other way round.

        >>> import conlinucb as cl
        >>> agent = cl.conlinucb(cl.Catalog([[1.0, 0.0], [0.0, 1.0]], [[1, 0], [0, 1]]))
        >>> wider = agent.replace(alpha=0.5, strategy="BS", f=10)
        >>> wider.estimator, wider.strategy, wider.schedule
        (Ridge(beta=0.15, alpha=0.5), SpannerMember(C=1.0), Logarithmic(zero_based=False, f=10))
        >>> agent.replace(alpha=0.1) == agent
        True
        """
        return type(self)(**replaced(self.get_params(deep=False), self._parts(), changes))

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The constructor's arguments as given; with ``deep`` those of its parts, "part__name"."""
        given = {"catalog": self.catalog, "estimator": self.estimator, **self._given}
        return given | (nested(self._parts()) if deep else {})

    def set_params(self, **changes: Any) -> Self:
        """``replace`` in place, as scikit-learn has it; where one is refused nothing changes.

        Not for an agent that others hold, or that is a key: its hash goes by its parameters.
        """
        vars(self).update(vars(self.replace(**changes)))
        return self

    def __sklearn_clone__(self) -> Self:
        return self.replace()  # a catalogue never changes, so it is shared

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self) or self.asks != other.asks:
            return False
        if self.pair_update != other.pair_update:
            return False
        mine, theirs = self.catalog, other.catalog
        if mine is not theirs and mine.version != theirs.version:
            return False
        return same(self._parts(), other._parts())

    def __hash__(self) -> int:
        return hash((self.catalog.d, len(self.catalog), json.dumps(self.parameters())))

    def _parts(self) -> dict[str, Any]:
        named = ("estimator", "strategy", "schedule", "select", "sharing", "rewards")
        return {part: getattr(self, part) for part in named}
