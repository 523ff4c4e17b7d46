"""Algorithms whose answers spread along the graph of key-terms."""

from __future__ import annotations

from typing import Any

from conlinucb.agent.agent import Agent
from conlinucb.agent.alpha import TheoryAlpha
from conlinucb.agent.priors import Prior
from conlinucb.agent.recipes import EXPERIMENTS, B, conlinucb, conucb
from conlinucb.agent.sharing import Sharing
from conlinucb.agent.spreading import Spread, checked_spread
from conlinucb.agent.strategies import LogDet, strategy_of
from conlinucb.catalog.catalog import Catalog


def graph_conucb(
    catalog: Catalog,
    *,
    strategy: Any = "design",
    spread: Spread = "full",
    mix: float = 0.5,
    term_beta: float | None = None,
    alpha: float | TheoryAlpha | None = None,
    term_alpha: float | TheoryAlpha | None = None,
    prior: Prior | None = None,
    answer_weight: float = 1.0,
    select: Any = "ucb",
    schedule: B = EXPERIMENTS,
    sharing: Sharing | None = None,
    rewards: Any = None,
) -> Agent:
    """After GraphConUCB: ConUCB whose answers spread, with questions from an optimal design.

    An answer about a key-term also counts as one about each neighbour in ``catalog.term_graph``,
    as far as they are alike (``spread``): in "full", as in a third party's code of it, or by the
    weight of each edge. The rest is as of ``conucb``.

    >>> import conlinucb as cl
    >>> catalog = cl.Catalog([[1.0, 0.0], [0.0, 1.0]], [[1, 0], [0, 1]], term_ids=["jazz", "folk"])
    >>> agent = cl.graph_conucb(catalog.with_graph([("jazz", "folk", 0.5)]))
    >>> user = agent.new_user()
    >>> agent.volunteer(user, "jazz", 1.0)
    >>> agent.estimates(user).means
    array([0.5 , 0.25])
    """
    return conucb(
        catalog,
        strategy=_asks(strategy, spread),
        spread=spread,
        mix=mix,
        term_beta=term_beta,
        alpha=alpha,
        term_alpha=term_alpha,
        prior=prior,
        answer_weight=answer_weight,
        select=select,
        schedule=schedule,
        sharing=sharing,
        rewards=rewards,
    )


def graph_conlinucb(
    catalog: Catalog,
    *,
    strategy: Any = "log-det",
    spread: Spread = "edges",
    beta: float | None = None,
    alpha: float | TheoryAlpha | None = None,
    prior: Prior | None = None,
    answer_weight: float = 1.0,
    select: Any = "ucb",
    schedule: B = EXPERIMENTS,
    sharing: Sharing | None = None,
    rewards: Any = None,
) -> Agent:
    """The same on one matrix, as ConLinUCB has it: ours.

    It asks what, with all that the answer spreads to, shrinks the volume of uncertainty most, and
    a neighbour counts as much as its edge weighs. The rest is as of ``conlinucb``.

    >>> import conlinucb as cl
    >>> catalog = cl.Catalog([[1.0, 0.0], [0.0, 1.0]], [[1, 0], [0, 1]], term_ids=["jazz", "folk"])
    >>> agent = cl.graph_conlinucb(catalog.with_graph([("jazz", "folk", 0.5)]), beta=1.0)
    >>> user = agent.new_user()
    >>> agent.volunteer(user, "jazz", 1.0)
    >>> agent.estimates(user).means.round(3)
    array([0.5  , 0.167])
    """
    return conlinucb(
        catalog,
        strategy=_asks(strategy, spread),
        spread=spread,
        beta=beta,
        alpha=alpha,
        prior=prior,
        answer_weight=answer_weight,
        select=select,
        schedule=schedule,
        sharing=sharing,
        rewards=rewards,
    )


def _asks(strategy: Any, spread: Spread) -> Any:
    """By its name log-det counts neighbours as the estimator does."""
    by_name = isinstance(strategy, str) and strategy == LogDet.name
    return LogDet(spread=checked_spread(spread) or "edges") if by_name else strategy_of(strategy)
