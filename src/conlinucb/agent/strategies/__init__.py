"""Which key-term to ask. One file, one class, one kernel each; add yours to the tuple."""

from __future__ import annotations

from types import MethodType
from typing import Any

from conlinucb.agent.strategies.base import (
    SIGNATURE,
    Strategy,
    TermStrategy,
    View,
    strategy_kernel,
)
from conlinucb.agent.strategies.design import OptimalDesign
from conlinucb.agent.strategies.groups import BestOf, PickAny
from conlinucb.agent.strategies.informative import Informative
from conlinucb.agent.strategies.informative_pairs import InformativePairs
from conlinucb.agent.strategies.log_det import LogDet
from conlinucb.agent.strategies.max_radius import MaxRadius
from conlinucb.agent.strategies.max_radius_pairs import MaxRadiusPairs
from conlinucb.agent.strategies.optimal_greedy import OptimalGreedy
from conlinucb.agent.strategies.random import Random
from conlinucb.agent.strategies.related_confidence import RelatedConfidence
from conlinucb.agent.strategies.related_reduction import RelatedReduction
from conlinucb.agent.strategies.relative_difference import RelativeDifference
from conlinucb.agent.strategies.relative_greedy import RelativeGreedy
from conlinucb.agent.strategies.smoothed import Smoothed
from conlinucb.agent.strategies.spanner import SpannerMember
from conlinucb.agent.strategies.thinnest import Thinnest
from conlinucb.agent.strategies.ucb import UpperConfidence
from conlinucb.agent.strategies.valuable import Valuable
from conlinucb.errors import InvalidInput, UnknownName, nearest

STRATEGIES: dict[str, type[TermStrategy]] = {
    each.name: each
    for each in (
        SpannerMember,
        MaxRadius,
        UpperConfidence,
        Random,
        OptimalGreedy,
        RelatedConfidence,
        RelatedReduction,
        Informative,
        Valuable,
        Thinnest,
        Smoothed,
        OptimalDesign,
        LogDet,
        PickAny,
        BestOf,
        RelativeGreedy,
        RelativeDifference,
        MaxRadiusPairs,
        InformativePairs,
    )
}


PAPER = {"BS": SpannerMember.name, "MCR": MaxRadius.name, "UCB": UpperConfidence.name}
"""What the paper calls its strategies, in capitals or not."""


def strategy_of(given: Any) -> Any:
    """The strategy with this name, ours or the paper's, or the object itself if it can choose.

    >>> strategy_of("MCR")
    MaxRadius()
    """
    if isinstance(given, str):
        name = PAPER.get(given.upper(), given)
        if name not in STRATEGIES:
            known = [*PAPER, *STRATEGIES]
            raise UnknownName(f"No strategy is called {given!r}.{nearest(given, known)}")
        return STRATEGIES[name]()
    if isinstance(given, type):
        raise InvalidInput(f"A strategy is an instance: pass {given.__name__}(), not the class.")
    if isinstance(getattr(given, "kernel", None), MethodType):
        raise InvalidInput(
            f"The kernel of {type(given).__name__} would be called with self: "
            f"write kernel = staticmethod(...)."
        )
    if not (hasattr(given, "kernel") or hasattr(given, "choose")):
        raise InvalidInput(
            f"A strategy is one of {', '.join([*STRATEGIES, *PAPER])} or an object with a kernel "
            f"or a method choose(view), got {given!r}."
        )
    return given


__all__ = [
    "PAPER",
    "SIGNATURE",
    "STRATEGIES",
    "BestOf",
    "Informative",
    "InformativePairs",
    "LogDet",
    "MaxRadius",
    "MaxRadiusPairs",
    "OptimalDesign",
    "OptimalGreedy",
    "PickAny",
    "Random",
    "RelatedConfidence",
    "RelatedReduction",
    "RelativeDifference",
    "RelativeGreedy",
    "Smoothed",
    "SpannerMember",
    "Strategy",
    "TermStrategy",
    "Thinnest",
    "UpperConfidence",
    "Valuable",
    "View",
    "strategy_kernel",
    "strategy_of",
]
