"""Ask about any offered term, each equally likely."""

from __future__ import annotations

from conlinucb.agent.strategies.base import TermStrategy, View, strategy_kernel
from conlinucb.randomness import QUESTIONS, derive, uniform_index


@strategy_kernel(cache=True)
def any_offered(view: View) -> int:
    """One of the offered terms, the last one included."""
    stream = derive(view.seed, QUESTIONS)
    return view.offered[uniform_index(stream, view.asked, view.offered.shape[0])]


class Random(TermStrategy):
    """k uniform over the offered terms."""

    name = "random"
    draws = "evenly"
    kernel = any_offered
